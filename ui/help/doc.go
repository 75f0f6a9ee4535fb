// Package help shows what every key does: those of the pane one came from
// first, then the rest. The text is made of what the panes say of themselves,
// so it cannot disagree with them.
//
//	Everywhere
//	  d            Diagnosis of this exchange
//	  ]d [d        next, previous exchange with a finding
//
// A section is the keys of one pane. Invariant: no key is described here, only
// in the pane that has it. Start reading at help.go.
package help
