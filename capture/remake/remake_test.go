package remake

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/capture/wire"
	"a2ascope/decode/schema"
)

// gather keeps the chunks of a source.
type gather struct{ chunks []capture.Chunk }

func (g *gather) Chunks(cs []capture.Chunk) error {
	g.chunks = append(g.chunks, cs...)
	return nil
}
func (g *gather) Events([]capture.Event) error { return nil }
func (g *gather) Progress(capture.Progress)    {}

func play(t testing.TB, name, text string) []capture.Chunk {
	t.Helper()
	p, err := script.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g := &gather{}
	if _, err := p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}).Run(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g.chunks
}

// again reads chunks and makes them anew, one after the other.
func again(cs []capture.Chunk) []capture.Chunk {
	m := New()
	conns := wire.Conns{}
	var out []capture.Chunk
	for i := range cs {
		for _, e := range conns.Feed(&cs[i], nil) {
			m.Event(&e)
		}
		if cs[i].Kind == capture.Closed {
			m.Close(cs[i].Conn, &cs[i])
		}
		out = append(out, m.Take()...)
	}
	return out
}

// dump tells what was read of chunks, without what may be made up.
func dump(cs []capture.Chunk) string {
	var b strings.Builder
	conns := wire.Conns{}
	for i := range cs {
		for _, e := range conns.Feed(&cs[i], nil) {
			if e.Exchange == 0 {
				continue
			}
			fmt.Fprintf(&b, "%d %s ", e.Exchange, e.From)
			switch v := e.Body.(type) {
			case *capture.Head:
				fields := v.Fields
				if _, coded := fields.Lookup("content-encoding"); coded { // of another length when it is stored
					fields = slices.DeleteFunc(slices.Clone(fields), func(f capture.Field) bool { return f.Name == "Content-Length" })
				}
				fmt.Fprintf(&b, "head %s %s %s %d %s %v\n", v.Method, v.Authority, v.Target, v.Status, v.Proto, fields)
			case *capture.Frame:
				fmt.Fprintf(&b, "frame %d %s %q event %q id %q coding %q lost %d\n", v.Seq, v.Form, v.Data, v.Event, v.ID, v.Coding, v.Lost)
			case *capture.Trailer:
				fmt.Fprintf(&b, "trailer %v %v\n", v.Fields, v.Only)
			case *capture.BodyEnd:
				b.WriteString("body end\n")
			case *capture.Breach:
				fmt.Fprintf(&b, "breach %s\n", v.Code)
			case *capture.End:
				fmt.Fprintf(&b, "end %s %d %s\n", v.Kind, v.Code, v.Text)
			default:
				fmt.Fprintf(&b, "%T\n", v)
			}
		}
	}
	return b.String()
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %.300s\nwant %.300s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(g), len(w))
}

// TestLessons: what is read of chunks that were made again is what was read.
func TestLessons(t *testing.T) {
	names, err := filepath.Glob("../../samples/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no lessons", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			if !strings.HasSuffix(f.Name, ".play") {
				continue
			}
			cs := play(t, name, string(f.Data))
			if got, want := dump(again(cs)), dump(cs); got != want {
				t.Errorf("%s: %s", filepath.Base(name), firstDifference(got, want))
			}
		}
	}
}

// kinds are conversations with everything that a message may be.
var kinds = map[string]string{
	"lengths":     "> POST /a\n> Host: h\n>\n> {\"a\":1}\n< 200\n< Content-Type: application/json\n<\n< {\"b\":2}\n\n> GET /b\n>\n< 404\n<\n< no\n\n> HEAD /c\n>\n< 200\n< Content-Length: 7\n<\n\n> DELETE /d\n>\n< 204\n<\n",
	"until close": "> GET /\n>\n< 200\n< Connection: close\n< Content-Type: text/event-stream\n<\n< data: 1\n<\n+ 5ms\n< data: 2\n<\n! close server\n",
	"stream":      "> POST /\n>\n> {}\n< 200\n< Content-Type: text/event-stream\n<\n< : hello\n<\n< event: e\n< id: 7\n< data: a\n< data: b\n<\n+ 3ms\n< data: {\"c\":1}\n<\n",
	"cut":         "> POST /\n>\n> {}\n< 200\n< Content-Type: text/event-stream\n<\n< data: 1\n<\n! reset server\n",
	"gzip":        "> POST /\n>\n> {}\n< 200\n< Content-Encoding: gzip\n< Content-Type: application/json\n<\n< {\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaa\"}\n",
	"grpc":        "> grpc /lf.a2a.v1.A2AService/GetTask\n> a2a-version: 1.0\n> {\"id\":\"t\"}\n< {\"id\":\"t\",\"contextId\":\"c\"}\n< status 0\n\n> grpc /lf.a2a.v1.A2AService/GetTask\n> {\"id\":\"u\"}\n< status 5 none\n\n",
}

func TestKinds(t *testing.T) {
	for name, text := range kinds {
		cs := play(t, name, text)
		first := again(cs)
		if got, want := dump(first), dump(cs); got != want {
			t.Errorf("%s: %s", name, firstDifference(got, want))
		}
		second := again(first)
		if got, want := fmt.Sprint(bytesOf(second)), fmt.Sprint(bytesOf(first)); got != want {
			t.Errorf("%s: made once more it differs: %s", name, firstDifference(got, want))
		}
	}
}

func bytesOf(cs []capture.Chunk) (out []string) {
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%d %s %s %d %q %s\n", c.Conn, c.From, c.Kind, c.Lost, c.Data, c.Err))
	}
	return out
}

// TestExpected: with the whole exchange known, a head that names a length comes
// at its time, and the length is that of the body as it is written.
func TestExpected(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(1700000000000 + ms)) }
	head := &capture.Head{Proto: "HTTP/1.1", Status: 200, Fields: capture.Fields{{Name: "Content-Length", Value: "99"}, {Name: "Content-Encoding", Value: "br, zstd"}}}
	x := &capture.Exchange{ID: 1 << 24, Conn: 1, Started: at(0), Answered: at(1), Request: &capture.Head{Proto: "HTTP/1.1", Method: "GET", Target: "/a b", Authority: "h"},
		Response: head, ReceivedDone: true, SentDone: true,
		Received: []capture.Timed[*capture.Frame]{{At: at(2), V: &capture.Frame{Form: capture.WholeBody, Data: []byte("hello"), Size: 5, Coding: "br, zstd"}}}}
	m := New()
	m.Expect(x)
	put := func(from capture.Side, ms int, b capture.EventBody) []capture.Chunk {
		m.Event(&capture.Event{Exchange: x.ID, Conn: 1, At: at(ms), From: from, Body: b})
		return m.Take()
	}
	all := put(capture.Client, 0, x.Request)
	all = append(all, put(capture.Client, 0, &capture.BodyEnd{})...)
	early := put(capture.Server, 1, head)
	if len(early) != 1 || !strings.HasPrefix(string(early[0].Data), "HTTP/1.1 200") {
		t.Fatalf("the head is not there: %v", bytesOf(early))
	}
	all = append(append(all, early...), put(capture.Server, 2, x.Received[0].V)...)
	all = append(all, put(capture.Server, 2, &capture.BodyEnd{})...)
	text := dump(all)
	for _, want := range []string{"GET h /a+b", `frame 0 body "hello" event "" id "" coding "br, zstd"`, "end done"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestStored: every coding is removed again, whatever pieces it was written in.
func TestStored(t *testing.T) {
	big := []byte(strings.Repeat("0123456789abcdef", 20000))
	for _, list := range []string{"gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate"} {
		for _, parts := range [][][]byte{{}, {[]byte("a")}, {[]byte("a"), []byte("bc"), big}, {big, []byte("x")}} {
			k := coderOf(codingsOf([]string{list}))
			var coded, want []byte
			for _, p := range parts {
				coded = append(coded, k.write(p)...)
				want = append(want, p...)
			}
			coded = append(coded, k.end()...)
			units := wire.Units(capture.Server, &capture.Head{Fields: capture.Fields{{Name: "content-encoding", Value: list}}}, coded)
			got := []byte(nil)
			for _, u := range units {
				switch v := u.(type) {
				case *capture.Frame:
					got = append(got, v.Data...)
				case *capture.Breach:
					t.Errorf("%s, %d parts: %s", list, len(parts), v.Text)
				}
			}
			if string(got) != string(want) {
				t.Errorf("%s, %d parts: %d bytes instead of %d", list, len(parts), len(got), len(want))
			}
		}
	}
	if coderOf([]string{"unheard-of"}) != nil {
		t.Error("a coding nobody knows")
	}
}

// FuzzMaker: whatever two sides say, what is made of it can be made again.
func FuzzMaker(f *testing.F) {
	for _, text := range kinds {
		var sides [2][]byte
		for _, c := range play(f, "seed", text) {
			sides[c.From] = append(sides[c.From], c.Data...)
		}
		f.Add(sides[0], sides[1], uint16(3), uint16(5))
	}
	f.Add([]byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), uint16(2), uint16(9))
	f.Fuzz(func(t *testing.T, client, server []byte, cut, lost uint16) {
		n := min(int(cut), len(server))
		cs := []capture.Chunk{{Kind: capture.Opened, Link: &capture.Link{}}, {Kind: capture.Bytes, Data: client},
			{Kind: capture.Bytes, From: capture.Server, Data: server[:n]}, {Kind: capture.Gap, From: capture.Server, Lost: int64(int16(lost))},
			{Kind: capture.Bytes, From: capture.Server, Data: server[n:]}, {Kind: capture.Closed, From: capture.Server}}
		if int16(lost) < 0 {
			cs[3].Lost = -1
		}
		for i := range cs {
			cs[i].Conn, cs[i].Seq, cs[i].At = 1, uint64(i+1), time.UnixMilli(int64(i))
		}
		first := again(cs)
		size := 0
		for _, c := range first {
			size += len(c.Data)
		}
		if most := 8*(len(client)+len(server)) + 1<<16; size > most {
			t.Fatalf("%d bytes made of %d", size, len(client)+len(server))
		}
		again(first)
	})
}
