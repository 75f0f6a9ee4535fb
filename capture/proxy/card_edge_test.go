package proxy

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// An answer that is too large to be held back goes on as it came, under the
// same flow control, in both protocols.
func TestAVeryLargeCardPassesAsItIs(t *testing.T) {
	card := `{"name":"` + strings.Repeat("x", 6<<20) + `","url":"http://o.example/"}`
	for name, length := range map[string]bool{"with length": true, "without": false} {
		s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/download" {
				w.Write(make([]byte, 3<<20))
				return
			}
			if length {
				w.Header().Set("Content-Length", fmt.Sprint(len(card)))
			}
			w.(http.Flusher).Flush()
			for b := []byte(card); len(b) > 0; {
				n := min(len(b), 50_000)
				w.Write(b[:n])
				b = b[n:]
			}
		})
		x := start(t, Options{Target: s.URL})
		for proto, c := range map[string]*http.Client{"HTTP/1": client(t), "HTTP/2": clientH2C(t)} {
			var wg sync.WaitGroup
			wg.Go(func() {
				for range 3 {
					resp, err := c.Get(x.url + "/download")
					if err != nil {
						t.Error(err)
						return
					}
					n, err := io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if n != 3<<20 || err != nil {
						t.Errorf("%s %s: download %d, %v", proto, name, n, err)
					}
				}
			})
			for range 2 {
				if _, body := get(t, c, x.url+"/.well-known/agent-card.json"); body != card {
					t.Errorf("%s %s: %d bytes, want %d", proto, name, len(body), len(card))
				}
			}
			wg.Wait()
			c.CloseIdleConnections()
		}
		x.end()
		left := 0
		for _, e := range x.rec.exchanges() {
			if !e.Complete() {
				t.Errorf("%s: not complete: %+v", e.Request.Target, e.End)
			}
			if noteOf(e, NoteCardLeft) != nil {
				left++
			}
		}
		if left != 4 {
			t.Errorf("%d notes, want 4", left)
		}
	}
}

// What is kept back when a stream is reset is given up, and the window comes back.
func TestResetsOfAStreamThatIsKeptBack(t *testing.T) {
	const card = "/.well-known/agent-card.json"
	var window int64
	var mu sync.Mutex
	addr := handmadeAgent(t, func(p *peer) {
		for {
			f, err := p.read()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.WindowUpdateFrame:
				if f.StreamID == 0 {
					mu.Lock()
					window += int64(f.Increment)
					mu.Unlock()
				}
			case *http2.MetaHeadersFrame:
				p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.StreamID, EndHeaders: true, BlockFragment: p.block(":status", "200", "content-type", "application/json", "x", fmt.Sprint(f.StreamID))})
				switch f.StreamID {
				case 1: // the agent gives up
					p.f.WriteData(1, false, make([]byte, 1000))
					p.f.WriteRSTStream(1, http2.ErrCodeEnhanceYourCalm)
				case 3: // the client gives up
					p.f.WriteData(3, false, make([]byte, 1000))
				case 5:
					p.f.WriteData(3, true, make([]byte, 500)) // late, for a stream that was given up
					p.f.WriteData(5, true, []byte(`{"url":"http://o.example/"}`))
				}
			}
		}
	})
	x := start(t, Options{Target: addr})
	p := handmadeClient(t, x)
	ask := func(id uint32) {
		p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndStream: true, EndHeaders: true,
			BlockFragment: p.block(":method", "GET", ":scheme", "http", ":authority", x.Addr(), ":path", card)})
	}
	next := func() http2.Frame {
		f, err := p.read()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	ask(1)
	if f, ok := next().(*http2.MetaHeadersFrame); !ok || f.StreamID != 1 {
		t.Fatalf("%v", f)
	}
	if f, ok := next().(*http2.RSTStreamFrame); !ok || f.StreamID != 1 || f.ErrCode != http2.ErrCodeEnhanceYourCalm {
		t.Fatalf("%v", f)
	}
	ask(3)
	eventually(t, "the agent has room again", func() bool { mu.Lock(); defer mu.Unlock(); return window >= 2000 })
	p.f.WriteRSTStream(3, http2.ErrCodeCancel)
	ask(5)
	if f, ok := next().(*http2.DataFrame); !ok || f.StreamID != 3 || len(f.Data()) != 500 {
		t.Fatalf("%v", f)
	}
	if f, ok := next().(*http2.MetaHeadersFrame); !ok || f.StreamID != 5 || f.Fields[2].Value != "5" {
		t.Fatalf("%v", f)
	}
	if f, ok := next().(*http2.DataFrame); !ok || f.StreamID != 5 || !f.StreamEnded() || !strings.Contains(string(f.Data()), "127.0.0.1") {
		t.Fatalf("%v", f)
	}
}

// A client with a narrow window gets a card that grew in pieces, and no more than it allowed.
func TestACardThatGrewWaitsForTheClientsWindow(t *testing.T) {
	addr := handmadeAgent(t, func(p *peer) {
		for {
			f, err := p.read()
			if err != nil {
				return
			}
			if f, ok := f.(*http2.MetaHeadersFrame); ok {
				p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.StreamID, EndHeaders: true, BlockFragment: p.block(":status", "200", "content-length", "20")})
				p.f.WriteData(f.StreamID, true, []byte(`{"url":"http://o:1"}`))
			}
		}
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	io.WriteString(c, http2.ClientPreface)
	p := newPeer(t, c)
	p.f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 7})
	p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
		BlockFragment: p.block(":method", "GET", ":scheme", "http", ":authority", x.Addr(), ":path", "/.well-known/agent.json")})
	var body []byte
	room := 7
	for {
		f, err := p.read()
		if err != nil {
			t.Fatal(err)
		}
		d, ok := f.(*http2.DataFrame)
		if !ok {
			continue
		}
		if room -= len(d.Data()); room < 0 {
			t.Fatalf("%d bytes more than the window allows", -room)
		}
		body = append(body, d.Data()...)
		if d.StreamEnded() {
			break
		}
		if len(body) == 14 {
			// The whole window may change, too (RFC 9113 section 6.9.2).
			p.f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
			room += 3
			continue
		}
		p.f.WriteWindowUpdate(1, 7)
		room += 7
	}
	if at(t, string(body), "/url") != "http://"+x.addressOf("http://o:1") {
		t.Errorf("%s", body)
	}
}

func TestWhatIsSaidOfCardsThatWereNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		path, head, body string
		note             string // part of the note; "" when there is none
	}{
		"redirect":          {"/.well-known/agent-card.json", "302 Found\r\nLocation: http://elsewhere.example/card", "", "redirects to http://elsewhere.example"},
		"redirect at home":  {"/.well-known/agent-card.json", "302 Found\r\nLocation: /card", "", ""},
		"stream":            {"/.well-known/agent-card.json", "200 OK\r\nContent-Type: text/event-stream", "data: x\n\n", "cannot be read"},
		"part":              {"/.well-known/agent-card.json", "206 Partial\r\nContent-Type: application/json", "{}", "status 206"},
		"zstd":              {"/extendedAgentCard", "200 OK\r\nContent-Encoding: zstd", "x", `coding "zstd"`},
		"broken gzip":       {"/v1/card", "200 OK\r\nContent-Encoding: gzip", "x", "does not decode"},
		"strange address":   {"/v1/card", "200 OK\r\nContent-Type: application/json", `{"url":"unix:/tmp/a"}`, "unix:/tmp/a leads past the tap"},
		"server error":      {"/v1/card", "500 Oh", "x", ""},
		"other JSON":        {"/v1/card", "200 OK", `{"a":1}`, ""},
		"perhaps, but no":   {"/any/thing.json", "200 OK\r\nContent-Type: application/json", `{"url":"http://a.example/"}`, ""},
		"perhaps, no JSON":  {"/any/card", "200 OK\r\nContent-Type: application/json", `{"url"`, ""},
		"gRPC-Web, in text": {"/lf.a2a.v1.A2AService/GetExtendedAgentCard", "200 OK\r\nContent-Type: application/grpc-web-text", "AAAA", "grpc-web-text"},
		"gRPC-Web, cut":     {"/lf.a2a.v1.A2AService/GetExtendedAgentCard", "200 OK\r\nContent-Type: application/grpc-web", "\x00\x00\x00\x00\x09x", "framing is cut"},
		"gRPC-Web, rubbish": {"/lf.a2a.v1.A2AService/GetExtendedAgentCard", "200 OK\r\nContent-Type: application/grpc-web+proto", "\x00\x00\x00\x00\x02\x0a\x09", "protobuf"},
		"gRPC-Web, error":   {"/lf.a2a.v1.A2AService/GetExtendedAgentCard", "200 OK\r\nContent-Type: application/grpc-web\r\ngrpc-status: 5", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := "HTTP/1.1 " + c.head + "\r\nContent-Length: " + fmt.Sprint(len(c.body)) + "\r\n\r\n" + c.body
			addr := rawAgent(t, func(k *net.TCPConn) {
				b := make([]byte, 4096)
				k.Read(b)
				io.WriteString(k, answer)
			})
			x := start(t, Options{Target: addr})
			k := dialRaw(t, x.Addr())
			method := "GET"
			if strings.Contains(c.path, "A2AService") {
				method = "POST"
			}
			say(t, k, method+" "+c.path+" HTTP/1.1\r\nHost: "+x.Addr()+"\r\n\r\n")
			if b, _ := io.ReadAll(k); string(b) != answer {
				t.Errorf("the client got %q, want %q", b, answer)
			}
			k.Close()
			x.end()
			n := noteOf(x.rec.exchanges()[0], NoteCardLeft)
			if (n != nil) != (c.note != "") || n != nil && !strings.Contains(n.Text, c.note) {
				t.Errorf("note %+v, want %q", n, c.note)
			}
		})
	}
}

func TestCardsAtOtherPaths(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		card := `{"name":"a","skills":[],"url":"http://o.example/"}`
		if r.URL.Path == "/deflate/card" {
			w.Header().Set("Content-Encoding", "deflate")
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			io.WriteString(z, card)
			z.Close()
			w.Write(b.Bytes())
			return
		}
		io.WriteString(w, card)
	})
	x := start(t, Options{Target: s.URL, CardPaths: []string{"/who"}})
	for path, rewritten := range map[string]bool{"/": true, "/agent/": true, "/my-Card": true, "/x.json": true, "/who": true, "/deflate/card": true, "/tasks/1": false} {
		_, body := get(t, client(t), x.url+path)
		if strings.Contains(body, "o.example") == rewritten {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// The request for a card may come in pieces, and its answer, too.
func TestJSONRPCCardInPieces(t *testing.T) {
	card := `{"jsonrpc":"2.0","id":1,"result":{"url":"http://o.example/"}}`
	addr := rawAgent(t, func(c *net.TCPConn) {
		b := make([]byte, 1<<16)
		n := 0
		for !bytes.HasSuffix(b[:n], []byte("0\r\n\r\n")) {
			k, err := c.Read(b[n:])
			if n += k; err != nil {
				return
			}
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+card)
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	for _, b := range []byte("POST /rpc HTTP/1.1\r\nHost: " + x.Addr() + "\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"1e\r\n{\"id\":1,\"method\":\"GetExtendedA\r\nc\r\ngentCard\"}  \r\n0\r\n\r\n") {
		c.Write([]byte{b})
	}
	b, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(b), "127.0.0.1") {
		t.Errorf("%q %v", b, err)
	}
}

func TestStacks(t *testing.T) {
	for agent, want := range map[string]string{
		"curl/8.5.0": "CURL_CA_BUNDLE", "python-requests/2.31": "REQUESTS_CA_BUNDLE", "python-httpx/0.27": "SSL_CERT_FILE",
		"grpc-go/1.70.0": "SSL_CERT_FILE", "grpc-node-js/1.10": "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "grpc-python/1.60 grpc-c/37": "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
		"Go-http-client/1.1": "SSL_CERT_FILE", "node": "NODE_EXTRA_CA_CERTS", "Java-http-client/17": "JAVA_TOOL_OPTIONS",
	} {
		if s := stackOf(agent, nil); s.variable != want {
			t.Errorf("%s: %s, want %s", agent, s.variable, want)
		}
	}
	for text, want := range map[string]string{
		"remote error: tls: bad certificate": "Go", "local error: tls: bad record MAC": "OpenSSL (curl, Python)", "EOF": "Node, Java or gRPC",
	} {
		if s := stackOf("", errors.New(text)); s.name != want {
			t.Errorf("%s: %s, want %s", text, s.name, want)
		}
	}
}

// A stuck client on one stream must not keep another from its card for ever.
func TestTurnPutsWholeFramesBetweenOthers(t *testing.T) {
	var out bytes.Buffer
	var mu sync.Mutex
	l := &leg{Conn: writerConn{w: func(b []byte) { mu.Lock(); out.Write(b); mu.Unlock() }}}
	var tn turn
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 500 {
			tn.send(l, []byte("<"), true)
			tn.send(l, []byte("."), true)
			tn.send(l, []byte(">"), false)
		}
	})
	for range 4 {
		wg.Go(func() {
			for range 500 {
				tn.put(l, []byte("[]"))
			}
		})
	}
	wg.Wait()
	tn.send(l, nil, false)
	s := out.String()
	if strings.Count(s, "[]") != 2000 || strings.Count(s, "<.>") != 500 || len(s) != 2000*2+500*3 {
		t.Errorf("%d, %d, %d bytes", strings.Count(s, "[]"), strings.Count(s, "<.>"), len(s))
	}
}

type writerConn struct {
	net.Conn
	w func([]byte)
}

func (c writerConn) Write(b []byte) (int, error) { c.w(b); return len(b), nil }

func TestATLSStreamCutWithoutGoodbyeIsPassedOnWithoutOne(t *testing.T) {
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		c, _, _ := w.(http.Hijacker).Hijack()
		io.WriteString(c, "part")
		time.Sleep(20 * time.Millisecond)
		c.(interface{ NetConn() net.Conn }).NetConn().Close()
	}, nil)
	x := start(t, Options{ConfigDir: t.TempDir(), UpstreamCA: ca})
	resp, err := x.proxied(true, "http/1.1").Get(s.URL)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err %v, want an unexpected end", err)
	}
}
