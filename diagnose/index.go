package diagnose

import (
	"slices"

	"a2ascope/decode"
)

// index finds the rules an exchange has to be judged by. The first exchange of
// a shape looks at every rule, the next ones find the answer ready. Its keys
// are words of small lists, so it stays small.
type index struct {
	rules []*Rule
	found map[indexKey][]*Rule
	ready func(*Rule) bool // prepares a rule that was selected; false: it cannot be run
}

type indexKey struct {
	at                                         decode.Checkpoint
	kind, binding, operation, outcome, version string
	turn                                       turn
}

// maxIndex bounds the answers kept; a run meets some hundred shapes.
const maxIndex = 8192

func newIndex(set *Set, ready func(*Rule) bool) *index {
	return &index{rules: set.judging(), found: map[indexKey][]*Rule{}, ready: ready}
}

// fitting returns the rules to judge a call by at a checkpoint, by rank. AtDone
// are those of the end that were not judged at the response.
func (x *index) fitting(c *decode.Call, at decode.Checkpoint, now turn) []*Rule {
	k := indexKey{at, string(c.Kind), string(c.Binding), string(c.Operation), string(c.Outcome), string(c.Request.Value), now}
	if rs, ok := x.found[k]; ok {
		return rs
	}
	var rs []*Rule
	for _, r := range x.rules {
		f := &r.For
		if r.turn() == now && r.due(at) && fits(f.Kind, k.kind) && fits(f.Binding, k.binding) &&
			fits(f.Operation, k.operation) && fits(f.Outcome, k.outcome) && fits(f.Version, k.version) && x.ready(r) {
			rs = append(rs, r)
		}
	}
	if len(x.found) >= maxIndex {
		clear(x.found)
	}
	x.found[k] = rs
	return rs
}

func (r *Rule) due(at decode.Checkpoint) bool {
	if at == decode.AtDone {
		return slices.Contains(r.At, decode.AtEnd) && !slices.Contains(r.At, decode.AtResponse)
	}
	return slices.Contains(r.At, at)
}

func fits(list []string, word string) bool {
	if len(list) == 0 {
		return true
	}
	if word == "" {
		word = none
	}
	return slices.Contains(list, word)
}

// turn is when in a checkpoint a rule is judged.
type turn uint8

const (
	ordinary   turn = iota
	asFallback      // where nothing explains the failed exchange
	asTeaching      // where a rule that it is attached to spoke
)

func (r *Rule) turn() turn {
	switch {
	case r.Fallback:
		return asFallback
	case len(r.AttachedTo) > 0:
		return asTeaching
	}
	return ordinary
}
