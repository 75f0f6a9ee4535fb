package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// EnvelopeFacts is what is wrong with the JSON-RPC envelope of a request:
// JSON-RPC 2.0 §4 and §6, 1.0 §9.3, 0.3 §6.11.
type EnvelopeFacts struct {
	// Faults are, in this order: batch (an array of calls), version ("jsonrpc":"2.0"
	// is not there), method (missing, or no text), id (missing: a notification,
	// which no operation of A2A is), id-type (neither text nor an integer),
	// params (neither an object nor left out where nothing is asked).
	Faults []string `cel:"faults"`
	At     string   `cel:"at"` // place of the first of them; of a member that is missing, where it had to stand
}

// fillEnvelope looks at the envelope. Of a sound one it reads four members and keeps nothing.
func fillEnvelope(f *EnvelopeFacts, c *decode.Call) {
	if c.Kind != spec.KindCall || c.Binding != spec.JSONRPC || c.RequestDoc == nil || c.RequestDoc.Err != nil {
		return
	}
	root := c.RequestDoc.Root()
	add := func(fault, pointer string) {
		if len(f.Faults) == 0 {
			f.At = string(c.ParamsAt[:frameEnd(c.ParamsAt)]) + pointer
		}
		f.Faults = append(f.Faults, fault)
	}
	if root.IsArray() {
		add("batch", "")
		return
	}
	if !root.IsObject() || !root.Has("method") && (root.Has("result") || root.Has("error")) {
		return
	}
	if !c.RPC.IsEnvelope {
		add("version", "/jsonrpc")
	}
	if c.Method == "" {
		add("method", "/method")
	}
	switch id := root.Get("id"); id.Kind() {
	case jsontree.String:
	case jsontree.Number:
		if _, whole := id.Int(); !whole {
			add("id-type", "/id")
		}
	case jsontree.Absent, jsontree.Null:
		if c.Operation != "" {
			add("id", "/id")
		}
	default:
		add("id-type", "/id")
	}
	switch {
	case c.Params.IsObject():
	case (!c.Params.Exists() || c.Params.Kind() == jsontree.Null) && (c.Operation == spec.GetExtendedAgentCard || c.Operation == spec.ListTasks || c.Operation == ""):
	default:
		add("params", "/params")
	}
}

// frameEnd is where the pointer of a place begins.
func frameEnd(p decode.Place) int {
	for i := range len(p) {
		if p[i] == '#' {
			return i + 1
		}
	}
	return len(p)
}
