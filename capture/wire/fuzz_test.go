package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"testing"

	"a2ascope/capture"
)

// fuzzLimits are small, so that the limits are reached.
var fuzzLimits = Limits{
	Head: 600, Fields: 12, Body: 400, Event: 200, Message: 200, Loose: 100, Held: 1500,
	Inflate: 3000, Waiting: 4, Streams: 4, Control: 300, Hold: 100, Table: 4096,
}

// chop turns fuzz input into a talk: a byte says who speaks and how much
// follows, or that something happened to the connection.
func chop(b []byte) talk {
	var t talk
	for len(b) > 0 {
		op := b[0]
		b = b[1:]
		side := capture.Side(op & 1)
		switch {
		case op >= 250:
			t = append(t, gapOf(side, int64(op-251)*7-1))
		case op >= 248:
			t = append(t, fin(side))
		case op == 247:
			t = append(t, secure(capture.Link{TLS: "yes"}))
		default:
			n := min(int(op>>1)*3+1, len(b))
			t = append(t, capture.Chunk{Kind: capture.Bytes, From: side, Data: b[:n:n]})
			b = b[n:]
		}
	}
	return t
}

// unchop is the inverse of chop for a talk written by hand.
func unchop(t talk) []byte {
	var b []byte
	for _, ch := range t {
		switch ch.Kind {
		case capture.Bytes:
			for d := ch.Data; len(d) > 0; {
				k := (min(len(d), 121*3+1) - 1) / 3
				n := k*3 + 1
				b = append(append(b, byte(k<<1)|byte(ch.From)), d[:n]...)
				d = d[n:]
			}
		case capture.HalfClosed:
			b = append(b, 248|byte(ch.From))
		case capture.Gap:
			b = append(b, 252|byte(ch.From))
		}
	}
	return b
}

// checkTalk reads a talk three times, cut differently, and compares.
func checkTalk(t *testing.T, tk talk) {
	t.Helper()
	for _, lim := range []Limits{{}, fuzzLimits} {
		for _, last := range []string{"", "capture ended"} {
			full := append(append(talk{}, tk...), bye(last))
			c := NewConnLimits(1, lim)
			es := feedAll(c, full)
			checkRules(t, es)
			if c.held != 0 {
				t.Fatalf("%d bytes are still counted as held", c.held)
			}
			want := dump(es, true)
			for _, n := range []int{1, 5} {
				if got := dump(feedAll(NewConnLimits(1, lim), shred(full, n)), true); got != want {
					t.Fatalf("cut into pieces of %d: %s\nuncut:\n%s", n, diffHint(got, want), want)
				}
			}
		}
	}
}

func FuzzHTTP1(f *testing.F) {
	for _, book := range [][]aTalk{http1Book, http1Gaps, connBook()} {
		for _, r := range book {
			f.Add(unchop(r.talk))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkTalk(t, chop(b)) })
}

func FuzzHTTP2(f *testing.F) {
	for _, r := range http2Talks() {
		f.Add(unchop(r.talk))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tk := chop(b)
		checkTalk(t, tk)
		// Most of what is tried has no preface: also try it with one.
		checkTalk(t, append(talk{cl(preface)}, tk...))
	})
}

func FuzzHPACK(f *testing.F) {
	s := newH2Side()
	f.Add(s.block(":method=GET", "a=1", "b=2"), s.block("a=1", "b=2", "c=3"), true)
	f.Add([]byte{0x82, 0xbe, 0xff, 0xff, 0x01}, []byte{0x20, 0x40, 0x81, 0xff}, false)
	f.Fuzz(func(t *testing.T, a, b []byte, before bool) {
		d := newHPACK(4096)
		if before {
			d.begunBefore()
		}
		for range 3 {
			for _, block := range [][]byte{a, b} {
				if fs := d.decode(block, 50, &faults{}); len(fs) > 50 {
					t.Fatalf("%d fields", len(fs))
				}
				if d.size > d.max {
					t.Fatalf("the table holds %d of %d bytes", d.size, d.max)
				}
			}
			d.forget()
		}
	})
}

// fuzzBody reads b as the body of a response.
func fuzzBody(t *testing.T, head string, b []byte) {
	checkTalk(t, talk{cl(get), sv("HTTP/1.1 200 OK\r\n" + head + "\r\n"), {Kind: capture.Bytes, From: capture.Server, Data: b}, fin(capture.Server)})
}

func FuzzSSE(f *testing.F) {
	for _, r := range sseBook {
		f.Add([]byte(r.talk[1].Data[len(sseHead):]), false)
	}
	f.Add([]byte(pack("gzip", "data: 1\n\n", "data: 2\n\n")), true)
	f.Fuzz(func(t *testing.T, b []byte, coded bool) {
		head := "Content-Type: text/event-stream\r\n"
		if coded {
			head += "Content-Encoding: gzip\r\n"
		}
		fuzzBody(t, head, b)
	})
}

func FuzzGRPC(f *testing.F) {
	f.Add([]byte(msg(0, "abc")+msg(1, pack("gzip", "hello"))), byte(0))
	f.Add([]byte(msg(0, "abc")+msg(0x80, "grpc-status: 0\r\n")), byte(1))
	f.Add([]byte("AAAAAANhYmM=gAAAAA=="), byte(2))
	f.Add([]byte("\x00\xff\xff\xff\xff...."), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, kind byte) {
		types := [...]string{"application/grpc", "application/grpc-web+proto", "application/grpc-web-text"}
		fuzzBody(t, "Content-Type: "+types[kind%3]+"\r\ngrpc-encoding: gzip\r\n", b)
	})
}

func FuzzCoded(f *testing.F) {
	codings := [...]string{"gzip", "deflate", "br", "zstd", "gzip, zstd", "zstd, gzip", "br, zstd"}
	for i, list := range codings {
		body := "data: 1\n\n"
		for _, c := range codingsOf(list) {
			body = pack(c, body)
		}
		f.Add([]byte(body), byte(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, b []byte, list byte, events bool) {
		head := "Content-Encoding: " + codings[int(list)%len(codings)] + "\r\n"
		if events {
			head += "Content-Type: text/event-stream\r\n"
		}
		fuzzBody(t, head, b)
	})
}

// FuzzInflate compares with the standard library, byte by byte and at once.
func FuzzInflate(f *testing.F) {
	f.Add([]byte("hello hello hello"), byte(6), false)
	f.Add([]byte{0x03, 0x00}, byte(0), true)
	f.Fuzz(func(t *testing.T, b []byte, level byte, raw bool) {
		packed := b
		if !raw {
			var w bytes.Buffer
			z, err := gzip.NewWriterLevel(&w, int(level%10))
			must(err)
			_, err = z.Write(b)
			must(err)
			must(z.Close())
			packed = w.Bytes()
		}
		wrap := wrapGzip
		var want []byte
		var wantErr error
		if raw {
			if len(b) > 1 && b[0]&0x0f == 8 {
				return // read as zlib
			}
			wrap = wrapDeflate
			want, wantErr = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), 1<<20))
		} else {
			want = b
		}
		for _, step := range []int{1, 3, len(packed) + 1} {
			u := &inflate{d: inflater{wrap: wrap}, limit: 1 << 40}
			var got []byte
			sink := func(p []byte) error { got = append(got, p...); return nil }
			var err error
			for i := 0; i < len(packed) && err == nil && len(got) < 1<<20; i += step {
				err = u.push(packed[i:min(i+step, len(packed))], sink)
			}
			if err == nil {
				err = u.end(sink)
			}
			if len(got) > 1<<20 || len(want) == 1<<20 {
				return
			}
			if raw && len(b) == 0 {
				return // nothing at all is no error here
			}
			// An incomplete code is refused there and tolerated here.
			if wantErr == nil && (err != nil || !bytes.Equal(got, want)) {
				t.Fatalf("step %d: %d bytes, %v; want %d", step, len(got), err, len(want))
			}
			if wantErr != nil && !bytes.HasPrefix(append(got, want...), want) {
				t.Fatalf("step %d: %q does not begin like %q", step, got, want)
			}
		}
	})
}
