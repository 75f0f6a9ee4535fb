// Package explain says what an exchange is, and why a finding was made, in the
// detail that the report and the list have no room for.
//
//	Call, VersionVerdict ─▶ Exchange ─┐
//	Finding, Call ────────▶ Finding  ─┼─▶ Explanation ─▶ report, ui
//	Rule ─────────────────▶ Rule     ─┘
//
// translate makes the call in the other version, and Command sends it again.
//
// An Explanation is sections of text, tables and things to paste; how they look
// is the business of who shows them. It is made of the tables of decode/spec,
// the facts of the call and the words of internal/lang; nothing is judged here.
//
// Words: a paste is something that can be put into a program as it is: a header
// line, a route, JSON.
//
// Invariants: the same call gives the same explanation; secrets are masked
// unless Options.Plain; nothing is said that no fact or table holds.
package explain
