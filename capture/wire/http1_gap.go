package wire

import (
	"slices"

	"a2ascope/capture"
)

// gap goes on behind missing bytes as exactly as the framing allows.
func (h *http1) gap(from capture.Side, n int64) {
	f := &h.half[from]
	if from == capture.Server {
		for _, x := range h.waiting {
			x.doubt = x.doubt || x != f.x
		}
	}
	switch f.state {
	case h1Ignore:
	case h1Hold:
		h.holdTorn = true
		h.hold.take(0)
		h.hold.max = h.c.lim.Hold
	case h1Start:
		h.gapBetween(from, n)
	case h1Length:
		h.gapInLength(from, n)
	case h1UntilEnd:
		f.x.lost(from, n, LostInside)
		f.body.gap(n)
	case h1Data:
		f.x.lost(from, n, LostInside)
		f.body.gap(n)
		if n >= 0 && n < f.remain {
			f.remain -= n
			return
		}
		h.tear(from, h1Rechunk)
	case h1Size, h1DataEnd:
		f.x.lost(from, n, LostInside)
		f.body.gap(n)
		h.tear(from, h1Rechunk)
	case h1Rechunk:
		f.x.lost(from, n, LostInside)
		f.body.gap(n)
		h.tear(from, h1Rechunk)
	case h1Trailers:
		f.x.lost(from, n, "behind the body")
		h.tear(from, h1Resync)
	case h1SkipHead:
		f.x.lost(from, n, "inside the head")
		h.tear(from, h1Resync)
	case h1Resync:
		if f.x != nil {
			f.x.lost(from, n, "behind the place where reading stopped")
		} else if from == capture.Client {
			h.ghost = len(h.waiting)
		}
		f.drop()
	}
}

// tear drops what is unfinished and searches.
func (h *http1) tear(from capture.Side, state h1state) {
	f := &h.half[from]
	f.drop()
	f.state, f.fresh = state, true
	if f.x != nil {
		f.x.torn[from] = true
	}
}

// gapInLength keeps count in a body whose length is known.
func (h *http1) gapInLength(from capture.Side, n int64) {
	f := &h.half[from]
	in := min(n, f.remain)
	f.x.lost(from, in, LostInside)
	if n < 0 {
		f.body.gap(n)
		h.tear(from, h1Resync)
		return
	}
	f.body.gap(in)
	if f.remain -= in; f.remain > 0 {
		return
	}
	h.endMessage(from)
	if n > in {
		h.gapBetween(from, n-in)
	}
}

// gapBetween handles bytes missing where a head begins or inside one.
func (h *http1) gapBetween(from capture.Side, n int64) {
	f := &h.half[from]
	if h.partialHead(from) {
		f.x.lost(from, n, "inside the head")
		h.tear(from, h1Resync)
		return
	}
	f.x = nil
	if from == capture.Client {
		h.ghost = len(h.waiting)
	} else {
		h.lostHead = true
		if len(h.waiting) > 0 {
			x := h.waiting[0]
			x.lost(from, n, "where the response began")
			x.torn[from] = true
		}
	}
	h.tear(from, h1Resync)
}

// partialHead makes a head of the lines that came of one.
func (h *http1) partialHead(from capture.Side) bool {
	f := &h.half[from]
	v := statusStart(f.carry)
	if from == capture.Client {
		v = requestStart(f.carry)
	}
	if f.state != h1Start || v != yes {
		return false
	}
	raw := f.carry
	lines := raw
	for len(lines) > 0 && lines[len(lines)-1] != '\n' {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return false // not even the first line
	}
	head, _ := h.c.parseHead(lines, from)
	head.Raw, head.Torn = raw, true
	f.drop()
	f.x = h.pair(from, head)
	if from == capture.Server {
		f.x.resp = head
	}
	f.x.emit(from, head)
	f.body.start(f.x, from, head, nil)
	if from == capture.Server {
		h.release(f.x)
	}
	return true
}

// resync searches for the place where reading can go on.
func (h *http1) resync(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	b, old := f.collect(p)
	off, v := findStart(b, from)
	if f.state == h1Rechunk {
		if o, w := findChunk(b, f.fresh); w != no && (v == no || o < off) {
			if w == yes {
				f.drop()
				f.skipped(o)
				f.x.torn[from] = false
				f.state = h1Size
				return b[o:]
			}
			off, v = o, w
		}
	}
	if v != yes {
		if off == 0 && old > 0 {
			return nil // carry holds it
		}
		f.fresh = f.fresh && off == 0
		f.skipped(off)
		f.drop()
		if off < len(b) {
			f.keep(b[off:], 0)
		}
		return nil
	}
	f.drop()
	if x := f.x; x != nil {
		f.skipped(off)
		f.body.end(false)
		if from == capture.Server {
			h.answered(x)
			h.lostHead = true // of a response behind this one, perhaps
		}
		x.giveUp(from)
		f.x = nil
	}
	f.state = h1Start
	return b[off:]
}

// skipped counts what was passed over in a chunked body: the rest of a chunk of
// which the begin is missing.
func (f *h1half) skipped(n int) {
	if n > 0 && f.state == h1Rechunk {
		f.body.gap(int64(n))
	}
}

// closed ends what is open when the connection ends.
func (h *http1) closed(from capture.Side, reason string) {
	h.release(nil)
	for _, s := range [2]capture.Side{capture.Client, capture.Server} {
		f := &h.half[s]
		if s == capture.Server && f.state == h1UntilEnd && reason == "" {
			h.endMessage(s)
		}
		if h.partialHead(s) && reason != "capture ended" {
			f.x.breach(s, capture.BreachHead, "the connection ended inside the head")
		}
	}
	open := slices.Clone(h.waiting)
	for s := range h.half {
		f := &h.half[s]
		f.body.end(false)
		if f.x != nil && !slices.Contains(open, f.x) {
			open = append(open, f.x)
		}
	}
	slices.SortFunc(open, func(a, b *exchange) int { return int(int64(a.id) - int64(b.id)) })
	for _, x := range open {
		x.closeWith(from, reason)
	}
	h.hold.take(0)
}
