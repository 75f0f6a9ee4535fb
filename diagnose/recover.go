package diagnose

import (
	"slices"

	"a2ascope/capture"
	"a2ascope/decode"
)

// recover lowers the errors of earlier exchanges that this success makes good:
// the client got through by one of the recognised negotiations. What counts as
// one is the memory's to say.
func (e *Engine) recover(c *decode.Call) {
	by := c.Exchange.ID
	var saved []*exchange
	for _, id := range e.mem.recovered(c) {
		x := e.states.find(id)
		if x == nil {
			continue
		}
		for _, rec := range x.records {
			if rec.saved == nil && rec.raised == Error {
				rec.saved = &by
				x.dirty = true
			}
		}
		if x.dirty {
			saved = append(saved, x)
		}
	}
	// A fold finds its new home when all that was made good is known.
	for _, x := range saved {
		for _, rec := range x.records {
			if rec.saved == &by && rec.folds > 0 {
				e.rehome(x, rec)
			}
		}
		e.settle(x)
	}
}

// guest is a finding that is folded into another, and its exchange.
type guest struct {
	x   *exchange
	rec *record
}

// rehome gives the findings that are folded into one that was recovered, and
// were not recovered themselves, a home that counts: the first of them. What
// was recovered stays where it was.
func (e *Engine) rehome(x *exchange, old *record) {
	home := old.f.Key
	var lost, stay []guest
	for _, other := range e.states.all() {
		switch rec := other.find(old.rule); {
		case rec == nil || rec.fold == nil || *rec.fold != home:
		case rec.saved == nil:
			lost = append(lost, guest{other, rec})
		default:
			stay = append(stay, guest{other, rec})
		}
	}
	if len(lost) == 0 {
		return
	}
	old.gather(x.id, stay)
	first := lost[0]
	for _, g := range lost[1:] {
		if g.rec.f.At.Before(first.rec.f.At) {
			first = g
		}
	}
	key := first.rec.f.Key
	first.rec.fold = nil
	lost = slices.DeleteFunc(lost, func(g guest) bool { return g == first })
	for _, g := range lost {
		g.rec.fold = &key
		e.settle(g.x)
	}
	first.rec.gather(first.x.id, lost)
	if f := e.folds.find(foldKeyOf(x, old)); f != nil && f.key == home {
		f.key = key
	}
	e.settle(first.x)
}

// gather makes a finding the home of these and of no others.
func (rec *record) gather(at capture.ExchangeID, guests []guest) {
	slices.SortFunc(guests, func(a, b guest) int { return a.rec.f.At.Compare(b.rec.f.At) })
	rec.folds, rec.last, rec.seenAt = 0, rec.f.At, nil
	for _, g := range guests {
		rec.folds += g.rec.times
		rec.seenAt = example(rec.seenAt, at, g.x.id)
		if g.rec.last.After(rec.last) {
			rec.last = g.rec.last
		}
	}
}
