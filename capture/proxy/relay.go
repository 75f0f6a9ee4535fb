package proxy

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"a2ascope/capture"
)

// hop is one client connection joined to one connection to an agent.
type hop struct {
	p      *Proxy
	client *leg
	agent  *leg
	tap    *tap

	framed   atomic.Bool // HTTP/2: whole frames may be put in between
	toAgent  turn
	toClient turn
	moved    chan struct{} // what a direction waits for may be there

	mu    sync.Mutex
	ended bool // the hop has an end, and who made it
	by    capture.Side
	why   string
}

// passer looks at one direction. It returns what is to be sent on, valid until
// the next call; bytes it holds back it returns later. It does not read.
type passer interface {
	pass(in []byte) (out []byte)
	// waits reports that the rest of what was given waits for the other
	// direction. When that one has moved, pass(nil) tries to go on with it.
	waits() bool
	// end says that no more comes and returns what was held back.
	end() []byte
	// mid reports whether what was passed ends inside an HTTP/2 frame.
	mid() bool
}

// verbatim passes everything as it is.
type verbatim struct{}

func (verbatim) pass(in []byte) []byte { return in }
func (verbatim) waits() bool           { return false }
func (verbatim) end() []byte           { return nil }
func (verbatim) mid() bool             { return false }

// stop reasons of a direction.
var errAway = errors.New("the client turned to another origin")

// direction is what one of the two peers says on its way to the other.
type direction struct {
	h    *hop
	from capture.Side
	in   *leg
	out  *leg
	w    passer
}

func (h *hop) directions(up, down passer) (toAgent, toClient *direction) {
	return &direction{h: h, from: capture.Client, in: h.client, out: h.agent, w: up},
		&direction{h: h, from: capture.Server, in: h.agent, out: h.client, w: down}
}

// run moves bytes both ways until both directions have ended. It returns true
// when the client's connection is still good: the client turned elsewhere.
// Where a loop can serve both connections it does, else a goroutine each way.
func (h *hop) run(w, back passer) (again bool) {
	defer h.p.rescue(h)
	up, down := h.directions(w, back)
	var err error
	var rest func() // waits for the agent's direction
	if l := h.p.serveOnLoop(up, down); l != nil {
		defer l.leave(h.p)
		err, rest = <-l.up, func() { <-l.down }
	} else {
		var other sync.WaitGroup
		other.Go(func() {
			defer h.p.rescue(h)
			_ = down.run()
		})
		err, rest = up.run(), other.Wait
	}
	if err == errAway {
		again = h.leave(w.(*requests), rest)
	}
	rest()
	h.finish(!again)
	return again
}

// run moves what the peer says until it ends, or the other one cannot take it.
func (d *direction) run() error {
	defer d.in.free()
	for {
		in, err := d.in.next()
		if len(in) > 0 {
			if err := d.pass(in); err != nil {
				return err
			}
			for d.w.waits() {
				<-d.h.moved
				if d.h.failed() {
					d.w.end()
					return net.ErrClosed
				}
				if err := d.pass(nil); err != nil {
					return err
				}
			}
		}
		if err != nil {
			d.end(err)
			return err
		}
	}
}

// pass moves a piece. It is recorded before it is sent: the answer must not be
// recorded before its question, nor what the client does about the answer before it.
func (d *direction) pass(in []byte) error {
	h := d.h
	at := h.tap.now()
	out := d.w.pass(in) // may note what it changed, in front of the bytes
	if d.from == capture.Client {
		h.tap.bytesAt(capture.Client, at, out)
	} else {
		h.tap.bytesAt(capture.Server, at, in)
	}
	if len(out) > 0 {
		if err := h.send(d.out, d.w, out); err != nil {
			h.fail(d.from.Other(), err)
			d.w.end() // nobody is to wait for what does not come
			return err
		}
	}
	if r, ok := d.w.(*requests); ok && r.away {
		return errAway
	}
	return nil
}

// end passes on that nothing more comes, and why.
func (d *direction) end(err error) {
	h := d.h
	if a, ok := d.w.(*answers); ok && interrupted(err) && a.pair.leaving() {
		return
	}
	if last := d.w.end(); len(last) > 0 {
		if d.from == capture.Client {
			h.tap.bytes(capture.Client, last)
		}
		_ = h.send(d.out, d.w, last)
	}
	h.over(d.from, d.out, err)
}

func (h *hop) send(to *leg, w passer, b []byte) error {
	if h.framed.Load() {
		return h.sendFrames(to, b, w.mid())
	}
	_, err := to.Write(b)
	return err
}

func (h *hop) sendFrames(to *leg, b []byte, mid bool) error {
	t := &h.toAgent
	if to == h.client {
		t = &h.toClient
	}
	return t.send(to, b, mid)
}

// move tells a direction that waits to look again.
func (h *hop) move() {
	select {
	case h.moved <- struct{}{}:
	default:
	}
}

// scheme is what a client of the agent's leg writes into :scheme.
func (h *hop) scheme() string {
	if h.agent.secured() {
		return "https"
	}
	return "http"
}

// over passes the end of a direction on.
func (h *hop) over(from capture.Side, to *leg, err error) {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		h.tap.halfClosed(from)
		to.closeWrite(!errors.Is(err, io.EOF))
	default:
		h.fail(from, err)
	}
}

// fail ends both connections the hard way, as the peer did.
func (h *hop) fail(by capture.Side, err error) {
	h.mu.Lock()
	if !h.ended {
		h.ended, h.by, h.why = true, by, "reset"
		if h.p.stopping.Load() {
			h.why = "capture ended"
		} else if !isReset(err) {
			h.why = err.Error()
		}
	}
	h.mu.Unlock()
	h.client.reset()
	h.agent.reset()
	h.move()
}

func (h *hop) failed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

// finish closes what is left and ends the recording.
func (h *hop) finish(clientToo bool) {
	if clientToo {
		h.client.close()
	}
	h.agent.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tap.closed(h.by, h.why)
}

// leave ends the hop of a client that turned to another origin, once everything
// it asked here is answered. It reports whether the client can go on.
func (h *hop) leave(r *requests, rest func()) bool {
	if !r.pair.leave() {
		return false // the agent ended first
	}
	h.agent.interrupt()
	rest()
	h.agent.closeWrite(false)
	h.client.early = r.rest
	return true
}
