package remake

import (
	"net/netip"
	"strings"
	"time"

	"a2ascope/capture"
)

// Maker turns events into chunks. It is not safe for concurrent use.
type Maker struct {
	seq   uint64
	out   []capture.Chunk
	conns map[capture.ConnID]*conn
	exs   map[capture.ExchangeID]*exchange
	dirty []*conn // with something that waits for the next Take
}

// New returns a maker without connections.
func New() *Maker {
	return &Maker{conns: map[capture.ConnID]*conn{}, exs: map[capture.ExchangeID]*exchange{}}
}

// conn is a connection that is being made.
type conn struct {
	m       *Maker
	id      capture.ConnID
	link    *capture.Link
	h2      *http2         // nil: HTTP/1
	closing *capture.Chunk // written by the next Take
	opened  bool
	closed  bool
	dirty   bool
	gapped  [2]time.Time // when a gap of the side was written: several streams tell of one
	waiting []*message
}

// exchange is what is remembered of one that is open.
type exchange struct {
	conn   *conn
	id     capture.ExchangeID
	stream uint32
	side   [2]message
}

// Event takes the next event. Events of one connection come in order.
func (m *Maker) Event(e *capture.Event) {
	if e.Exchange == 0 {
		if info, ok := e.Body.(*capture.ConnInfo); ok {
			m.without(e, info)
		}
		return
	}
	x := m.exchange(e)
	if x.conn.closed {
		return
	}
	s := &x.side[e.From]
	switch b := e.Body.(type) {
	case *capture.Head:
		x.head(s, b, e.At)
	case *capture.Frame:
		s.frame(b, e.At)
	case *capture.Trailer:
		s.trailer(b)
	case *capture.BodyEnd:
		s.finish(e.At)
	case *capture.Breach:
		x.breach(s, b, e)
	case *capture.Note:
		m.put(x.conn, capture.Chunk{Kind: capture.Noted, From: e.From, At: e.At, Note: b, Stream: x.stream})
	case *capture.End:
		x.end(b, e)
		delete(m.exs, e.Exchange)
	}
}

// Expect tells of an exchange before its first event comes, so that the length
// of a body is known when its head is written. Without it a head that names a
// length is kept back until its body is complete.
func (m *Maker) Expect(x *capture.Exchange) {
	ex := m.of(x.ID, x.Conn, x.Link)
	for _, side := range [2]capture.Side{capture.Client, capture.Server} {
		ex.side[side].expect(x)
	}
}

// Take returns what the events so far became. What belongs together, such as a
// head and that nothing follows it, has to come between two calls.
func (m *Maker) Take() []capture.Chunk {
	for _, c := range m.dirty {
		c.dirty = false
		for _, s := range c.waiting {
			s.flushHead(false)
		}
		c.waiting = c.waiting[:0]
		if c.closing != nil && !c.closed {
			m.put(c, *c.closing)
			c.closed = true
		}
	}
	m.dirty = m.dirty[:0]
	out := m.out
	m.out = nil
	return out
}

// Close says that the connection is over. ch is the chunk that said it where
// there was one: why and when.
func (m *Maker) Close(id capture.ConnID, ch *capture.Chunk) {
	c := m.conns[id]
	if c == nil {
		return
	}
	if c.closing == nil && !c.closed {
		c.close(ch.From, ch.Err, ch.At)
	}
	m.dirtied(c)
	delete(m.conns, id)
}

func (m *Maker) exchange(e *capture.Event) *exchange { return m.of(e.Exchange, e.Conn, e.Link) }

func (m *Maker) of(id capture.ExchangeID, cid capture.ConnID, l *capture.Link) *exchange {
	if x := m.exs[id]; x != nil {
		return x
	}
	c := m.conn(cid, l)
	x := &exchange{conn: c, id: id}
	for side := range x.side {
		x.side[side] = message{x: x, from: capture.Side(side)}
	}
	m.exs[id] = x
	return x
}

func (m *Maker) conn(id capture.ConnID, l *capture.Link) *conn {
	c := m.conns[id]
	if c == nil {
		c = &conn{m: m, id: id, link: &capture.Link{}}
		if l != nil {
			c.link = l
		}
		m.conns[id] = c
	}
	return c
}

// without makes a connection without HTTP: it begins, and what is known of it
// stands for its bytes.
func (m *Maker) without(e *capture.Event, info *capture.ConnInfo) {
	c := m.conn(e.Conn, e.Link)
	if c.opened {
		return
	}
	c.begin(*c.link, e.At)
	m.put(c, capture.Chunk{Kind: capture.Summarized, At: e.At, Link: c.link, Info: info})
	why := ""
	if info.Protocol == "refused" && !c.link.Midstream && capture.Trouble(info.Text) == "refused" {
		why = capture.Refused
	}
	c.close(capture.Client, why, e.At)
}

// open emits the beginning of the connection, before anything else of it. The
// head tells the port where the address is not known.
func (c *conn) open(h *capture.Head, at time.Time) {
	l := *c.link
	if !l.Server.IsValid() && h != nil {
		l.Server = netip.AddrPortFrom(netip.Addr{}, portOf(h))
	}
	c.begin(l, at)
	if l.TLS != "" {
		c.m.put(c, capture.Chunk{At: at, Kind: capture.Secured, Link: &l})
	}
}

func (c *conn) begin(l capture.Link, at time.Time) {
	l.TLS, l.ALPN, l.ServerName = "", "", ""
	c.opened = true
	c.m.put(c, capture.Chunk{At: at, Kind: capture.Opened, Link: &l})
}

// portOf is the port that a request was addressed to.
func portOf(h *capture.Head) uint16 {
	if i := strings.LastIndexByte(h.Authority, ':'); i >= 0 {
		if p, err := netip.ParseAddrPort("0.0.0.0" + h.Authority[i:]); err == nil && p.Port() != 0 {
			return p.Port()
		}
	}
	if h.Scheme == "https" {
		return 443
	}
	return 80
}

// put emits a chunk of the connection.
func (m *Maker) put(c *conn, ch capture.Chunk) {
	if c.closed {
		return
	}
	if !c.opened {
		c.open(nil, ch.At)
	}
	m.seq++
	ch.Conn, ch.Seq = c.id, m.seq
	m.out = append(m.out, ch)
}

// say emits bytes of a side.
func (c *conn) say(from capture.Side, data []byte, at time.Time) {
	if len(data) > 0 {
		c.m.put(c, capture.Chunk{Kind: capture.Bytes, From: from, At: at, Data: data})
	}
}

func (c *conn) gap(from capture.Side, n int64, at time.Time) {
	c.m.put(c, capture.Chunk{Kind: capture.Gap, From: from, At: at, Lost: n})
}

func (c *conn) close(from capture.Side, why string, at time.Time) {
	if c.closing == nil {
		c.closing = &capture.Chunk{Kind: capture.Closed, From: from, At: at, Err: why}
	}
	c.m.dirtied(c)
}

func (m *Maker) dirtied(c *conn) {
	if !c.dirty {
		c.dirty = true
		m.dirty = append(m.dirty, c)
	}
}
