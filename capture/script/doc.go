// Package script performs plays: conversations written by hand, as real bytes.
// docs/PLAY.md is the language, complete.
//
//	text ─▶ Parse ─▶ Play ─▶ Source ─▶ Sink.Chunks
//	        lines    acts    encoder
//	                         (HTTP/1, HTTP/2, gRPC)
//
// Parse reads line by line and notes acts: a head, a part of a body, an end, a
// gap, a reset, each with its time. What an act needs that is written later (the
// length of the body, the trailers) is looked up when it is encoded, since by
// then the whole play is known.
//
// Words: a message is a request or a response; a part is a group of body lines
// that is sent at once; a lane is a row of exchanges on a connection; a verdict
// is the status that ends a gRPC call.
//
// Invariants: a play always gives the same chunks; a play that cannot be
// encoded says so before the first chunk; errors name file, line and column;
// nothing in a head is changed but what docs/PLAY.md lists. There is no
// goroutine, and no clock but Options.Sleep.
//
// Start reading at parse.go, then say.go and encode.go.
package script
