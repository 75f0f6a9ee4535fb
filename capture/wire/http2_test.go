package wire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// h2side writes one direction of HTTP/2 traffic.
type h2side struct {
	buf bytes.Buffer
	fr  *xhttp2.Framer
	hb  bytes.Buffer
	enc *hpack.Encoder
}

func newH2Side() *h2side {
	s := &h2side{}
	s.fr = xhttp2.NewFramer(&s.buf, nil)
	s.fr.AllowIllegalWrites = true
	s.enc = hpack.NewEncoder(&s.hb)
	return s
}

func (s *h2side) take() string {
	out := s.buf.String()
	s.buf.Reset()
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// block encodes "name=value" fields.
func (s *h2side) block(fields ...string) []byte {
	s.hb.Reset()
	for _, f := range fields {
		i := strings.Index(f[1:], "=") + 1
		must(s.enc.WriteField(hpack.HeaderField{Name: f[:i], Value: f[i+1:]}))
	}
	return bytes.Clone(s.hb.Bytes())
}

func (s *h2side) settings() *h2side {
	must(s.fr.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxFrameSize, Val: 16384}))
	return s
}

func (s *h2side) headers(id uint32, end bool, fields ...string) *h2side {
	must(s.fr.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: s.block(fields...), EndHeaders: true, EndStream: end}))
	return s
}

func (s *h2side) data(id uint32, end bool, p string) *h2side {
	must(s.fr.WriteData(id, end, []byte(p)))
	return s
}

func (s *h2side) raw(kind, flags byte, id uint32, p string) *h2side {
	must(s.fr.WriteRawFrame(xhttp2.FrameType(kind), xhttp2.Flags(flags), id, []byte(p)))
	return s
}

func grpcReq(path string) []string {
	return []string{":method=POST", ":scheme=http", ":path=" + path, ":authority=h", "content-type=application/grpc", "te=trailers"}
}

func be32(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

func http2Talks() []aTalk {
	var book []aTalk
	add := func(name, want string, tk ...capture.Chunk) { book = append(book, aTalk{name, tk, want}) }

	c, s := newH2Side(), newH2Side()
	c1 := preface + c.settings().headers(1, false, grpcReq("/x.S/A")...).data(1, true, msg(0, "ask")).take()
	s1 := s.settings().headers(1, false, ":status=200", "content-type=application/grpc").data(1, false, msg(0, "on")[:3]).
		data(1, false, msg(0, "on")[3:]+msg(0, "")).headers(1, true, "grpc-status=0", "x-trail=t").take()
	c2 := c.headers(3, true, ":method=GET", ":scheme=http", ":path=/card", ":authority=h").take()
	s2 := s.headers(3, true, ":status=404").take()
	add("grpc and a get", `
		1> POST /x.S/A
		1> grpc-message "ask"
		1> .8
		1< 200
		1< grpc-message "on"
		1< grpc-message ""
		1< trailer grpc-status=0 x-trail=t
		1< .12
		1< end done
		2> GET /card
		2> .0
		2< 404
		2< .0
		2< end done`, cl(c1), sv(s1), cl(c2), sv(s2), bye(""))

	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(1, true, grpcReq("/x.S/A")...).headers(3, true, grpcReq("/x.S/B")...).headers(5, true, grpcReq("/x.S/C")...).take()
	s1 = s.settings().headers(3, false, ":status=200", "content-type=text/event-stream").data(3, false, "data: 1\n").
		headers(1, true, ":status=200", "content-type=application/grpc", "grpc-status=12", "grpc-message=no").
		data(3, false, "\ndata: 2\n\n").raw(6, 0, 0, "12345678").raw(0x77, 0, 3, "unknown").take()
	s2 = s.raw(7, 0, 0, be32(3)+be32(11)+"too_many_pings").take()
	c2 = c.raw(3, 0, 3, be32(8)).take()
	add("interleaved, trailers-only, goaway, reset", `
		1> POST /x.S/A
		1> .0
		2> POST /x.S/B
		2> .0
		3> POST /x.S/C
		3> .0
		2< 200
		1< 200
		1< trailer content-type=application/grpc grpc-status=12 grpc-message=no only
		1< .0
		1< end done
		2< sse-event "1"
		2< sse-event "2"
		3< end goaway code=11
		2> end reset code=8`, cl(c1), sv(s1), sv(s2), cl(c2), bye(""))

	c, s = newH2Side(), newH2Side()
	c.settings()
	b := c.block(":method=POST", ":scheme=http", ":path=/p", ":authority=h", "X-Upper=1", "long="+strings.Repeat("v", 300))
	c.raw(1, flagPriority|flagPadded, 1, "\x03"+"\x80\x00\x00\x00\x10"+string(b[:20])+"\x00\x00\x00").raw(9, 0, 1, string(b[20:40])).raw(9, flagEndHeaders, 1, string(b[40:]))
	must(c.fr.WriteDataPadded(1, false, []byte("pad"), make([]byte, 9)))
	must(c.fr.WriteDataPadded(1, true, []byte("ded"), nil))
	s.settings()
	must(s.fr.WritePushPromise(xhttp2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: s.block(":method=GET", ":path=/pushed", "x=1"), EndHeaders: true}))
	s.headers(2, true, ":status=200", "pushed=yes").headers(1, false, ":status=103").headers(1, false, ":status=200", "pushed=yes", "x=1").data(1, true, "ok")
	add("padding, priority, continuation, push, upper case", `
		1> POST /p
		1> ! field-name-uppercase
		1> body "padded"
		1> .6
		1< 103
		1< 200
		1< body "ok"
		1< .2
		1< end done`, cl(preface+c.take()), sv(s.take()), bye(""))

	c, s = newH2Side(), newH2Side()
	c.settings().headers(1, true, ":method=GET", ":scheme=http", ":path=/old", ":authority=h", "a=1").take()
	s.settings().headers(1, false, ":status=200", "content-type=text/event-stream", "b=2").take()
	s1 = s.data(1, false, "data: 7\n\n").data(1, false, "data: 8\n\n").data(1, true, "data: 9\n\n").take()
	c2 = c.raw(4, 1, 0, "").headers(3, true, ":method=GET", ":scheme=http", ":path=/new", ":authority=h", "a=1").take()
	s2 = s.headers(3, false, ":status=200", "content-type=text/event-stream", "b=2").data(3, true, "data: x\n\n").take()
	add("begun before the capture", `
		1< ! no-request
		1< sse-event "7"
		1< sse-event "8"
		1< sse-event "9"
		1< .27
		1< end done
		2> GET /new
		2> .0
		2< 200
		2< sse-event "x"
		2< .9
		2< end done`, sv(s1), cl(c2), sv(s2), bye(""))

	// Between the client's first and second request its table has grown by what is
	// missing: of the second, what refers to it is not known, and says so.
	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(1, true, ":method=GET", ":scheme=http", ":path=/a", ":authority=h").take()
	lostBlock := c.headers(3, true, ":authority=other", ":method=GET", ":scheme=http", ":path=/lost", "k=v").take()
	c2 = c.headers(5, true, ":authority=other", ":method=GET", ":scheme=http", ":path=/b", "k=v").settings().settings().take()
	s1 = s.settings().headers(1, true, ":status=200").take()
	s2 = s.headers(5, true, ":status=200").take()
	add("gap in front of a request", `
		1> GET /a
		1> .0
		1< 200
		1< .0
		1< end done
		2> GET /b
		2> .0
		2< 200
		2< .0
		2< end done`, cl(c1), sv(s1), gapOf(capture.Client, int64(len(lostBlock))), cl(c2), sv(s2), bye(""))

	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(1, true, ":method=GET", ":scheme=http", ":path=/a", ":authority=h").take()
	s1 = s.settings().take()
	lostHead := s.headers(1, false, ":status=200", "content-type=text/event-stream").data(1, false, "data: 1\n\n").take()
	s2 = s.data(1, false, "data: 2\n\n").data(1, true, "data: 3\n\n").take()
	add("gap where a response began", `
		1> GET /a
		1> .0
		1< ! bytes-lost lost=42
		1< sse-event "2"
		1< sse-event "3"
		1< .18
		1< end done`, cl(c1), sv(s1), gapOf(capture.Server, int64(len(lostHead))), sv(s2), bye(""))

	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(1, true, ":method=GET", ":scheme=http", ":path=/a", ":authority=h").take()
	s1 = s.settings().headers(1, false, ":status=200", "content-length=10", "content-type=text/plain").data(1, true, "0123456789").take()
	n := len(s1)
	add("gap inside data", `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=4
		1< body "012789" size=10 lost=4
		1< .10
		1< end done`, cl(c1), sv(s1[:n-7]), gapOf(capture.Server, 4), sv(s1[n-3:]), bye(""))

	s2 = s.headers(3, false, ":status=200", "content-length=10", "content-type=text/plain").data(3, false, "0123456789").data(3, false, "x").data(3, true, "y").take()
	c2 = c.headers(3, true, ":method=GET", ":scheme=http", ":path=/b", ":authority=h").take()
	add("gap over frames", `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=40
		2> GET /b
		2> .0
		2< 200
		2< body "0123456789xy"
		2< .12
		2< end done
		1< body "01234" lost=-1 cut
		1< end still-open`, cl(c1), sv(s1[:n-5]), gapOf(capture.Server, 40), cl(c2), sv(s2), bye(""))

	s = newH2Side()
	s1 = s.settings().headers(1, false, ":status=200", "content-length=13").data(1, true, "response body").take()
	add("only the server was captured", `
		1< ! no-request
		1< 200
		1< body "response body"
		1< .13
		1< end done`, sv(s1), bye("capture ended"))

	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(3, false, ":method=POST", ":scheme=http", ":path=/b", ":authority=h").take()
	s1 = s.settings().headers(1, false, ":status=200").data(1, true, "first").headers(3, true, ":status=413").raw(3, 0, 3, be32(0)).take()
	add("h2c upgrade, early response", `
		1> GET /a
		1> .0
		1< 101
		2> POST /b
		1< 200
		1< body "first"
		1< .5
		1< end done
		2< 413
		2< .0
		2< end done`, cl("GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"),
		sv("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"), cl(c1), sv(s1), bye(""))

	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(1, false, ":method=POST", ":scheme=http", ":path=/a", ":authority=h").data(1, false, "first").
		headers(1, false, ":method=POST", ":scheme=http", ":path=/b", ":authority=h").data(1, true, "late").take()
	s1 = s.settings().headers(1, false, ":status=200").data(1, false, "yes").headers(1, true, ":status=500").take()
	add("a second head", `
		1> POST /a
		1> body "first"
		1> trailer :method=POST :scheme=http :path=/b :authority=h
		1> ! http2-malformed
		1> .5
		1< 200
		1< body "yes"
		1< trailer :status=500
		1< ! http2-malformed
		1< .3
		1< end done`, cl(c1), sv(s1), bye(""))

	c, s = newH2Side(), newH2Side()
	c1 = preface + c.settings().headers(1, true, grpcReq("/x.S/A")...).take()
	s1 = s.settings().data(1, false, "early").headers(1, false, ":status=200", "content-type=text/plain").data(1, true, " late").take()
	add("data before its head", `
		1> POST /x.S/A
		1> .0
		1< ! http2-malformed
		1< 200
		1< body "early late"
		1< .10
		1< end done`, cl(c1), sv(s1), bye(""))

	c = newH2Side()
	c1 = preface + c.settings().headers(1, true, grpcReq("/x.S/A")...).take()
	add("answered with HTTP/1", `
		1> POST /x.S/A
		1> .0
		1< ! http1-answer
		1< end closed`, cl(c1), sv("HTTP/1.1 400 Bad Request\r\n\r\n"), bye(""))
	add("answered with TLS", `
		1> POST /x.S/A
		1> .0
		1< ! tls-mismatch
		1< end closed`, cl(c1), sv("\x15\x03\x01\x00\x02\x02\x46"), bye(""))
	add("preface answered with HTTP/1", `- unknown sent=33,28 the connection is HTTP/2 and the answer is HTTP/1`,
		cl(preface+"\x00\x00\x00\x04\x00\x00\x00\x00\x00"), sv("HTTP/1.1 400 Bad Request\r\n\r\n"), bye(""))
	add("left open", `
		1> POST /x.S/A
		1> .0
		1< end still-open`, cl(c1), bye("capture ended"))
	return book
}

func TestHTTP2(t *testing.T) { runBook(t, http2Talks()) }

func TestHPACKUnknown(t *testing.T) {
	s := newH2Side()
	s.block(":path=/before", "x-a=1", "x-b=2")
	d := newHPACK(4096)
	d.begunBefore()
	bad := &faults{}
	first := d.decode(s.block("x-a=1", "x-b=2", "x-c=3"), 100, bad)
	second := d.decode(s.block("x-c=3", "x-a=1", ":path=/before"), 100, bad)
	if bad.n != 0 {
		t.Fatal(bad)
	}
	if len(first) != 3 || !first[0].Unknown || first[2] != (capture.Field{Name: "x-c", Value: "3"}) {
		t.Errorf("%v", first)
	}
	// x-b was inserted last, x-a before it.
	if first[1].Name != "<before capture #1>" || first[0].Name != "<before capture #2>" {
		t.Errorf("%v", first)
	}
	if second[0] != (capture.Field{Name: "x-c", Value: "3"}) || second[1] != first[0] || second[2].Name != "<before capture #3>" {
		t.Errorf("names are not stable: %v, then %v", first, second)
	}
	// A known name with an unknown index for it, and a literal value.
	if got := d.decode([]byte{0x0f, 0x30, 0x01, 's'}, 100, bad); len(got) != 1 || got[0].Value != "s" || !got[0].Unknown {
		t.Errorf("%v", got)
	}
	d.forget()
	third := d.decode(s.block("x-c=3"), 100, bad)
	if !third[0].Unknown || third[0].Name != "<before gap 1 #1>" {
		t.Errorf("%v", third)
	}
}

// A string that came before is not decoded again; whether it is coded is a part of it.
func TestHPACKTextsOfBefore(t *testing.T) {
	coded := hpack.AppendHuffmanString(nil, "application/grpc")
	field := func(bits byte, value []byte) []byte { // without the table, its name in plain letters
		return append([]byte{0x00, 1, 'n', bits | byte(len(value))}, value...)
	}
	block := slices.Concat(field(0x80, coded), field(0, coded), field(0x80, nil), field(0, nil))
	d := newHPACK(4096)
	for range 3 {
		bad := &faults{}
		got := d.decode(block, 100, bad)
		if want := (capture.Fields{{Name: "n", Value: "application/grpc"}, {Name: "n", Value: string(coded)}, {Name: "n"}, {Name: "n"}}); !slices.Equal(got, want) || bad.n != 0 {
			t.Errorf("%v, want %v; %v", got, want, bad)
		}
		got[0].Value = "changed" // the fields belong to who asked for them
	}
	for range 2 { // the fault is one each time
		bad := &faults{}
		if got := d.decode(field(0x80, []byte{0xff, 0xff, 0xff, 0xff}), 100, bad); bad.n != 1 || len(got) != 1 {
			t.Errorf("%v, %v", got, bad)
		}
	}
	if fs := d.decode(nil, 100, &faults{}); fs != nil {
		t.Errorf("an empty block has %v", fs)
	}
}

func TestHPACKAgainstEncoder(t *testing.T) {
	s := newH2Side()
	d := newHPACK(64 << 10)
	s.enc.SetMaxDynamicTableSizeLimit(64 << 10)
	for i := range 3000 {
		if i%500 == 250 {
			s.enc.SetMaxDynamicTableSize(uint32(i % 1000 * 37))
		}
		want := []string{":method=POST", "x=" + strings.Repeat("v", i%90), "y=" + strings.Repeat("w", i%7), "z-" + strings.Repeat("n", i%40) + "=1"}
		bad := &faults{}
		got := d.decode(s.block(want...), 100, bad)
		if bad.n != 0 || len(got) != len(want) {
			t.Fatalf("block %d: %v %v", i, bad, got)
		}
		for k, f := range got {
			if f.Name+"="+f.Value != want[k] || f.Unknown {
				t.Fatalf("block %d: %v, want %q", i, f, want[k])
			}
		}
		if d.size > d.max {
			t.Fatalf("the table holds %d of %d bytes", d.size, d.max)
		}
	}
}
