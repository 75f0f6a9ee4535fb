// Package jsontree reads JSON without losing anything of it: member order,
// duplicate members, number spelling and the byte offset of every value stay.
//
// A Doc is the text and a flat slice of nodes made in one pass; a Node is a
// handle (document, index). The zero Node is "absent": every method works on
// it and answers with zero values, so a path can be followed without checks.
//
// Invariants: Parse never panics and never fails; text that is no JSON gives a
// Doc whose Err names the offset and whose nodes hold what was read before it.
// Depth is limited to MaxDepth.
package jsontree
