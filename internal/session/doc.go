// Package session is the single writer: it drives sources through the parsers,
// the decoder and the engine, and publishes what is known as immutable views.
//
//	source ─batch─▶ split by connection ─▶ worker: wire → exchange → call ─┐
//	                                   └─▶ worker: …                       ─┤ merge by Seq
//	                                                                        ▼
//	                                     session goroutine: engine → book → View
//
// A batch is what a source hands over at once. Each worker owns the
// connections that hash to it and answers every batch with its observations in
// order; the session merges them by Seq, so that the engine sees the same
// order with one worker and with eight.
//
// Goroutines: Run owns the source goroutine and the workers of the file being
// read, and waits for them. Only the goroutine of Run writes; readers take
// View or wait in Next.
//
// Every file has an engine of its own: two captures that reuse an address are
// two worlds. A panic in a reader is caught at the worker, becomes a problem of
// that connection, and the rest goes on.
//
// What a row keeps of its exchange changes its form, never what it says:
//
//	running: call, heads, frames on the heap
//	   └▶ ended, of the newest thousand: the same, compact
//	        └▶ packed: bytes without pointers, in a block beside the heap
//	             └▶ beyond the budget: the block is in the temporary file
//
// Row.Call makes the call again from the last two (kept.go, pack.go, store.go).
// Memory is bounded (keep.go, retain.go): rows of live inputs that ended long
// ago are forgotten.
//
// Start reading at session.go, then pipeline.go, worker.go, book.go.
package session
