package ui

import (
	"io"
	"os"
	"sync"
	"time"
)

// outlet stands between the screen and the terminal. A terminal may stop
// reading: a connection over SSH that hangs, a multiplexer that is halted.
// Writing to it would then stop the screen, and with it the keys. The outlet
// takes what is written at once and passes it on from a goroutine of its own;
// when too much waits, the screen draws nothing new until the terminal has
// taken it.
type outlet struct {
	to    io.Writer
	drain func() // tells the screen that it may draw again

	mu      sync.Mutex
	wake    *sync.Cond
	waiting []byte
	stuck   bool  // the screen was told to wait
	closed  bool  // nothing more comes
	err     error // the terminal is gone
	ended   chan struct{}
}

// enough is what may wait: a full frame of a large terminal is less.
const enough = 64 << 10

// drainFor is how long leaving waits for a terminal to take the last bytes,
// which are those that restore it. One that is stuck for longer stays stuck.
const drainFor = time.Second

// drainedMsg says that the terminal reads again.
type drainedMsg struct{}

func newOutlet(to io.Writer) *outlet {
	if to == nil {
		to = os.Stdout
	}
	o := &outlet{to: to, ended: make(chan struct{})}
	o.wake = sync.NewCond(&o.mu)
	return o
}

// start begins passing on; close ends it.
func (o *outlet) start(drained func()) {
	o.drain = drained
	go o.pump()
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

// Write queues p.
func (f outletFile) Write(p []byte) (int, error) { return f.o.Write(p) }

// WriteString queues s.
func (f outletFile) WriteString(s string) (int, error) { return f.o.Write([]byte(s)) }

// Write queues p; it never waits for the terminal.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	o.waiting = append(o.waiting, p...)
	o.wake.Signal()
	return len(p), nil
}

// clogged reports whether the screen should draw nothing new.
func (o *outlet) clogged() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stuck = o.err == nil && len(o.waiting) > enough
	return o.stuck
}

func (o *outlet) pump() {
	defer close(o.ended)
	var buf []byte
	for {
		o.mu.Lock()
		for len(o.waiting) == 0 && !o.closed {
			o.wake.Wait()
		}
		if len(o.waiting) == 0 {
			o.mu.Unlock()
			return
		}
		buf, o.waiting = o.waiting, buf[:0]
		o.mu.Unlock()
		_, err := o.to.Write(buf)
		o.mu.Lock()
		told := o.stuck && len(o.waiting) == 0
		if told {
			o.stuck = false
		}
		if err != nil {
			o.err, o.waiting = err, nil
		}
		gone := o.err != nil
		o.mu.Unlock()
		if told && o.drain != nil {
			o.drain()
		}
		if gone {
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
