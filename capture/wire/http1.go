package wire

import (
	"bytes"
	"strings"

	"a2ascope/capture"
)

// http1 reads HTTP/1.0 and 1.1 (RFC 9112). Each half reads its messages; the
// pairing of requests with responses is in http1_pair.go, what happens at
// missing bytes in http1_gap.go.
type http1 struct {
	c           *Conn
	half        [2]h1half
	waiting     []*exchange // whose response is not complete, oldest first
	pipelined   bool        // the client sends requests without waiting for responses
	ghost       int         // a request was lost in front of waiting[ghost]; -1: none
	lostHead    bool        // the head of a response was lost since the last one seen
	begunBefore bool        // the capture began inside the connection, and no response head was seen yet
	hold        store       // client bytes behind a CONNECT or upgrade
	holdTorn    bool        // bytes are missing among them
}

type h1state uint8

const (
	h1Start    h1state = iota // between messages
	h1Length                  // body of known length
	h1Size                    // line with the size of a chunk
	h1Data                    // data of a chunk
	h1DataEnd                 // line end behind it
	h1Trailers                // field lines behind the last chunk
	h1UntilEnd                // body that the end of the connection ends
	h1Hold                    // client: wait for the answer to a CONNECT or upgrade
	h1Resync                  // the place is lost: search for a start line
	h1Rechunk                 // the place in a chunked body is lost: search for a size line as well
	h1SkipHead                // rest of a head that was too large
	h1Ignore                  // another protocol
)

type h1half struct {
	state  h1state
	carry  []byte // incomplete head, line or trailer block
	seen   int    // how much of carry was searched
	empty  int    // empty lines before the head
	x      *exchange
	body   body
	remain int64 // of the body or chunk
	next   h1next
	fresh  bool // h1Rechunk: carry begins where the missing bytes end
}

// h1next says what follows a head.
type h1next uint8

const (
	nextNothing h1next = iota
	nextHead           // after an interim response
	nextLength
	nextChunks
	nextUntilEnd
	nextUpgrade
	nextTunnel
)

func newHTTP1(c *Conn) *http1 {
	return &http1{c: c, ghost: -1, hold: store{c: c, max: c.lim.Hold}}
}

// findHTTP1 searches for a start line.
func findHTTP1(b []byte, from capture.Side, fresh, _ bool) (int, verdict) {
	if fresh {
		i := 0
		for i < len(b) && (b[i] == '\r' || b[i] == '\n') {
			i++
		}
		v := statusStart(b[i:])
		if from == capture.Client {
			v = requestStart(b[i:])
		}
		if v != no {
			return 0, v
		}
	}
	return findStart(b, from)
}

// tearWhere says on which sides bytes came before those that now follow.
func (h *http1) tearWhere(client, server bool) {
	for s, torn := range [2]bool{client, server} {
		if torn {
			h.half[s].state = h1Resync
		}
		h.begunBefore = h.begunBefore || torn || h.c.link.Midstream
	}
}

func (h *http1) bytes(from capture.Side, p []byte) {
	for len(p) > 0 && h.c.f == h {
		p = h.step(from, p)
	}
	if len(p) > 0 {
		h.c.bytes(from, p) // an upgrade or a tunnel: another framing reads on
	}
}

// step handles the first part of p and returns the rest.
func (h *http1) step(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	switch f.state {
	case h1Start:
		return h.start(from, p)
	case h1Length, h1Data:
		n := min(f.remain, int64(len(p)))
		f.body.write(p[:n:n])
		if f.remain -= n; f.remain == 0 {
			if f.state == h1Data {
				f.state = h1DataEnd
			} else {
				h.endMessage(from)
			}
		}
		return p[n:]
	case h1UntilEnd:
		f.body.write(p[:len(p):len(p)])
		return nil
	case h1Size:
		return h.size(from, p)
	case h1DataEnd:
		return h.dataEnd(from, p)
	case h1Trailers:
		return h.trailers(from, p)
	case h1Hold:
		h.hold.add(p)
		return nil
	case h1Resync, h1Rechunk:
		return h.resync(from, p)
	case h1SkipHead:
		return h.skipHead(from, p)
	}
	return nil // h1Ignore: the connection counts the bytes
}

// headEnd returns the index behind the blank line that ends a block, or -1. It
// looks at b from the offset seen on.
func headEnd(b []byte, seen int) int {
	for i := max(seen-2, 0); ; {
		j := bytes.IndexByte(b[i:], '\n')
		if j < 0 {
			return -1
		}
		i += j + 1
		if i < len(b) && b[i] == '\n' {
			return i + 1
		}
		if i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n' {
			return i + 2
		}
	}
}

// collect adds p to what is carried of an unfinished block. It returns the
// block and how many of its bytes came before p.
func (f *h1half) collect(p []byte) ([]byte, int) {
	if len(f.carry) == 0 {
		return p, 0
	}
	n := len(f.carry)
	f.carry = append(f.carry, p...)
	return f.carry, n
}

// keep carries an unfinished block. The chunk it is in may be large: copy.
func (f *h1half) keep(b []byte, old int) {
	if old == 0 {
		f.carry = append(make([]byte, 0, len(b)+512), b...)
	}
	f.seen = len(b)
}

func (f *h1half) drop() { f.carry, f.seen = nil, 0 }

// start reads a head.
func (h *http1) start(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	if len(f.carry) == 0 {
		// Empty lines before a request are to be skipped (RFC 9112 section 2.2).
		for len(p) > 0 && (p[0] == '\r' || p[0] == '\n') {
			if p[0] == '\n' {
				f.empty++
			}
			p = p[1:]
		}
		if len(p) == 0 {
			return nil
		}
	}
	b, old := f.collect(p)
	v := statusStart(b)
	if from == capture.Client {
		v = requestStart(b)
	}
	if v == no {
		return h.foreign(from, b, old)
	}
	end := -1
	if v == yes {
		end = headEnd(b, f.seen)
	}
	limit := h.c.lim.Head
	if end < 0 && len(b) < limit {
		f.keep(b, old)
		return nil
	}
	tooLarge := end < 0 || end > limit
	if tooLarge {
		end = limit
	}
	rest := p[end-old:]
	f.drop()
	if v != yes {
		f.state = h1Resync
		return rest
	}
	h.head(from, b[:end:end], tooLarge)
	return rest
}

// skipHead drops the rest of a head that was too large; its framing is what was seen of it.
func (h *http1) skipHead(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	for i, c := range p {
		switch {
		case c == '\n' && f.seen == 1:
			f.seen = 0
			h.openBody(from)
			return p[i+1:]
		case c == '\n':
			f.seen = 1
		case c != '\r':
			f.seen = 0
		}
	}
	return nil
}

// head handles a head that is complete, or as much as is kept of it.
func (h *http1) head(from capture.Side, raw []byte, tooLarge bool) {
	head, bad := h.c.parseHead(raw, from)
	f := &h.half[from]
	x := h.pair(from, head)
	f.x = x
	x.emit(from, head)
	if from == capture.Server {
		x.resp = head
	}
	if f.empty > 0 && from == capture.Client {
		bad.add("%d empty lines before the request line", f.empty)
	}
	f.empty = 0
	if bad.n > 0 {
		x.breach(from, capture.BreachHead, "%s", bad)
	}
	fr := framingOf(head.Fields)
	if fr.conflict != "" {
		x.breach(from, capture.BreachLength, "%s", fr.conflict)
	}
	f.body.start(x, from, head, fr.transfer)
	f.body.st.want = min(fr.length, maxWant)
	f.next, f.remain = bodyOf(x, head, fr)
	if fr.closing && f.next == nextNothing && from == capture.Client {
		x.breach(from, capture.BreachLength, "the request has a Transfer-Encoding that does not end with chunked (RFC 9112 section 6.1)")
	}
	if from == capture.Server && f.next != nextHead && f.next != nextUpgrade && f.next != nextTunnel {
		h.release(x)
	}
	if tooLarge {
		x.breach(from, capture.BreachTooLarge, "only the first %d bytes of the head were kept", len(raw))
		f.state, f.seen = h1SkipHead, 0
		return
	}
	h.openBody(from)
}

// bodyOf says what follows the head (RFC 9112 section 6.3).
func bodyOf(x *exchange, head *capture.Head, fr facts) (h1next, int64) {
	if !head.IsRequest() {
		switch s := head.Status; {
		case s == 101:
			return nextUpgrade, 0
		case s < 200:
			return nextHead, 0
		case x.req != nil && x.req.Method == "CONNECT" && s < 300:
			return nextTunnel, 0
		case s == 204, s == 304, x.req != nil && x.req.Method == "HEAD":
			return nextNothing, 0
		}
	}
	switch {
	case fr.chunked:
		return nextChunks, 0
	case fr.length > 0:
		return nextLength, fr.length
	case fr.length == 0 || head.IsRequest():
		return nextNothing, 0
	}
	return nextUntilEnd, 0
}

// openBody goes on behind a head.
func (h *http1) openBody(from capture.Side) {
	f := &h.half[from]
	switch f.next {
	case nextNothing:
		h.endMessage(from)
	case nextHead:
		f.state, f.x = h1Start, nil
	case nextLength:
		f.state = h1Length
	case nextChunks:
		f.state = h1Size
	case nextUntilEnd:
		f.state = h1UntilEnd
		if h.c.fin[from] {
			h.endMessage(from)
		}
	case nextUpgrade:
		h.upgraded()
	case nextTunnel:
		h.tunnel()
	}
}

// endMessage ends the message of a side in order.
func (h *http1) endMessage(from capture.Side) {
	f := &h.half[from]
	x := f.x
	f.body.end(true)
	x.torn[from] = false
	if from == capture.Server && f.body.mode == modeGRPC && f.body.size == 0 {
		if _, ok := x.resp.Fields.Lookup("grpc-status"); ok {
			x.emit(from, &capture.Trailer{Fields: x.resp.Fields, Only: true})
		}
	}
	x.complete(from, f.body.size)
	f.state, f.x = h1Start, nil
	if from == capture.Server {
		h.answered(x)
	} else if !x.answered && wantsOther(x.req) {
		f.state = h1Hold
	}
}

// wantsOther reports whether another protocol may follow the request.
func wantsOther(r *capture.Head) bool {
	return r != nil && (r.Method == "CONNECT" || tokenIn(r.Fields, "connection", "upgrade"))
}

func (h *http1) halfClosed(from capture.Side) {
	if h.half[from].state == h1UntilEnd {
		h.endMessage(from)
	}
}

// isH2C reports whether a 101 response switches to HTTP/2 (RFC 7540 section 3.2).
func isH2C(head capture.Fields) bool { return strings.EqualFold(head.Get("upgrade"), "h2c") }
