package cli

import (
	"context"
	"fmt"
	"io"
	"sync"

	"a2ascope/internal/lang"
	"a2ascope/internal/save"
	"a2ascope/internal/session"
)

// keeper saves sessions for a command and remembers what to say about it.
type keeper struct {
	to    io.Writer
	code  string // language
	plain bool

	mu   sync.Mutex
	said []string // for when the screen is gone
}

// write saves a view; what is said to the user behind the name of the file.
func (k *keeper) write(ctx context.Context, name string, replace bool, v *session.View, notes map[int]string) (what string, err error) {
	n, err := save.Write(ctx, name, v, save.Options{Version: Version, Plain: k.plain, Replace: replace, Notes: notes})
	if err != nil {
		return "", err
	}
	return k.saved(name, n), nil
}

// saved remembers what to say of a file.
func (k *keeper) saved(name string, n int) (what string) {
	what = lang.Saved(k.code, n, k.plain)
	k.mu.Lock()
	k.said = append(k.said, name+": "+what)
	k.mu.Unlock()
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
	n, err := r.Close(v)
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
		fmt.Fprintln(k.to, "a2ascope: "+s)
	}
	k.said = nil
}
