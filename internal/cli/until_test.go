package cli

import (
	"slices"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/internal/session"
)

// counting is a filter that matches one row and counts how often it is asked.
type counting struct {
	want  int
	asked int
}

func (c *counting) Match(r *session.Row) bool {
	c.asked++
	return r.Index == c.want
}

// TestUntilLooksAtWhatChanged: with 2,000 rows a view with one new end costs one question.
func TestUntilLooksAtWhatChanged(t *testing.T) {
	row := func(i int, ended bool) *session.Row {
		x := &capture.Exchange{}
		if ended {
			x.End = &capture.End{}
		}
		return session.Row{Index: i}.With(&decode.Call{Exchange: x})
	}
	const n = 2000
	var rows []*session.Row
	for i := range n {
		rows = append(rows, row(i, i != n-1))
	}
	f := &counting{want: n - 1}
	a := awaited{filter: f}
	view := func() *session.View { return &session.View{Rows: session.RowsOf(slices.Clone(rows))} }
	if a.came(view()) || f.asked != n-1 {
		t.Fatalf("asked %d times about %d ends", f.asked, n-1)
	}
	f.asked = 0
	if a.came(view()) || f.asked != 0 {
		t.Errorf("nothing changed, and it is asked %d times", f.asked)
	}
	rows[7] = row(7, true)
	rows = append(rows, row(n, false))
	if a.came(view()) || f.asked != 1 {
		t.Errorf("asked %d times about one row", f.asked)
	}
	rows[n-1] = row(n-1, true)
	if !a.came(view()) {
		t.Error("the end of the last row is not noticed")
	}
}
