package proxy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// serveH2C runs an agent that speaks HTTP/2 in clear.
func serveH2C(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.Protocols.SetHTTP1(true)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func clientH2C(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{DisableCompression: true, Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

func TestHTTP2CallsTrailersAndAuthority(t *testing.T) {
	s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-End")
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Proto, r.Host, b)
		w.(http.Flusher).Flush()
		w.Header().Set("X-End", "e")
	})
	x := start(t, Options{Target: s.URL})
	c := clientH2C(t)
	host := strings.TrimPrefix(s.URL, "http://")
	for i := range 20 {
		resp, err := c.Post(x.url+"/m", "text/plain", strings.NewReader(fmt.Sprint("n", i)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := fmt.Sprintf("HTTP/2.0 %s n%d", host, i); string(b) != want || err != nil || resp.Trailer.Get("X-End") != "e" {
			t.Fatalf("%q %v %v, want %q", b, err, resp.Trailer, want)
		}
	}
	c.CloseIdleConnections()
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 20 {
		t.Fatalf("%d exchanges", len(xs))
	}
	for _, e := range xs {
		if !e.Complete() || e.Request.Authority != host || e.Trailer == nil || len(e.Breaches) != 0 {
			t.Fatalf("%+v %+v", e, e.Breaches)
		}
	}
}

// peer is one end of an HTTP/2 connection written by hand.
type peer struct {
	t    *testing.T
	c    net.Conn
	f    *http2.Framer
	enc  *hpack.Encoder
	head bytes.Buffer
}

func newPeer(t *testing.T, c net.Conn) *peer {
	p := &peer{t: t, c: c, f: http2.NewFramer(c, c)}
	p.enc = hpack.NewEncoder(&p.head)
	p.f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return p
}

func (p *peer) block(fields ...string) []byte {
	p.head.Reset()
	for i := 0; i < len(fields); i += 2 {
		p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return p.head.Bytes()
}

// read returns the next frame that is not SETTINGS.
func (p *peer) read() (http2.Frame, error) {
	for {
		f, err := p.f.ReadFrame()
		if err != nil {
			return nil, err
		}
		if f.Header().Type != http2.FrameSettings {
			return f, nil
		}
	}
}

func (p *peer) request(id uint32, end bool, path string, more ...string) {
	p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndStream: end, EndHeaders: true,
		BlockFragment: p.block(append([]string{":method", "POST", ":scheme", "http", ":authority", p.c.RemoteAddr().String(), ":path", path}, more...)...)})
}

// handmadeAgent runs an HTTP/2 agent by hand for one connection.
func handmadeAgent(t *testing.T, h func(p *peer)) string {
	return rawAgent(t, func(c *net.TCPConn) {
		b := make([]byte, len(http2.ClientPreface))
		io.ReadFull(c, b)
		p := newPeer(t, c)
		p.f.WriteSettings()
		h(p)
	})
}

func handmadeClient(t *testing.T, x *tapped) *peer {
	c := dialRaw(t, x.Addr())
	io.WriteString(c, http2.ClientPreface)
	p := newPeer(t, c)
	p.f.WriteSettings()
	return p
}

func TestHTTP2ResetsAndGoodbyesAreExact(t *testing.T) {
	codes := []http2.ErrCode{http2.ErrCodeRefusedStream, http2.ErrCodeCancel, http2.ErrCodeEnhanceYourCalm, http2.ErrCodeNo, 0xabcd}
	var fromClient []http2.ErrCode
	var mu sync.Mutex
	addr := handmadeAgent(t, func(p *peer) {
		n := 0
		for {
			f, err := p.read()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.MetaHeadersFrame:
				if n < len(codes) {
					p.f.WriteRSTStream(f.StreamID, codes[n])
				} else {
					p.f.WriteGoAway(f.StreamID, http2.ErrCodeEnhanceYourCalm, []byte("too_many_pings"))
				}
				n++
			case *http2.RSTStreamFrame:
				mu.Lock()
				fromClient = append(fromClient, f.ErrCode)
				mu.Unlock()
			}
		}
	})
	x := start(t, Options{Target: addr})
	p := handmadeClient(t, x)
	p.f.WritePing(false, [8]byte{1, 2, 3})
	for i := range len(codes) + 1 {
		p.request(uint32(2*i+1), false, "/x")
		f, err := p.read()
		if err != nil {
			t.Fatal(err)
		}
		switch f := f.(type) {
		case *http2.RSTStreamFrame:
			if f.ErrCode != codes[i] || f.StreamID != uint32(2*i+1) {
				t.Errorf("%v on stream %d, want %v", f.ErrCode, f.StreamID, codes[i])
			}
		case *http2.GoAwayFrame:
			if i != len(codes) || f.ErrCode != http2.ErrCodeEnhanceYourCalm || string(f.DebugData()) != "too_many_pings" {
				t.Errorf("%v %q", f, f.DebugData())
			}
		default:
			t.Fatalf("frame %v", f)
		}
	}
	p.f.WriteRSTStream(11, http2.ErrCodeInadequateSecurity)
	eventually(t, "the client's reset", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(fromClient) == 1 && fromClient[0] == http2.ErrCodeInadequateSecurity
	})
}

func TestHTTP2FramesAreCopied(t *testing.T) {
	got := make(chan []byte, 1)
	addr := rawAgent(t, func(c *net.TCPConn) {
		b, _ := io.ReadAll(c)
		got <- b
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	var sent bytes.Buffer
	f := http2.NewFramer(&sent, nil)
	sent.WriteString(http2.ClientPreface)
	f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	f.WriteDataPadded(1, false, []byte("data"), make([]byte, 200))
	f.WritePriority(3, http2.PriorityParam{StreamDep: 1, Weight: 7})
	f.WritePing(true, [8]byte{9})
	f.WriteRawFrame(0xbe, 0x55, 77, []byte("unknown kind"))
	f.WriteWindowUpdate(0, 1000)
	f.WriteWindowUpdate(1, 1000)
	for _, b := range sent.Bytes() {
		c.Write([]byte{b})
	}
	c.CloseWrite()
	if b := <-got; !bytes.Equal(b, sent.Bytes()) {
		t.Errorf("the agent got\n%x\nwant\n%x", b, sent.Bytes())
	}
}

func TestHTTP2HeadersKeepSpellingOrderAndSecrets(t *testing.T) {
	type got struct{ fields []hpack.HeaderField }
	heard := make(chan got, 1)
	addr := handmadeAgent(t, func(p *peer) {
		p.f.ReadMetaHeaders = nil
		var block []byte
		for {
			f, err := p.read()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.HeadersFrame:
				block = append(block, f.HeaderBlockFragment()...)
				if f.HeadersEnded() {
					panic("one frame")
				}
			case *http2.ContinuationFrame:
				block = append(block, f.HeaderBlockFragment()...)
				if f.HeadersEnded() {
					fields, err := hpack.NewDecoder(4096, nil).DecodeFull(block)
					if err != nil {
						t.Error(err)
					}
					heard <- got{fields}
				}
			}
		}
	})
	x := start(t, Options{Target: addr})
	p := handmadeClient(t, x)
	big := strings.Repeat("b", 40000)
	p.head.Reset()
	in := []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: "/"},
		{Name: ":authority", Value: x.Addr()}, {Name: "A2A-Version", Value: "1.0"}, {Name: "a2a-version", Value: "0.3"},
		{Name: "authorization", Value: "secret", Sensitive: true}, {Name: "big", Value: big}, {Name: "a2a-version", Value: "0.3"},
	}
	for _, f := range in {
		p.enc.WriteField(f)
	}
	block := p.head.Bytes()
	p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:100], PadLength: 7,
		Priority: http2.PriorityParam{StreamDep: 0, Weight: 3}})
	p.f.WriteContinuation(1, false, block[100:16000])
	p.f.WriteContinuation(1, true, block[16000:])
	g := <-heard
	in[3].Value = addr
	if fmt.Sprint(g.fields) != fmt.Sprint(in) {
		t.Errorf("the agent got\n%.300v\nwant\n%.300v", g.fields, in)
	}
}

// h2card is an agent whose card grows and shrinks, beside a download.
func TestHTTP2FlowControlAroundCards(t *testing.T) {
	var n int
	var mu sync.Mutex
	s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/agent-card.json":
			mu.Lock()
			n++
			size := []int{10, 200_000, 60_000, 1}[n%4]
			mu.Unlock()
			host := "http://" + strings.Repeat("long.", 30) + "example"
			if size%20 == 1 {
				host = "http://a.example"
			}
			card := fmt.Sprintf(`{"name":%q,"url":"%s/"}`, strings.Repeat("x", size), host)
			body := []byte(card)
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.Header().Set("Content-Encoding", "gzip")
				body = zip(card)
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			for len(body) > 0 {
				k := min(len(body), 7000)
				w.Write(body[:k])
				body = body[k:]
			}
		default:
			chunk := bytes.Repeat([]byte("d"), 8192)
			for range 256 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}
	})
	x := start(t, Options{Target: s.URL})
	c := clientH2C(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 6 {
				resp, err := c.Get(x.url + "/download")
				if err != nil {
					t.Error(i, err)
					return
				}
				m, err := io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if m != 256*8192 || err != nil {
					t.Errorf("%d bytes, %v", m, err)
					return
				}
			}
		})
		wg.Go(func() {
			for k := range 30 {
				r, _ := http.NewRequest("GET", x.url+"/.well-known/agent-card.json", nil)
				if k%2 == 0 {
					r.Header.Set("Accept-Encoding", "gzip")
				}
				resp, err := c.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || !strings.Contains(at(t, string(b), "/url"), "127.0.0.1") || int64(len(b)) != resp.ContentLength {
					t.Errorf("card: %d bytes of %d, %v", len(b), resp.ContentLength, err)
					return
				}
			}
		})
	}
	wg.Wait()
	c.CloseIdleConnections()
	x.end()
	cards := 0
	for _, e := range x.rec.exchanges() {
		if noteOf(e, NoteCardRewritten) != nil {
			cards++
		}
		if !e.Complete() {
			t.Errorf("%s is not complete: %+v", e.Request.Target, e.End)
		}
	}
	if cards != 120 {
		t.Errorf("%d exchanges are marked as rewritten, want 120", cards)
	}
}

func pbString(num int, s string) []byte { return appendString(nil, uint64(num), []byte(s)) }

func grpcMessage(flag byte, m []byte) []byte {
	b := []byte{flag}
	b = binary.BigEndian.AppendUint32(b, uint32(len(m)))
	return append(b, m...)
}

func TestExtendedCardOverGRPC(t *testing.T) {
	iface := func(url string) []byte { return append(pbString(1, url), pbString(2, "GRPC")...) }
	for name, c := range map[string]struct {
		path     string
		card     []byte
		want     func(ours func(string) string) []byte
		compress bool
	}{
		"1.0": {
			path: "/lf.a2a.v1.A2AService/GetExtendedAgentCard",
			card: slicesConcat(pbString(1, "name"), pbString(3, string(iface("one.example:50051"))), pbString(3, string(iface("https://two.example/x"))), pbString(13, "sig"), []byte{0x98, 0x06, 0x01}),
			want: func(ours func(string) string) []byte {
				return slicesConcat(pbString(1, "name"), pbString(3, string(iface(ours("one.example:50051")))), pbString(3, string(iface("http://"+ours("https://two.example")+"/x"))), pbString(13, "sig"), []byte{0x98, 0x06, 0x01})
			},
		},
		"0.3": {
			path:     "/a2a.v1.A2AService/GetAgentCard",
			compress: true,
			card:     slicesConcat(pbString(3, "http://main.example/"), pbString(15, string(iface("one.example:50051"))), pbString(4, "http://keep.example")),
			want: func(ours func(string) string) []byte {
				return slicesConcat(pbString(3, "http://"+ours("http://main.example")+"/"), pbString(15, string(iface(ours("one.example:50051")))), pbString(4, "http://keep.example"))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set("Trailer", "Grpc-Status")
				if c.compress {
					w.Header().Set("Grpc-Encoding", "gzip")
					w.Write(grpcMessage(1, zip(string(c.card))))
				} else {
					w.Write(grpcMessage(0, c.card))
				}
				w.Header().Set("Grpc-Status", "0")
			})
			x := start(t, Options{Target: s.URL})
			hc := clientH2C(t)
			for range 3 {
				resp, err := hc.Post(x.url+c.path, "application/grpc", bytes.NewReader(grpcMessage(0, nil)))
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				want := grpcMessage(0, c.want(x.addressOf))
				if err != nil || !bytes.Equal(b, want) || resp.Trailer.Get("Grpc-Status") != "0" {
					t.Errorf("got %q (%v, trailer %v)\nwant %q", b, err, resp.Trailer, want)
				}
			}
			hc.CloseIdleConnections()
			x.end()
			for _, e := range x.rec.exchanges() {
				if n := noteOf(e, NoteCardRewritten); n == nil || !e.Complete() || len(e.Received) != 1 || !bytes.Equal(e.Received[0].V.Data, c.card) {
					t.Errorf("exchange %+v note %+v", e, n)
				}
			}
		})
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestExtendedCardOverJSONRPCOnHTTP2(t *testing.T) {
	s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"name":"x","url":"http://ext.example/rpc"}}`)
	})
	x := start(t, Options{Target: s.URL})
	c := clientH2C(t)
	for method, rewritten := range map[string]bool{"GetExtendedAgentCard": true, "GetTask": false} {
		resp, err := c.Post(x.url+"/rpc", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := at(t, string(b), "/result/url"); strings.Contains(got, "ext.example") == rewritten {
			t.Errorf("%s: %s", method, got)
		}
	}
}

func TestUpgradeToHTTP2(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		h := make([]byte, 4096)
		n, _ := c.Read(h)
		if !strings.Contains(string(h[:n]), "Host: "+c.LocalAddr().String()) {
			t.Errorf("head %q", h[:n])
		}
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
		p := newPeer(t, c)
		p.f.WriteSettings()
		p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, BlockFragment: p.block(":status", "200", "content-type", "application/json")})
		p.f.WriteData(1, true, []byte(`{"url":"http://o.example/"}`))
		b := make([]byte, len(http2.ClientPreface))
		io.ReadFull(c, b)
		for {
			f, err := p.read()
			if err != nil {
				return
			}
			if f, ok := f.(*http2.MetaHeadersFrame); ok {
				p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.StreamID, EndHeaders: true, EndStream: true,
					BlockFragment: p.block(":status", "200", "saw", f.PseudoValue("authority"))})
			}
		}
	})
	x := start(t, Options{Target: addr})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: "+x.Addr()+"\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
	expect(t, c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
	io.WriteString(c, http2.ClientPreface)
	p := newPeer(t, c)
	p.f.WriteSettings()
	if f, err := p.read(); err != nil || f.(*http2.MetaHeadersFrame).PseudoValue("status") != "200" {
		t.Fatal(f, err)
	}
	f, err := p.read()
	if err != nil {
		t.Fatal(err)
	}
	if d := string(f.(*http2.DataFrame).Data()); at(t, d, "/url") != "http://"+x.addressOf("http://o.example")+"/" {
		t.Errorf("card %s", d)
	}
	for id := uint32(3); id < 9; id += 2 {
		p.request(id, true, "/")
		f, err := p.read()
		for err == nil && f.Header().Type == http2.FrameWindowUpdate {
			f, err = p.read()
		}
		if err != nil {
			t.Fatal(err)
		}
		if m := f.(*http2.MetaHeadersFrame); m.Fields[1].Value != addr {
			t.Errorf("the agent saw %s", m.Fields[1].Value)
		}
	}
}

func TestHTTP2AgentThatIsNotThere(t *testing.T) {
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := ln.Addr().String()
	ln.Close()
	x := start(t, Options{Target: addr})
	p := handmadeClient(t, x)
	p.request(1, true, "/x")
	f, err := p.read()
	if err != nil {
		t.Fatal(err)
	}
	if g, ok := f.(*http2.GoAwayFrame); !ok || g.ErrCode != http2.ErrCodeInternal || !strings.Contains(string(g.DebugData()), addr) {
		t.Errorf("frame %v", f)
	}
	p.c.Close()
	x.end()
	// The refusal may be faster than the request: then there was none.
	if xs := x.rec.exchanges(); len(xs) > 1 || len(xs) == 1 && (xs[0].End == nil || xs[0].End.Kind != capture.EndUnreachable) {
		t.Errorf("%+v", xs)
	}
	if h := x.State().Hints; len(h) != 1 || h[0].Code != HintUnreachable {
		t.Errorf("hints %+v", h)
	}
}

func TestMalformedHTTP2PassesAsItIs(t *testing.T) {
	for name, frames := range map[string][]byte{
		"continuation alone": appendFrame(nil, frameContinuation, 4, 1, 3),
		"bad hpack":          append(appendFrame(nil, frameHeaders, 5, 1, 3), 0xff, 0xff, 0xff),
		"interleaved":        append(appendFrame(nil, frameHeaders, 0, 1, 1), append([]byte{0x82}, appendFrame(nil, frameData, 0, 1, 0)...)...),
		"padding":            append(appendFrame(nil, frameHeaders, flagPadded, 1, 1), 9),
		"too large":          append(appendFrame(nil, frameHeaders, 0, 1, 1<<20), make([]byte, 1<<20)...),
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan []byte, 1)
			addr := rawAgent(t, func(c *net.TCPConn) {
				b, _ := io.ReadAll(c)
				got <- b
			})
			x := start(t, Options{Target: addr})
			c := dialRaw(t, x.Addr())
			in := append([]byte(clientHi), frames...)
			in = append(in, "whatever follows"...)
			c.Write(in)
			c.CloseWrite()
			if b := <-got; !bytes.Equal(b, in) {
				t.Errorf("the agent got %d bytes, want %d: %.100q", len(b), len(in), b)
			}
		})
	}
}

// TestRoomThatComesAtOnceIsNotMissed: the window may grow between the frame that
// did not fit and whoever asks whether it waits.
func TestRoomThatComesAtOnceIsNotMissed(t *testing.T) {
	for name, cut := range map[string]int{"head in one piece": 0, "head in two": 4} {
		t.Run(name, func(t *testing.T) {
			p, at := bare(t, "http://agent.example:9999")
			client, agent := deadLegs()
			h := &hop{p: p, client: client, agent: agent, tap: p.openedQuietly(), moved: make(chan struct{}, 1)}
			_, down := newFrames(p, h, at, dest{origin: at.origin, from: at})
			down.shared.debt.Store(10)
			down.shared.window.Store(5)
			frame := append(appendFrame(nil, frameData, 0, 1, 20), make([]byte, 20)...)
			in := append(append([]byte(nil), frame...), appendFrame(nil, frameSettings, flagAck, 0, 0)...)
			if out := append(append([]byte(nil), down.pass(in[:cut])...), down.pass(in[cut:])...); len(out) > 0 || !down.waits() {
				t.Fatalf("%x passes, waits: %v", out, down.waits())
			}
			if out := down.pass(nil); len(out) > 0 || !down.waits() {
				t.Fatalf("without room %x passes, waits: %v", out, down.waits())
			}
			down.shared.window.Add(100)
			if !down.waits() {
				t.Fatal("nobody is told that there is a rest")
			}
			if out := down.pass(nil); !bytes.Equal(out, in) || down.waits() {
				t.Errorf("%x passes, want %x; waits: %v", out, in, down.waits())
			}
		})
	}
}
