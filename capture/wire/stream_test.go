package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"a2ascope/capture"
)

type flusher interface {
	Write([]byte) (int, error)
	Flush() error
	Close() error
}

// pack encodes parts with a flush after each.
func pack(coding string, parts ...string) string {
	var b bytes.Buffer
	var w flusher
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 9)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	for i, p := range parts {
		if _, err := w.Write([]byte(p)); err != nil {
			panic(err)
		}
		if i < len(parts)-1 {
			if err := w.Flush(); err != nil {
				panic(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func resp(head, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%s\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"

var sseBook = []aTalk{
	{"all line ends", talk{cl(get), sv(sseHead + "data: 1\n\nid: a\r\nevent: e\r\ndata:2\r\n\r\ndata: 3\rdata: 4\r\r: keep-alive\n\n\ndata\n\nretry: 5\n\n"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "1"
		1< sse-event "2" event=e id=a
		1< sse-event "3\n4"
		1< sse-comment "keep-alive"
		1< sse-event ""
		1< sse-comment "retry: 5"
		1< .84
		1< end done`},
	{"mark, no last blank line", talk{cl(get), sv(sseHead + "\xef\xbb\xbfdata: 1\n\ndata: 2"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "1"
		1< sse-event "2"
		1< .19
		1< end done`},
	{"only a mark before the first event", talk{cl(get), sv(sseHead + "\xef\xbb\xbf\ndata: 1\n\n"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "1"
		1< .13
		1< end done`},
	{"killed inside an event", talk{cl(get), sv(sseHead + "data: 1\n\ndata: {\"a"), bye("reset")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "1"
		1< sse-event "{\"a" cut
		1< end reset`},
	{"lines without data", talk{cl(get), sv(sseHead + "{\"a\":1}\n{\"a\":2}\r\nfoo: unknown\nData: x\n\ndata: 3\n\n{\"cut"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! sse-malformed
		1< data "{\"a\":1}"
		1< data "{\"a\":2}"
		1< data "Data: x"
		1< sse-event "3"
		1< data "{\"cut"
		1< .53
		1< end done`},
	{"comment inside an event", talk{cl(get), sv(sseHead + "data: 1\n: c\ndata: 2\n\n"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-comment "c"
		1< sse-event "1\n2"
		1< .21
		1< end done`},
	{"gap inside events", talk{cl(get), sv(sseHead + "data: {1}\n\ndata: {2"), gapOf(capture.Server, 15), sv("4}\n\ndata: {5}\n\n"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "{1}"
		1< ! bytes-lost lost=15
		1< data "data: {2" lost=15 cut
		1< data "4}\n" cut
		1< sse-event "{5}"
		1< .49
		1< end done`},
}

func TestSSE(t *testing.T) { runBook(t, sseBook) }

// TestSSECoded checks that events of a compressed stream are out as soon as
// their bytes are there.
func TestSSECoded(t *testing.T) {
	events := []string{"data: one\n\n", "data: two\n\n: c\n\n", "data: three\n\n"}
	for _, coding := range []string{"gzip", "deflate", "raw", "br", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			name := strings.Replace(coding, "raw", "deflate", 1)
			head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: " + name + "\r\n\r\n"
			all := pack(coding, events...)
			tk := talk{cl(get), sv(head + all), fin(capture.Server), bye("")}
			want := `1> GET /a
1> .0
1< 200
1< sse-event "one"
1< sse-event "two"
1< sse-comment "c"
1< sse-event "three"
` + fmt.Sprintf("1< .%d\n1< end done\n", len(all))
			if got := dump(play(tk), false); got != want {
				t.Errorf("got:\n%s", got)
			}
			splitTest(t, coding, tk)
			// The stream without its last flush: the first two parts must be out.
			part := pack(coding, append(events[:2:2], strings.Repeat("x", 1))...)
			es := play(talk{cl(get), sv(head + part[:len(part)-1])})
			if n := len(es); n < 6 || es[5].Body.(*capture.Frame).Form != capture.SSEComment {
				t.Errorf("events are held back:\n%s", dump(es, false))
			}
		})
	}
}

func TestCodings(t *testing.T) {
	body := strings.Repeat(`{"jsonrpc":"2.0","id":1,"result":{"kind":"message","parts":[]}}`, 50)
	for coding, sent := range map[string]string{
		"gzip": pack("gzip", body), "deflate": pack("deflate", body), "Deflate": pack("raw", body),
		"br": pack("br", body), "zstd": pack("zstd", body), "identity": body,
		"gzip, br": pack("br", pack("gzip", body)), "x-gzip": pack("gzip", body[:900]) + pack("gzip", body[900:]),
	} {
		es := play(talk{cl(get), sv(resp("Content-Encoding: "+coding, sent)), bye("")})
		f, ok := es[3].Body.(*capture.Frame)
		if !ok {
			t.Fatalf("%s:\n%s", coding, dump(es, false))
		}
		want := strings.ToLower(coding)
		if want == "identity" {
			want = ""
		}
		if string(f.Data) != body || f.Coding != want || f.Size != int64(len(body)) || f.WireSize != int64(len(sent)) {
			t.Errorf("%s: %d bytes, size %d, wire %d, coding %q", coding, len(f.Data), f.Size, f.WireSize, f.Coding)
		}
		if len(es) != 6 {
			t.Errorf("%s:\n%s", coding, dump(es, false))
		}
	}
}

func TestBrokenCodings(t *testing.T) {
	full := pack("gzip", strings.Repeat("hello ", 100))
	bad := []byte(full)
	bad[len(bad)-6] ^= 1
	for name, c := range map[string]struct{ coding, body string }{
		"not gzip": {"gzip", "plain text"}, "checksum": {"gzip", string(bad)}, "cut": {"gzip", full[:len(full)-12]},
		"unknown": {"snappy", "xx"}, "not zstd": {"zstd", "plain"}, "not br": {"br", "plain text again"}, "half zstd": {"zstd", "\x28\xb5\x2f\xfd\x04"},
	} {
		es := play(talk{cl(get), sv(resp("Content-Encoding: "+c.coding, c.body)), bye("")})
		b, ok := es[3].Body.(*capture.Breach)
		if !ok || b.Code != capture.BreachCoding {
			t.Errorf("%s:\n%s", name, dump(es, false))
			continue
		}
		if f := es[4].Body.(*capture.Frame); string(f.Data) != c.body || f.Coding != c.coding {
			t.Errorf("%s: %q %q", name, f.Data, f.Coding)
		}
	}
	// Missing because the connection or the capture ended is not the sender's fault.
	es := play(talk{cl(get), sv(resp("Content-Encoding: gzip", full)[:96]), bye("capture ended")})
	if f := es[3].Body.(*capture.Frame); !f.Cut || !strings.HasPrefix(string(f.Data), "hello ") {
		t.Errorf("%s", dump(es, false))
	}
}

func msg(flags byte, s string) string {
	n := len(s)
	return string([]byte{flags, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + s
}

func TestGRPCWeb(t *testing.T) {
	web := msg(0, "one") + msg(0, "") + msg(0x80, "grpc-status: 0\r\ngrpc-message: fine\r\n")
	text := base64.StdEncoding.EncodeToString([]byte(msg(0, "one")+msg(0, ""))) +
		base64.StdEncoding.EncodeToString([]byte(msg(0x80, "grpc-status: 0\r\ngrpc-message: fine\r\n")))
	for ct, body := range map[string]string{"application/grpc-web+proto": web, "application/grpc-web-text": text} {
		tk := talk{cl(get), sv(resp("Content-Type: "+ct, body)), bye("")}
		want := fmt.Sprintf(`1> GET /a
1> .0
1< 200
1< grpc-message "one"
1< grpc-message ""
1< trailer grpc-status=0 grpc-message=fine
1< .%d
1< end done
`, len(body))
		if got := dump(play(tk), false); got != want {
			t.Errorf("%s:\n%s", ct, got)
		}
		splitTest(t, ct, tk)
	}
}

var grpcBook = []aTalk{
	{"compressed", talk{cl(get), sv(resp("Content-Type: application/grpc\r\ngrpc-encoding: gzip", msg(1, pack("gzip", "hello"))+msg(0, "plain"))), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< grpc-message "hello" coding=gzip
		1< grpc-message "plain"
		1< .44
		1< end done`},
	{"compressed without a name", talk{cl(get), sv(resp("Content-Type: application/grpc", msg(1, "hello"))), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! grpc-malformed
		1< grpc-message "hello" coding=unknown
		1< .10
		1< end done`},
	{"broken prefix", talk{cl(get), sv(resp("Content-Type: application/grpc", msg(0, "a")+"{\"error\":1}")), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< grpc-message "a"
		1< ! grpc-malformed
		1< data "{\"error\":1}"
		1< .17
		1< end done`},
	{"ends inside a message", talk{cl(get), sv(resp("Content-Type: application/grpc", msg(0, "abcdef")[:8])), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! grpc-malformed
		1< data "\x00\x00\x00\x00\x06abc" cut
		1< .8
		1< end done`},
	{"trailers only", talk{cl(get), sv(resp("Content-Type: application/grpc-web\r\ngrpc-status: 12", "")), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< trailer Content-Type=application/grpc-web grpc-status=12 Content-Length=0 only
		1< .0
		1< end done`},
	{"not base64", talk{cl(get), sv(resp("Content-Type: application/grpc-web-text", "AAAA*rest")), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! grpc-malformed
		1< data "\x00\x00\x00*rest"
		1< .9
		1< end done`},
	{"gap inside a message", talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Length: 16\r\nContent-Type: application/grpc\r\n\r\n" + msg(0, "abcdef")[:7]),
		gapOf(capture.Server, 2), sv("ef" + msg(0, "")), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=2
		1< grpc-message "abef" size=6 lost=2
		1< grpc-message ""
		1< .16
		1< end done`},
}

func TestGRPC(t *testing.T) { runBook(t, grpcBook) }
