package session

import (
	"sync/atomic"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// kept is what a row keeps of its exchange. Rows of one exchange share it: a
// finding that comes later changes the row and not this.
type kept struct {
	// nil of a connection that has none, and while it is packed only. What is
	// beside it does not change any more then.
	call   atomic.Pointer[decode.Call]
	packed packed

	id     capture.ExchangeID
	events int32
	has    bool // a call
	a2a    bool
	noted  bool

	// Only the book looks at these.
	held    int64 // bytes of heads and bodies in memory, until it is packed
	cost    int64 // of the rest; see costOf
	fresh   bool  // held is a part of retention.freshHeld
	flagged bool  // cost is a part of retention.flagged
}

func newKept(c *decode.Call) *kept {
	k := &kept{has: true, id: c.Exchange.ID, a2a: c.Protocol == spec.A2A, noted: len(c.Exchange.Notes) > 0}
	if c.Streamed() {
		k.events = int32(len(c.Exchange.Received))
	}
	k.call.Store(c)
	return k
}

// Call returns the exchange as it was read; nil for a connection row, unless it
// failed and has findings. Where it was packed it is made again, some
// microseconds and one read of the temporary file at most; two calls may give
// two values that are equal.
func (r *Row) Call() *decode.Call {
	k := r.kept
	if k == nil {
		return nil
	}
	if c := k.call.Load(); c != nil || !k.has {
		return c
	}
	return k.packed.by.in.read(k, r.Link)
}

// HasCall reports whether Call returns one. It and the four below cost
// nothing: whoever walks all rows asks them first.
func (r *Row) HasCall() bool { return r.kept != nil && r.kept.has }

// ID is that of the exchange; 0 when the row has no call.
func (r *Row) ID() capture.ExchangeID {
	if r.kept == nil {
		return 0
	}
	return r.kept.id
}

// A2A reports whether the exchange speaks A2A.
func (r *Row) A2A() bool { return r.kept != nil && r.kept.a2a }

// Events is how many events and messages the answer has, where it came one by one.
func (r *Row) Events() int {
	if r.kept == nil {
		return 0
	}
	return int(r.kept.events)
}

// Noted reports whether the row has notes: of what was changed on the way, or of
// people.
func (r *Row) Noted() bool {
	return r.kept != nil && r.kept.noted || r.Conn != nil && len(r.Conn.Notes) > 0
}

// Notes are those of the exchange, or of the connection of a row that is one.
func (r *Row) Notes() []capture.Note {
	switch {
	case r.Conn != nil:
		return r.Conn.Notes
	case r.Noted():
		return r.Call().Exchange.Notes
	}
	return nil
}

// With returns the row with another reading of its exchange.
func (r Row) With(c *decode.Call) *Row {
	r.kept = newKept(c)
	return &r
}
