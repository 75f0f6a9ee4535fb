package proxy

import (
	"bytes"
	"strings"
)

// answers is the passer of the agent's direction of an HTTP/1 hop. It changes
// agent cards, and nothing else.
type answers struct {
	p     *Proxy
	hop   *hop
	at    *listener
	to    dest
	pair  *pairing
	cut   cutter
	head  head
	out   []byte
	down  passer // after an upgrade to HTTP/2
	plain bool
	held  *heldAnswer
}

// heldAnswer is an answer that is kept back because it may be a card.
type heldAnswer struct {
	asked   asked
	raw     []byte // everything as it came
	headLen int
	content []byte
	trailer []byte
	chunked bool
	open    bool // the end of the connection ends it
}

// maxCard bounds what is held back. Cards are some KiB; larger answers pass as they are.
const maxCard = 4 << 20

func (a *answers) pass(in []byte) []byte {
	if a.down != nil {
		return a.down.pass(in)
	}
	if a.plain {
		return in
	}
	s := splice{in: in, out: a.out[:0]}
	for s.at < len(in) && a.down == nil {
		p, n := a.cut.next(in[s.at:])
		switch {
		case p.kind == pieceNone:
			s.drop(n)
		case p.kind == pieceHead:
			a.answer(&s, p.data, n)
		case p.kind == pieceRaw:
			a.plain = true
			a.release(&s)
			s.keepAs(p.data, n)
		case a.held != nil:
			a.hold(&s, p, n)
		default:
			s.keep(n)
		}
		if p.last {
			a.pair.answered()
		}
	}
	if a.down != nil && s.at < len(in) {
		// What comes before must be out first: frames may be put in between.
		rest := in[s.at:]
		s.stop()
		_ = a.hop.sendFrames(a.hop.client, s.take(), false)
		a.out = nil
		return a.down.pass(rest)
	}
	out := s.take()
	if s.own {
		a.out = out[:0]
		if cap(a.out) > 2*bufferSize {
			a.out = nil
		}
	}
	return out
}

func (a *answers) waits() bool { return a.down != nil && a.down.waits() }

func (a *answers) end() []byte {
	defer a.pair.ended()
	if a.down != nil {
		return a.down.end()
	}
	if h := a.held; h != nil {
		a.held = nil
		if h.open {
			return a.card(h)
		}
		return h.raw
	}
	return a.cut.end()
}

// answer handles a response head.
func (a *answers) answer(s *splice, raw []byte, n int) {
	h := &a.head
	h.read(raw)
	status := h.status()
	q, sure := a.pair.first()
	switch {
	case status == 0 || !sure:
		a.plain = true
		a.cut.lose()
		s.keepAs(raw, n)
		return
	case status == 101:
		s.keepAs(raw, n)
		a.upgrade(h, q)
		return
	case status < 200:
		s.keepAs(raw, n)
		a.cut.body(following{state: cutHead})
		return
	}
	follow := h.responseBody(status, q.toHEAD)
	if follow.state == cutRaw {
		a.plain = true
	}
	over := a.cut.body(follow)
	if q.card != noCard && !q.toHEAD && !a.plain {
		switch {
		case status == 200 && !over && a.p.readable(h, q):
			a.held = &heldAnswer{
				asked: q, raw: append([]byte(nil), raw...), headLen: len(raw),
				chunked: follow.state == cutSize, open: follow.state == cutUntilEnd,
			}
			s.drop(n)
			return
		case status == 304 && q.card == plainCard:
			if e := a.p.etagEdits(h.names(), q.base); len(e) > 0 {
				s.replace(raw, n, h.editLines(nil, e))
				a.pair.answered()
				return
			}
		default:
			if note := a.p.unreadCard(status, q, h); note != nil {
				a.hop.tap.note(0, note)
			}
		}
	}
	s.keepAs(raw, n)
	if over {
		a.pair.answered()
	}
}

// upgrade handles a 101: what follows is another protocol. HTTP/2 (RFC 7540
// section 3.2) goes on with the same edits, and the request is its stream 1.
func (a *answers) upgrade(h *head, q asked) {
	if strings.EqualFold(h.get("upgrade"), "h2c") && !a.to.forward {
		up, down := newFrames(a.p, a.hop, a.at, a.to)
		if q.card != noCard {
			down.shared.watch(1, q)
		}
		a.pair.upgrade(up)
		a.down = down
	} else {
		a.pair.upgrade(verbatim{})
		a.plain = true
		a.cut.lose()
	}
	a.pair.answered()
}

// hold keeps a piece of a body back.
func (a *answers) hold(s *splice, p piece, n int) {
	h := a.held
	h.raw = append(h.raw, p.data...)
	switch p.kind {
	case pieceContent:
		h.content = append(h.content, p.data...)
	case pieceTrailer:
		h.trailer = append(h.trailer, p.data...)
	}
	s.drop(n)
	if len(h.raw) > maxCard {
		a.hop.tap.note(0, cardLeft(h.asked, tooLarge))
		a.release(s)
		return
	}
	if p.last {
		a.held = nil
		s.put(a.card(h))
	}
}

// release sends on what was held back as it came.
func (a *answers) release(s *splice) {
	if h := a.held; h != nil {
		a.held = nil
		s.put(h.raw)
	}
}

// card returns the answer with the card in it changed, or as it came.
func (a *answers) card(h *heldAnswer) []byte {
	head := &a.head
	head.read(h.raw[:h.headLen])
	r := a.p.rewrite(a.at, h.asked, head.get("content-encoding"), h.content)
	if r.note != nil {
		a.hop.tap.note(0, r.note)
	}
	if r.body == nil {
		if h.asked.card == plainCard {
			a.p.etags.unchanged(head.get("etag"))
		}
		return h.raw
	}
	edits := head.editLines(nil, a.p.cardAnswerEdits(head.names(), h.asked, len(r.body)))
	out := apply(nil, h.raw[:h.headLen], edits)
	if !h.chunked {
		return append(out, r.body...)
	}
	var b bytes.Buffer
	b.Write(out)
	writeChunk(&b, r.body)
	b.WriteString("0\r\n")
	b.Write(h.trailer)
	return b.Bytes()
}

func (r *answers) mid() bool {
	return r.down != nil && r.down.mid()
}
