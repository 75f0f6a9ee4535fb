package session

import (
	"fmt"
	"iter"

	"a2ascope/capture"
	"a2ascope/capture/wire"
	"a2ascope/decode"
	"a2ascope/decode/audit"
)

// observation is what a worker tells the session, in order of seq: that an
// exchange began, a call to judge, or something about a connection.
type observation struct {
	seq   uint64
	begun *capture.Exchange // only its beginning may be read: ID, Conn, Link, Started
	call  *decode.Call
	at    decode.Checkpoint
	conn  *connNote
	held  int64 // with the last call of an exchange: bytes of it in memory
	life  life
	of    capture.ConnID // with life
}

// life says that a connection began or ended, or that bytes of it are missing.
type life uint8

const (
	connBegan life = iota + 1
	connEnded
	connGap // conn.ev.At says when
)

// connNote is about a connection on which no HTTP was read, or that a reader gave up.
type connNote struct {
	id   capture.ConnID
	link *capture.Link
	info *capture.ConnInfo
	ev   capture.Event
}

// worker owns the connections that hash to it.
type worker struct {
	index, of int // which of how many
	conns     map[capture.ConnID]*connState
	open      map[capture.ExchangeID]*exState
	events    []capture.Event // reused
	out       []observation
	seq       uint64     // of the newest event
	owing     []*exState // exchanges of which something was not told yet
	spare     []*exState // for the next exchanges
	keep      *keeper
	mapping   []byte // of the file, where the source has one
}

type connState struct {
	wire *wire.Conn
	bad  bool // a reader panicked: the rest of the connection is skipped
}

type exState struct {
	ex     *capture.Exchange
	shown  bool // somebody else has ex: it must not change any more
	owing  bool
	over   bool
	held   int64 // bytes in memory
	reader decode.Reader
}

func newWorker(index, of int) *worker {
	return &worker{index: index, of: of, conns: map[capture.ConnID]*connState{}, open: map[capture.ExchangeID]*exState{}, keep: &keeper{}}
}

// mine reports whether a connection is this worker's.
func (w *worker) mine(c capture.ConnID) bool { return int(uint64(c)%uint64(w.of)) == w.index }

func (w *worker) run(parts <-chan part) {
	for p := range parts {
		for i := range p.chunks {
			if w.mine(p.chunks[i].Conn) {
				w.chunk(&p.chunks[i])
			}
		}
		for i := range p.events {
			if w.mine(p.events[i].Conn) {
				w.event(&p.events[i])
			}
		}
		w.settle()
		p.out <- w.out
		w.out = nil
	}
}

func (w *worker) state(id capture.ConnID, seq uint64) *connState {
	c := w.conns[id]
	if c == nil {
		c = &connState{}
		w.conns[id] = c
		w.out = append(w.out, observation{seq: seq, life: connBegan, of: id})
	}
	return c
}

func (w *worker) ended(id capture.ConnID, seq uint64) {
	delete(w.conns, id)
	w.out = append(w.out, observation{seq: seq, life: connEnded, of: id})
}

func (w *worker) chunk(ch *capture.Chunk) {
	c := w.state(ch.Conn, ch.Seq)
	if c.wire == nil {
		c.wire = wire.NewConn(ch.Conn)
	}
	defer w.guard(c, ch.Conn, ch.Seq)
	if !c.bad {
		w.events = c.wire.Feed(ch, w.events[:0])
		for i := range w.events {
			w.apply(&w.events[i])
		}
	}
	switch ch.Kind {
	case capture.Gap: // also between exchanges, where none is there to tell of it
		w.out = append(w.out, observation{seq: ch.Seq, life: connGap, conn: &connNote{ev: capture.Event{At: ch.At}}})
	case capture.Closed:
		w.ended(ch.Conn, ch.Seq)
	}
}

func (w *worker) event(e *capture.Event) {
	c := w.state(e.Conn, e.Seq)
	defer w.guard(c, e.Conn, e.Seq)
	if !c.bad {
		w.apply(e)
	}
	switch e.Body.(type) {
	case *capture.End, *capture.ConnInfo:
		w.ended(e.Conn, e.Seq)
	}
}

// guard turns a panic of a reader into a note on the connection: the tool must
// not die of one hostile connection among thousands.
func (w *worker) guard(c *connState, id capture.ConnID, seq uint64) {
	if r := recover(); r != nil {
		c.bad = true
		w.out = append(w.out, observation{seq: seq, conn: &connNote{id: id, info: &capture.ConnInfo{
			Protocol: "unknown", Text: fmt.Sprintf("the reader gave up on this connection (a fault of a2ascope): %v", r)}}})
	}
}

func (w *worker) apply(e *capture.Event) {
	if e.Exchange == 0 {
		if info, ok := e.Body.(*capture.ConnInfo); ok {
			w.out = append(w.out, observation{seq: e.Seq, conn: &connNote{id: e.Conn, link: e.Link, info: info, ev: *e}})
		}
		return
	}
	w.seq = e.Seq
	held := w.keep.event(e, w.mapping)
	if end, over := e.Body.(*capture.End); over {
		// The parser's End is a part of its own state, which would stay with the row.
		own := *end
		e.Body = &own
	}
	st := w.open[e.Exchange]
	switch {
	case st == nil:
		st = w.newState()
		w.open[e.Exchange] = st
		st.ex = st.ex.Apply(e)
		w.out = append(w.out, observation{seq: e.Seq, begun: st.ex})
	case st.shown:
		st.ex, st.shown = st.ex.Apply(e), false
	default:
		st.ex.Absorb(e)
	}
	st.held += held
	if call, at := st.reader.Read(st.ex, e); call != nil {
		w.out = append(w.out, observation{seq: e.Seq, call: call, at: at, held: st.held})
		st.shown = true
	}
	if _, over := e.Body.(*capture.End); over {
		st.over = true
		delete(w.open, e.Exchange)
		if !st.owing {
			w.spare = append(w.spare, st)
		}
	} else if !st.owing {
		st.owing = true
		w.owing = append(w.owing, st)
	}
}

// newState takes a state that an ended exchange left, or makes one.
func (w *worker) newState() *exState {
	var st *exState
	if n := len(w.spare); n > 0 {
		st, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		st = &exState{}
	}
	*st = exState{reader: *decode.NewReader()}
	st.reader.Batch, st.reader.Notable = true, audit.Notable
	return st
}

// settle tells at the end of a batch what was kept back in it. From here on
// others may look at what the open exchanges are.
func (w *worker) settle() {
	for _, st := range w.owing {
		st.owing = false
		if st.over {
			w.spare = append(w.spare, st)
			continue
		}
		st.shown = true
		if call, at := st.reader.Owed(st.ex); call != nil {
			w.out = append(w.out, observation{seq: w.seq, call: call, at: at})
		}
	}
	clear(w.owing)
	w.owing = w.owing[:0]
}

// merged yields the observations of several workers in order of seq. Each list
// is in order already; of equal seqs (one chunk is one worker's) the order within the list holds.
func merged(lists [][]observation) iter.Seq[*observation] {
	return func(yield func(*observation) bool) {
		at := make([]int, len(lists))
		for {
			best := -1
			for i, l := range lists {
				if at[i] < len(l) && (best < 0 || l[at[i]].seq < lists[best][at[best]].seq) {
					best = i
				}
			}
			if best < 0 {
				return
			}
			if !yield(&lists[best][at[best]]) {
				return
			}
			at[best]++
		}
	}
}
