// Package spec holds the Agent2Agent protocol as tables: what each version
// calls an operation in each binding, its routes, errors, states, headers and
// message fields. It imports nothing of the project and decides nothing.
//
//	operations.go   operation × version × binding → name; capability; stream or not
//	methods.go      JSON-RPC names, and which names are near misses
//	mcp.go          names of another protocol that look like ours
//	rpcs.go         gRPC paths, request and response messages
//	routes.go       REST routes, matched from the end of a path
//	errors.go       the nine A2A errors    codes.go  JSON-RPC and gRPC codes
//	states.go       task states and roles in every spelling
//	headers.go      headers and media types   query.go  REST query parameters
//	fields.go       how the field tables are written
//	fields_*.go     message fields: number, type and duty in 0.3, 1.0-draft, 1.0
//	shapes_j.go     members of the 0.3 JSON-RPC objects
//
// Words: an operation is named as in 1.0; a method is its JSON-RPC spelling, an
// RPC its gRPC spelling, a route its REST spelling. "draft" is the state of the
// 1.0 work between 2025-11 and 2026-02, tagged once as v1.0.0-rc.
//
// Invariants: tables are plain literals, nothing runs at program start; lookups
// do not allocate; a cell that is empty on purpose says "-", and a test refuses
// cells that were forgotten. Start reading in operations.go.
//
// Section signs refer to docs/specification.md of the A2A tags v0.3.0, v1.0.0
// and v1.0.1; "proto" to the a2a.proto of the same tag.
package spec
