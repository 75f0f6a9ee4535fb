package wire

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"a2ascope/capture"
)

// peak feeds pieces and returns how much the heap grew at its highest, and all events.
func peak(c *Conn, pieces func(yield func(capture.Chunk) bool)) (int64, []capture.Event) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most int64
	var out []capture.Event
	n := 0
	pieces(func(ch capture.Chunk) bool {
		out = c.Feed(&ch, out)
		if n++; n%50 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, int64(now.HeapAlloc)-int64(before.HeapAlloc))
		}
		return true
	})
	return most, out
}

func repeat(first string, piece []byte, total int) func(yield func(capture.Chunk) bool) {
	return func(yield func(capture.Chunk) bool) {
		yield(cl(get))
		yield(sv(first))
		for sent := 0; sent < total; sent += len(piece) {
			yield(capture.Chunk{Kind: capture.Bytes, From: capture.Server, Data: bytes.Clone(piece)})
		}
		yield(bye(""))
	}
}

func codesOf(es []capture.Event) string {
	var s []string
	for _, e := range es {
		if b, ok := e.Body.(*capture.Breach); ok {
			s = append(s, b.Code)
		}
	}
	return strings.Join(s, " ")
}

// TestHostile checks that what a peer sends costs no more memory than the limits say.
func TestHostile(t *testing.T) {
	lim := Limits{Body: 1 << 20, Event: 1 << 20, Message: 1 << 20, Held: 2 << 20, Inflate: 4 << 20, Head: 64 << 10, Control: 64 << 10}
	text := bytes.Repeat([]byte("x"), 64<<10)
	const total = 24 << 20
	cases := []struct {
		name   string
		pieces func(yield func(capture.Chunk) bool)
		code   string
	}{
		{"a declared body of 10 GB", repeat("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", text, total), "too-large"},
		{"one event without end", repeat(sseHead+"data: ", text, total), "too-large"},
		{"one line without end", repeat(sseHead, text, total), ""},
		{"a message of 4 GB", repeat("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\n\r\n\x00\xff\xff\xff\xff", text, total), "grpc-malformed"},
		{"a head without end", repeat("HTTP/1.1 200 OK\r\n", bytes.Repeat([]byte("A: b\r\n"), 10000), total), "head-malformed too-large"},
		{"a line without end", repeat("HTTP/1.1 200 OK", text, total), "too-large"},
		{"a trailer without end", repeat("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", bytes.Repeat([]byte("A: b\r\n"), 10000), total), "too-large"},
		{"a chunk size without end", repeat("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", bytes.Repeat([]byte("0"), 64<<10), total), "chunk-malformed"},
		{"responses nobody asked for", repeat(ok, bytes.Repeat([]byte("HTTP/1.1 100 Continue\r\n\r\n"), 1000), 1<<20), ""},
	}
	for _, k := range cases {
		t.Run(strings.ReplaceAll(k.name, " ", "-"), func(t *testing.T) {
			most, es := peak(NewConnLimits(1, lim), k.pieces)
			// Events that are out belong to the test: do not count what they hold.
			if grown := most; grown > 12<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			checkRules(t, es)
			if k.code != "" && !strings.HasPrefix(codesOf(es), k.code) {
				t.Errorf("breaches %q, want %q", codesOf(es), k.code)
			}
		})
	}
}

func bomb(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	zero := make([]byte, 1<<20)
	for range n {
		_, _ = w.Write(zero)
	}
	_ = w.Close()
	return b.Bytes()
}

func TestBombs(t *testing.T) {
	lim := Limits{Body: 1 << 20, Message: 1 << 20, Event: 1 << 20, Inflate: 2 << 20}
	b := bomb(64)
	bodies := map[string]string{
		"whole":  resp("Content-Encoding: gzip", string(b)),
		"twice":  resp("Content-Encoding: gzip, gzip", pack("gzip", string(b))),
		"events": resp("Content-Type: text/event-stream\r\nContent-Encoding: gzip", string(b)),
		"grpc":   resp("Content-Type: application/grpc\r\ngrpc-encoding: gzip", msg(1, string(b))),
		"zstd":   resp("Content-Encoding: zstd", pack("zstd", string(make([]byte, 64<<20)))),
	}
	for name, body := range bodies {
		c := NewConnLimits(1, lim)
		most, es := peak(c, func(yield func(capture.Chunk) bool) {
			yield(cl(get))
			for i := 0; i < len(body); i += 4096 {
				yield(sv(body[i:min(i+4096, len(body))]))
			}
			yield(bye(""))
		})
		if most > 24<<20 {
			t.Errorf("%s: the heap grew by %d MiB", name, most>>20)
		}
		if !strings.Contains(codesOf(es), capture.BreachTooLarge) {
			t.Errorf("%s: breaches %q", name, codesOf(es))
		}
		checkRules(t, es)
		if c.held != 0 {
			t.Errorf("%s: %d bytes are still counted as held", name, c.held)
		}
	}
}

func TestHostileHTTP2(t *testing.T) {
	lim := Limits{Head: 64 << 10, Control: 64 << 10, Streams: 100, Body: 1 << 20, Held: 2 << 20}
	frame := func(kind, flags byte, id uint32, p []byte) []byte {
		h := []byte{byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p)), kind, flags}
		return append(binary.BigEndian.AppendUint32(h, id), p...)
	}
	c := newH2Side()
	block := c.block(":method=POST", ":scheme=http", ":path=/p", ":authority=h")
	begin := capture.Chunk{Kind: capture.Bytes, Data: append([]byte(preface), newH2Side().settings().take()...)}
	literal := append([]byte{0x40, 10}, "0123456789\x7f\x80\x70"...)
	literal = append(literal, bytes.Repeat([]byte("v"), 127+14336)...)
	cases := map[string]func(i int) []byte{
		"continuations": func(i int) []byte {
			if i == 0 {
				return frame(frameHeaders, 0, 1, block)
			}
			return frame(frameContinuation, 0, 1, bytes.Repeat([]byte{0x00}, 16000))
		},
		"streams": func(i int) []byte { return frame(frameHeaders, flagEndHeaders, uint32(2*i+1), block) },
		"streams with data": func(i int) []byte {
			id := uint32(2*i + 1)
			return append(frame(frameHeaders, flagEndHeaders, id, block), frame(frameData, 0, id, make([]byte, 16000))...)
		},
		"table": func(i int) []byte {
			return frame(frameHeaders, flagEndHeaders|flagEndStream, uint32(2*i+1), append(append([]byte{0x3f, 0xe1, 0xff, 0xff, 0x7f}, block...), literal...))
		},
		"size updates": func(i int) []byte {
			return frame(frameHeaders, flagEndHeaders, 1, bytes.Repeat([]byte{0x20, 0x3f, 0xe1, 0x1f}, 4000))
		},
		"frame of 16 MB": func(i int) []byte {
			if i == 0 {
				return []byte{0xff, 0xff, 0xff, frameHeaders, 0, 0, 0, 0, 1}
			}
			return make([]byte, 16000)
		},
	}
	for name, next := range cases {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			cn := NewConnLimits(1, lim)
			var events int
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			cn.Feed(&begin, nil)
			for i := range 1500 {
				ch := capture.Chunk{Kind: capture.Bytes, Data: next(i)}
				events += len(cn.Feed(&ch, nil))
			}
			runtime.GC()
			runtime.ReadMemStats(&now)
			if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
				t.Errorf("the connection holds %d KiB", grown>>10)
			}
			end := bye("")
			cn.Feed(&end, nil)
			if cn.held != 0 {
				t.Errorf("%d bytes are still counted as held", cn.held)
			}
			runtime.KeepAlive(cn)
		})
	}
}

// TestManyFields: a million fields are one head with a breach.
func TestManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString("GET /a HTTP/1.1\r\n")
	for i := range 1000000 {
		fmt.Fprintf(&b, "f%d: x\r\n", i)
	}
	b.WriteString("\r\n")
	tk := talk{cl(b.String() + get2), sv(ok + ok2), bye("")}
	es := play(tk)
	h := es[0].Body.(*capture.Head)
	if len(h.Fields) != maxFields || len(h.Raw) != maxHead || codesOf(es) != "head-malformed too-large" {
		t.Errorf("%d fields, %d bytes, %s", len(h.Fields), len(h.Raw), codesOf(es))
	}
	if n := len(es); es[n-1].Exchange != capture.NewExchangeID(1, 2) || es[n-1].Body.(*capture.End).Kind != capture.EndDone {
		t.Errorf("the next request was not found:\n%s", dump(es, false))
	}
	if got := dump(play(shred(tk, 1000)), true); got != dump(es, true) {
		t.Error("cut into thousands it reads differently")
	}
}

// TestBudgetReturns: after everything ended nothing is counted as held.
func TestBudgetReturns(t *testing.T) {
	books := [][]aTalk{http1Book, http1Gaps, sseBook, grpcBook, http2Talks(), connBook()}
	for _, book := range books {
		for _, r := range book {
			if r.talk[len(r.talk)-1].Kind != capture.Closed {
				continue
			}
			budgetReturns(t, r.name, r.talk)
		}
	}
	text := strings.Repeat("data: some event\n\n", 20)
	for _, codings := range [][]string{{"gzip"}, {"br"}, {"zstd"}, {"zstd", "gzip"}, {"gzip", "zstd"}, {"br", "zstd"}} {
		body := text
		for _, c := range codings {
			body = pack(c, body)
		}
		head := "HTTP/1.1 200 OK\r\nContent-Encoding: " + strings.Join(codings, ", ") + "\r\n"
		for _, kind := range []string{"", "Content-Type: text/event-stream\r\n"} {
			for n := range body {
				broken := body[:n] + "\xff" + body[n+1:]
				name := fmt.Sprintf("%v, %q, byte %d", codings, kind, n)
				budgetReturns(t, name+" is the last", talk{cl(get), sv(head + kind + "\r\n" + body[:n]), bye("")})
				budgetReturns(t, name+" is wrong", talk{cl(get), sv(head + kind + "\r\n" + broken), bye("")})
			}
		}
	}
}

func budgetReturns(t *testing.T, name string, tk talk) {
	t.Helper()
	c := NewConn(1)
	feedAll(c, shred(tk, 3))
	if c.held != 0 {
		t.Errorf("%s: %d bytes are still counted as held", name, c.held)
	}
}
