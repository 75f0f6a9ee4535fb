package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"a2ascope/internal/session"
)

// Store is where views come from; *session.Session is one.
type Store interface {
	View() *session.View
	// Next waits for a view newer than rev. When ctx ends it returns at once,
	// with whatever there is.
	Next(ctx context.Context, rev uint64) *session.View
}

// Filter chooses rows.
type Filter interface{ Match(*session.Row) bool }

// Options of the screen.
type Options struct {
	Lang  string // "en" or "zh"
	Theme string // "auto", "dark", "light", "16", "none"; "" is "auto"
	Title string // of the window; "" is the program's name

	// Lesson is a text in Markdown shown beside the traffic. Where there is one
	// in several languages, Lessons has them by language and wins.
	Lesson  string
	Lessons map[string]string

	// CompileFilter makes a filter of what is typed. An error may have a
	// method Column() int that says where it is. nil: no filter bar.
	CompileFilter func(text string) (Filter, error)

	Now         func() time.Time
	Getenv      func(string) string // NO_COLOR is asked for
	Zone        *time.Location      // of the clock on screen; nil shows times as captured
	ShowSecrets bool                // do not mask secrets

	Input  io.Reader // nil: the terminal
	Output io.Writer // nil: the terminal
}

// Run shows the screen until the user leaves or ctx ends.
func Run(ctx context.Context, store Store, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	app := New(ctx, store, o)
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(120)}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		opts = append(opts, tea.WithOutput(o.Output))
	}
	if app.mono() { // the renderer would drop bold and reverse as well
		opts = append(opts, tea.WithColorProfile(colorprofile.ANSI))
	}
	_, err := tea.NewProgram(app, opts...).Run()
	cancel()
	app.feeds.Wait()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("the screen stopped because of a fault in this program; the terminal was restored: %w", err)
	case errors.Is(err, tea.ErrInterrupted), ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil // the user, or whoever started us, wanted it to end
	case err != nil:
		return fmt.Errorf("the screen could not be shown: %w", err)
	}
	return nil
}
