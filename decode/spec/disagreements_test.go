package spec

import (
	"slices"
	"strings"
	"testing"
)

// Every entry has both languages, at least two documents that say different
// things, and is found for what it is about and not for anything else.
func TestDisagreements(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range disagreements {
		if seen[d.ID] {
			t.Errorf("%s is there twice", d.ID)
		}
		seen[d.ID] = true
		for _, w := range []Wording{d.Topic, d.Follow} {
			if w.EN == "" || w.ZH == "" || w.EN == w.ZH {
				t.Errorf("%s: a text is missing in a language: %+v", d.ID, w)
			}
		}
		said := map[string]bool{}
		for _, s := range d.Sayings {
			if said[s.Says] || s.Where == "" {
				t.Errorf("%s: %q says nothing of its own", d.ID, s.Where)
			}
			said[s.Says] = true
			if !strings.HasPrefix(s.Where, "0.3 ") && !strings.HasPrefix(s.Where, "1.0 ") && !strings.HasPrefix(s.Where, "v1.0.") {
				t.Errorf("%s: %q does not name the version of the document", d.ID, s.Where)
			}
		}
		if len(d.Sayings) < 2 || len(d.In) == 0 {
			t.Errorf("%s: two documents and a version are needed", d.ID)
		}
		op, b := GetTask, HTTPJSON
		if len(d.Operations) > 0 {
			op = d.Operations[0]
		}
		if len(d.Binding) > 0 {
			b = d.Binding[0]
		}
		has := func(list []Disagreement) bool {
			return slices.ContainsFunc(list, func(x Disagreement) bool { return x.ID == d.ID })
		}
		if !has(Disagreements(op, b, d.In, true)) || !has(Disagreements(op, b, nil, true)) {
			t.Errorf("%s is not found for %s over %s", d.ID, op, b)
		}
		if has(Disagreements(op, b, nil, false)) == d.Faults {
			t.Errorf("%s: a call that succeeded must leave out what is about errors, and only that", d.ID)
		}
		if len(d.Operations) > 0 && has(Disagreements("Other", b, nil, true)) || len(d.Binding) > 0 && has(Disagreements(op, "other", nil, true)) {
			t.Errorf("%s is found for calls it is not about", d.ID)
		}
	}
	if len(Disagreements(GetAgentCard, "", nil, true)) > 0 {
		t.Error("a card fetch is no call")
	}
}

// What the table of operations serves is one of the forms that documents give.
func TestDisagreementsFitTheNames(t *testing.T) {
	for _, c := range []struct {
		id string
		op Operation
		b  Binding
		v  Version
	}{
		{"subscribe-verb", SubscribeToTask, HTTPJSON, V10}, {"subscribe-verb", SubscribeToTask, HTTPJSON, V03},
		{"create-route", CreatePushConfig, HTTPJSON, V03}, {"extended-card-method", GetExtendedAgentCard, JSONRPC, V03},
	} {
		name := NameIn(c.op, c.v, c.b)
		for _, d := range Disagreements(c.op, c.b, []Version{c.v}, true) {
			if d.ID == c.id && !slices.ContainsFunc(d.Sayings, func(s Saying) bool { return s.Says == name }) {
				t.Errorf("%s: no document says %q", c.id, name)
			}
		}
	}
}
