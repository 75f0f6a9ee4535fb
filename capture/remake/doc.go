// Package remake makes bytes of exchanges again: chunks that, read by
// capture/wire, give the exchanges they were made of. A session is saved with
// it where the bytes that were seen cannot be written: the source had none
// (HAR), or a secret in them had to be masked, which changes header blocks.
//
//	Event ─▶ Maker ─▶ Chunk
//	          │ HTTP/1: the head as it was, body in the framing the head names
//	          │ HTTP/2: literal header fields, no table; DATA
//	          │ content codings: the same coding, stored uncompressed
//	          └ no HTTP: what is known of the connection, in place of its bytes
//
// What cannot be told from events is made up as simply as the protocols allow:
// where chunks and DATA frames end, SETTINGS, the place of missing bytes inside
// a body (at its end). A Content-Length that no longer fits the body is
// corrected.
//
// Invariants: no goroutine, no clock, no error; the same events give the same
// chunks; what was read of chunks of a Maker and is given to a Maker again gives
// the same chunks. Start reading at maker.go, then message.go, http1.go and
// http2.go.
package remake
