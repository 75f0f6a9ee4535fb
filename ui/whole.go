package ui

import (
	tea "charm.land/bubbletea/v2"

	"a2ascope/decode"
	"a2ascope/internal/session"
)

// whole is the selected row with all that the session does not keep: parsed
// documents, events, the evidence of the versions. It is read again from the
// bytes, at once where that is quick, else in the background.
type whole struct {
	of   *session.Row // the row it was made of
	row  *session.Row
	busy bool
}

type wholeMsg struct{ of, row *session.Row }

// quick is what may be read again while a key is handled: some milliseconds.
const (
	quickBytes  = 256 << 10
	quickFrames = 1000
)

// want makes the whole row of r.
func (w *whole) want(r *session.Row) tea.Cmd {
	if r == nil || !r.HasCall() || !r.Call().Compacted || w.of == r || w.busy {
		return nil
	}
	if isQuick(r.Call()) {
		w.of, w.row = r, full(r)
		return nil
	}
	w.busy = true
	return func() tea.Msg { return wholeMsg{r, full(r)} }
}

// take keeps what was read in the background.
func (w *whole) take(m wholeMsg) { w.of, w.row, w.busy = m.of, m.row, false }

// get returns the whole row of r. While it is being made that is r itself, or
// for a row that grows its last whole state.
func (w *whole) get(r *session.Row) *session.Row {
	switch {
	case r == nil || !r.HasCall() || !r.Call().Compacted:
		return r
	case w.of == r, w.of != nil && w.of.Index == r.Index && w.busy:
		return w.row
	}
	return r
}

func full(r *session.Row) *session.Row {
	return r.With(r.Call().Full())
}

func isQuick(c *decode.Call) bool {
	x := c.Exchange
	if len(x.Sent)+len(x.Received) > quickFrames {
		return false
	}
	var n int
	for _, f := range x.Sent {
		n += len(f.V.Data)
	}
	for _, f := range x.Received {
		n += len(f.V.Data)
	}
	return n <= quickBytes
}
