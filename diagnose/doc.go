// Package diagnose says what is wrong: rules in, findings out.
//
//	decode.Call ──▶ Engine.Observe ─────────────────────────────▶ Verdict
//	 (checkpoint)     │ resolve   the memory reads the call anew     (findings that are
//	                  │ index     which rules can fit?                new, or stand otherwise)
//	                  │ facts     filled for those only
//	                  │ judge     conditions, by rank
//	                  │ settle    who follows from whom, the root
//	                  │ learn     the memory takes the call in
//	                  └ end       fold equals, recover
//
// A rule is a YAML file (folder rules): a condition in CEL over facts, texts in
// two languages, places that prove it. A fact is a flat value that Go derived:
// of the exchange alone (facts_call.go, …) or of what was seen before
// (facts_known.go). A check is a condition written in Go. A checkpoint is a
// moment at which an exchange is judged. A finding is our judgement; its
// standing says whether it is the root of a failure, follows from another
// finding, is folded into an equal one, or was recovered. The memory holds what
// was learnt of agents, clients, tasks and webhooks; a peer is an address of an
// agent, a session the calls of one client to one agent.
//
// Invariants:
//   - A finding is never taken back. What changes is its standing, and a
//     severity may rise with what is learnt later; it is then issued again under
//     the same Key.
//   - An exchange evaluates only rules whose filter fits it; a rule is read and
//     compiled when an exchange first selects it.
//   - Every condition of a built-in rule is checked with cel-go by the tests. To
//     run, it becomes Go closures over the facts; what those cannot say runs in
//     cel-go. A test holds the two against each other.
//   - A condition that ends in an error does not hold, and is counted.
//   - Whatever is kept has a limit, and the oldest is forgotten first.
//   - Tokens, credentials, metadata and message text never become facts.
//   - An Engine belongs to one goroutine; it has no clock but that of the
//     traffic. A Set may be shared, a Filter may be used by several goroutines.
//
// This is the only room that imports CEL and YAML.
//
// Start reading at finding.go and rule.go, then engine.go and standing.go;
// load.go and compile.go for how rules are read; facts.go and agents.go for
// what they see.
package diagnose
