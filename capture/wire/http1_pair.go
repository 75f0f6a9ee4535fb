package wire

import (
	"slices"

	"a2ascope/capture"
)

// pair finds or begins the exchange a head belongs to. Responses come in the
// order of the requests (RFC 9112 section 9.3.2).
func (h *http1) pair(from capture.Side, head *capture.Head) *exchange {
	if from == capture.Client {
		return h.request(head)
	}
	final := head.Status >= 200
	h.skipLost()
	if h.ghost == 0 {
		// The request this answers was lost; the one we have came behind it.
		if final {
			h.ghost = -1
		}
		return h.orphan(final)
	}
	if len(h.waiting) == 0 || h.pipelined && h.waiting[0].doubt {
		return h.orphan(final) // or of which request it is cannot be told any more
	}
	h.begunBefore = false
	if final {
		h.pipelined = h.pipelined || len(h.waiting) > 1 && !h.lostHead
		h.lostHead = false
		h.waiting[0].answered = true
	}
	return h.waiting[0]
}

func (h *http1) request(head *capture.Head) *exchange {
	x := h.c.begin()
	x.req = head
	if n := len(h.waiting); n > 1 && !h.lostHead && !h.waiting[n-1].doubt {
		h.pipelined = true // one may have been captured before the answer it waited for, two not
	}
	if !h.pipelined {
		// A client that waits for responses sent this after the answer to what was lost.
		h.ghost = -1
	}
	if len(h.waiting) >= h.c.lim.Waiting {
		h.waiting[0].close(capture.Server, capture.EndStillOpen, 0, "its response is not in the capture")
		h.answered(h.waiting[0])
	}
	h.waiting = append(h.waiting, x)
	return x
}

// orphan begins an exchange for a response whose request was not seen.
func (h *http1) orphan(final bool) *exchange {
	x := h.c.begin()
	x.breach(capture.Server, capture.BreachNoRequest, "a response whose request is not in the capture")
	x.done[capture.Client] = true
	x.answered = final
	if !final {
		h.waiting = slices.Insert(h.waiting, 0, x) // the final response follows
	}
	return x
}

// skipLost gives up the requests whose responses were in missing bytes.
func (h *http1) skipLost() {
	keep := 0
	if h.lostHead && !h.pipelined {
		// Each request was sent after the response before it: only the last is open,
		// and not even that one when a lost request came behind it.
		keep = max(len(h.waiting)-1, h.ghost, 0)
	}
	for len(h.waiting) > 0 {
		x := h.waiting[0]
		certain := x.torn[capture.Server] && !x.answered && !tokenIn(x.fields(), "expect", "100-continue")
		if keep <= 0 && !certain {
			return
		}
		keep--
		if !x.torn[capture.Server] {
			x.lost(capture.Server, -1, "where the response was")
		}
		x.close(capture.Server, capture.EndStillOpen, 0, "its response is not in the capture")
		h.answered(x)
	}
}

func (x *exchange) fields() capture.Fields {
	if x.req == nil {
		return nil
	}
	return x.req.Fields
}

// answered takes an exchange out of the row of those that wait for a response.
func (h *http1) answered(x *exchange) {
	i := slices.Index(h.waiting, x)
	if i < 0 {
		return
	}
	if h.ghost > i {
		h.ghost--
	}
	h.waiting = slices.Delete(h.waiting, i, i+1)
}

// foreign handles bytes that begin no HTTP/1 message.
func (h *http1) foreign(from capture.Side, b []byte, old int) []byte {
	f := &h.half[from]
	if from == capture.Server && len(h.waiting) > 0 {
		code, text, v := foreignAnswer(b)
		if v == maybe {
			f.keep(b, old)
			return nil
		}
		if v == yes {
			for _, x := range slices.Clone(h.waiting) {
				x.breach(from, code, "%s", text)
				x.close(from, capture.EndClosed, 0, text)
			}
			h.ignore()
			return nil
		}
		if !h.begunBefore {
			h.waiting[0].breach(from, capture.BreachHead, "the answer does not begin with a status line")
		}
	}
	f.drop()
	f.state = h1Resync
	return b
}

// foreignAnswer recognises an answer in another protocol.
func foreignAnswer(b []byte) (code, text string, v verdict) {
	switch {
	case b[0] == 0x15 || b[0] == 0x16:
		if v = tlsRecordStart(b); v == yes {
			return capture.BreachTLS, "the request was sent without TLS and answered with TLS", yes
		}
		return "", "", v
	case b[0] == 0:
		if len(b) < frameHead {
			return "", "", maybe
		}
		if k := b[3]; (k == frameSettings || k == frameGoAway) && string(b[5:9]) == "\x00\x00\x00\x00" {
			return capture.BreachHTTP2Answer, "the request was HTTP/1 and the answer is HTTP/2", yes
		}
	}
	return "", "", no
}

// ignore stops reading both sides.
func (h *http1) ignore() {
	h.leave()
	for s := range h.half {
		h.half[s].drop()
		h.half[s].state = h1Ignore
	}
	h.hold.take(0)
}

// leave ends what is open, for the connection speaks another protocol from here
// on: what the client had sent ahead was not read as HTTP/1.
func (h *http1) leave() {
	open := h.waiting
	for s := range h.half {
		f := &h.half[s]
		f.body.end(false)
		if f.x != nil {
			open = append(open, f.x)
		}
		f.x = nil
	}
	for _, x := range open {
		x.close(capture.Server, capture.EndStillOpen, 0, "the connection changed to another protocol before it was answered")
	}
	h.waiting = nil
}

// upgraded handles a 101 response: what follows is another protocol.
func (h *http1) upgraded() {
	x := h.half[capture.Server].x
	h.half[capture.Server].body.end(true)
	if cl := &h.half[capture.Client]; cl.x == x {
		cl.body.end(true)
		x.complete(capture.Client, cl.body.size)
	}
	h.answered(x)
	for s := range h.half {
		if h.half[s].x == x {
			h.half[s].x = nil
		}
	}
	held := h.hold.take(0)
	if !isH2C(x.resp.Fields) || x.req == nil {
		x.close(capture.Server, capture.EndUpgraded, 0, x.resp.Fields.Get("upgrade"))
		h.ignore()
		return
	}
	h.leave()
	// HTTP/2 in which this request is stream 1 (RFC 7540 section 3.2). Its
	// response is still to come.
	x.answered = false
	next := newHTTP2(h.c)
	next.adopt(x)
	h.c.f = next
	h.c.bytes(capture.Client, held)
}

// tunnel handles a CONNECT that was granted: anything may follow.
func (h *http1) tunnel() {
	x := h.half[capture.Server].x
	if cl := &h.half[capture.Client]; cl.x == x {
		cl.body.end(true)
	}
	x.close(capture.Server, capture.EndUpgraded, 0, "tunnel to "+x.req.Target)
	held := h.hold.take(0)
	h.leave()
	h.c.reprobe()
	h.c.probes[capture.Client].torn = h.holdTorn
	h.c.bytes(capture.Client, held)
}

// release reads on in the client's bytes when the answer to x is that no other protocol follows.
func (h *http1) release(x *exchange) {
	f := &h.half[capture.Client]
	if f.state != h1Hold || x != nil && !x.done[capture.Client] {
		return
	}
	held := h.hold.take(h.c.lim.Hold)
	h.hold.max = h.c.lim.Hold
	f.state = h1Start
	if h.holdTorn {
		h.holdTorn, f.state = false, h1Resync
	}
	h.bytes(capture.Client, held)
}
