// Package audit compares what was sent with the shapes of its version.
//
//	Call ─▶ which table? (version of the name, dialect of the binding)
//	     ─▶ walk the JSON beside the shape ─▶ slips
//
// A slip is one place where a body differs from the table of decode/spec: a
// required member that is missing, a member of another version, a value that
// no version has. It is a fact, no judgement: whether anybody minds is for the
// rules. They ask by code:
//
//	side/kind            asked/missing
//	side/kind/member     answered/enum-other/state
//	side/kind/Shape.member   asked/unknown/Message.mesage
//
// side is asked (the request) or answered (a unary answer, or the event of a
// stream that is judged now). The kinds are listed in Kinds.
//
// Nothing is read below metadata, data parts, structs and the params of
// extensions: their contents belong to the peers.
//
// Invariants: a body without slips costs no allocation; the number of slips is
// bounded, equal ones (kind and Shape.member) are counted on the first; the
// order is that of the body. Start reading in audit.go; answer.go is the other
// side, codes.go knows which codes there can be.
package audit
