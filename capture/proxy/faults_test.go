package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"a2ascope/capture"
)

// deserter is a reader that goes away with its first batch.
type deserter struct{ err error }

func (d deserter) Chunks([]capture.Chunk) error { return d.err }
func (d deserter) Events([]capture.Event) error { return nil }
func (d deserter) Progress(capture.Progress)    {}

// TestAReaderThatIsGoneDoesNotStopTraffic: Run says that it is gone when ctx
// ends, and until then everything passes.
func TestAReaderThatIsGoneDoesNotStopTraffic(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	})
	p, err := Listen(Options{Target: s.URL, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := errors.New("the screen crashed")
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run(ctx, deserter{gone})
		ended <- err
	}()
	c := client(t)
	for i := range 200 {
		want := fmt.Sprintf("call %d", i)
		resp, err := c.Post("http://"+p.Addr(), "text/plain", strings.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != want || err != nil {
			t.Fatalf("%q %v", got, err)
		}
	}
	if q := p.State().Queue; q.Waiting != 0 {
		t.Errorf("%d bytes wait for nobody", q.Waiting)
	}
	c.CloseIdleConnections()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, gone) {
			t.Errorf("Run: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Run does not end")
	}
}

// TestManyShortConnections come, are recorded and leave nothing behind.
func TestManyShortConnections(t *testing.T) {
	const n, atOnce = 5000, 32
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) })
	x := start(t, Options{Target: s.URL})
	var next atomic.Int64
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for i := next.Add(1); i <= n; i = next.Add(1) {
				c, err := net.Dial("tcp", x.Addr())
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprintf(c, "GET /%d HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", i)
				b, err := io.ReadAll(c)
				c.Close()
				if err != nil || !bytes.HasSuffix(b, fmt.Appendf(nil, "\r\n\r\n/%d", i)) {
					t.Errorf("call %d: %q %v", i, b, err)
					return
				}
			}
		})
	}
	wg.Wait()
	eventually(t, "all connections ended", func() bool { return x.State().Open == 0 })
	if q := x.State().Queue; q.LostConns != 0 || q.LostBytes != 0 {
		t.Errorf("queue: %+v", q)
	}
	x.end()
	whole := 0
	for _, e := range x.rec.exchanges() {
		if e.Complete() && len(e.Breaches) == 0 {
			whole++
		}
	}
	if whole != n {
		t.Errorf("%d of %d exchanges were recorded whole", whole, n)
	}
}

// TestASlowAgentIsWaitedFor: no deadline of ours ends what the peers still want.
func TestASlowAgentIsWaitedFor(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		readHead(bufio.NewReader(c))
		for _, b := range []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") {
			time.Sleep(3 * time.Millisecond)
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
		}
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET / HTTP/1.1\r\nHost: "+x.Addr()+"\r\n\r\n")
	expect(t, c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	x.end()
	if xs := x.rec.exchanges(); len(xs) != 1 || !xs[0].Complete() {
		t.Errorf("%+v", xs)
	}
}

// TestAnAgentThatHangsUpBeforeItAnswers ends the client's connection the same way.
func TestAnAgentThatHangsUpBeforeItAnswers(t *testing.T) {
	for name, reset := range map[string]bool{"reset": true, "close": false} {
		t.Run(name, func(t *testing.T) {
			addr := rawAgent(t, func(c *net.TCPConn) {
				readHead(bufio.NewReader(c))
				if reset {
					c.SetLinger(0)
				}
			})
			x := start(t, Options{Target: addr})
			c := dialRaw(t, x.Addr())
			say(t, c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			if b, err := io.ReadAll(c); len(b) != 0 || (err != nil) != reset {
				t.Errorf("the client got %q, %v", b, err)
			}
			c.Close()
			x.end()
			xs := x.rec.exchanges()
			if len(xs) != 1 || xs[0].Response != nil || xs[0].End.Kind != map[bool]capture.EndKind{true: capture.EndReset, false: capture.EndClosed}[reset] {
				t.Errorf("%+v", xs[0].End)
			}
		})
	}
}

// TestAClientThatVanishesInABody: the agent learns of it, and the recording says who left.
func TestAClientThatVanishesInABody(t *testing.T) {
	got := make(chan error, 1)
	addr := rawAgent(t, func(c *net.TCPConn) {
		r := bufio.NewReader(c)
		readHead(r)
		_, err := io.ReadFull(r, make([]byte, 1000))
		got <- err
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n"+strings.Repeat("b", 400))
	eventually(t, "the body is on its way", func() bool { return len(x.rec.sent(capture.Client)) > 400 })
	c.SetLinger(0)
	c.Close()
	select {
	case err := <-got:
		if err == nil {
			t.Error("the agent got a whole body")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the agent never learnt that the client left")
	}
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 1 || xs[0].SentDone || xs[0].End.Kind != capture.EndReset || xs[0].EndedBy != capture.Client {
		t.Errorf("%+v", xs[0].End)
	}
}

// TestSlowClientsHinderNobody: heads that never end take neither turns nor memory from others.
func TestSlowClientsHinderNobody(t *testing.T) {
	const n = 200
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	x := start(t, Options{Target: s.URL})
	before := heap()
	slow := make([]*net.TCPConn, n)
	for i := range slow {
		slow[i] = dialRaw(t, x.Addr())
		say(t, slow[i], "GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ")
	}
	for range 20 {
		for _, c := range slow {
			say(t, c, "a")
		}
		if resp, body := get(t, client(t), x.url); resp.StatusCode != 200 || body != "ok" {
			t.Fatalf("%d %q", resp.StatusCode, body)
		}
	}
	if per := (heap() - before) / n; per > 64<<10 {
		t.Errorf("a slow client costs %d bytes", per)
	}
	say(t, slow[0], "\r\n\r\n")
	expect(t, slow[0], "HTTP/1.1 200 OK\r\n")
	x.end() // and none of them keeps the tap from ending
}

// TestOversizedHeadsPassAndAreSaid: what is no head for us may be one for the agent.
func TestOversizedHeadsPassAndAreSaid(t *testing.T) {
	want := "GET / HTTP/1.1\r\nHost: h\r\nX-Large: " + strings.Repeat("x", 2<<20) + "\r\n\r\n"
	got := make(chan string, 1)
	addr := rawAgent(t, func(c *net.TCPConn) {
		b := make([]byte, len(want))
		n, _ := io.ReadFull(c, b)
		got <- string(b[:n])
		io.WriteString(c, "HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\n\r\n")
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, want)
	if g := <-got; g != want {
		t.Errorf("the agent got %d bytes of %d, or others", len(g), len(want))
	}
	expect(t, c, "HTTP/1.1 431 Too Large\r\n")
	c.Close()
	x.end()
	said := false
	for _, e := range x.rec.exchanges() {
		for _, b := range e.Breaches {
			said = said || b.V.V.Code == capture.BreachTooLarge || b.V.V.Code == capture.BreachHead
		}
	}
	if !said {
		t.Error("nothing is said of the head")
	}
}

// TestSmugglingShapesAreFlagged: they pass as they came (see
// TestRequestsThatCanBeReadInTwoWaysPassAsTheyAre) and the recording names the breach.
func TestSmugglingShapesAreFlagged(t *testing.T) {
	for name, k := range map[string]struct{ lines, code string }{
		"both lengths": {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", capture.BreachLength},
		"two lengths":  {"Content-Length: 4\r\nContent-Length: 5\r\n", capture.BreachLength},
		"same twice":   {"Content-Length: 5\r\nContent-Length: 5\r\n", capture.BreachLength},
		"signed":       {"Content-Length: +5\r\n", capture.BreachLength},
		"folded":       {"X-A: 1\r\n 2\r\nContent-Length: 5\r\n", capture.BreachHead},
		"bare LF":      {"X-A: 1\nContent-Length: 5\r\n", capture.BreachHead},
		"spaced name":  {"Content-Length : 5\r\n", capture.BreachHead},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			addr := rawAgent(t, func(c *net.TCPConn) {
				b, _ := io.ReadAll(c)
				got <- string(b)
			})
			x := start(t, Options{Target: addr})
			c := dialRaw(t, x.Addr())
			head := "POST / HTTP/1.1\r\nHost: agent.example\r\n" + k.lines + "\r\n"
			say(t, c, head+"0\r\n\r\n")
			c.CloseWrite()
			if g := <-got; g != head+"0\r\n\r\n" {
				t.Errorf("the agent got\n%q\nwant\n%q", g, head+"0\r\n\r\n")
			}
			x.end()
			var codes []string
			for _, e := range x.rec.exchanges() {
				for _, b := range e.Breaches {
					codes = append(codes, b.V.V.Code)
				}
			}
			if !strings.Contains(strings.Join(codes, " "), k.code) {
				t.Errorf("breaches %v, want %s", codes, k.code)
			}
		})
	}
}

func TestListeningBeyondLoopbackIsSaid(t *testing.T) {
	for addr, loud := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, ":0": false, "0.0.0.0:0": true} {
		var told []Notice
		p, err := Listen(Options{Listen: addr, Now: time.Now, Notify: func(n Notice) { told = append(told, n) }})
		if err != nil {
			t.Logf("%s: %v", addr, err) // a machine without IPv6
			continue
		}
		p.Close()
		if said := len(told) == 1 && told[0].Hint.Code == HintExposed; said != loud || len(told) > 1 {
			t.Errorf("%s: told %+v", addr, told)
		}
	}
}

func TestParseOrigin(t *testing.T) {
	for in, want := range map[string]Origin{
		"https://Agent.example":       {"https", "agent.example:443"},
		"http://10.0.0.1:8080/":       {"http", "10.0.0.1:8080"},
		"agent.example:50051":         {"", "agent.example:50051"},
		"https://agent.example/a/b":   {},
		"https://agent.example?x=1":   {},
		"agent.example":               {},
		"ftp://agent.example":         {},
		"":                            {},
		"https://agent.example:99999": {},
	} {
		got, err := ParseOrigin(in)
		if got != want || (err != nil) != (want == Origin{}) {
			t.Errorf("%q: %+v %v", in, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "host:port") {
			t.Errorf("%q: %v says no way on", in, err)
		}
	}
}
