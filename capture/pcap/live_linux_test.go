package pcap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"a2ascope/capture"
)

// heard is a sink that another goroutine looks into.
type heard struct {
	mu     sync.Mutex
	chunks []capture.Chunk
	news   chan struct{}
}

func (h *heard) Chunks(cs []capture.Chunk) error {
	h.mu.Lock()
	h.chunks = append(h.chunks, cs...)
	h.mu.Unlock()
	select {
	case h.news <- struct{}{}:
	default:
	}
	return nil
}
func (h *heard) Events([]capture.Event) error { return nil }
func (h *heard) Progress(capture.Progress)    {}

// until waits for chunks whose text holds what is wanted.
func (h *heard) until(t *testing.T, what string) {
	t.Helper()
	h.wait(t, what, func(cs []capture.Chunk) bool { return strings.Contains(text(cs), what) })
}

func (h *heard) wait(t *testing.T, what string, ok func([]capture.Chunk) bool) {
	t.Helper()
	for deadline := time.After(20 * time.Second); ; {
		h.mu.Lock()
		got := h.chunks
		h.mu.Unlock()
		if ok(got) {
			return
		}
		select {
		case <-h.news:
		case <-deadline:
			t.Fatalf("%q did not come in %d chunks", what, len(got))
		}
	}
}

// ownNetwork runs f in a network namespace of its own when that is permitted,
// else on the machine's loopback.
func ownNetwork(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with its namespace
		if unix.Unshare(unix.CLONE_NEWNET) == nil {
			if err := bringUp("lo"); err != nil {
				t.Errorf("lo: %v", err)
				return
			}
		}
		f(t)
	}()
	<-done
}

func bringUp(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// startLive runs a capture; stop ends it and returns what it said.
func startLive(t *testing.T, o Options) (h *heard, src LiveSource, stop func() capture.Summary) {
	t.Helper()
	src, err := Live(o)
	if errors.Is(err, ErrNotPermitted) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	h = &heard{news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	type result struct {
		sum capture.Summary
		err error
	}
	ended := make(chan result, 1)
	go func() {
		sum, err := src.Run(ctx, h)
		ended <- result{sum, err}
	}()
	return h, src, func() capture.Summary {
		t.Helper()
		cancel()
		select {
		case r := <-ended:
			if r.err != nil {
				t.Errorf("Run: %v", r.err)
			}
			return r.sum
		case <-time.After(5 * time.Second):
			t.Fatal("Run does not end with its context")
			return capture.Summary{}
		}
	}
}

func port(a net.Addr) uint16 { return uint16(a.(*net.TCPAddr).Port) }

// TestLive captures connections over both IP versions: every byte once, in
// order, while they are open, and nothing of another port.
func TestLive(t *testing.T) {
	for _, name := range []string{"lo", "any"} {
		for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
			t.Run(name+" "+address, func(t *testing.T) {
				ownNetwork(t, func(t *testing.T) { testLive(t, name, address) })
			})
		}
	}
}

func testLive(t *testing.T, name, address string) {
	server, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip(err)
	}
	defer server.Close()
	other, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	before := time.Now()
	h, src, stop := startLive(t, Options{Interface: name, Ports: []uint16{port(server.Addr())}})

	a, err := net.Dial("tcp", other.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(a, "not of our port")
	a.Close()

	client, err := net.Dial("tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	agent, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(client, "POST / HTTP/1.1\r\n\r\n")
	if _, err := io.ReadFull(agent, make([]byte, 19)); err != nil {
		t.Fatal(err)
	}
	h.until(t, `client bytes "POST / HTTP/1.1\r\n\r\n"`)
	fmt.Fprint(agent, "HTTP/1.1 200 OK\r\n\r\n")
	h.until(t, `server bytes "HTTP/1.1 200 OK\r\n\r\n"`)
	agent.Close()
	if _, err := io.ReadAll(client); err != nil {
		t.Fatal(err)
	}
	h.until(t, "server half-closed")

	// The client stays open: the end of the capture ends it.
	sum := stop()
	want(t, text(h.chunks), fmt.Sprintf(`
		1 client opened %s>%s
		1 client bytes "POST / HTTP/1.1\r\n\r\n"
		1 server bytes "HTTP/1.1 200 OK\r\n\r\n"
		1 server half-closed
		1 client closed "capture ended"`, client.LocalAddr(), server.Addr()))
	if l := h.chunks[0].Link; l.Source != "live" {
		t.Errorf("source %q", l.Source)
	}
	for _, c := range h.chunks {
		if c.At.Before(before.Add(-time.Second)) || c.At.After(time.Now().Add(time.Second)) {
			t.Errorf("%s at %s", c.Kind, c.At)
		}
	}
	packets, dropped := src.Counts()
	if sum.Format != "live" || sum.Connections != 1 || sum.Packets == 0 || packets < uint64(sum.Packets) || dropped != 0 || len(sum.Damage) != 0 {
		t.Errorf("%+v, %d packets, %d dropped", sum, packets, dropped)
	}
	if _, err := src.Run(t.Context(), h); err == nil {
		t.Error("a second Run must be refused")
	}
}

// TestLiveLoad: what comes fast is not lost, or said to be.
func TestLiveLoad(t *testing.T) {
	ownNetwork(t, func(t *testing.T) {
		server, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		h, src, stop := startLive(t, Options{Interface: "lo", Ports: []uint16{port(server.Addr())}, BufferBytes: 64 << 20})
		client, err := net.Dial("tcp", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		agent, err := server.Accept()
		if err != nil {
			t.Fatal(err)
		}
		const size = 32 << 20
		sent := make([]byte, size)
		for i := range sent {
			sent[i] = byte(i * 7 >> 3)
		}
		go func() {
			_, _ = client.Write(sent)
			client.Close()
		}()
		if n, err := io.Copy(io.Discard, agent); n != size || err != nil {
			t.Fatal(n, err)
		}
		agent.Close()
		h.wait(t, "the end", func(cs []capture.Chunk) bool { return len(cs) > 0 && cs[len(cs)-1].Kind == capture.Closed })
		stop()
		_, dropped := src.Counts()
		var got []byte
		var lost int64
		for _, c := range h.chunks {
			got = append(got, c.Data...)
			lost += c.Lost
		}
		if int64(len(got))+lost != size {
			t.Errorf("%d bytes and %d lost are not %d", len(got), lost, size)
		}
		// The kernel drops packets where we are too slow, the queue where its reader is.
		if want := src.Lost(); dropped == 0 && lost != want {
			t.Errorf("%d bytes lost, though no packet was dropped and the queue left out %d", lost, want)
		}
		if lost == 0 && string(got) != string(sent) {
			t.Error("what came is not what was sent")
		}
	})
}

// TestLiveGivesUpHoles: a hole is given up while the capture is silent, by the
// time that was waited.
func TestLiveGivesUpHoles(t *testing.T) {
	h := &heard{news: make(chan struct{}, 1)}
	l := &live{name: "test", out: &batch{ctx: t.Context(), to: h, in: &input{}}}
	l.asm, l.dec = newAssembler(l.out), newDecoder()
	feed := func(p pkt) {
		s := segment{at: start}
		if !plain(linkEthernet, p.ethernet(), &s) {
			t.Fatal("no segment")
		}
		l.last, l.wait = start, 0
		l.asm.add(&s)
	}
	feed(pkt{from: 'c', flags: "S"})
	feed(pkt{from: 's', flags: "SA", ack: 1})
	feed(pkt{from: 'c', flags: "A", seq: 11, ack: 1, data: "after"})
	feed(pkt{from: 's', flags: "A", seq: 1, ack: 16})
	never := make([]int, 2)
	if err := unix.Pipe(never); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(never[0])
	defer unix.Close(never[1])
	for i := range 4 {
		if err := l.pause(never[0], never[0]); err != nil {
			t.Fatal(err)
		}
		_ = l.out.flush()
		if got := strings.Contains(text(h.chunks), `gap 10`); got != (i == 3) {
			t.Fatalf("after %d waits: %v\n%s", i+1, got, text(h.chunks))
		}
	}
	h.until(t, `client bytes "after"`)
}

// TestLiveSinkGone: when the receiver fails, the capture ends with its error.
func TestLiveSinkGone(t *testing.T) {
	ownNetwork(t, func(t *testing.T) {
		server, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		src, err := Live(Options{Interface: "lo", Ports: []uint16{port(server.Addr())}})
		if errors.Is(err, ErrNotPermitted) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		client, err := net.Dial("tcp", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		gone := errors.New("gone")
		if _, err := src.Run(t.Context(), &gather{onChunks: func() error { return gone }}); !errors.Is(err, gone) {
			t.Errorf("Run: %v", err)
		}
	})
}
