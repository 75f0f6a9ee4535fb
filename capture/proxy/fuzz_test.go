package proxy

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"a2ascope/internal/jsontree"
)

// bare is a tap whose passers can be run without connections.
func bare(t testing.TB, target string) (*Proxy, *listener) {
	p, err := Listen(Options{Target: target, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.stopping.Store(true) // opens no more ports
		p.Close()
	})
	p.stopping.Store(true)
	return p, p.main
}

// cuts calls f with pieces of b; the same seed gives the same pieces.
func cuts(b []byte, seed uint64, f func([]byte)) {
	r := rand.New(rand.NewPCG(seed, 1))
	for len(b) > 0 {
		n := 1 + r.IntN(min(len(b), 40))
		if seed == 0 {
			n = len(b)
		}
		f(bytes.Clone(b[:n]))
		b = b[n:]
	}
}

var fuzzRequests = []string{
	"GET / HTTP/1.1\r\nHost: h\r\n\r\nPOST /x HTTP/1.1\r\nHost: TAP\r\nContent-Length: 5\r\n\r\nhelloGET /.well-known/agent-card.json HTTP/1.1\r\nHost: TAP\r\nAccept-Encoding: br\r\nIf-None-Match: \"a\"\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: TAP\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: v\r\n\r\nGET / HTTP/1.1\r\nHost: TAP\r\n\r\n",
	"\r\n\nGET / HTTP/1.0\nHost: TAP\n\nrest",
	"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
	"CONNECT a:1 HTTP/1.1\r\n\r\n", "\x16\x03\x01", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}

// FuzzRequests: whatever a client sends, the agent gets every byte of it, once,
// in order, however it is cut; the only other bytes are the edits of lines that
// name the tap or ask for a card.
func FuzzRequests(f *testing.F) {
	for _, s := range fuzzRequests {
		f.Add([]byte(s), uint64(7))
	}
	p, at := bare(f, "http://agent.example:9999")
	to := dest{origin: at.origin, from: at}
	p.opt.NoCardRewrite = false
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		in = bytes.ReplaceAll(in, []byte("TAP"), []byte(at.addr.String()))
		run := func(seed uint64) (string, string) {
			r := &requests{p: p, at: at, to: to, pair: newPairing()}
			var out bytes.Buffer
			cuts(in, seed, func(b []byte) {
				if r.away {
					r.rest = append(r.rest, b...)
					return
				}
				out.Write(r.pass(b))
			})
			if !r.away {
				out.Write(r.end())
			}
			return out.String(), string(r.rest)
		}
		whole, rest := run(0)
		if cut, cutRest := run(seed | 1); cut != whole || cutRest != rest {
			t.Fatalf("cut %q + %q\nwhole %q + %q", cut, cutRest, whole, rest)
		}
		if !bytes.Contains(in, []byte(at.addr.String())) && !bytes.Contains(bytes.ToLower(in), []byte("card")) &&
			!bytes.Contains(bytes.ToLower(in), []byte("agent")) && !bytes.Contains(in, []byte("://")) && !bytes.Contains(in, []byte(":"+strings.Split(at.addr.String(), ":")[1])) {
			if whole+rest != string(in) {
				t.Fatalf("%q\nbecame\n%q + %q", in, whole, rest)
			}
		}
	})
}

// FuzzAnswers: an answer that is no card passes byte for byte, however it is cut.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 100 C\r\n\r\nHTTP/1.1 204 N\r\n\r\nHTTP/1.1 304 N\r\nETag: \"x\"\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.0 200 OK\n\nuntil the end",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{\"url\":\"http://o.example:80/\"} ",
		"HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\n\x00raw", "HTTP/2 200\r\n\r\n", "rubbish",
	} {
		f.Add([]byte(s), uint64(3), byte(0))
		f.Add([]byte(s), uint64(3), byte(1))
	}
	p, at := bare(f, "http://agent.example:9999")
	f.Fuzz(func(t *testing.T, in []byte, seed uint64, kind byte) {
		if bytes.Contains(bytes.ToLower(in), []byte("h2c")) {
			return // goes on as HTTP/2: FuzzFrames
		}
		run := func(seed uint64) string {
			pair := newPairing()
			for i := range 8 {
				a := asked{toHEAD: i == 6, base: "127.0.0.1"}
				if kind&1 == 1 {
					a.card = cardKind(int(kind>>1)+i) % (grpcCard + 1)
				}
				pair.push(a)
			}
			h := &hop{p: p, tap: p.openedQuietly()}
			a := &answers{p: p, hop: h, at: at, pair: pair, to: dest{origin: at.origin, from: at}}
			var out bytes.Buffer
			cuts(in, seed, func(b []byte) { out.Write(a.pass(b)) })
			out.Write(a.end())
			return out.String()
		}
		whole := run(0)
		if cut := run(seed | 1); cut != whole {
			t.Fatalf("cut %q\nwhole %q", cut, whole)
		}
		// Nothing can be mapped here but the target, so everything else passes as it is.
		if !bytes.Contains(in, []byte("agent.example")) && !bytes.Contains(bytes.ToLower(in), []byte("etag")) && whole != string(in) {
			t.Fatalf("%q\nbecame\n%q", in, whole)
		}
	})
}

// openedQuietly is a tap nobody reads.
func (p *Proxy) openedQuietly() *tap { return &tap{lane: p.queue.Lane(1), now: time.Now} }

// FuzzFrames: the frames of a client arrive with the same meaning however they
// are cut, and byte for byte where no header block had to be changed.
func FuzzFrames(f *testing.F) {
	var b bytes.Buffer
	fr := http2.NewFramer(&b, nil)
	b.WriteString(clientHi)
	fr.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 8192})
	var hb bytes.Buffer
	e := hpack.NewEncoder(&hb)
	for _, kv := range [][2]string{{":method", "POST"}, {":path", "/a2a.v1.A2AService/GetAgentCard"}, {":authority", "x"}, {"te", "trailers"}} {
		e.WriteField(hpack.HeaderField{Name: kv[0], Value: kv[1]})
	}
	fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: hb.Bytes(), EndHeaders: true})
	fr.WriteDataPadded(1, true, []byte("abc"), make([]byte, 9))
	fr.WriteWindowUpdate(0, 9)
	fr.WriteRSTStream(1, 8)
	f.Add(b.Bytes(), uint64(5), true)
	f.Add(b.Bytes()[len(clientHi):], uint64(5), false)
	p, at := bare(f, "http://agent.example:9999")
	f.Fuzz(func(t *testing.T, in []byte, seed uint64, up bool) {
		run := func(seed uint64) (string, bool) {
			c1, c2 := deadLegs()
			h := &hop{p: p, client: c1, agent: c2, tap: p.openedQuietly()}
			u, d := newFrames(p, h, at, dest{origin: at.origin, from: at})
			w := u
			if !up {
				w = d
			}
			var out bytes.Buffer
			cuts(in, seed, func(b []byte) { out.Write(w.pass(b)) })
			out.Write(w.end())
			return out.String(), w.editing
		}
		whole, edited := run(0)
		if cut, _ := run(seed | 1); cut != whole {
			t.Fatalf("cut %q\nwhole %q", cut, whole)
		}
		if !edited && whole != string(in) {
			t.Fatalf("%q\nbecame\n%q", in, whole)
		}
	})
}

// deadLegs are connections nothing can be written to.
func deadLegs() (a, b *leg) {
	return &leg{Conn: deadConn{}}, &leg{Conn: deadConn{}}
}

type deadConn struct{ net.Conn }

func (deadConn) Write(b []byte) (int, error) { return len(b), nil }
func (deadConn) Read([]byte) (int, error)    { return 0, io.EOF }

// FuzzCard: a rewritten card is the same JSON but for its addresses, none of
// which leads past the tap; what is no JSON stays as it is.
func FuzzCard(f *testing.F) {
	f.Add([]byte(blended), false)
	f.Add([]byte(`{"url":"http://a.example","url":"b:1","signatures":[1],"signatures":[2]}`), true)
	f.Add([]byte(`{"supportedInterfaces":[{"url":"grpc:\/\/a:1"},1,null]}`), true)
	f.Add([]byte("\xef\xbb\xbf{\"url\":\"http://\\u0061.example\"}"), false)
	f.Fuzz(func(t *testing.T, in []byte, strip bool) {
		doc := jsontree.Parse(in)
		if doc.Err != nil || !doc.Root().IsObject() {
			return
		}
		to := func(old string) (string, string) {
			a, ok := cutAddress(old)
			if !ok {
				return "", "no"
			}
			return a.before + "tap:1" + a.behind, ""
		}
		got := cardPlaces(doc.Root(), to, strip)
		at := 0
		for _, e := range got.edits {
			if e.from < at || e.to < e.from || e.to > len(in) {
				t.Fatalf("edits overlap: %+v", got.edits)
			}
			at = e.to
		}
		out := apply(nil, in, got.edits)
		after := jsontree.Parse(out)
		if after.Err != nil {
			t.Fatalf("%s\nbecame no JSON (%v)\n%s", in, after.Err, out)
		}
		again := cardPlaces(after.Root(), to, strip)
		if len(again.changed) != 0 {
			t.Fatalf("still to change: %v in %s", again.changed, out)
		}
		if strip && after.Root().Get("signatures").Len() > 0 {
			t.Fatalf("signatures are left: %s", out)
		}
		n := 0
		for range doc.Root().Children() {
			n++
		}
		if m := after.Root().Len(); m > n || !strip && m != n {
			t.Fatalf("%d members became %d", n, m)
		}
	})
}

// FuzzProto: the protobuf form, the same way.
func FuzzProto(f *testing.F) {
	f.Add(appendString(appendString(nil, 3, appendString(nil, 1, []byte("a:1"))), 13, []byte("s")), "/lf.a2a.v1.A2AService/GetExtendedAgentCard", true)
	f.Add(appendString(nil, 3, []byte("http://a.example")), "/a2a.v1.A2AService/GetAgentCard", false)
	f.Fuzz(func(t *testing.T, in []byte, path string, strip bool) {
		to := func(old string) (string, string) {
			if old == "tap:1" {
				return "", ""
			}
			return "tap:1", ""
		}
		var got places
		out, ok := rewriteProto(in, protoTable(path), to, strip, &got)
		if !ok || out == nil {
			return
		}
		var again places
		if more, ok := rewriteProto(out, protoTable(path), to, strip, &again); !ok || more != nil {
			t.Fatalf("%x became %x, which is not settled", in, out)
		}
		// The same through gRPC framing.
		framed, _, err := rewriteGRPC(grpcMessage(0, in), "", protoTable(path), to, strip)
		if err != nil || !bytes.Equal(framed, grpcMessage(0, out)) {
			t.Fatalf("framed: %x %v", framed, err)
		}
	})
}
