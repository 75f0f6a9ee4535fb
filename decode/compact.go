package decode

import (
	"slices"

	"a2ascope/internal/jsontree"
)

// Compact returns the call without its parsed documents, for keeping: a
// session of 200,000 exchanges holds the facts, and whoever shows one of them
// parses its bodies again (they stay in Exchange).
func (c *Call) Compact() *Call {
	n := *c
	n.RequestDoc, n.ResponseDoc = nil, nil
	n.Params, n.Result = jsontree.Node{}, jsontree.Node{}
	if len(n.Events) > 0 {
		n.Events = slices.Clone(n.Events)
		for i := range n.Events {
			n.Events[i].Doc, n.Events[i].Node = nil, jsontree.Node{}
		}
	}
	return &n
}
