package pcap

import (
	"cmp"
	"slices"
	"time"

	"a2ascope/capture"
)

// drain delivers what is ready and gives up the holes that are due, until the
// connection has to wait again.
func (a *assembler) drain(c *conn, now time.Time) {
	for !c.closed {
		if dir, ok := c.readyDir(); ok {
			a.release(c, dir)
		} else if !a.lose(c, now, false) {
			return
		}
	}
}

// flush delivers everything a connection holds, giving up all holes.
func (a *assembler) flush(c *conn, now time.Time) {
	for !c.closed && (c.half[0].queue != nil || c.half[1].queue != nil) {
		if dir, ok := c.readyDir(); ok {
			a.release(c, dir)
		} else {
			a.lose(c, now, true)
		}
	}
}

// release delivers the first held piece of a half.
func (a *assembler) release(c *conn, dir uint8) {
	h := &c.half[dir]
	p := h.pop()
	a.held -= p.cost()
	if left := int32(p.end() - h.next); left < 0 || left == 0 && !p.fin && !p.rst {
		return // came twice
	}
	a.deliver(c, dir, &p)
}

// readyDir finds the half whose first held piece can be delivered; of two, the
// one that was captured first.
func (c *conn) readyDir() (dir uint8, ok bool) {
	for d := range uint8(2) {
		h := &c.half[d]
		if h.queue == nil || !h.ready(&h.queue[0], &c.half[1-d]) {
			continue
		}
		if !ok || h.queue[0].n < c.half[dir].queue[0].n {
			dir, ok = d, true
		}
	}
	return dir, ok
}

// lose gives up one hole of a connection that is stuck, when it is due or must
// be. It says whether there is progress.
func (a *assembler) lose(c *conn, now time.Time, must bool) bool {
	found := false
	var waits, holed uint8 // directions: who waits, and where bytes are missing
	for d := range uint8(2) {
		h, o := &c.half[d], &c.half[1-d]
		if h.queue == nil {
			continue
		}
		p := &h.queue[0]
		in, covered := d, h.ackKnown && int32(h.acked-p.seq) >= 0
		if int32(p.seq-h.next) <= 0 {
			in, covered = 1-d, true // p itself acknowledges the missing bytes
		}
		age := now.Sub(p.at)
		due := must || !c.half[in].seen || // one direction was not captured at all
			covered && (age >= lostAfter || h.cost+o.cost > lostHeld) ||
			age >= lostAnyway ||
			h.cost > maxHeldHalf || len(h.queue) > maxHeldPieces || a.held > maxHeldTotal
		if due && (!found || p.n < c.half[waits].queue[0].n) {
			waits, holed, found = d, in, true
		}
	}
	if !found {
		return false
	}
	h, p := &c.half[holed], &c.half[waits].queue[0]
	until := p.seq
	if holed != waits {
		until = p.ack
		if h.queue != nil && int32(h.queue[0].seq-until) < 0 {
			until = h.queue[0].seq
		}
	}
	size := int64(int32(until - h.next))
	if size <= 0 {
		// Each half waits for the other: no order of events allows that, so an
		// acknowledgement is wrong. The one captured first goes first.
		a.release(c, waits)
		return true
	}
	h.next = until
	if h.finished {
		return true // nothing of a half comes after its end
	}
	if size == 1 && holed != waits && h.queue == nil {
		h.owed++ // a FIN takes one number too: wait whether bytes follow
		return true
	}
	size, h.owed = size+h.owed, 0
	a.emit(c, holed, capture.Chunk{Kind: capture.Gap, Lost: size, At: p.at}, hint(holed == waits, p.data))
	return true
}

// hint passes on payload that tells who speaks, when it is of the same half.
func hint(same bool, payload []byte) []byte {
	if same {
		return payload
	}
	return nil
}

// tick gives up holes by capture time on connections that get no more packets.
func (a *assembler) tick(now time.Time) {
	if len(a.waiting) == 0 || now.Sub(a.ticked) < tickAfter && now.Sub(a.ticked) > -tickAfter {
		return
	}
	a.ticked = now
	a.waiting = slices.DeleteFunc(a.waiting, func(c *conn) bool {
		if !c.closed {
			a.drain(c, now)
		}
		c.waiting = !c.closed && (c.half[0].queue != nil || c.half[1].queue != nil)
		return !c.waiting
	})
}

// close ends a connection and keeps the memory of it for a while.
func (a *assembler) close(c *conn, dir uint8, why string, at time.Time) {
	a.flushRest(c, at)
	if c.closed {
		return // what it held ended it
	}
	c.closed, c.last = true, at
	a.live--
	for d := range c.half {
		a.held -= c.half[d].cost
		c.half[d].queue, c.half[d].cost = nil, 0
	}
	a.over = append(a.over, c)
	if len(a.over) > maxClosed {
		for _, old := range a.over[:maxClosed/4] {
			if a.flows[old.key] == old {
				delete(a.flows, old.key)
			}
		}
		a.over = slices.Delete(a.over, 0, maxClosed/4)
	}
	if c.id == 0 {
		return
	}
	client, server := &c.half[c.client], &c.half[1-c.client]
	if (why == Ended || why == Replaced || why == Evicted) && client.syn && !server.known {
		why = NoAnswer
	}
	if client.seen != server.seen && why != NoAnswer && why != Refused {
		a.oneWay++
		if a.oneWay == 1 {
			a.oneWayID = c.id
		}
	}
	a.out.add(capture.Chunk{Kind: capture.Closed, Conn: c.id, At: at, From: c.side(dir), Err: why})
	if a.out.full() {
		_ = a.out.flush() // the batch keeps its error
	}
}

// flushRest delivers what is held without ending the connection, and tells of
// bytes that were acknowledged and never seen.
func (a *assembler) flushRest(c *conn, at time.Time) {
	a.flush(c, at)
	if c.closed {
		return
	}
	for d := range uint8(2) {
		h := &c.half[d]
		if !h.known || !h.ackKnown || h.finished || c.id == 0 {
			continue
		}
		// One is the number of a FIN that was not captured.
		if n := int64(int32(h.acked - h.next)); n > 1 {
			a.emit(c, d, capture.Chunk{Kind: capture.Gap, Lost: n + h.owed, At: at}, nil)
			h.next, h.owed = h.acked, 0
		}
	}
}

// end closes the connections that are still open when the capture ends.
func (a *assembler) end() {
	open := make([]*conn, 0, a.live)
	for _, c := range a.flows {
		if !c.closed {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(x, y *conn) int {
		return cmp.Or(cmp.Compare(x.id, y.id), compareKeys(&x.key, &y.key))
	})
	for _, c := range open {
		if a.out.err != nil {
			return
		}
		a.close(c, c.client, Ended, c.last)
	}
}
