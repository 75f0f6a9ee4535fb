// Package capture holds what was sent: bytes as they were tapped, the HTTP
// messages read from them, and nothing about A2A.
//
//	source ──Chunk──▶ wire.Conn ──Event──▶ Exchange.Apply ──▶ *Exchange
//	(pcap, proxy,                     ▲
//	 script)                          │
//	har ──────────────────Event───────┘
//
// A Chunk is a piece of one direction of one TCP connection. An Event is a
// complete unit read from it: a head, a body frame, a trailer, an end, or a
// breach of the framing rules. An Exchange is one request and its response,
// streams included; it never changes, Apply returns the next one.
//
// Invariants: Chunk.Data and Frame.Data are never written to after they were
// emitted; chunks of one connection come in order; every exchange ends with
// exactly one End; bad traffic is never an error.
//
// Start reading at chunk.go, then event.go, then exchange.go.
package capture
