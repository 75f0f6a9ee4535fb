package child

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
)

// Bounds of a Ring: what a person scrolls back through, and no more memory than
// a few captured bodies.
const (
	maxLines = 5000
	maxText  = 1 << 20
	maxLine  = 8 << 10 // a longer line goes on in the next one
)

// Text is what a Ring holds at one moment.
type Text struct {
	Lines []string // the last one may still grow
	Lost  int      // older lines that were dropped
	Rev   uint64   // changes with every write
}

// Ring keeps the last lines of what is written to it. It is safe for several
// writers; the lines of each come whole when each has a Writer of its own.
type Ring struct {
	mu      sync.Mutex
	lines   []string // ring
	first   int
	size    int // bytes
	lost    int
	rev     uint64
	changed chan struct{} // closed with the next change; nil when nobody waits
	writers []*ringWriter
}

// Writer returns a writer of lines; what it was given last without a line break
// is shown as a line that still grows.
func (r *Ring) Writer() io.Writer {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &ringWriter{ring: r}
	r.writers = append(r.writers, w)
	return w
}

type ringWriter struct {
	ring *Ring
	part []byte
}

// Write never fails and never waits for a reader.
func (w *ringWriter) Write(p []byte) (int, error) {
	r := w.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		end := i >= 0
		if !end {
			i = len(p)
		}
		if room := maxLine - len(w.part); i > room {
			i, end = room, true
			w.part = append(w.part, p[:i]...)
			p = p[i:]
		} else {
			w.part = append(w.part, p[:i]...)
			if p = p[i:]; end {
				p = p[1:]
			}
		}
		if end {
			r.add(shownLine(w.part))
			w.part = w.part[:0]
		}
	}
	r.wake()
	return n, nil
}

// shownLine is what a terminal would show of a line with carriage returns: the
// last thing written over the others.
func shownLine(b []byte) string {
	s := strings.TrimRight(string(b), "\r")
	return s[strings.LastIndexByte(s, '\r')+1:]
}

func (r *Ring) add(s string) {
	r.lines = append(r.lines, s)
	r.size += len(s)
	for len(r.lines)-r.first > maxLines || r.size > maxText {
		r.size -= len(r.lines[r.first])
		r.lines[r.first] = ""
		r.first++
		r.lost++
	}
	if r.first > maxLines { // shifted once in a while, not with every line
		r.lines = append([]string(nil), r.lines[r.first:]...)
		r.first = 0
	}
}

func (r *Ring) wake() {
	r.rev++
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Note says something that did not come from the program, and wakes readers.
func (r *Ring) Note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if line != "" {
		r.add(line)
	}
	r.wake()
}

// Lines is what the ring holds now.
func (r *Ring) Lines() Text {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text()
}

func (r *Ring) text() Text {
	t := Text{Lost: r.lost, Rev: r.rev}
	t.Lines = append(t.Lines, r.lines[r.first:]...)
	for _, w := range r.writers {
		if len(w.part) > 0 {
			t.Lines = append(t.Lines, shownLine(w.part))
		}
	}
	return t
}

// Next waits for something newer than rev. When ctx ends it returns what there is.
func (r *Ring) Next(ctx context.Context, rev uint64) Text {
	for {
		r.mu.Lock()
		if r.rev > rev || ctx.Err() != nil {
			defer r.mu.Unlock()
			return r.text()
		}
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		wait := r.changed
		r.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}
