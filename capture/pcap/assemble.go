package pcap

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"a2ascope/capture"
)

// Why a connection is over, in Chunk.Err. An orderly end (FIN of both sides)
// has none.
const (
	Reset    = "reset"                // one side sent RST; Chunk.From says which
	Refused  = capture.Refused        // the first packet of the client was answered by RST
	NoAnswer = "no answer"            // the first packet of the client was never answered
	Ended    = "capture ended"        // the connection was open at the end of the capture
	Replaced = "replaced"             // the same two ends began another connection
	Evicted  = "too many connections" // idle for longest when there were too many
)

// assembler turns segments into the ordered bytes of connections.
type assembler struct {
	out       *batch
	flows     map[flowKey]*conn
	recent    *conn // of the last segment: most often of the next one too
	conns     uint64
	live      int     // connections in flows that are not closed
	over      []*conn // closed ones that are remembered, oldest first
	waiting   []*conn // those that hold segments, and some that did
	ticked    time.Time
	held      int // cost of all held segments
	arrived   uint64
	listeners map[endpoint]struct{} // ends that accepted connections
	source    string                // what Link.Source says

	early     int64 // bytes from before the first one seen of a connection
	earlySeen int64 // number of segments that had them
	oneWay    int64 // connections of which one side was never seen
	oneWayID  capture.ConnID
}

func newAssembler(out *batch) *assembler {
	return &assembler{out: out, source: "pcap", flows: map[flowKey]*conn{}, listeners: map[endpoint]struct{}{}}
}

// add takes the next segment of the capture.
func (a *assembler) add(s *segment) {
	key, dir := keyOf(s)
	c := a.recent
	if c == nil || c.key != key {
		c = a.flows[key]
	}
	if c != nil && c.waiting && s.at.Sub(c.last) > rememberClosed {
		a.drain(c, s.at) // what it holds may have ended it long ago
	}
	if c != nil && c.replacedBy(s, dir) {
		if !c.closed {
			why := Replaced
			if c.half[0].finished || c.half[1].finished {
				why = "" // the two ends would not begin anew had they not both ended
			}
			a.close(c, c.client, why, s.at)
		}
		c = nil
	}
	if c == nil {
		c = a.begin(key, s.at)
	}
	a.recent = c
	if c.closed {
		return // a packet that comes late
	}
	c.last = s.at
	a.segment(c, dir, s)
}

// begin makes room for a connection and remembers it.
func (a *assembler) begin(key flowKey, at time.Time) *conn {
	if a.live >= maxConns {
		a.evict(at)
	}
	c := &conn{key: key, last: at}
	a.flows[key] = c
	a.live++
	return c
}

// replacedBy says whether s begins another connection between the same ends.
func (c *conn) replacedBy(s *segment, dir uint8) bool {
	h := &c.half[dir]
	if s.flags&flagSYN != 0 && s.flags&flagRST == 0 {
		if h.known {
			if s.seq+1 == h.origin {
				return false // sent or captured twice
			}
			// A server may answer a repeated SYN with another number.
			return c.closed || s.flags&flagACK == 0 || h.next != h.origin
		}
		return c.closed || s.flags&flagACK == 0 && c.id != 0
	}
	return c.closed && s.length > 0 && s.at.Sub(c.last) > rememberClosed
}

// segment takes a segment of an open connection.
func (a *assembler) segment(c *conn, dir uint8, s *segment) {
	h, o := &c.half[dir], &c.half[1-dir]
	h.seen = true
	if s.mark != "" && c.id == 0 {
		for mark := range strings.SplitSeq(s.mark, markEnd) {
			if side, ok := readMadeUp(mark); ok {
				c.madeUp[side] = true
			}
		}
	}
	seq := s.seq
	if s.flags&flagRST != 0 {
		if !h.known {
			if o.syn {
				a.noted(c, dir, &piece{mark: s.mark, at: s.at})
				a.close(c, dir, Refused, s.at)
			} else {
				a.close(c, dir, Reset, s.at)
			}
			return
		}
	} else if s.flags&flagSYN != 0 {
		seq++
		a.handshake(c, dir, s)
	}
	ack := s.flags&flagACK != 0
	if ack && !o.known && h.syn && s.seq == h.origin {
		// The client confirms the server's first number: that packet was not
		// captured, yet the number is known.
		o.known, o.next, o.origin = true, s.ack, s.ack
	}
	if ack && o.known {
		if s.ack-o.next == 1 && o.untouched() {
			o.next, o.origin = s.ack, s.ack
		}
		d := int32(s.ack - o.next)
		if ack = d <= maxJump && d >= -maxJump; ack && (!o.ackKnown || int32(s.ack-o.acked) > 0) {
			o.acked, o.ackKnown = s.ack, true
		}
	}
	if !h.known {
		if s.length == 1 && len(s.data) == 1 && s.data[0] == 0 {
			return // a keep-alive probe repeats an old byte
		}
		h.known, h.next, h.origin = true, seq, seq
	}
	p := piece{seq: seq, ack: s.ack, hasAck: ack, data: s.data, length: s.length, at: s.at,
		fin: s.flags&flagFIN != 0, rst: s.flags&flagRST != 0, mark: s.mark}
	if p.rst {
		p.data, p.length, p.fin = nil, 0, false // some stacks put a text into it
	}
	if p.length == 0 && !p.fin && !p.rst || h.finished && !p.rst {
		if c.waiting {
			a.drain(c, s.at)
		}
		return
	}
	a.take(c, dir, &p)
}

// handshake takes the numbers of a SYN, and with it the roles of the sides.
func (a *assembler) handshake(c *conn, dir uint8, s *segment) {
	h, o := &c.half[dir], &c.half[1-dir]
	h.syn = true
	if !h.known || h.next == h.origin && len(h.queue) == 0 {
		h.known, h.next, h.origin = true, s.seq+1, s.seq+1
	}
	client := dir
	if s.flags&flagACK != 0 {
		client = 1 - dir
		if !o.known {
			o.known, o.next, o.origin = true, s.ack, s.ack
		}
	}
	if c.id == 0 {
		a.open(c, client, false, s.at)
	}
	if s.flags&flagACK != 0 {
		a.listens(c.key.end(1 - c.client))
	}
}

// take delivers a piece or holds it.
func (a *assembler) take(c *conn, dir uint8, p *piece) {
	h, o := &c.half[dir], &c.half[1-dir]
	ahead := int32(p.seq - h.next)
	if ahead == 1 && h.untouched() {
		h.next, h.origin, ahead = p.seq, p.seq, 0
	}
	switch {
	case ahead > maxJump || ahead < -maxJump:
		if !a.astray(c, dir, p) {
			return
		}
	case ahead < 0:
		if int32(p.seq-h.origin) < 0 && p.length > 1 && !h.syn {
			a.early += min(int64(p.length), int64(h.origin-p.seq))
			a.earlySeen++
		}
		// A repetition, whole or in part; an RST of old is none of this time.
		if left := int32(p.end() - h.next); left < 0 || left == 0 && !p.fin || p.rst {
			return
		}
	}
	if h.queue == nil && o.queue == nil && h.ready(p, o) {
		a.deliver(c, dir, p)
		return
	}
	a.arrived++
	p.n = a.arrived
	a.held += h.hold(*p)
	if !c.waiting {
		c.waiting = true
		a.waiting = append(a.waiting, c)
	}
	a.drain(c, p.at)
}

// astray handles a segment whose number is beyond any window. One is damaged
// or of another time; three in a row mean that much is missing, or that the
// ends began anew unseen.
func (a *assembler) astray(c *conn, dir uint8, p *piece) bool {
	h := &c.half[dir]
	if d := int32(p.seq - h.strayAt); h.strange == 0 || d > maxJump || d < -maxJump {
		h.strange = 0
	}
	h.strange++
	h.strayAt = p.seq
	if h.strange < 3 || p.rst {
		return false
	}
	a.flush(c, p.at)
	if c.closed || h.finished {
		return false
	}
	h.strange, h.owed, h.ackKnown = 0, 0, false
	h.next, h.origin = p.seq, p.seq
	a.emit(c, dir, capture.Chunk{Kind: capture.Gap, Lost: -1, At: p.at}, p.data)
	return true
}

// deliver emits what is new in p.
func (a *assembler) deliver(c *conn, dir uint8, p *piece) {
	h := &c.half[dir]
	h.strange = 0
	if p.rst {
		why := Reset
		for mark := range strings.SplitSeq(p.mark, markEnd) {
			if strings.HasPrefix(mark, unreachableMark) {
				why = mark
			}
		}
		a.noted(c, dir, p)
		a.close(c, dir, why, p.at)
		return
	}
	if h.finished {
		return
	}
	if p.mark != "" {
		a.secured(c, dir, p)
		a.changed(c, p)
	}
	old := int(h.next - p.seq)
	if old < p.length {
		if h.owed > 0 {
			a.emit(c, dir, capture.Chunk{Kind: capture.Gap, Lost: h.owed, At: p.at}, p.data)
			h.owed = 0
		}
		fresh := p.data[min(old, len(p.data)):]
		if len(fresh) > 0 {
			a.emit(c, dir, capture.Chunk{Kind: capture.Bytes, Data: fresh, At: p.at}, fresh)
		}
		if cut := p.length - max(old, len(p.data)); cut > 0 {
			a.emit(c, dir, capture.Chunk{Kind: capture.Gap, Lost: int64(cut), At: p.at}, nil)
		}
		h.next += uint32(p.length - old)
	}
	a.noted(c, dir, p)
	if p.fin && h.next == p.end() {
		h.next++
		h.finished, h.owed = true, 0
		if c.id != 0 {
			a.emit(c, dir, capture.Chunk{Kind: capture.HalfClosed, At: p.at}, nil)
		}
		if c.half[1-dir].finished {
			a.close(c, dir, "", p.at)
		}
	}
}

// emit sends a chunk. The first one of a connection that was under way when
// the capture began decides who is the client, by its payload if it can.
func (a *assembler) emit(c *conn, dir uint8, ch capture.Chunk, payload []byte) {
	if c.id == 0 {
		a.open(c, a.guessClient(c, dir, payload), true, ch.At)
	}
	ch.Conn = c.id
	ch.From = c.side(dir)
	a.out.add(ch)
}

func (c *conn) side(dir uint8) capture.Side {
	if dir == c.client {
		return capture.Client
	}
	return capture.Server
}

// secured says of a connection that this program wrote that it was TLS.
func (a *assembler) secured(c *conn, dir uint8, p *piece) {
	mark, _, _ := strings.Cut(p.mark, markEnd) // it is the first
	said, ok := readSecured(mark)
	if !ok {
		return
	}
	if c.id == 0 {
		a.open(c, a.guessClient(c, dir, p.data), true, p.at)
	}
	l := *c.link
	l.TLS, l.ServerName, l.ALPN = said.TLS, said.ServerName, said.ALPN
	a.out.add(capture.Chunk{Kind: capture.Secured, Conn: c.id, At: p.at, From: c.side(dir), Link: &l})
}

// changed passes on what the tap did to the answer that follows.
func (a *assembler) changed(c *conn, p *piece) {
	for mark := range strings.SplitSeq(p.mark, markEnd) {
		if stream, note, ok := readTap(mark); ok && c.id != 0 && !c.closed {
			a.out.add(capture.Chunk{Kind: capture.Noted, Conn: c.id, At: p.at, From: capture.Server, Stream: stream, Note: note})
		}
	}
}

// noted passes on what people said of an exchange, behind the bytes of the
// packet, and what is known of a connection that has none in the file.
func (a *assembler) noted(c *conn, dir uint8, p *piece) {
	if p.mark == "" || c.closed {
		return
	}
	for mark := range strings.SplitSeq(p.mark, markEnd) {
		if n, note, ok := readNote(mark); ok && (c.id != 0 || n == capture.OfConnection) {
			a.emit(c, dir, capture.Chunk{Kind: capture.Noted, Nth: n, Note: note, At: p.at}, nil)
		}
		if !strings.HasPrefix(mark, withoutMark) {
			continue
		}
		if c.id == 0 {
			a.open(c, a.guessClient(c, dir, nil), true, p.at)
		}
		l := *c.link
		if info, ok := readWithout(mark, &l); ok {
			a.emit(c, dir, capture.Chunk{Kind: capture.Summarized, Link: &l, Info: info, At: p.at}, nil)
		}
	}
}

// open tells of a connection.
func (a *assembler) open(c *conn, client uint8, midstream bool, at time.Time) {
	a.conns++
	c.id, c.client = capture.ConnID(a.conns), client
	from, to := c.key.end(client), c.key.end(1-client)
	c.link = &capture.Link{Client: from.addr.port(from.port), Server: to.addr.port(to.port), Source: a.source, Midstream: midstream}
	if c.madeUp[capture.Client] {
		c.link.Client = netip.AddrPort{}
	}
	if c.madeUp[capture.Server] {
		c.link.Server = netip.AddrPort{}
	}
	a.out.add(capture.Chunk{Kind: capture.Opened, Conn: c.id, At: at, From: capture.Client, Link: c.link})
	for dir := range uint8(2) {
		if c.half[dir].finished {
			a.out.add(capture.Chunk{Kind: capture.HalfClosed, Conn: c.id, At: at, From: c.side(dir)})
		}
	}
}

func (a *assembler) listens(e endpoint) {
	if len(a.listeners) < maxListeners {
		a.listeners[e] = struct{}{}
	}
}

// guessClient tells the sides of a connection whose start was not captured: by
// an end known to accept connections, by the first payload, else by the lower
// port, which is more often the server's.
func (a *assembler) guessClient(c *conn, dir uint8, payload []byte) uint8 {
	_, l0 := a.listeners[c.key.end(0)]
	_, l1 := a.listeners[c.key.end(1)]
	if l0 != l1 {
		if l0 {
			return 1
		}
		return 0
	}
	if side, ok := speaker(payload); ok {
		client := dir
		if side == capture.Server {
			client = 1 - dir
		}
		a.listens(c.key.end(1 - client))
		return client
	}
	switch {
	case c.key.pa < c.key.pb:
		return 1
	case c.key.pa > c.key.pb:
		return 0
	}
	return dir
}

// damage says what of the connections could not be read.
func (a *assembler) damage() []capture.Damage {
	var ds []capture.Damage
	if a.early > 0 {
		ds = append(ds, capture.Damage{What: "early", Detail: fmt.Sprintf(
			"%s in %s are left out: they belong before the first packet captured of a connection that was already open", count(a.early, "byte"), count(a.earlySeen, "packet"))})
	}
	if a.oneWay > 0 {
		ds = append(ds, capture.Damage{What: "one-way", Detail: fmt.Sprintf(
			"only one direction was captured of %s, the first is connection %d: check the filter, and whether requests and responses take the same interface", count(a.oneWay, "connection"), a.oneWayID)})
	}
	return ds
}

// evict closes the connections that were idle for longest.
func (a *assembler) evict(at time.Time) {
	open := make([]*conn, 0, a.live)
	for _, c := range a.flows {
		if !c.closed {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(x, y *conn) int {
		return cmp.Or(x.last.Compare(y.last), cmp.Compare(x.id, y.id), compareKeys(&x.key, &y.key))
	})
	for _, c := range open[:len(open)/16+1] {
		a.close(c, c.client, Evicted, at)
		if a.out.err != nil {
			return
		}
	}
}

func compareKeys(x, y *flowKey) int {
	return cmp.Or(cmp.Compare(x.a.hi, y.a.hi), cmp.Compare(x.a.lo, y.a.lo), cmp.Compare(x.pa, y.pa),
		cmp.Compare(x.b.hi, y.b.hi), cmp.Compare(x.b.lo, y.b.lo), cmp.Compare(x.pb, y.pb))
}
