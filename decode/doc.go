// Package decode says what an exchange means: it reads HTTP messages as A2A,
// in every binding and every dialect of the protocol from 0.1 to 1.0.
//
//	           ┌ jsonrpc.go  method names, envelopes, batches; MCP told apart
//	Exchange ──┼ rest.go     routes, prefixes, tenants
//	+ Event    ├ grpc.go     service paths, messages through decode/schema
//	           ├ card.go     card fetches     push.go  webhook deliveries
//	           └ answer.go   stream.go  fault*.go  what came back
//	                │
//	                ▼
//	              *Call at a Checkpoint
//
// A Reader reads one exchange. It is given every event after the event was
// applied and returns a Call when there is something to judge: the request is
// complete, the answer is complete (or the first event of a stream is there),
// one more event came, the exchange is over.
//
// Words: a signal is a piece of evidence, with the place where it stands; a
// version fact is what the signals of one question add up to; a fault is an
// error that the peers sent each other; a problem is traffic that could not
// be read. Tentative means that this exchange alone does not prove what it is
// and that the context (a known card, an earlier call) has to.
//
// Invariants: reading never fails and never panics, whatever the bytes are;
// a Call never changes after it was returned; a stream of n events costs O(n),
// since later calls share what earlier ones hold; no clock, no goroutine, no
// knowledge of other exchanges; the values of tokens and credentials enter no
// field of a Call other than the documents as they were sent.
//
// Start reading at reader.go, then request.go and answer.go. The evidence is
// one table in evidence.go, its weights are those of signal.go.
package decode
