package ui

import (
	"io"
	"os"
	"sync"
	"time"
)

// outlet stands between the screen and the terminal. A terminal may stop
// reading: a connection over SSH that hangs, a multiplexer that is halted.
// Writing to it would then stop the screen, and with it the keys. Therefore a
// goroutine of its own writes; the screen waits for it for a moment, and while
// the terminal is slower than that, draws nothing new: what comes then is the
// newest state, at the pace of the terminal.
type outlet struct {
	to      io.Writer
	ended   chan struct{} // the goroutine is gone
	drained chan struct{} // the terminal has taken everything, after it was slow

	mu      sync.Mutex
	wake    *sync.Cond
	waiting []byte
	taken   chan struct{} // closed when nothing waits any more
	slow    bool
	closed  bool // nothing more comes
	err     error
}

// moment is how long a write waits for the terminal.
const moment = 50 * time.Millisecond

// drainFor is how long leaving waits for a terminal to take the last bytes,
// which are those that restore it. One that is stuck for longer stays stuck.
const drainFor = time.Second

// drainedMsg says that the terminal reads again.
type drainedMsg struct{}

// newOutlet begins passing on; close ends it.
func newOutlet(to io.Writer) *outlet {
	if to == nil {
		to = os.Stdout
	}
	o := &outlet{to: to, ended: make(chan struct{}), drained: make(chan struct{}, 1)}
	o.wake = sync.NewCond(&o.mu)
	go o.pump()
	return o
}

// writer is the outlet as the terminal library wants it: for a terminal a file.
func (o *outlet) writer() io.Writer {
	if f, ok := o.to.(*os.File); ok {
		return outletFile{f, o}
	}
	return o
}

// outletFile is a terminal whose output goes through the outlet.
type outletFile struct {
	*os.File
	o *outlet
}

// Write hands p over.
func (f outletFile) Write(p []byte) (int, error) { return f.o.Write(p) }

// WriteString hands s over.
func (f outletFile) WriteString(s string) (int, error) { return f.o.Write([]byte(s)) }

// Write hands p over, and waits a moment for the terminal to take it.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	if err := o.err; err != nil {
		o.mu.Unlock()
		return 0, err
	}
	o.waiting = append(o.waiting, p...)
	if o.taken == nil {
		o.taken = make(chan struct{})
	}
	taken, slow := o.taken, o.slow
	o.wake.Signal()
	o.mu.Unlock()
	if slow {
		return len(p), nil
	}
	t := time.NewTimer(moment)
	defer t.Stop()
	select {
	case <-taken:
	case <-t.C:
		o.mu.Lock()
		o.slow = o.taken == taken // not taken in between
		o.mu.Unlock()
	}
	return len(p), nil
}

// clogged reports whether the screen should draw nothing new.
func (o *outlet) clogged() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.slow
}

func (o *outlet) pump() {
	defer close(o.ended)
	var buf []byte
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.waiting) == 0 && !o.closed {
			o.wake.Wait()
		}
		if len(o.waiting) == 0 {
			return
		}
		buf, o.waiting = o.waiting, buf[:0]
		o.mu.Unlock()
		_, err := o.to.Write(buf)
		o.mu.Lock()
		if err != nil {
			o.err, o.waiting = err, nil
		}
		if len(o.waiting) > 0 {
			continue
		}
		close(o.taken)
		o.taken = nil
		if o.slow {
			o.slow = false
			select {
			case o.drained <- struct{}{}:
			default: // it was told, and has not looked yet
			}
		}
		if o.err != nil {
			return
		}
	}
}

// close waits until everything is written, but not longer than atMost: a write
// to a terminal that is stuck cannot be ended.
func (o *outlet) close(atMost time.Duration) {
	o.mu.Lock()
	o.closed = true
	o.wake.Signal()
	o.mu.Unlock()
	t := time.NewTimer(atMost)
	defer t.Stop()
	select {
	case <-o.ended:
	case <-t.C:
	}
}
