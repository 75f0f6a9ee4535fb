package proxy

import (
	"errors"
	"io"
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

	mu    sync.Mutex
	ended bool // the hop has an end, and who made it
	by    capture.Side
	why   string
}

// passer looks at one direction. It returns what is to be sent on, valid until
// the next call; bytes it holds back it returns later. It does no I/O.
type passer interface {
	pass(in []byte) (out []byte)
	// end says that no more comes and returns what was held back.
	end() []byte
	// mid reports whether what was passed ends inside an HTTP/2 frame.
	mid() bool
}

// verbatim passes everything as it is.
type verbatim struct{}

func (verbatim) pass(in []byte) []byte { return in }
func (verbatim) end() []byte           { return nil }
func (verbatim) mid() bool             { return false }

// stop reasons of a direction.
var errAway = errors.New("the client turned to another origin")

// run moves bytes both ways until both directions have ended. It returns true
// when the client's connection is still good: the client turned elsewhere.
func (h *hop) run(up, down passer) (again bool) {
	defer h.p.rescue(h)
	var done sync.WaitGroup
	done.Go(func() {
		defer h.p.rescue(h)
		h.down(down)
	})
	err := h.up(up)
	if f, ok := up.(*frames); ok {
		f.quit()
	}
	if err == errAway {
		again = h.leave(up.(*requests), &done)
	}
	done.Wait()
	h.finish(!again)
	return again
}

// up moves what the client says. It is recorded before it is sent: the answer
// must not be recorded before its question.
func (h *hop) up(w passer) error {
	for {
		in, err := h.client.next()
		if len(in) > 0 {
			out := w.pass(in)
			if len(out) > 0 {
				h.tap.bytes(capture.Client, out)
				if werr := h.send(h.agent, w, out); werr != nil {
					h.client.free()
					h.fail(capture.Server, werr)
					return werr
				}
			}
			if r, ok := w.(*requests); ok && r.away {
				h.client.free()
				return errAway
			}
		}
		if err != nil {
			h.client.free()
			if last := w.end(); len(last) > 0 {
				h.tap.bytes(capture.Client, last)
				_ = h.send(h.agent, w, last)
			}
			h.over(capture.Client, h.agent, err)
			return err
		}
	}
}

// down moves what the agent says. It is recorded before it is sent, too: what
// the client does about it must not be recorded before.
func (h *hop) down(w passer) {
	var lost error // the client is
	err := h.agent.each(func(in []byte) bool {
		at := h.tap.now()
		out := w.pass(in) // may note what it changed, in front of the bytes
		h.tap.bytesAt(capture.Server, at, in)
		if len(out) > 0 {
			lost = h.send(h.client, w, out)
		}
		return lost == nil
	})
	if lost != nil {
		h.fail(capture.Client, lost)
		return
	}
	if a, ok := w.(*answers); ok && interrupted(err) && a.pair.leaving() {
		return
	}
	if last := w.end(); len(last) > 0 {
		_ = h.send(h.client, w, last)
	}
	h.over(capture.Server, h.client, err)
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
func (h *hop) leave(r *requests, done *sync.WaitGroup) bool {
	if !r.pair.leave() {
		return false // the agent ended first
	}
	h.agent.interrupt()
	done.Wait()
	h.agent.closeWrite(false)
	h.client.early = r.rest
	return true
}
