package capture

import (
	"sync"
	"sync/atomic"
	"time"
)

// QueueOptions bound a Queue. The zero value of a member means its default.
type QueueOptions struct {
	Budget int64         // bytes that may wait for the reader over all connections
	Share  int64         // bytes of them that one connection may hold
	Flush  time.Duration // least time between two batches
}

// The defaults.
const (
	// Some seconds of the fastest local traffic; a reader that is behind for longer will not catch up.
	queueBudget = 128 << 20
	// One download must not starve the stream one is looking at.
	queueShare = 64 << 20
	// Below what an eye sees; a stream of events is judged once a batch, not once an event.
	queueFlush = 100 * time.Millisecond
	// What a chunk costs beside its data.
	chunkCost = 160
	// More would keep alive too much of what is long packed.
	sharedMemory = 8 << 10
	// A batch is handed over early when it has grown to this: sources of files hand over as much.
	queueBatch = 1 << 20
)

// Queue stands between live traffic and its reader. Offer never waits: what is
// over budget is counted and becomes a Gap in front of the next chunk of that
// direction that is taken. Connections offer from any goroutine; one goroutine
// hands batches to a Sink in Drain.
type Queue struct {
	opt   QueueOptions
	used  atomic.Int64
	wake  chan struct{}
	large chan struct{}

	mu     sync.Mutex
	lanes  map[ConnID]*Lane
	chunks []Chunk
	owners []*Lane // of chunks
	size   int64   // of chunks
	seq    uint64
	closed bool
	gone   bool // the reader is: nothing is taken any more
	stats  QueueStats
}

// QueueStats count what went through a Queue.
type QueueStats struct {
	Chunks, Bytes int64 // taken
	LostBytes     int64 // over budget: they appear as Gaps, but for those of LostConns
	LostConns     int64 // connections that are not recorded at all, for there was no room at their beginning
	Waiting       int64 // bytes waiting now
}

// Lane is the place of one connection in a Queue.
type Lane struct {
	q       *Queue
	conn    ConnID
	used    atomic.Int64
	lost    [2]int64 // not yet delivered as a Gap; -1: unknown
	refused bool
	over    bool
	memory  [2][]byte // of a side's next chunks
}

// NewQueue returns an empty queue.
func NewQueue(o QueueOptions) *Queue {
	if o.Budget <= 0 {
		o.Budget = queueBudget
	}
	if o.Share <= 0 {
		o.Share = min(queueShare, o.Budget)
	}
	if o.Flush <= 0 {
		o.Flush = queueFlush
	}
	return &Queue{opt: o, wake: make(chan struct{}, 1), large: make(chan struct{}, 1), lanes: map[ConnID]*Lane{}}
}

// Lane returns the place of a new connection, for those who want to offer
// without a look-up. Its first chunk should be Opened.
func (q *Queue) Lane(id ConnID) *Lane { return &Lane{q: q, conn: id} }

// Offer takes a chunk or counts it as lost, and reports which. It never waits.
// The chunk's data belongs to the queue from then on; Seq is set here.
func (q *Queue) Offer(c Chunk) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[c.Conn]
	if l == nil {
		l = q.Lane(c.Conn)
		q.lanes[c.Conn] = l
	}
	if c.Kind == Closed {
		delete(q.lanes, c.Conn)
	}
	return l.offer(&c)
}

// Offer is Queue.Offer for the lane's connection.
func (l *Lane) Offer(c Chunk) bool {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	c.Conn = l.conn
	return l.offer(&c)
}

// Bytes offers a copy of p. Nothing is copied that will not be taken. What a
// side says is offered by one goroutine at a time.
func (l *Lane) Bytes(from Side, at time.Time, p []byte) bool {
	if len(p) == 0 {
		return true
	}
	c := Chunk{Conn: l.conn, At: at, From: from, Kind: Bytes, Lost: int64(len(p))}
	if l.room(int64(len(p))) {
		// Outside the lock, for a copy may have to wait for the garbage collector.
		c.Data, c.Lost = l.copied(from, p), 0
	} else {
		c.Kind = Gap
	}
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	if c.Kind == Gap {
		l.lose(&c)
		return false
	}
	return l.offer(&c)
}

// copied copies into memory that the chunks of a side share, which is cheaper
// than memory for each. It grows with what the side says: most say little.
func (l *Lane) copied(from Side, p []byte) []byte {
	m := l.memory[from]
	if cap(m)-len(m) < len(p) {
		m = make([]byte, 0, max(len(p), min(2*cap(m), sharedMemory)))
	}
	n := len(m)
	m = append(m, p...)
	l.memory[from] = m
	return m[n:len(m):len(m)]
}

func (l *Lane) room(n int64) bool {
	return l.q.used.Load()+n+chunkCost <= l.q.opt.Budget && l.used.Load()+n+chunkCost <= l.q.opt.Share
}

// lose counts bytes that were not taken.
func (l *Lane) lose(c *Chunk) {
	n := c.Lost + int64(len(c.Data))
	if l.q.gone || l.over {
		return
	}
	l.q.stats.LostBytes += max(n, 0)
	if l.refused {
		return
	}
	if n < 0 || l.lost[c.From] < 0 {
		l.lost[c.From] = -1
	} else {
		l.lost[c.From] += n
	}
}

// offer does the work under the queue's lock.
func (l *Lane) offer(c *Chunk) bool {
	q := l.q
	if q.gone || q.closed || l.refused || l.over {
		if l.refused && !q.closed && c.Kind == Bytes {
			l.lose(c)
		}
		return false
	}
	switch c.Kind {
	case Opened:
		if !l.room(0) {
			l.refused = true
			q.stats.LostConns++
			return false
		}
	case Bytes:
		if !l.room(int64(len(c.Data))) {
			l.lose(c)
			return false
		}
	case Gap:
		l.lose(c)
		return true
	case Secured, Noted:
		if !l.room(c.cost()) {
			return false
		}
	case HalfClosed, Closed: // a few for each connection that was taken: always room
		l.gap(c.From.Other(), c)
		l.over = c.Kind == Closed
	}
	l.gap(c.From, c)
	l.put(c)
	return true
}

// gap delivers what was lost of a direction before c.
func (l *Lane) gap(from Side, c *Chunk) {
	if n := l.lost[from]; n != 0 {
		l.lost[from] = 0
		l.put(&Chunk{Conn: l.conn, At: c.At, From: from, Kind: Gap, Lost: n})
	}
}

func (c *Chunk) cost() int64 {
	n := int64(chunkCost + len(c.Data))
	if c.Note != nil {
		n += int64(len(c.Note.Text) + len(c.Note.Original) + len(c.Note.Delivered))
	}
	return n
}

func (l *Lane) put(c *Chunk) {
	q := l.q
	q.seq++
	c.Seq = q.seq
	n := c.cost()
	q.used.Add(n)
	l.used.Add(n)
	q.chunks = append(q.chunks, *c)
	q.owners = append(q.owners, l)
	q.size += n
	q.stats.Chunks++
	q.stats.Bytes += int64(len(c.Data))
	if len(q.chunks) == 1 {
		signal(q.wake)
	}
	if q.size > queueBatch && q.size-n <= queueBatch {
		signal(q.large)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close says that nothing more will be offered: Drain returns when it has handed over the rest.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	signal(q.wake)
	signal(q.large)
}

// Stats returns the counts so far.
func (q *Queue) Stats() QueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Waiting = q.used.Load()
	return s
}

// Room is how much of the budget is free, between 0 and 1.
func (q *Queue) Room() float64 {
	return max(0, 1-float64(q.used.Load())/float64(q.opt.Budget))
}

// Drain hands batches to the sink until the queue is closed and empty, or the
// sink is gone: then everything offered later is dropped without a trace, for
// nobody is there to be told. It is called once.
func (q *Queue) Drain(to Sink) error {
	var owners []*Lane
	pace := time.NewTimer(0)
	defer pace.Stop()
	<-pace.C
	last := 0
	for {
		<-q.wake
		// Outside the lock: those who pass traffic on must not wait for it.
		next := make([]Chunk, 0, min(last+last/8, 4096))
		q.mu.Lock()
		batch, closed := q.chunks, q.closed
		owners, q.owners = q.owners, owners[:0]
		q.chunks, q.size = next, 0
		q.mu.Unlock()
		last = len(batch)
		for from := 0; from < len(batch); {
			n := piece(batch[from:])
			if err := q.hand(to, batch[from:from+n:from+n], owners[from:from+n]); err != nil {
				return err
			}
			from += n
		}
		if closed {
			return nil
		}
		pace.Reset(q.opt.Flush)
		select {
		case <-pace.C:
		case <-q.large:
			pace.Stop()
		}
	}
}

// piece is how many chunks make a batch. What waits while the reader is behind
// is handed over in such pieces, for what the reader has taken is not counted
// here any more.
func piece(cs []Chunk) int {
	var size int64
	for i := range cs {
		if size += cs[i].cost(); size >= queueBatch {
			return i + 1
		}
	}
	return len(cs)
}

// hand gives a batch away and frees the room it took.
func (q *Queue) hand(to Sink, batch []Chunk, owners []*Lane) error {
	costs := make([]int64, len(batch)) // the batch is the sink's after the call
	for i := range batch {
		costs[i] = batch[i].cost()
	}
	err := to.Chunks(batch)
	var sum int64
	for i, l := range owners {
		l.used.Add(-costs[i])
		sum += costs[i]
		owners[i] = nil
	}
	q.used.Add(-sum)
	if err != nil {
		q.mu.Lock()
		q.gone = true
		for _, l := range q.owners {
			l.used.Store(0)
		}
		q.chunks, q.owners, q.size = nil, nil, 0
		q.used.Store(0)
		q.mu.Unlock()
	}
	return err
}
