package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"a2ascope/capture"
	"a2ascope/capture/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a sink that reads what it gets.
type recorder struct {
	mu     sync.Mutex
	chunks []capture.Chunk
	stuck  chan struct{} // not nil: Chunks waits for it
}

func (r *recorder) Chunks(cs []capture.Chunk) error {
	if r.stuck != nil {
		<-r.stuck
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chunks = append(r.chunks, cs...)
	return nil
}
func (r *recorder) Events([]capture.Event) error { return nil }
func (r *recorder) Progress(capture.Progress)    {}

func (r *recorder) all() []capture.Chunk {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.chunks)
}

// sent returns the recorded bytes of a side over all connections.
func (r *recorder) sent(from capture.Side) string {
	var b strings.Builder
	for _, c := range r.all() {
		if c.Kind == capture.Bytes && c.From == from {
			b.Write(c.Data)
		}
	}
	return b.String()
}

// exchanges folds what was recorded, in the order of their beginnings.
func (r *recorder) exchanges() []*capture.Exchange {
	conns := wire.Conns{}
	byID := map[capture.ExchangeID]*capture.Exchange{}
	var order []capture.ExchangeID
	for _, c := range r.all() {
		for _, e := range conns.Feed(&c, nil) {
			if e.Exchange == 0 {
				continue
			}
			if byID[e.Exchange] == nil {
				order = append(order, e.Exchange)
			}
			byID[e.Exchange] = byID[e.Exchange].Apply(&e)
		}
	}
	var xs []*capture.Exchange
	for _, id := range order {
		xs = append(xs, byID[id])
	}
	return xs
}

// failed returns the connections of which no HTTP was read, in their order.
func (r *recorder) failed() []capture.Event {
	conns := wire.Conns{}
	var all []capture.Event
	for _, c := range r.all() {
		for _, e := range conns.Feed(&c, nil) {
			if _, ok := e.Body.(*capture.ConnInfo); ok {
				all = append(all, e)
			}
		}
	}
	return all
}

type tapped struct {
	*Proxy
	t   *testing.T
	rec *recorder
	end func() // ends the tap and waits for it
	url string
}

// start runs a tap until the test ends.
func start(t *testing.T, o Options) *tapped {
	t.Helper()
	return startWith(t, o, &recorder{})
}

func startWith(t *testing.T, o Options, rec *recorder) *tapped {
	t.Helper()
	if o.Now == nil {
		o.Now = time.Now
	}
	p, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	x := runWith(t, p, rec)
	x.rec = rec
	if rec.stuck != nil {
		end := x.end
		x.end = sync.OnceFunc(func() {
			close(rec.stuck)
			end()
		})
		t.Cleanup(x.end)
	}
	return x
}

// runWith runs a tap with any reader until the test ends.
func runWith(t *testing.T, p *Proxy, to capture.Sink) *tapped {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := p.Run(ctx, to)
		done <- err
	}()
	x := &tapped{Proxy: p, t: t, url: "http://" + p.Addr()}
	var once sync.Once
	x.end = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-done:
				if err != nil {
					t.Errorf("Run: %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the tap does not end")
			}
		})
	}
	t.Cleanup(x.end)
	return x
}

// eventually waits for something the tap does on its own.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("not in time: %s", what)
}

// serveHTTP runs an agent of net/http.
func serveHTTP(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// client returns an HTTP client whose connections end with the test.
func client(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 10 * time.Second}
}

func get(t *testing.T, c *http.Client, url string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// rawAgent is an agent written by hand: each connection is given to the function.
func rawAgent(t *testing.T, h func(c *net.TCPConn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				h(c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() {
		ln.Close()
		wg.Wait()
	})
	return ln.Addr().String()
}

func dialRaw(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	return c.(*net.TCPConn)
}

// readHead reads a head byte for byte.
func readHead(r *bufio.Reader) (string, error) {
	var b bytes.Buffer
	for {
		l, err := r.ReadString('\n')
		b.WriteString(l)
		if err != nil || l == "\r\n" {
			return b.String(), err
		}
	}
}

func say(t *testing.T, w io.Writer, s string) {
	t.Helper()
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	b := make([]byte, len(want))
	n, err := io.ReadFull(r, b)
	if string(b[:n]) != want {
		t.Fatalf("got %q (%v)\nwant %q", b[:n], err, want)
	}
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
