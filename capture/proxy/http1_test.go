package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"a2ascope/capture"
)

func TestHeaderBytesAreExactBothWays(t *testing.T) {
	request := "POST /x?a=%7e&b=%7E HTTP/1.1\r\nhost:   %HOST%  \r\nA2a-version: 1.0\r\na2a-version: 0.3\r\n" +
		"A2A-Extensions: z\r\nX-Hop: 1\r\nConnection: keep-alive, X-Hop\r\nA2A-Extensions: a\r\nContent-Length: 5\r\n\r\nhello"
	answer := "HTTP/1.1 200 Fine\r\nx-b: 2\r\nX-B: 1\r\nTransfer-Encoding: chunked\r\nTrailer: x-t\r\n\r\n" +
		"3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nx-T: end\r\n\r\n"
	got := make(chan string, 1)
	addr := rawAgent(t, func(c *net.TCPConn) {
		r := bufio.NewReader(c)
		h, _ := readHead(r)
		b := make([]byte, 5)
		io.ReadFull(r, b)
		got <- h + string(b)
		io.WriteString(c, answer)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	// One byte at a time: how the bytes are cut must not matter.
	for _, b := range []byte(strings.ReplaceAll(request, "%HOST%", x.Addr())) {
		c.Write([]byte{b})
	}
	want := strings.ReplaceAll(request, "%HOST%", addr)
	if g := <-got; g != want {
		t.Errorf("the agent got\n%q\nwant\n%q", g, want)
	}
	b, err := io.ReadAll(c)
	if string(b) != answer || err != nil {
		t.Errorf("the client got\n%q (%v)\nwant\n%q", b, err, answer)
	}
	c.Close()
	x.end()
	if s := x.rec.sent(capture.Client); s != want {
		t.Errorf("recorded of the client:\n%q", s)
	}
	if s := x.rec.sent(capture.Server); s != answer {
		t.Errorf("recorded of the agent:\n%q", s)
	}
	xs := x.rec.exchanges()
	if len(xs) != 1 || !xs[0].Complete() || xs[0].Request.Authority != addr {
		t.Fatalf("exchanges: %+v", xs)
	}
	if l := xs[0].Link; l.Source != "proxy" || l.Server.String() != addr || !l.Client.IsValid() {
		t.Errorf("link: %+v", l)
	}
}

func TestPipelinedRequestsAndKeepAlive(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.WriteHeader(304)
		default:
			io.WriteString(w, r.Method+" "+r.URL.Path+" "+r.Host)
		}
	})
	host := strings.TrimPrefix(s.URL, "http://")
	x := start(t, Options{Target: s.URL})
	c := dialRaw(t, x.Addr())
	h := "Host: " + x.Addr() + "\r\n"
	say(t, c, "GET /1 HTTP/1.1\r\n"+h+"\r\nHEAD /2 HTTP/1.1\r\n"+h+"\r\nGET /204 HTTP/1.1\r\n"+h+"\r\nGET /304 HTTP/1.1\r\n"+h+
		"\r\nPOST /3 HTTP/1.1\r\n"+h+"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n\r\nGET /4 HTTP/1.1\r\nConnection: close\r\n"+h+"\r\n")
	r := bufio.NewReader(c)
	for _, want := range []struct {
		method, body string
		status       int
	}{{"GET", "GET /1 " + host, 200}, {"HEAD", "", 200}, {"GET", "", 204}, {"GET", "", 304}, {"POST", "POST /3 " + host, 200}, {"GET", "GET /4 " + host, 200}} {
		resp, err := http.ReadResponse(r, &http.Request{Method: want.method})
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil || string(b) != want.body || resp.StatusCode != want.status {
			t.Errorf("%d %q (%v), want %d %q", resp.StatusCode, b, err, want.status, want.body)
		}
	}
	x.end()
	if xs := x.rec.exchanges(); len(xs) != 6 {
		t.Errorf("%d exchanges", len(xs))
	}
}

func TestInterimAnswersAndExpectPass(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		r := bufio.NewReader(c)
		readHead(r)
		io.WriteString(c, "HTTP/1.1 100 Go On\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n")
		b := make([]byte, 4)
		io.ReadFull(r, b)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"+string(b))
		readHead(r)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "POST / HTTP/1.1\r\nHost: "+x.Addr()+"\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
	expect(t, c, "HTTP/1.1 100 Go On\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n")
	say(t, c, "body")
	expect(t, c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
}

func TestAnEarlyAnswerDoesNotWaitForTheRequest(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		r := bufio.NewReader(c)
		readHead(r)
		io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		io.Copy(io.Discard, r)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "POST / HTTP/1.1\r\nHost: "+x.Addr()+"\r\nContent-Length: 1000000\r\n\r\nsome")
	expect(t, c, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
	say(t, c, strings.Repeat("x", 1000))
}

func TestHalfCloseReachesTheOtherSide(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		b, _ := io.ReadAll(c) // until the client's FIN
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"+string(b[len(b)-3:]))
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")
	c.CloseWrite()
	b, err := io.ReadAll(c)
	if string(b) != "HTTP/1.1 200 OK\r\n\r\nabc" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	x.end()
	if xs := x.rec.exchanges(); len(xs) != 1 || !xs[0].Complete() {
		t.Errorf("%+v", xs)
	}
}

func TestAResetOfTheAgentIsAResetForTheClient(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		readHead(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		time.Sleep(50 * time.Millisecond)
		c.SetLinger(0)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	_, err := io.ReadAll(c)
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("err %v, want a reset", err)
	}
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 1 || xs[0].End == nil || xs[0].End.Kind != capture.EndReset || xs[0].EndedBy != capture.Server {
		t.Errorf("%+v", xs[0].End)
	}
}

func TestACancelledStreamEndsAtTheAgent(t *testing.T) {
	gone := make(chan error, 1)
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- r.Context().Err()
	})
	x := start(t, Options{Target: s.URL})
	resp, err := client(t).Get(x.url + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, resp.Body, "data: 1\n\n")
	resp.Body.Close()
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("the agent never learnt that the client left")
	}
}

func TestAnUpgradeIsRelayedBothWays(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		r := bufio.NewReader(c)
		readHead(r)
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nhi")
		io.Copy(c, r)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET /chat HTTP/1.1\r\nHost: "+x.Addr()+"\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\n")
	expect(t, c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nhi")
	say(t, c, "\x00\x01Host: x\r\n\r\n")
	expect(t, c, "\x00\x01Host: x\r\n\r\n")
}

func TestRequestsThatCanBeReadInTwoWaysPassAsTheyAre(t *testing.T) {
	for name, lines := range map[string]string{
		"both lengths": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
		"two lengths":  "Content-Length: 4\r\nContent-Length: 5\r\n",
		"signed":       "Content-Length: +4\r\n",
		"not chunked":  "Transfer-Encoding: chunked, identity\r\n",
		"folded":       "Transfer-Encoding:\r\n chunked\r\n",
		"spaced":       "Content-Length : 4\r\n",
		"bare CR":      "X: a\rContent-Length: 4\r\n",
		"two hosts":    "Host: other\r\n",
		"zero":         "X: \x00\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			addr := rawAgent(t, func(c *net.TCPConn) {
				b, _ := io.ReadAll(c)
				got <- string(b)
			})
			x := start(t, Options{Target: addr})
			c := dialRaw(t, x.Addr())
			msg := "POST / HTTP/1.1\r\nHost: " + x.Addr() + "\r\n" + lines + "\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: " + x.Addr() + "\r\n\r\n"
			say(t, c, msg)
			c.CloseWrite()
			if g := <-got; g != msg {
				t.Errorf("the agent got\n%q\nwant\n%q", g, msg)
			}
			hints := x.State().Hints
			if len(hints) != 1 || hints[0].Code != HintAmbiguous {
				t.Errorf("hints: %+v", hints)
			}
		})
	}
}

func TestAHostTheClientChoseItselfIsKept(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	x := start(t, Options{Target: s.URL})
	r, _ := http.NewRequest("GET", x.url, nil)
	r.Host = "tenant.example"
	resp, err := client(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "tenant.example" {
		t.Errorf("the agent saw %q", b)
	}
}

func TestAnAgentThatIsNotThere(t *testing.T) {
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := ln.Addr().String()
	ln.Close()
	x := start(t, Options{Target: addr})
	resp, body := get(t, client(t), x.url+"/a")
	if resp.StatusCode != 502 || !strings.Contains(body, addr) || !strings.Contains(body, "refused") {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 1 || xs[0].End == nil || xs[0].End.Kind != capture.EndUnreachable {
		t.Errorf("%+v", xs)
	}
	if h := x.State().Hints; len(h) != 1 || h[0].Code != HintUnreachable {
		t.Errorf("hints: %+v", h)
	}
}

func TestWhatIsNoHTTPPassesAsItIs(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) { io.Copy(c, c) })
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "\x01\x02\x03")
	expect(t, c, "\x01\x02\x03")
}
