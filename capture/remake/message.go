package remake

import (
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/h2"
	"a2ascope/capture/wire"
)

// framing says how an HTTP/1 message ends.
type framing uint8

const (
	noBody framing = iota
	withLength
	chunked
	untilEnd // the end of the connection
)

// message is one side of an exchange.
type message struct {
	x    *exchange
	from capture.Side

	h       *capture.Head // nil: not seen
	headAt  time.Time
	framing framing
	length  bool // its head names a length, which has to fit
	pending bool // the head is not written: something may follow that belongs to it
	hold    bool // nothing is written before the body is complete
	held    []item

	known    bool  // expect was called: the rest of this block is true
	total    int64 // of the body, as it will be written
	whole    bool  // it comes to its end
	hasTotal bool  // there is a body at all

	sse, grpc, web, webText bool
	codings                 []string
	coder                   coder
	coded                   bool // coder is made
	broken                  bool // the next frame was not decoded: its bytes are as sent
	lost                    int64
	lostAt                  time.Time // when lost, which the next frame may tell of, was noticed
	any                     bool      // something of the body is written or held
	trailers                *capture.Trailer
	done                    bool
}

// item is a piece of a body.
type item struct {
	at   time.Time
	data []byte
	lost int64 // missing behind data; -1: unknown how many
}

func (it *item) size() int64 { return int64(len(it.data)) + max(it.lost, 0) }

// head takes the head of a message.
func (x *exchange) head(s *message, h *capture.Head, at time.Time) {
	c := x.conn
	if !c.opened {
		c.open(h, at)
	}
	c.speak(h)
	if !h.IsRequest() && h.Status < 200 {
		s.h, s.headAt = h, at
		s.writeHead(-1, false)
		s.h = nil
		return
	}
	s.read(h)
	s.headAt = at
	s.hold = s.length && !s.known
	if s.hold {
		return
	}
	s.pending = true
	if c.h2 == nil {
		s.flushHead(false)
		return
	}
	c.waiting = append(c.waiting, s)
	c.m.dirtied(c)
}

// read takes from the head what the body needs.
func (s *message) read(h *capture.Head) {
	s.h = h
	s.framing = s.framingOf(h)
	_, s.length = h.Fields.Lookup("content-length")
	s.length = s.length && s.framing != chunked && s.framing != untilEnd
	s.codings = codingsOf(append(h.Fields.Values("content-encoding"), h.Fields.Values("transfer-encoding")...))
	ct := h.MediaType()
	s.sse = ct == "text/event-stream" && s.from == capture.Server
	s.grpc = strings.HasPrefix(ct, "application/grpc")
	s.web = strings.HasPrefix(ct, "application/grpc-web")
	s.webText = strings.HasPrefix(ct, "application/grpc-web-text")
}

// framingOf follows RFC 9112 section 6.3.
func (s *message) framingOf(h *capture.Head) framing {
	if !h.IsRequest() {
		asked := s.x.side[capture.Client].h
		if h.Status == 204 || h.Status == 304 || asked != nil && asked.Method == "HEAD" {
			return noBody
		}
	}
	if te, ok := h.Fields.Lookup("transfer-encoding"); ok {
		if i := strings.LastIndexByte(te, ','); strings.EqualFold(strings.TrimSpace(te[i+1:]), "chunked") {
			return chunked
		}
		return untilEnd
	}
	if _, ok := h.Fields.Lookup("content-length"); ok || h.IsRequest() {
		return withLength // a request that does not say so gets one where it has a body
	}
	return untilEnd
}

// expect takes the length of the body from the whole exchange.
func (s *message) expect(x *capture.Exchange) {
	h, done := x.Request, x.SentDone
	if s.from == capture.Server {
		h, done = x.Response, x.ReceivedDone
	}
	s.known, s.whole = true, done
	if h == nil {
		return
	}
	scratch := message{x: s.x, from: s.from}
	scratch.read(h)
	for _, b := range x.Breaches {
		scratch.broken = scratch.broken || b.V.From == s.from && b.V.V.Code == capture.BreachCoding
	}
	keep := scratch.broken
	for _, f := range x.Frames(s.from) {
		scratch.broken = keep
		it := scratch.encode(f.V)
		s.total += it.size()
		s.hasTotal = true
	}
	s.total += int64(len(scratch.tail()))
	if x.Request != nil { // the answer to HEAD has no body
		s.x.side[capture.Client].h = x.Request
	}
}

// flushHead writes a head that waited; ends says that nothing follows it.
func (s *message) flushHead(ends bool) {
	if !s.pending {
		return
	}
	s.pending = false
	s.writeHead(s.fitting(), ends)
}

// fitting is the length that the head has to name, -1 to leave it as it is.
func (s *message) fitting() int64 {
	if !s.known || !s.hasTotal || !s.whole {
		return -1
	}
	if s.length || s.h.IsRequest() && s.framing == withLength && s.x.conn.h2 == nil {
		return s.total
	}
	return -1
}

// frame takes the next frame of the body.
func (s *message) frame(f *capture.Frame, at time.Time) {
	if s.done {
		return
	}
	if s.h == nil && s.x.conn.h2 == nil && f.Form == capture.GRPCMessage {
		s.x.conn.speakHTTP2(true)
	}
	before := s.lost != 0 && (f.Lost == 0 || f.Form == capture.LooseData && !at.Equal(s.lostAt))
	if before { // what is missing stood in front of the frame
		s.piece(item{at: s.lostAt, lost: s.lost})
	}
	s.lost = 0
	it := s.encode(f)
	it.at = at
	if before {
		it.lost = 0
	}
	s.piece(it)
}

// piece writes a piece of the body, or holds it back.
func (s *message) piece(it item) {
	s.any = true
	if s.hold {
		s.held = append(s.held, it)
		return
	}
	s.flushHead(false)
	s.write(it)
}

// write puts a piece of the body into the framing.
func (s *message) write(it item) {
	if h2 := s.x.conn.h2; h2 != nil {
		h2.data(s, it, false)
		return
	}
	s.http1(it)
}

// finish ends the message in order.
func (s *message) finish(at time.Time) {
	if s.done {
		return
	}
	s.missing(at)
	tail := s.tail()
	if s.hold {
		if len(tail) > 0 {
			s.held = append(s.held, item{at: at, data: tail})
		}
		s.known, s.whole = true, true
		for i := range s.held {
			s.total += s.held[i].size()
			s.hasTotal = true
		}
		s.release()
	} else if len(tail) > 0 {
		s.flushHead(false)
		s.write(item{at: at, data: tail})
	}
	s.done = true
	if h2 := s.x.conn.h2; h2 != nil {
		h2.finish(s, at)
		return
	}
	s.flushHead(true)
	s.endHTTP1(at)
}

// missing tells of a loss that no frame told of, and of a body that the head
// names and nobody has.
func (s *message) missing(at time.Time) {
	if s.lost != 0 {
		s.piece(item{at: s.lostAt, lost: s.lost})
		s.lost = 0
	}
	if s.any || !s.length || s.framing != withLength {
		return
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(s.h.Fields.Get("content-length")), 10, 64); err == nil && n > 0 {
		s.piece(item{at: at, lost: n})
	}
}

// release writes what was held back.
func (s *message) release() {
	if !s.hold {
		return
	}
	s.hold, s.pending = false, true
	if len(s.held) > 0 || s.x.conn.h2 == nil {
		s.flushHead(false)
	}
	for _, it := range s.held {
		s.write(it)
	}
	s.held = nil
}

func (s *message) trailer(t *capture.Trailer) {
	if !t.Only {
		s.trailers = t
	}
}

// breach makes the bytes, or the lack of them, that a breach was about, where
// nothing else tells of it.
func (x *exchange) breach(s *message, b *capture.Breach, e *capture.Event) {
	c := x.conn
	switch b.Code {
	case capture.BreachCoding:
		s.broken = true
	case capture.BreachLost:
		if strings.HasSuffix(b.Text, wire.LostInside) {
			if s.lost += b.Lost; b.Lost < 0 || s.lost < b.Lost {
				s.lost = -1
			}
			s.lostAt = e.At
			return
		}
		if c.gapped[e.From].Equal(e.At) {
			return // several streams tell of one gap
		}
		c.gapped[e.From] = e.At
		s.release()
		s.flushHead(false)
		c.gap(e.From, b.Lost, e.At)
	case capture.BreachTLS: // an alert: handshake failure
		c.say(e.From, []byte{0x15, 3, 3, 0, 2, 2, 40}, e.At)
	case capture.BreachHTTP2Answer:
		c.say(e.From, h2.Append(nil, h2.Settings, 0, 0, nil), e.At)
	case capture.BreachHTTP1Answer:
		c.say(e.From, []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), e.At)
	}
}

// end takes the end of the exchange.
func (x *exchange) end(b *capture.End, e *capture.Event) {
	c := x.conn
	for i := range x.side {
		s := &x.side[i]
		if s.lost != 0 && !s.done {
			s.piece(item{at: s.lostAt, lost: s.lost})
		}
		s.release()
		s.flushHead(false)
	}
	switch b.Kind {
	case capture.EndReset:
		if c.h2 == nil || b.Code == 0 && b.Text == tcpReset {
			c.close(e.From, reset, e.At)
			return
		}
		c.h2.reset(x, e.From, b.Code, e.At)
	case capture.EndDone:
		if c.h2 != nil && strings.Contains(b.Text, "RST_STREAM") {
			c.h2.reset(x, e.From, 0, e.At)
		}
	case capture.EndGoAway:
		c.h2Must().goAway(x, b, e.At)
	case capture.EndClosed:
		if c.h2 != nil && strings.HasPrefix(b.Text, goAwayWord) {
			c.h2.lastWords(b.Text, e.From, e.At)
		}
		c.close(e.From, "", e.At)
	case capture.EndUnreachable:
		c.close(capture.Server, capture.Unreachable+b.Text, e.At)
	}
}

// Texts of ends, and the reason of a closed connection, as capture/wire says them.
const (
	tcpReset   = "tcp reset"
	reset      = "reset"
	goAwayWord = "GOAWAY "
)
