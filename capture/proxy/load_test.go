package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/capture"
)

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestAStuckReaderDoesNotSlowTraffic holds the reader and moves much more than the budget.
func TestAStuckReaderDoesNotSlowTraffic(t *testing.T) {
	const size, budget = 256 << 20, 8 << 20
	addr := rawAgent(t, func(c *net.TCPConn) {
		readHead(bufio.NewReader(c))
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
		buf := make([]byte, 64<<10)
		for range size / len(buf) {
			if _, err := c.Write(buf); err != nil {
				return
			}
		}
	})
	move := func(rec *recorder) (time.Duration, *tapped) {
		x := startWith(t, Options{Target: addr, Queue: capture.QueueOptions{Budget: budget}}, rec)
		c := dialRaw(t, x.Addr())
		_ = c.SetDeadline(time.Now().Add(60 * time.Second))
		begin := time.Now()
		say(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		n, err := io.Copy(io.Discard, io.LimitReader(c, size))
		if n != size || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
		return time.Since(begin), x
	}
	before := heap()
	took, x := move(&recorder{stuck: make(chan struct{})})
	if grown := heap() - before; grown > 2*budget {
		t.Errorf("the heap grew by %d MiB, the budget is %d MiB", grown>>20, budget>>20)
	}
	s := x.State().Queue
	if s.LostBytes < size/2 || s.Waiting > budget+64<<10 {
		t.Errorf("queue: %+v", s)
	}
	x.end()
	var lost, seen int64
	for _, c := range x.rec.all() {
		if c.From == capture.Server {
			lost += c.Lost
			seen += int64(len(c.Data))
		}
	}
	if lost+seen < size {
		t.Errorf("%d bytes seen and %d known to be lost, %d passed", seen, lost, size)
	}
	t.Logf("stuck reader: %.0f MB/s", float64(size)/1e6/took.Seconds())
}

// TestManyIdleConnections measures what a connection costs that waits.
func TestManyIdleConnections(t *testing.T) {
	const n = 1000
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	x := start(t, Options{Target: s.URL})
	conns := make([]net.Conn, n)
	var wg sync.WaitGroup
	// What the agent's side costs is measured first, without the tap.
	open := func(addr string, i int) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Error(err)
			return
		}
		conns[i] = c
		io.WriteString(c, "GET /stream HTTP/1.1\r\nHost: "+addr+"\r\n\r\n")
		b := make([]byte, 16)
		if _, err := io.ReadFull(c, b); err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 200") {
			t.Errorf("%q %v", b, err)
		}
	}
	measure := func(addr string) int64 {
		before := heap()
		for k := range 10 {
			for i := range n / 10 {
				wg.Go(func() { open(addr, k*n/10+i) })
			}
			wg.Wait()
		}
		time.Sleep(50 * time.Millisecond)
		cost := heap() - before
		for _, c := range conns {
			if c != nil {
				c.Close()
			}
		}
		return cost
	}
	direct := measure(strings.TrimPrefix(s.URL, "http://"))
	eventually(t, "the agent forgot its connections", func() bool { return runtime.NumGoroutine() < 100 })
	tap := measure(x.Addr())
	per := (tap - direct) / n
	t.Logf("an idle connection costs %d bytes in the tap (%d in the agent)", per, direct/n)
	if per > 40<<10 {
		t.Errorf("an idle connection costs %d bytes", per)
	}
	eventually(t, "all connections ended", func() bool { return x.State().Open == 0 })
}

// TestEndingWithOpenStreams ends the tap under traffic: everything is given back, and told.
func TestEndingWithOpenStreams(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, "data: x\n\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	x := start(t, Options{Target: s.URL})
	var wg sync.WaitGroup
	for range 20 {
		c := dialRaw(t, x.Addr())
		say(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		expect(t, c, "HTTP/1.1 200 OK\r\n")
		wg.Go(func() { io.Copy(io.Discard, c) })
	}
	x.end()
	wg.Wait()
	xs := x.rec.exchanges()
	if len(xs) != 20 {
		t.Fatalf("%d exchanges", len(xs))
	}
	for _, e := range xs {
		if e.End == nil || e.End.Kind != capture.EndStillOpen || len(e.Received) == 0 {
			t.Errorf("end %+v after %d events", e.End, len(e.Received))
		}
	}
}

// TestStreamsAreNotCut is the fault of ReverseProxy: streams that end early under load.
func TestStreamsAreNotCut(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 10 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
		}
		io.Copy(io.Discard, r.Body)
	})
	x := start(t, Options{Target: s.URL})
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr}
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 40 {
				resp, err := c.Post(x.url, "application/json", strings.NewReader(strings.Repeat("b", 3000)))
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || strings.Count(string(b), "data:") != 10 {
					t.Errorf("%q %v", b, err)
				}
			}
		})
	}
	wg.Wait()
	tr.CloseIdleConnections()
	x.end()
	for _, e := range x.rec.exchanges() {
		if !e.Complete() || len(e.Received) != 10 {
			t.Errorf("recorded: %d events, end %+v, breaches %d", len(e.Received), e.End, len(e.Breaches))
		}
	}
}
