package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"a2ascope/internal/lang"
	"a2ascope/internal/save"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

// keeper saves sessions for a command and remembers what to say about it.
type keeper struct {
	to    io.Writer
	code  string // language
	plain bool
	notes map[int]save.Note // what the user left on the screen

	mu   sync.Mutex
	said []kept // for when the screen is gone
}

// kept is a file and what it holds.
type kept struct{ name, what string }

// screen lets the screen save.
func (k *keeper) screen(o *ui.Options, now time.Time) {
	o.SaveName = "a2ascope-" + now.Format("20060102-150405") + ".har"
	o.Save = func(ctx context.Context, q ui.SaveRequest) (string, error) {
		n, err := save.Write(ctx, q.Name, q.View, save.Options{Version: Version, Plain: k.plain, Replace: q.Overwrite, Notes: attached(q.Notes)})
		if err != nil {
			return "", err
		}
		return k.saved(q.Name, n), nil
	}
	o.Left = func(notes map[int]ui.Note) { k.notes = attached(notes) }
}

// attached is what the user attached to rows.
func attached(notes map[int]ui.Note) map[int]save.Note {
	all := make(map[int]save.Note, len(notes))
	for row, n := range notes {
		all[row] = save.Note(n)
	}
	return all
}

// saved remembers what to say of a file.
func (k *keeper) saved(name string, n save.Count) (what string) {
	what = lang.Contents(k.code, n.Exchanges, n.Connections, k.plain)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.said = slices.DeleteFunc(k.said, func(old kept) bool { return old.name == name })
	k.said = append(k.said, kept{name, what})
	return what
}

// record begins the file of -w, nil when there is none.
func (k *keeper) record(name string, replace bool) (*save.Recording, error) {
	if name == "" {
		return nil, nil
	}
	if err := save.Known(name); err != nil {
		return nil, fmt.Errorf("-w %w", err)
	}
	r, err := save.Record(name, save.Options{Version: Version, Plain: k.plain, Replace: replace})
	if err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	return r, nil
}

// finish ends the file of -w.
func (k *keeper) finish(name string, r *save.Recording, v *session.View) error {
	if r == nil {
		return nil
	}
	n, err := r.Close(v, k.notes)
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	k.saved(name, n)
	return nil
}

// tell says which files there are now.
func (k *keeper) tell() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.said {
		fmt.Fprintln(k.to, "a2ascope: "+lang.Get(k.code).Saved(s.name, s.what))
	}
	k.said = nil
}
