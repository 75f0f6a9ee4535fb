package session

import (
	"fmt"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
)

// A budget is split once: what exchanges say can move to the temporary file,
// rows cannot. A quarter for it in memory, half of that for exchanges that run
// and half for packed ones, is some ten thousand ordinary exchanges that are
// read back without the disk; the rest holds the rows.
const bodyPart = 4

// The newest exchanges that have ended are not packed yet: a view with them
// comes first, and who follows the session looks at them in it.
const (
	freshRows  = 1024
	freshBytes = 8 << 20 // of heads and bodies
)

// What a row costs beside what its parts say: the structs of the row, the call
// and the exchange as the allocator rounds them, and the session's own notes.
// Of a packed one only the row and the notes are left.
const (
	rowCost     = 2100
	packedCost  = 280
	headCost    = 160
	fieldCost   = 40
	frameCost   = 144 + 2*32 // in a slice that grew
	findingCost = 600
	cardFactor  = 6 // a card stays parsed
)

// retention is what the book must know to let go of old rows. Rows of
// exchanges that are open, and of saved files, are never let go.
type retention struct {
	budget  int64 // of rows and bodies; 0: none
	limit   int64 // of the cost of rows
	cost    int64 // of all rows
	flagged int64 // of those in kept

	fresh     queue // rows whose exchanges have ended and are not packed yet
	freshHeld int64
	freshMost int64

	ended  queue       // rows in the order in which their exchanges ended
	kept   queue       // those of them with findings, once they were passed over
	bodied queue       // rows whose bodies are in memory
	gone   map[int]int // forgotten rows by chunk
	blank  *Row        // stands for every forgotten row
	void   []*Row      // a chunk of them
	worst  diagnose.Severity
	rows   int // forgotten
	bodies int // exchanges whose bodies were dropped
}

func newRetention(budget int64) retention {
	r := retention{budget: budget, limit: budget - budget/bodyPart, freshMost: freshBytes, gone: map[int]int{}}
	if budget > 0 {
		r.freshMost = min(freshBytes, budget/bodyPart/8)
	}
	r.blank = &Row{Index: -1, Forgotten: true, Conn: &capture.ConnInfo{Protocol: "unknown", Text: "forgotten: --max-memory was reached"}}
	for range rowChunk {
		r.void = append(r.void, r.blank)
	}
	return r
}

// queue is a list of row indices that is read from its front.
type queue struct {
	list []int32
	at   int
}

func (q *queue) push(i int) { q.list = append(q.list, int32(i)) }

func (q *queue) len() int { return len(q.list) - q.at }

func (q *queue) pop() (int, bool) {
	if q.at == len(q.list) {
		return 0, false
	}
	i := q.list[q.at]
	if q.at++; q.at > 4096 && q.at > len(q.list)/2 {
		q.list = append(q.list[:0], q.list[q.at:]...)
		q.at = 0
	}
	return int(i), true
}

// settled takes note of a row whose exchange has ended, with the bytes of it that are in memory.
func (b *book) settled(d *draft, held int64) {
	if d.row.kept == nil { // a connection without an exchange
		d.row.kept = &kept{}
	}
	k := d.row.kept
	k.held, k.cost = held, costOf(&d.row)
	b.ret.cost += k.cost
	if d.row.HasCall() && d.row.Conn == nil {
		k.fresh = true
		b.ret.fresh.push(d.index)
		b.ret.freshHeld += held
	}
	if b.endless {
		b.ret.ended.push(d.index)
	}
	if held > 0 && b.keep.budget > 0 {
		b.ret.bodied.push(d.index)
	}
}

// costOf estimates the memory of a row without its bodies.
func costOf(r *Row) int64 {
	n := int64(rowCost + findingCost*len(r.Findings))
	c := r.Call()
	if c == nil {
		return n
	}
	x := c.Exchange
	head := func(h *capture.Head) {
		if h == nil {
			return
		}
		n += int64(headCost + fieldCost*len(h.Fields) + len(h.Raw))
		if h.Raw == nil {
			for i := range h.Fields {
				n += int64(len(h.Fields[i].Name) + len(h.Fields[i].Value))
			}
		}
	}
	head(x.Request)
	head(x.Response)
	for _, h := range x.Interim {
		head(h)
	}
	n += int64(frameCost * (len(x.Sent) + len(x.Received)))
	if c.AgentCard != nil {
		n += cardFactor * (x.SentSize + x.ReceivedSize)
	}
	return n
}

// trim packs what is not new any more and brings the book back under its budget.
func (b *book) trim() {
	for (b.ret.fresh.len() > freshRows || b.ret.freshHeld > b.ret.freshMost || b.keep.over()) && b.packOne() {
	}
	b.store.trim()
	for b.ret.budget > 0 && b.ret.cost > b.ret.limit && b.forgetOne() {
	}
	for b.store.over() && b.dropOne() {
	}
}

// packOne packs the exchange that ended first of those that are not packed.
func (b *book) packOne() bool {
	i, ok := b.ret.fresh.pop()
	if !ok {
		return false
	}
	row := b.current(i)
	if row.Forgotten {
		return true
	}
	b.stale(row.kept)
	b.pack(row)
	return true
}

// pack puts what is kept of a row into the store. What cannot be packed stays as it is.
func (b *book) pack(row *Row) {
	if len(row.Findings) > 0 {
		b.packAs(row, flagged)
	} else {
		b.packAs(row, plain)
	}
}

func (b *book) packAs(row *Row, of kind) {
	k := row.kept
	bytes, ok := b.store.pack(k.call.Load(), row.Link)
	if !ok {
		return
	}
	p, err := b.store.put(bytes, of)
	if err != nil {
		return
	}
	b.keep.freed(k.held)
	k.packed, k.held = p, 0
	cost := int64(packedCost + findingCost*len(row.Findings))
	b.ret.cost += cost - k.cost
	if k.flagged {
		b.ret.flagged += cost - k.cost
	}
	k.cost = cost
	k.call.Store(nil) // from here on it is read from the store
}

func (b *book) stale(k *kept) {
	if k.fresh {
		k.fresh = false
		b.ret.freshHeld -= k.held
	}
}

// release lets go of the bytes of a row.
func (b *book) release(k *kept) {
	b.stale(k)
	if k.packed.by != nil {
		b.store.let(k.packed)
	} else {
		b.keep.freed(k.held)
	}
}

// forgetOne lets go of the oldest row: first of those without a finding, as
// long as the others take less than half of the room.
func (b *book) forgetOne() bool {
	for b.ret.flagged <= b.ret.limit/2 {
		i, ok := b.ret.ended.pop()
		if !ok {
			break
		}
		row := b.current(i)
		if row.Worst == "" {
			b.forget(i, row)
			return true
		}
		row.kept.flagged = true
		b.ret.flagged += row.kept.cost
		b.ret.kept.push(i)
	}
	i, ok := b.ret.kept.pop()
	if !ok {
		return false
	}
	row := b.current(i)
	b.ret.flagged -= row.kept.cost
	b.ret.worst = worse(b.ret.worst, row.Worst)
	b.forget(i, row)
	return true
}

func worse(a, b diagnose.Severity) diagnose.Severity {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// current is a row as it is now, changes that were not published included.
func (b *book) current(i int) *Row {
	if d := b.dirty[i]; d != nil {
		return &d.row
	}
	return b.rows.At(i)
}

func (b *book) forget(i int, row *Row) {
	b.ret.cost -= row.kept.cost
	b.release(row.kept)
	b.ret.rows++
	if row.HasCall() {
		delete(b.byID, row.ID())
	}
	delete(b.dirty, i)
	c := i / rowChunk
	b.own(c)
	b.rows.chunks[c][i%rowChunk] = b.ret.blank
	b.rows.forgotten++
	if b.ret.gone[c]++; b.ret.gone[c] == rowChunk {
		delete(b.ret.gone, c)
		b.rows.chunks[c] = b.ret.void
	}
}

// dropOne lets go of the bodies of the exchange that ended first of those that have some in memory.
func (b *book) dropOne() bool {
	for {
		i, ok := b.ret.bodied.pop()
		if !ok {
			return false
		}
		row := b.current(i)
		if row.Forgotten || !b.store.inMemory(row.kept.packed) {
			continue
		}
		d := b.dirty[i]
		if d == nil {
			d = &draft{index: i, row: *row}
		}
		old := d.row.kept
		k := newKept(withoutBodies(d.row.Call()))
		k.cost, k.flagged = old.cost, old.flagged
		d.row.kept = k
		b.packAs(&d.row, bare)
		b.release(old)
		b.touch(d)
		b.ret.bodies++
		return true
	}
}

// let says what the budget has cost.
func (b *book) let() (ds []capture.Damage) {
	if n := b.ret.rows; n > 0 {
		ds = append(ds, capture.Damage{What: "forgotten", Detail: fmt.Sprintf(
			"%d exchanges were let go, oldest first and those without findings before the others, because --max-memory was reached: raise it to keep more", n)})
	}
	if n, why := b.ret.bodies, b.store.trouble(); n > 0 && why != nil {
		ds = append(ds, capture.Damage{What: "bodies-dropped", Detail: fmt.Sprintf(
			"the bodies of %d exchanges were dropped, oldest first: %v; make room there, set TMPDIR to a folder that has some, or raise --max-memory", n, why)})
	}
	return ds
}

// withoutBodies returns the call with an exchange whose frames say how long
// they were, and hold nothing.
func withoutBodies(c *decode.Call) *decode.Call {
	x := *c.Exchange
	empty := func(fs []capture.Timed[*capture.Frame]) []capture.Timed[*capture.Frame] {
		out := make([]capture.Timed[*capture.Frame], len(fs))
		for i, f := range fs {
			g := *f.V
			g.Data, g.Raw = nil, nil
			out[i] = capture.Timed[*capture.Frame]{At: f.At, V: &g}
		}
		return out
	}
	x.Sent, x.Received = empty(x.Sent), empty(x.Received)
	bare := func(h *capture.Head) *capture.Head {
		if h == nil {
			return nil
		}
		g := *h
		g.Raw = nil
		return &g
	}
	x.Request, x.Response = bare(x.Request), bare(x.Response)
	n := *c
	n.Exchange = &x
	return &n
}
