package diagnose

import (
	"hash/maphash"
	"net/netip"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// seen is what the memory keeps of an exchange while it runs.
type seen struct {
	authority string
	path      string // without query and trailing slash
	before    string // REST: path before the route
	client    clientKey
	peer      *peer
	match     match
	binding   string // the binding peer and match were made for
	template  string
	learned   bool // its outcome was taken in
	asked     bool // its request was taken in
	card      bool // its card was taken in
	states    int  // stream events whose state was taken in
	hash      uint64
	step      int // its place in its session
	watch     *watch
	sum       streamSum
	gives     givesSum
	flow      flowSum
	like      likeness
	past      past
	side      side
}

// clientKey names a caller: source address without the port, and User-Agent.
type clientKey struct {
	address netip.Addr
	agent   string
}

// see returns the notes of an exchange, making them at first sight and again
// where its reading changed or a new card was learnt.
func (m *memory) see(c *decode.Call) *seen {
	x := c.Exchange
	s, fresh := m.open.take(x.ID)
	if fresh {
		s.authority = authorityOf(x)
		if c.Kind == spec.KindConnection {
			s.authority = m.dialled(x, s.authority)
		}
		s.client = clientOf(x)
		s.step = -1
	}
	if x.Request != nil && s.path == "" {
		s.path = trimPath(x.Request.Path())
	}
	if fresh || s.binding != string(c.Binding) || s.template != c.Path.Template || s.match.made != m.cards {
		s.binding, s.template = string(c.Binding), c.Path.Template
		if c.Path.Template != "" {
			s.before = strings.TrimRight(c.Path.Rest, "/")
		}
		s.match = m.matchCall(c, s)
		s.peer = nil
	}
	return s
}

// clientOf names the caller. A HAR has no address: there the User-Agent is all there is.
func clientOf(x *capture.Exchange) clientKey {
	var k clientKey
	if x.Link != nil && x.Link.Client.IsValid() {
		k.address = x.Link.Client.Addr().Unmap()
	}
	if x.Request != nil {
		k.agent = cut(x.Request.Fields.Get("user-agent"))
	}
	return k
}

// requestHash tells identical requests apart from others.
func (m *memory) requestHash(x *capture.Exchange) uint64 {
	var h maphash.Hash
	h.SetSeed(m.salt)
	if r := x.Request; r != nil {
		h.WriteString(r.Method)
		h.WriteByte(0)
		h.WriteString(r.Target)
		h.WriteByte(0)
	}
	for _, f := range x.Sent {
		h.Write(f.V.Data)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// at sets the clock of the memory to the traffic's.
func (m *memory) at(x *capture.Exchange) time.Time {
	t := x.Started
	if !x.Answered.IsZero() {
		t = x.Answered
	}
	if n := len(x.Received); n > 0 && x.Received[n-1].At.After(t) {
		t = x.Received[n-1].At
	}
	if x.Ended.After(t) && (x.End == nil || x.End.Kind != capture.EndStillOpen) {
		t = x.Ended
	}
	if t.After(m.now) {
		m.now = t
	}
	return t
}
