package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// pause between two views: 30 a second are as many as an eye can use. The
// newest view is asked for only after it, so states in between are skipped and
// the last one never is.
const pause = time.Second / 30

type viewMsg struct{ view *session.View }

type askMsg struct{}

// ask waits for a newer view. There is one such wait at a time; it ends with
// the context at the latest, and Run waits for it.
func (a *App) ask() tea.Cmd {
	rev := a.view.Rev
	return func() tea.Msg {
		if !a.work.begin() {
			return nil
		}
		defer a.work.end()
		v := a.store.Next(a.ctx, rev)
		if v == nil || v.Rev <= rev {
			return nil // the session is over
		}
		return viewMsg{v}
	}
}

// later asks after the pause.
func later() tea.Cmd {
	return tea.Tick(pause, func(time.Time) tea.Msg { return askMsg{} })
}

// take makes a view the current one.
func (a *App) take(v *session.View) tea.Cmd {
	if v.Done && !a.view.Done {
		a.tellUnreadable(v)
	}
	a.view = v
	cmd := a.index.sync(v.Rows)
	a.sums.sync(v.Rows, a.from)
	a.collect(v.Rows)
	a.pick()
	return cmd
}

// tellUnreadable says which files could not be read, where others could: an
// empty list says it itself.
func (a *App) tellUnreadable(v *session.View) {
	n, why := 0, ""
	for _, f := range v.Files {
		if f.Err != nil {
			if n++; n == 1 {
				why = kit.OneLine(f.Err.Error(), 200)
			}
		}
	}
	if n > 0 && v.Rows.Len() > 0 {
		a.complain(a.words.FilesFailed(n, len(v.Files), why))
	}
}

// whenDrained waits until a terminal that was slow has taken what was written.
func (a *App) whenDrained() tea.Cmd {
	if a.out == nil {
		return nil
	}
	return func() tea.Msg {
		if !a.work.begin() {
			return nil
		}
		defer a.work.end()
		select {
		case <-a.out.drained:
			return drainedMsg{}
		case <-a.ctx.Done():
			return nil
		}
	}
}

// ViewMsg is the message that brings a view, for tests that have no Store to wait for.
func ViewMsg(v *session.View) tea.Msg { return viewMsg{v} }
