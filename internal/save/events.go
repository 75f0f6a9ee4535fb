package save

import (
	"container/heap"
	"slices"
	"time"

	"a2ascope/capture"
)

// eventsOf takes an exchange apart again, in the order of time.
func eventsOf(x *capture.Exchange) []capture.Event {
	var es []capture.Event
	put := func(from capture.Side, at time.Time, b capture.EventBody) {
		es = append(es, capture.Event{Exchange: x.ID, Conn: x.Conn, At: at, From: from, Link: x.Link, Body: b})
	}
	side := func(from capture.Side, h *capture.Head, at time.Time, t *capture.Trailer, done bool, size int64, ended time.Time) {
		if h != nil {
			put(from, at, h)
		}
		if t != nil && t.Only {
			put(from, at, t)
		}
		for _, b := range x.Breaches {
			if b.V.From == from {
				put(from, b.At, b.V.V)
			}
		}
		for _, f := range x.Frames(from) {
			put(from, f.At, f.V)
			at = later(at, f.At)
		}
		if len(x.Frames(from)) > 0 || t != nil && !t.Only {
			at = later(at, ended)
		}
		if t != nil && !t.Only {
			put(from, at, t)
		}
		if done {
			put(from, at, &capture.BodyEnd{Size: size})
		}
	}
	side(capture.Client, x.Request, x.Started, x.SentTrailer, x.SentDone, x.SentSize, time.Time{})
	for _, h := range x.Interim {
		at := x.Started
		if x.Response != nil {
			at = x.Answered
		}
		put(capture.Server, at, h)
	}
	for i := range x.Notes { // in front of the answer, as the tap tells them
		if x.Notes[i].ByPeople() {
			continue // written beside the events, see remark.go
		}
		put(capture.Server, later(x.Started, x.Answered), &x.Notes[i])
	}
	ended := time.Time{}
	if x.End != nil && x.End.Kind == capture.EndDone {
		ended = x.Ended // most often because the response was complete
	}
	side(capture.Server, x.Response, x.Answered, x.Trailer, x.ReceivedDone, x.ReceivedSize, ended)
	begin := 0
	if x.Request != nil {
		begin = 1 // it begins the exchange, whatever its time is said to be
	}
	slices.SortStableFunc(es[begin:], func(a, b capture.Event) int { return a.At.Compare(b.At) })
	if x.End != nil {
		at := x.Ended
		if n := len(es); n > 0 {
			at = later(at, es[n-1].At)
		}
		put(x.EndedBy, at, x.End)
	}
	return es
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// merger gives the events of many exchanges in the order of time, as they must
// have happened. The exchanges come in the order in which they began; those of
// files that are not in the order of time keep their own.
type merger struct {
	open  running
	clock time.Time // no event comes before the begin of an earlier exchange
	emit  func(es []capture.Event, last bool) error
}

// play is an exchange of which events are still to come.
type play struct {
	n     int
	es    []capture.Event
	floor time.Time
}

func (p *play) at() time.Time { return later(p.es[0].At, p.floor) }

// add takes the next exchange and emits what came before it.
func (m *merger) add(n int, es []capture.Event) error {
	if len(es) == 0 {
		return nil
	}
	m.clock = later(m.clock, es[0].At)
	p := &play{n: n, es: es, floor: m.clock}
	if err := m.until(p.at()); err != nil {
		return err
	}
	heap.Push(&m.open, p)
	return nil
}

// until emits the events before a time, and those at it.
func (m *merger) until(t time.Time) error {
	for len(m.open) > 0 && !m.open[0].at().After(t) {
		if err := m.step(); err != nil {
			return err
		}
	}
	return nil
}

// end emits what is left.
func (m *merger) end() error {
	for len(m.open) > 0 {
		if err := m.step(); err != nil {
			return err
		}
	}
	return nil
}

// step emits the events of one exchange that have the same time.
func (m *merger) step() error {
	p := m.open[0]
	n := 1
	for n < len(p.es) && p.es[n].At.Equal(p.es[0].At) {
		n++
	}
	es := p.es[:n]
	p.es = p.es[n:]
	last := len(p.es) == 0
	if last {
		heap.Pop(&m.open)
	} else {
		heap.Fix(&m.open, 0)
	}
	return m.emit(es, last)
}

// running is a heap of plays by the time of their next event.
type running []*play

func (r running) Len() int { return len(r) }
func (r running) Less(i, j int) bool {
	if c := r[i].at().Compare(r[j].at()); c != 0 {
		return c < 0
	}
	return r[i].n < r[j].n
}
func (r running) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *running) Push(x any)   { *r = append(*r, x.(*play)) }
func (r *running) Pop() any {
	old := *r
	p := old[len(old)-1]
	old[len(old)-1] = nil
	*r = old[:len(old)-1]
	return p
}
