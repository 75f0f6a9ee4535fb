package diagnose

import (
	"fmt"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// list is a page of ListTasks that a client asked for with a token.
func list(n int, token, next string, ids ...string) *decode.Call {
	tasks := ""
	for i, id := range ids {
		if i > 0 {
			tasks += ","
		}
		tasks += fmt.Sprintf(`{"id":%q}`, id)
	}
	answer := jsontree.Parse([]byte(fmt.Sprintf(`{"tasks":[%s],"nextPageToken":%q,"totalSize":4}`, tasks, next)))
	asked := jsontree.Parse([]byte(fmt.Sprintf(`{"pageToken":%q}`, token)))
	return &decode.Call{Kind: spec.KindCall, Binding: spec.JSONRPC, Operation: spec.ListTasks, Outcome: spec.OK,
		Params: asked.Root(), Result: answer.Root(), ResponseDoc: answer,
		Exchange: &capture.Exchange{ID: capture.ExchangeID(n), Started: time.Unix(int64(n), 0)}}
}

// again walks through pages and says of each whether it came before.
func again(m *memory, pages ...*decode.Call) (out []bool) {
	for _, c := range pages {
		var l ListFacts
		fillList(&l, c)
		s := m.see(c)
		m.walkFacts(&l, c, s)
		m.learnWalk(c, s)
		out = append(out, l.Again)
	}
	return out
}

func TestWalks(t *testing.T) {
	for name, tt := range map[string]struct {
		pages []*decode.Call
		want  string
	}{
		"on and on":        {[]*decode.Call{list(1, "", "A", "t1", "t2"), list(2, "A", "B", "t3", "t4"), list(3, "B", "", "t5")}, "[false false false]"},
		"round":            {[]*decode.Call{list(1, "", "A", "t1", "t2"), list(2, "A", "B", "t3", "t4"), list(3, "B", "A", "t1", "t2")}, "[false false true]"},
		"stuck":            {[]*decode.Call{list(1, "", "A", "t1"), list(2, "A", "A", "t1")}, "[false true]"},
		"another token":    {[]*decode.Call{list(1, "", "A", "t1", "t2"), list(2, "Z", "A", "t1", "t2")}, "[false false]"},
		"from the start":   {[]*decode.Call{list(1, "", "A", "t1", "t2"), list(2, "", "A", "t1", "t2"), list(3, "A", "", "t3", "t4")}, "[false false false]"},
		"one twice":        {[]*decode.Call{list(1, "", "A", "t1"), list(2, "A", "B", "t1")}, "[false false]"},
		"empty at the end": {[]*decode.Call{list(1, "", "A"), list(2, "A", "A"), list(3, "A", "")}, "[false false false]"},
	} {
		if got := fmt.Sprint(again(newMemory(), tt.pages...)); got != tt.want {
			t.Errorf("%s: %s, not %s", name, got, tt.want)
		}
	}
}

func TestWalksAreBounded(t *testing.T) {
	m := newMemory()
	for n := range 3 * maxPages {
		token, next := fmt.Sprint(n), fmt.Sprint(n+1)
		if n == 0 {
			token = ""
		}
		again(m, list(n+1, token, next, "t"+token, "u"+token))
	}
	if m.walks.len() != 1 {
		t.Fatalf("%d walks", m.walks.len())
	}
	for _, w := range m.walks.all() {
		if len(w.pages) != maxPages {
			t.Errorf("%d pages are kept, not %d", len(w.pages), maxPages)
		}
	}
}
