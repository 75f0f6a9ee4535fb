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
	"a2ascope/ui/kit"
	"a2ascope/ui/output"
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

	// What is watched. Live: traffic as it happens; the list follows the newest
	// exchange, and leaving asks when nothing was saved.
	Live    bool
	Mode    string // "proxy", "run", "live", "open"; a code, the screen has its word
	Address string // where clients are to be pointed, for example http://127.0.0.1:4100; can be copied

	// The rules that judge: whether they are others than the built-in ones, and
	// how many mistakes keep rules of the user out.
	OwnRules     bool
	RuleMistakes int

	// Save writes the session to a file; nil: the key is not offered. It is
	// called beside the screen, one call at a time, and Run has waited for it
	// when it returns: the caller who gave it knows what was written, and says
	// so on the terminal that the screen has left. what is said to the user
	// behind the name of the file, in his language ("18 exchanges"). An error
	// that is fs.ErrExist makes the screen ask, and call again with Overwrite;
	// any other is shown. Save gives up when ctx ends: the user left at once.
	Save      func(ctx context.Context, q SaveRequest) (what string, err error)
	SaveName  string             // the name of the file that is offered
	Left      func(map[int]Note) // is told what the user attached to rows, when the screen is left; may be nil
	Recording string             // the file that is being written, or will be at the end, because it was asked for at the start

	// Program is a program that runs beside the screen: its name, and its output.
	Program       string
	ProgramOutput output.Source // nil: there is none

	Now         func() time.Time
	Getenv      func(string) string // NO_COLOR is asked for
	Zone        *time.Location      // of the clock on screen; nil shows times as captured
	ShowSecrets bool                // do not mask secrets

	Input  io.Reader // nil: the terminal
	Output io.Writer // nil: the terminal
}

// Note is what the user attached to a row.
type Note = kit.Note

// SaveRequest is what is to be saved, and where.
type SaveRequest struct {
	Name      string // as typed, never ""
	Overwrite bool   // the user agreed to replace the file
	View      *session.View
	Notes     map[int]Note // by Row.Index; rows that have none and never had are not in it
}

// ErrFault says that the screen is gone because it had a fault. What it showed
// may go on.
var ErrFault = errors.New("the screen stopped because of a fault in this program; the terminal was restored")

// askFor is how long the screen has to leave by itself when its context ends.
const askFor = time.Second

// Run shows the screen until the user leaves or ctx ends.
func Run(ctx context.Context, store Store, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	app := New(ctx, store, o)
	out := newOutlet(o.Output)
	app.out = out
	killed, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	opts := []tea.ProgramOption{tea.WithContext(killed), tea.WithFPS(120), tea.WithOutput(out.writer())}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if app.mono() { // the renderer would drop bold and reverse as well
		opts = append(opts, tea.WithColorProfile(colorprofile.ANSI))
	}
	program := tea.NewProgram(app, opts...)
	keep := context.AfterFunc(ctx, func() {
		// Asked first: a program that is killed closes the terminal's file while
		// its reader may still use it.
		time.AfterFunc(askFor, kill)
		program.Quit()
	})
	_, err := program.Run()
	keep()
	cancel()
	out.close(drainFor)
	app.work.wait()
	if o.Left != nil {
		o.Left(app.copyNotes())
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("%w: %w", ErrFault, err)
	case errors.Is(err, tea.ErrInterrupted), ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil // the user, or whoever started us, wanted it to end
	case err != nil:
		return fmt.Errorf("the screen could not be shown: %w", err)
	}
	return nil
}
