// Package schema reads and writes the protobuf messages of A2A without
// generated code: from the field tables of decode/spec.
//
//	spec tables ──▶ types (types.go) ──▶ walker: wire bytes ─▶ ProtoJSON text   Decode
//	                     │
//	                     └─▶ descriptors (descriptor.go) ─▶ dynamicpb           Encode
//
// There are three schemas: 0.3 (package a2a.v1), 1.0-draft (also a2a.v1, other
// numbers) and 1.0 (lf.a2a.v1). Bytes of one often decode cleanly with another
// and mean something else, so the caller picks by gRPC path, never by trial;
// where the path is unknown, Decoded.Score tells which fits better.
//
// Decode never fails and never stops at the first error. What the schema does
// not explain stays visible in the JSON, in these forms:
//
//	"?12": …            a field number the message does not have
//	{"?varint": 5}      a known field with another wire type; also ?i32 ?i64 ?text ?bytes ?group
//	{"?bytes": "…"}     bytes that are no UTF-8, or no message (base64)
//	{"?twice": [a, b]}  a field that is not repeated and is there more than once
//	"?rest": {…}        what follows the place where a message stops being protobuf
//
// Encode takes all but the last two, so that broken messages can be written too.
//
// Words: a shape is a message type in a table (decode/spec), a type is a shape
// made ready for reading, a form is one of the marks above.
//
// Invariants: output of Decode is always one valid JSON value, its size and
// the number of issues are bounded by the input and by constants in limits.go;
// nothing is built before first use; everything built is immutable and shared.
// Start reading in schema.go, then walk.go.
package schema
