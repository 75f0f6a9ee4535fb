package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
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
		had := int64(-1)
		eventually(t, "nothing moves any more", func() bool {
			before := had
			had = x.State().Queue.Bytes
			return had == before && had > 1<<20
		})
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
