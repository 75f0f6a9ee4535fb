package capture

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// heap is a sink that keeps what it gets.
type heap struct {
	mu      sync.Mutex
	chunks  []Chunk
	batches int
	block   chan struct{} // not nil: Chunks waits for it
	err     error
}

func (h *heap) Chunks(cs []Chunk) error {
	if h.block != nil {
		<-h.block
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.chunks = append(h.chunks, cs...)
	h.batches++
	return h.err
}
func (h *heap) Events([]Event) error { return nil }
func (h *heap) Progress(Progress)    {}

func bytesOf(cs []Chunk, from Side) (data string, lost int64) {
	for _, c := range cs {
		if c.From == from && c.Kind == Bytes {
			data += string(c.Data)
		}
		if c.From == from && c.Kind == Gap {
			lost += c.Lost
		}
	}
	return data, lost
}

func TestQueueKeepsOrderAndCopies(t *testing.T) {
	q := NewQueue(QueueOptions{})
	l := q.Lane(7)
	l.Offer(Chunk{Kind: Opened, Link: &Link{}})
	p := []byte("abc")
	l.Bytes(Client, time.Unix(1, 0), p)
	p[0] = 'X'
	l.Bytes(Server, time.Unix(2, 0), []byte("def"))
	q.Offer(Chunk{Conn: 8, Kind: Opened})
	l.Offer(Chunk{Kind: Closed})
	l.Bytes(Client, time.Unix(3, 0), []byte("after the end"))
	q.Close()
	var h heap
	if err := q.Drain(&h); err != nil {
		t.Fatal(err)
	}
	if len(h.chunks) != 5 {
		t.Fatalf("%d chunks, want 5: %v", len(h.chunks), h.chunks)
	}
	for i, c := range h.chunks {
		if c.Seq != uint64(i+1) {
			t.Errorf("chunk %d has seq %d", i, c.Seq)
		}
	}
	if got := string(h.chunks[1].Data); got != "abc" {
		t.Errorf("the data is %q: it was not copied", got)
	}
	if s := q.Stats(); s.Waiting != 0 || s.Bytes != 6 {
		t.Errorf("stats %+v", s)
	}
}

func TestQueueOverBudgetBecomesAGap(t *testing.T) {
	q := NewQueue(QueueOptions{Budget: 10 * chunkCost, Share: 5 * chunkCost})
	l := q.Lane(1)
	l.Offer(Chunk{Kind: Opened})
	big := make([]byte, 3*chunkCost)
	for _, want := range []bool{true, false} {
		if got := l.Bytes(Server, time.Time{}, big); got != want {
			t.Fatalf("taken: %v, want %v", got, want)
		}
	}
	other := q.Lane(2)
	if !other.Offer(Chunk{Kind: Opened}) || !other.Bytes(Client, time.Time{}, []byte("hi")) {
		t.Error("one connection took the room of another")
	}
	h := &heap{}
	done := make(chan error)
	go func() { done <- q.Drain(h) }()
	for q.Stats().Waiting > 0 {
		time.Sleep(time.Millisecond)
	}
	l.Bytes(Client, time.Time{}, []byte("other direction"))
	l.Bytes(Server, time.Time{}, []byte("next"))
	q.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var kinds []ChunkKind
	var lost int64
	for _, c := range h.chunks {
		if c.Conn == 1 {
			kinds = append(kinds, c.Kind)
			lost += c.Lost
		}
	}
	want := []ChunkKind{Opened, Bytes, Bytes, Gap, Bytes}
	if len(kinds) != len(want) || lost != int64(len(big)) {
		t.Fatalf("kinds %v, lost %d", kinds, lost)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("kinds %v, want %v", kinds, want)
		}
	}
}

func TestQueueDeliversTheLastGapWithTheEnd(t *testing.T) {
	q := NewQueue(QueueOptions{Budget: 3 * chunkCost, Share: 3 * chunkCost})
	l := q.Lane(1)
	l.Offer(Chunk{Kind: Opened})
	l.Bytes(Server, time.Time{}, make([]byte, 1000))
	l.Bytes(Client, time.Time{}, make([]byte, 500))
	l.Offer(Chunk{Kind: Closed})
	q.Close()
	h := &heap{}
	if err := q.Drain(h); err != nil {
		t.Fatal(err)
	}
	_, up := bytesOf(h.chunks, Client)
	_, down := bytesOf(h.chunks, Server)
	if up != 500 || down != 1000 || h.chunks[len(h.chunks)-1].Kind != Closed {
		t.Errorf("lost %d and %d, chunks %v", up, down, h.chunks)
	}
}

func TestQueueWithAStuckReaderStaysBounded(t *testing.T) {
	const budget = 1 << 20
	q := NewQueue(QueueOptions{Budget: budget})
	h := &heap{block: make(chan struct{})}
	done := make(chan error)
	go func() { done <- q.Drain(h) }()
	piece := make([]byte, 32<<10)
	sent := map[Side]int64{}
	l := q.Lane(1)
	l.Offer(Chunk{Kind: Opened})
	for i := range 1000 {
		from := Side(i % 2)
		l.Bytes(from, time.Time{}, piece)
		sent[from] += int64(len(piece))
		if w := q.Stats().Waiting; w > budget {
			t.Fatalf("%d bytes wait, the budget is %d", w, budget)
		}
	}
	for i := range 20000 {
		n := q.Lane(ConnID(i + 2))
		taken := n.Offer(Chunk{Kind: Opened})
		before := q.Stats().LostBytes
		n.Bytes(Client, time.Time{}, []byte("hello"))
		if lost := q.Stats().LostBytes - before; !taken && lost != 5 {
			t.Fatalf("%d of 5 bytes are counted of a connection that is not recorded", lost)
		}
		n.Offer(Chunk{Kind: Closed})
	}
	// Every connection that was taken may still say that it is over.
	if w := q.Stats().Waiting; w > 2*budget {
		t.Errorf("%d bytes wait after many short connections", w)
	}
	if q.Stats().LostConns == 0 {
		t.Error("no connection was refused")
	}
	close(h.block)
	l.Offer(Chunk{Kind: Closed})
	q.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, from := range []Side{Client, Server} {
		var one []Chunk
		for _, c := range h.chunks {
			if c.Conn == 1 {
				one = append(one, c)
			}
		}
		data, lost := bytesOf(one, from)
		if int64(len(data))+lost != sent[from] {
			t.Errorf("%v: %d bytes and %d lost, sent %d", from, len(data), lost, sent[from])
		}
	}
}

func TestQueuePacesItsBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(QueueOptions{Flush: 5 * time.Millisecond})
		h := &heap{}
		done := make(chan error)
		go func() { done <- q.Drain(h) }()
		l := q.Lane(1)
		for range 50 {
			l.Bytes(Client, time.Now(), []byte("x"))
			time.Sleep(time.Millisecond)
		}
		q.Close()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if h.batches < 8 || h.batches > 13 {
			t.Errorf("%d batches in 50 ms, want about one each 5 ms", h.batches)
		}
		if data, _ := bytesOf(h.chunks, Client); len(data) != 50 {
			t.Errorf("%d bytes arrived", len(data))
		}
	})
}

func TestQueueWhoseReaderIsGoneTakesNothing(t *testing.T) {
	q := NewQueue(QueueOptions{})
	l := q.Lane(1)
	l.Offer(Chunk{Kind: Opened})
	gone := errors.New("gone")
	if err := q.Drain(&heap{err: gone}); !errors.Is(err, gone) {
		t.Fatalf("err %v", err)
	}
	if l.Bytes(Client, time.Time{}, []byte("x")) || q.Stats().Waiting != 0 {
		t.Error("bytes are kept for nobody")
	}
}

func BenchmarkLaneBytes(b *testing.B) {
	q := NewQueue(QueueOptions{})
	done := make(chan error)
	go func() { done <- q.Drain(discard{}) }()
	l := q.Lane(1)
	p := make([]byte, 1100)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		l.Bytes(Client, time.Time{}, p)
	}
	b.ReportMetric(float64(q.Stats().LostBytes)/float64(b.N), "lostB/op")
	q.Close()
	<-done
}

type discard struct{}

func (discard) Chunks([]Chunk) error { return nil }
func (discard) Events([]Event) error { return nil }
func (discard) Progress(Progress)    {}
