package wire

import (
	"sort"
	"strings"
	"time"

	"a2ascope/capture"
)

// framing cuts a connection into exchanges once it is known what the connection speaks.
type framing interface {
	// bytes takes the next bytes of a side.
	bytes(from capture.Side, p []byte)
	// gap says that n bytes of a side are missing; -1: unknown how many.
	gap(from capture.Side, n int64)
	// halfClosed says that the side sends no more.
	halfClosed(from capture.Side)
	// closed ends everything that is open; reason is that of the Closed chunk.
	closed(from capture.Side, reason string)
}

// framings is the list of what a connection can be, in order of choice. find
// looks for the first place in the first bytes of a side where it begins; fresh
// says that they are the first bytes the side sent at all, final that no more come.
var framings = []struct {
	name  string
	find  func(b []byte, from capture.Side, fresh, final bool) (int, verdict)
	start func(c *Conn) framing
}{
	{"tls", findTLS, func(c *Conn) framing { return newTLS(c) }},
	{"http2", findHTTP2, func(c *Conn) framing { return newHTTP2(c) }},
	{"http1", findHTTP1, func(c *Conn) framing { return newHTTP1(c) }},
}

// Conn reads one TCP connection. It is not safe for concurrent use.
type Conn struct {
	id   capture.ConnID
	lim  Limits
	link *capture.Link

	out []capture.Event // of the current Feed
	seq uint64          // of the current chunk
	at  time.Time

	count     int // exchanges so far
	newest    *exchange
	notes     map[int][]*capture.Note // of exchanges that have not begun, by number; OfConnection: of the connection
	told      *capture.ConnInfo       // instead of its bytes
	held      int64
	f         framing // nil: not yet known
	probes    [2]probe
	first     capture.Side // the side whose bytes came first
	sent      [2]int64
	fin       [2]bool
	finFirst  capture.Side // the side whose FIN came first: it closed the connection, the other only answered
	over      bool
	lastWords string // what a peer said before it closed (HTTP/2 GOAWAY)
	bad       faults // of the head being read
	info      string // what is known of a connection without an exchange
}

// probe holds the first bytes of a side until they tell what the connection speaks.
type probe struct {
	b    []byte
	torn bool // something came before b
}

// NewConn returns a reader for one connection with the limits of limits.go.
func NewConn(id capture.ConnID) *Conn { return NewConnLimits(id, Limits{}) }

// NewConnLimits returns a reader with limits of its own; zero members mean the default.
func NewConnLimits(id capture.ConnID, l Limits) *Conn {
	return &Conn{id: id, lim: l.withDefaults(), link: &capture.Link{}}
}

// Feed takes the next chunk of the connection and appends the events it completes.
func (c *Conn) Feed(ch *capture.Chunk, out []capture.Event) []capture.Event {
	if c.over {
		return out
	}
	c.out, c.seq, c.at = out, ch.Seq, ch.At
	switch ch.Kind {
	case capture.Opened:
		if ch.Link != nil {
			c.link = ch.Link
		}
	case capture.Secured:
		c.secured(ch.Link)
	case capture.Bytes:
		c.sent[ch.From] += int64(len(ch.Data))
		c.bytes(ch.From, ch.Data)
	case capture.Gap:
		if ch.Lost != 0 {
			c.gap(ch.From, ch.Lost)
		}
	case capture.HalfClosed:
		if !c.fin[capture.Client] && !c.fin[capture.Server] {
			c.finFirst = ch.From
		}
		c.fin[ch.From] = true
		if c.f != nil {
			c.f.halfClosed(ch.From)
		}
	case capture.Closed:
		c.close(ch.From, ch.Err)
	case capture.Noted:
		c.note(ch)
	case capture.Summarized:
		if c.told = ch.Info; ch.Link != nil {
			c.link = ch.Link
		}
	}
	out, c.out = c.out, nil
	return out
}

// secured begins anew: what follows is the plaintext of the TLS connection.
// Inside a framing that is already reading plaintext only the link changes.
func (c *Conn) secured(l *capture.Link) {
	if l != nil {
		c.link = l
	}
	if _, isTLS := c.f.(*tlsFraming); isTLS {
		c.f = nil
	}
	if c.f == nil {
		c.probes = [2]probe{}
	}
}

// reprobe begins anew after a CONNECT: anything may follow in the tunnel.
func (c *Conn) reprobe() {
	c.f, c.probes = nil, [2]probe{}
}

func (c *Conn) bytes(from capture.Side, p []byte) {
	if len(p) == 0 {
		return
	}
	if c.f != nil {
		c.f.bytes(from, p)
		return
	}
	pr := &c.probes[from]
	if len(c.probes[0].b)+len(c.probes[1].b) == 0 {
		c.first = from
	}
	if len(pr.b) == 0 {
		pr.b = p[:len(p):len(p)]
	} else {
		pr.b = append(pr.b, p...)
	}
	c.choose(from, len(p), false)
}

func (c *Conn) gap(from capture.Side, n int64) {
	if c.f != nil {
		c.f.gap(from, n)
		return
	}
	c.probes[from] = probe{torn: true}
}

// choose picks the framing that begins earliest in the bytes of a side, of which
// the last n are new. What is before it, and before every place where one may
// begin, is nobody's.
func (c *Conn) choose(from capture.Side, n int, final bool) {
	pr := &c.probes[from]
	which, at, best := pr.find(from, len(pr.b), final)
	var rest []byte
	if best == yes && n > 1 && len(c.probes[from.Other()].b) > 0 {
		// What the other side said came before the bytes that were not needed to know.
		old := len(pr.b) - n
		needed := old + 1 + sort.Search(n-1, func(i int) bool {
			_, _, v := pr.find(from, old+1+i, false)
			return v == yes
		})
		pr.b, rest = pr.b[:needed:needed], pr.b[needed:]
		which, at, best = pr.find(from, needed, false)
	}
	if at > 0 {
		pr.b, pr.torn = pr.b[at:], true
	}
	if best != yes {
		return
	}
	ps := c.probes
	c.probes = [2]probe{}
	c.f = framings[which].start(c)
	if h, ok := c.f.(*http1); ok {
		h.tearWhere(ps[0].torn, ps[1].torn)
	}
	if h, ok := c.f.(*http2); ok {
		h.tearWhere(ps[0].torn, ps[1].torn)
	}
	for _, s := range [2]capture.Side{c.first, c.first.Other()} {
		// Through c.bytes: the first side may have changed what the connection speaks.
		c.bytes(s, ps[s].b)
	}
	for s, fin := range c.fin {
		if fin && c.f != nil {
			c.f.halfClosed(capture.Side(s))
		}
	}
	c.bytes(from, rest)
}

// find tells which framing begins earliest in the first n bytes, and where.
func (p *probe) find(from capture.Side, n int, final bool) (which, at int, best verdict) {
	best, at = no, n
	for i := range framings {
		off, v := framings[i].find(p.b[:n], from, !p.torn, final)
		if v != no && (best == no || off < at) {
			best, at, which = v, off, i
		}
	}
	return which, at, best
}

// close ends the connection.
func (c *Conn) close(from capture.Side, reason string) {
	for _, s := range [2]capture.Side{c.first, c.first.Other()} {
		if c.f == nil && len(c.probes[s].b) > 0 {
			c.choose(s, 0, true)
		}
	}
	if c.f != nil {
		c.f.closed(from, reason)
	}
	c.over = true
	if _, isTLS := c.f.(*tlsFraming); isTLS || c.count > 0 {
		c.f = nil
		return
	}
	c.f = nil
	switch {
	case c.told != nil:
		info := *c.told
		c.say(&info)
	case c.sent[0]+c.sent[1] == 0 && reason == capture.Refused:
		c.inform("refused", "the connection was refused")
	case c.sent[0]+c.sent[1] == 0 && strings.HasPrefix(reason, capture.Unreachable):
		c.inform("refused", strings.TrimPrefix(reason, capture.Unreachable))
	case c.sent[0]+c.sent[1] == 0:
		c.inform("empty", "the connection carried no bytes")
	default:
		if c.info == "" {
			c.info = "no HTTP was found in it"
		}
		c.inform("unknown", c.info)
	}
}

// inform reports a connection on which no HTTP was read.
func (c *Conn) inform(protocol, text string) {
	c.say(&capture.ConnInfo{Protocol: protocol, Sent: c.sent, Text: text})
}

func (c *Conn) say(info *capture.ConnInfo) {
	for _, n := range c.notes[capture.OfConnection] {
		info.Notes = append(info.Notes, *n)
	}
	c.out = append(c.out, capture.Event{Conn: c.id, Seq: c.seq, At: c.at, Link: c.link, Body: info})
}
