package pcap

import (
	"bytes"
	"time"

	"a2ascope/capture"
)

// flowKey names the two ends of a connection; a is the lower one, so that both
// directions have the same key.
type flowKey struct {
	a, b   addr
	pa, pb uint16
}

// keyOf returns the key of a segment and its direction: 0 when a sent it.
func keyOf(s *segment) (flowKey, uint8) {
	if s.src.less(s.dst) || s.src == s.dst && s.sport <= s.dport {
		return flowKey{s.src, s.dst, s.sport, s.dport}, 0
	}
	return flowKey{s.dst, s.src, s.dport, s.sport}, 1
}

// endpoint is one end of a connection.
type endpoint struct {
	addr addr
	port uint16
}

func (k *flowKey) end(dir uint8) endpoint {
	if dir == 0 {
		return endpoint{k.a, k.pa}
	}
	return endpoint{k.b, k.pb}
}

// conn is a TCP connection, or what is remembered of one that is over.
type conn struct {
	key     flowKey
	id      capture.ConnID // 0 until there is something to tell of it
	client  uint8          // direction of the client, once id is set
	closed  bool
	waiting bool    // in assembler.waiting
	madeUp  [2]bool // by side: its address stands for one that is not known
	link    *capture.Link
	half    [2]half
	last    time.Time // of the last packet; once closed, of the end
}

// half is one direction of a connection. Sequence numbers wrap; differences
// are taken as int32 (RFC 9293 section 3.4).
type half struct {
	next   uint32 // sequence number of the next byte to deliver
	origin uint32 // the first value of next
	acked  uint32 // highest acknowledgement by the other side

	known    bool // next and origin are valid
	syn      bool // its SYN was seen
	ackKnown bool // acked is valid
	seen     bool // a packet of this half was seen
	finished bool // its FIN was delivered
	strange  uint8
	strayAt  uint32 // sequence number of the last segment out of all bounds

	owed  int64 // bytes given up that may have been no byte but a FIN
	queue []piece
	cost  int // of queue, see heldOverhead
}

// untouched says that next comes from a packet without payload on a connection
// that was already open. That may have been a keep-alive probe, whose number
// is one too low (RFC 9293 section 3.8.4).
func (h *half) untouched() bool {
	return h.known && !h.syn && h.next == h.origin && h.queue == nil
}

// piece is a segment to deliver: payload, FIN or RST.
type piece struct {
	seq, ack uint32
	data     []byte
	length   int // as sent
	hasAck   bool
	fin, rst bool
	at       time.Time
	n        uint64 // order of arrival
	mark     string // see mark.go
}

func (p *piece) end() uint32 { return p.seq + uint32(p.length) }

func (p *piece) cost() int { return len(p.data) + heldOverhead }

// ready says whether p can be delivered: its bytes come next, and the other
// half has delivered what p acknowledges.
func (h *half) ready(p *piece, other *half) bool {
	if int32(p.seq-h.next) > 0 {
		return false
	}
	return !p.hasAck || !other.known || other.finished || int32(p.ack-other.next) <= 0
}

// hold puts p into the queue, sorted by sequence number. It says how much the
// cost grew: not at all when the queue has the bytes already.
func (h *half) hold(p piece) int {
	i := len(h.queue)
	for i > 0 && int32(p.seq-h.queue[i-1].seq) < 0 {
		i--
	}
	for j := i; j > 0 && h.queue[j-1].seq == p.seq; j-- {
		q := &h.queue[j-1]
		if q.length >= p.length && len(q.data) >= len(p.data) && q.rst == p.rst && (q.fin || !p.fin) {
			return 0
		}
	}
	h.queue = append(h.queue, piece{})
	copy(h.queue[i+1:], h.queue[i:])
	h.queue[i] = p
	h.cost += p.cost()
	return p.cost()
}

// pop takes the first piece out of the queue.
func (h *half) pop() piece {
	p := h.queue[0]
	h.queue[0] = piece{}
	h.queue = h.queue[1:]
	if len(h.queue) == 0 {
		h.queue = nil
	}
	h.cost -= p.cost()
	return p
}

// speaker tells from the first bytes of a direction whether they come from a
// client or a server.
func speaker(b []byte) (side capture.Side, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte("HTTP/1.")):
		return capture.Server, true
	case bytes.HasPrefix(b, []byte("PRI * HTTP/2")):
		return capture.Client, true
	case len(b) > 5 && b[0] == 22 && b[1] == 3 && b[5] == 1: // TLS ClientHello, RFC 8446 section 4
		return capture.Client, true
	case len(b) > 5 && b[0] == 22 && b[1] == 3 && b[5] == 2: // TLS ServerHello
		return capture.Server, true
	}
	for i, ch := range b {
		if ch == ' ' && i >= 3 && i+1 < len(b) && (b[i+1] == '/' || b[i+1] == 'h' || b[i+1] == '*') {
			return capture.Client, true // an HTTP request line
		}
		if ch < 'A' || ch > 'Z' || i > 10 {
			break
		}
	}
	return 0, false
}
