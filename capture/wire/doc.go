// Package wire turns the bytes of one TCP connection into events: heads, body
// frames, trailers, ends, and breaches of the framing rules. It knows HTTP/1,
// HTTP/2, server-sent events, gRPC and gRPC-Web, and nothing about A2A.
//
//	Chunk ─▶ Conn.Feed ─▶ probe: which of the framings is it?
//	                        │
//	         ┌──────────────┼───────────────┬───────────┐
//	       http1          http2            tls        (unknown)
//	    head, length,   frames, HPACK,   hello only      │
//	    chunked          streams            └─ ConnInfo ─┘
//	         └──── body ────┘
//	                │  content coding removed
//	    ┌───────────┼────────────┐
//	  whole        sse          grpc, grpc-web
//	    └───────────┴────────────┘
//	          Events, in order
//
// Words: a half is one direction of a connection. A framing is a way to cut a
// connection into exchanges. A body takes the content of one message and emits
// its frames. A store collects the bytes of one unit (a body, an event, a
// message) and stays a view of the chunk for as long as one chunk holds it all.
// Torn means that bytes are missing and the place in the stream is not known.
// Resync is the search for the next place where a message can begin.
//
// Sizes: BodyEnd.Size and Frame.WireSize count content as it was sent (chunk
// framing and padding removed, content coding not), known losses included.
// Frame.Size counts it decoded.
//
// Invariants:
//   - No goroutine, no clock, no error: bad traffic becomes a Breach.
//   - Where the bytes are cut into chunks does not change the events, only the
//     chunk (Seq, At) at which they are complete.
//   - Every exchange begins with a head (or with the Breach that says why it
//     has none) and has exactly one End, the last.
//   - Memory is reserved for bytes that arrived, never for lengths that were
//     declared; all caps are in limits.go.
//
// Start reading at conn.go, then http1.go and body.go.
package wire
