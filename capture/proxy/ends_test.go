package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"a2ascope/capture"
)

// TestAnEndThatComesWithTheLastBytes: the system makes one signal of both, and
// the relay reads once for a signal.
func TestAnEndThatComesWithTheLastBytes(t *testing.T) {
	for name, hard := range map[string]bool{"reset": true, "close": false} {
		t.Run(name, func(t *testing.T) {
			addr := rawAgent(t, func(c *net.TCPConn) {
				readHead(bufio.NewReader(c))
				if hard {
					c.SetLinger(0)
				}
				io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
				c.Close()
			})
			x := start(t, Options{Target: addr})
			const n = 100
			began := time.Now()
			for range n {
				c := dialRaw(t, x.Addr())
				_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
				say(t, c, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
				b, err := io.ReadAll(c)
				if hard != errors.Is(err, syscall.ECONNRESET) || !hard && (err != nil || !strings.HasSuffix(string(b), "hello\r\n")) {
					t.Fatalf("%q, %v", b, err)
				}
				c.Close()
			}
			t.Logf("%v a connection", time.Since(began)/n)
			x.end()
			for _, e := range x.rec.exchanges() {
				if e.End == nil || e.EndedBy != capture.Server || (e.End.Kind == capture.EndReset) != hard {
					t.Fatalf("end %+v by %v", e.End, e.EndedBy)
				}
			}
		})
	}
}

// stands waits until more than so many bytes were recorded, and nothing moves any more.
func (x *tapped) stands(least int64) {
	had := int64(-1)
	eventually(x.t, "nothing moves any more", func() bool {
		before := had
		had = x.State().Queue.Bytes
		return had == before && had > least
	})
}

// TestAClientThatDoesNotRead: the agent waits for it, and whatever ends the
// connection ends it, though a piece of the answer is on its way.
func TestAClientThatDoesNotRead(t *testing.T) {
	stuck := func(t *testing.T, n int) (x *tapped, cs []*net.TCPConn, over chan error) {
		over = make(chan error, n)
		x = start(t, Options{Target: rawAgent(t, func(c *net.TCPConn) {
			readHead(bufio.NewReader(c))
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
			for b := make([]byte, 64<<10); err == nil; {
				_, err = c.Write(b)
			}
			over <- err
		})})
		for range n {
			c := dialRaw(t, x.Addr())
			say(t, c, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
			cs = append(cs, c)
		}
		x.stands(1 << 20)
		return x, cs, over
	}
	told := func(t *testing.T, over chan error) {
		select {
		case <-over:
		case <-time.After(5 * time.Second):
			t.Fatal("the agent is never told")
		}
	}
	t.Run("the tap ends", func(t *testing.T) {
		const n = 16 // whichever connection of each is closed first
		x, _, over := stuck(t, n)
		x.end()
		for range n {
			told(t, over)
		}
	})
	t.Run("the client resets", func(t *testing.T) {
		x, cs, over := stuck(t, 1)
		cs[0].SetLinger(0)
		cs[0].Close()
		told(t, over)
		eventually(t, "the connection is closed", func() bool { return x.State().Open == 0 })
	})
	t.Run("the client closes", func(t *testing.T) {
		x, cs, over := stuck(t, 1)
		cs[0].Close() // with bytes it did not read: the system makes a reset of it
		told(t, over)
		eventually(t, "the connection is closed", func() bool { return x.State().Open == 0 })
	})
}

// TestTheRestComesAfterTheAgentClosed: what a slow client has not taken yet is
// still its own, and the end comes behind it.
func TestTheRestComesAfterTheAgentClosed(t *testing.T) {
	const size = 16 << 20
	x := start(t, Options{Target: rawAgent(t, func(c *net.TCPConn) {
		readHead(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
		c.Write(make([]byte, size))
	})})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
	x.stands(0)
	r := bufio.NewReader(c)
	readHead(r)
	if n, err := io.Copy(io.Discard, r); n != size || err != nil {
		t.Errorf("%d bytes of %d, %v", n, size, err)
	}
	c.Close()
	x.end()
	if e := x.rec.exchanges()[0]; !e.Complete() || e.Lost() != 0 {
		t.Errorf("recorded as %+v, %d bytes lost", e.End, e.Lost())
	}
}

// TestStuckClientsHoldNobodyUp: more of them than anything serves side by side.
func TestStuckClientsHoldNobodyUp(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/small" {
			io.WriteString(w, "ok")
			return
		}
		for b := make([]byte, 64<<10); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	})
	x := start(t, Options{Target: s.URL})
	for range 16 {
		c := dialRaw(t, x.Addr())
		say(t, c, "GET /endless HTTP/1.1\r\nHost: h\r\n\r\n")
	}
	x.stands(1 << 20)
	c := client(t)
	for range 20 {
		if resp, body := get(t, c, x.url+"/small"); resp.StatusCode != 200 || body != "ok" {
			t.Fatalf("%d %q", resp.StatusCode, body)
		}
	}
	x.end()
}

// TestAFaultCostsOneConnection: the others go on, and new ones come.
func TestAFaultCostsOneConnection(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) })
	var faulty atomic.Bool
	x := start(t, Options{Target: s.URL, Now: func() time.Time {
		if faulty.Swap(false) {
			panic("a fault")
		}
		return time.Now()
	}})
	healthy, struck := dialRaw(t, x.Addr()), dialRaw(t, x.Addr())
	for _, c := range []*net.TCPConn{healthy, struck} {
		say(t, c, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		expect(t, c, "HTTP/1.1 200 OK\r\n")
	}
	time.Sleep(50 * time.Millisecond) // the rest of both answers is through
	faulty.Store(true)
	say(t, struck, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
	if _, err := io.Copy(io.Discard, struck); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection of the fault ends with %v", err)
	}
	say(t, healthy, "GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if b, err := io.ReadAll(healthy); err != nil || !strings.HasSuffix(string(b), "/c") {
		t.Errorf("the other one: %q, %v", b, err)
	}
	if _, body := get(t, client(t), x.url+"/d"); body != "/d" {
		t.Errorf("a new one: %q", body)
	}
	x.end()
}

// TestACardThatEndsWithTheConnection: it is changed only then, and a slow
// client gets all of it before the end.
func TestACardThatEndsWithTheConnection(t *testing.T) {
	var addr string
	addr = rawAgent(t, func(c *net.TCPConn) {
		readHead(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"+
			`{"name":"a","url":"http://`+addr+`/","description":"`+strings.Repeat("d", maxCard-1<<10)+`"}`)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: "+x.Addr()+"\r\n\r\n")
	eventually(t, "the card is changed", func() bool { return x.State().Cards == 1 })
	time.Sleep(50 * time.Millisecond)
	b, err := io.ReadAll(c)
	if err != nil || !strings.HasSuffix(string(b), `d"}`) || !strings.Contains(string(b), `"http://`+x.Addr()+`/"`) {
		t.Errorf("%d bytes, %v: …%q", len(b), err, b[max(0, len(b)-80):])
	}
}

// waiter is a passer that waits for what does not come.
type waiter struct{ verbatim }

func (waiter) waits() bool { return true }

// TestADirectionThatWaitsHearsOfTheEnd, whatever ended the other one.
func TestADirectionThatWaitsHearsOfTheEnd(t *testing.T) {
	p, _ := bare(t, "http://agent.example:9999")
	addr := rawAgent(t, func(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) })
	client, agent := newLeg(dialRaw(t, addr)), newLeg(dialRaw(t, addr))
	agent.early = []byte("something")
	h := &hop{p: p, client: client, agent: agent, tap: p.openedQuietly(), moved: make(chan struct{}, 1)}
	_, down := h.directions(verbatim{}, waiter{})
	over := make(chan error, 1)
	go func() { over <- down.run() }()
	h.fail(capture.Client, io.EOF)
	select {
	case err := <-over:
		if !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it waits for ever")
	}
}
