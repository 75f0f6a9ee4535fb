package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"a2ascope/ui/output"
)

// ProgramText is what is known of the output of a program.
type ProgramText = output.Text

type outputMsg struct{ text output.Text }

type hearMsg struct{}

// hear waits for output of the program, as ask does for views.
func (a *App) hear() tea.Cmd {
	if a.o.ProgramOutput == nil {
		return nil
	}
	rev := a.output.Text().Rev
	return func() tea.Msg {
		if !a.work.begin() {
			return nil
		}
		defer a.work.end()
		t := a.o.ProgramOutput.Next(a.ctx, rev)
		if t.Rev <= rev {
			return nil // the screen is closing
		}
		return outputMsg{t}
	}
}

// takeOutput shows newer output, and says when the program has ended.
func (a *App) takeOutput(t output.Text) tea.Cmd {
	if t.Ended && !a.output.Text().Ended {
		a.say(a.words.ProgramEnded(a.o.Program, t.Code))
	}
	a.output = a.output.Take(t)
	return tea.Tick(pause, func(time.Time) tea.Msg { return hearMsg{} })
}

// whole reports whether the screen that is shown leaves no room for a detail.
func (s screen) whole() bool { return s == onAgents || s == onReview || s == onOutput || s == onHelp }
