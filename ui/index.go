package ui

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// index knows which rows fit the filter. It is worked out chunk by chunk in
// the background, so that neither a key nor a frame waits for 200,000 rows; a
// chunk whose rows changed is worked out again, the others are not.
type index struct {
	filter Filter // nil: every row fits that was not forgotten
	gen    int    // of the filter: answers of an older one are dropped
	rows   session.Rows
	parts  []part
	before []int // hits in the parts before each
	busy   bool
}

// part is the hits of one chunk.
type part struct {
	of   session.Rows // the list it was worked out from
	done bool
	hits []int32 // positions in the list
	errs []int32 // of those, rows with an error
}

// step is how many chunks are worked out between two frames: some thousand rows.
const step = 16

type indexMsg struct {
	gen   int
	from  session.Rows
	at    []int
	parts []part
}

// use changes the filter.
func (x *index) use(f Filter) tea.Cmd {
	x.filter, x.gen, x.busy = f, x.gen+1, false
	x.parts, x.before = nil, nil
	return x.sync(x.rows)
}

// sync takes a new list and starts working on what changed.
func (x *index) sync(rows session.Rows) tea.Cmd {
	x.rows = rows
	if !x.needed() {
		return nil
	}
	for len(x.parts) < rows.Chunks() {
		x.parts = append(x.parts, part{})
	}
	return x.next()
}

// needed reports whether the list has rows that are not shown: by the filter,
// or because they were forgotten.
func (x *index) needed() bool { return x.filter != nil || x.rows.Forgotten() > 0 }

// next starts the work on the first chunks that are not up to date.
func (x *index) next() tea.Cmd {
	if x.busy || !x.needed() {
		return nil
	}
	var at []int
	for i := range x.parts {
		if p := &x.parts[i]; !p.done || !p.of.SameChunk(x.rows, i) {
			if at = append(at, i); len(at) == step {
				break
			}
		}
	}
	if len(at) == 0 {
		return nil
	}
	x.busy = true
	f, gen, rows := x.filter, x.gen, x.rows
	return func() tea.Msg {
		m := indexMsg{gen: gen, from: rows, at: at, parts: make([]part, len(at))}
		for i, c := range at {
			m.parts[i] = workOut(f, rows, c)
		}
		return m
	}
}

func workOut(f Filter, rows session.Rows, c int) part {
	p := part{of: rows, done: true}
	for _, r := range rows.Chunk(c) {
		if !r.Forgotten && (f == nil || f.Match(r)) {
			p.hits = append(p.hits, int32(r.Index))
			if r.Worst == diagnose.Error {
				p.errs = append(p.errs, int32(r.Index))
			}
		}
	}
	return p
}

// take adds what was worked out and goes on.
func (x *index) take(m indexMsg) tea.Cmd {
	if m.gen != x.gen {
		return nil
	}
	x.busy = false
	for i, c := range m.at {
		x.parts[c] = m.parts[i]
	}
	x.before = x.before[:0]
	n := 0
	for i := range x.parts {
		x.before = append(x.before, n)
		n += len(x.parts[i].hits)
	}
	return x.next()
}

// view returns the rows that fit.
func (x *index) view() kit.Rows {
	if !x.needed() {
		return kit.AllRows{Rows: x.rows}
	}
	return (*hits)(x)
}

// errorsFrom counts the rows that fit and have an error, from one on.
func (x *index) errorsFrom(from int) int {
	n := 0
	for c := len(x.parts) - 1; c >= 0; c-- {
		es := x.parts[c].errs
		at := sort.Search(len(es), func(i int) bool { return int(es[i]) >= from })
		n += len(es) - at
		if hs := x.parts[c].hits; at > 0 || len(hs) > 0 && int(hs[0]) < from {
			break
		}
	}
	return n
}

// hits is the rows that fit, as far as they are known.
type hits index

// Len returns how many rows fit.
func (h *hits) Len() int {
	n := len(h.before)
	if n == 0 {
		return 0
	}
	return h.before[n-1] + len(h.parts[n-1].hits)
}

// At returns the i-th row that fits.
func (h *hits) At(i int) *session.Row {
	c := sort.SearchInts(h.before, i+1) - 1
	return h.rows.At(int(h.parts[c].hits[i-h.before[c]]))
}

// Find returns the position of a row, or of the next one that fits.
func (h *hits) Find(index int) int {
	for c := range h.before { // the chunk is found by its last hit: chunks without hits are passed over
		hs := h.parts[c].hits
		if len(hs) == 0 || int(hs[len(hs)-1]) < index {
			continue
		}
		return h.before[c] + sort.Search(len(hs), func(i int) bool { return int(hs[i]) >= index })
	}
	return h.Len()
}

// working reports whether the index is not yet complete.
func (x *index) working() bool { return x.busy }
