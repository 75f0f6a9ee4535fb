package script

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
	"a2ascope/capture/h2"
)

// keeping is a sink that keeps chunks.
type keeping struct {
	chunks []capture.Chunk
	calls  int
}

func (k *keeping) Events([]capture.Event) error { panic("a play has bytes") }
func (k *keeping) Progress(capture.Progress)    {}
func (k *keeping) Chunks(cs []capture.Chunk) error {
	k.calls++
	k.chunks = append(k.chunks, cs...)
	return nil
}

// echo encodes a message as its own JSON, so that tests can see it.
func echo(path string, response bool, text []byte) ([]byte, error) {
	return []byte(fmt.Sprintf("%s %v %s", path, response, text)), nil
}

func perform(t testing.TB, text string) []capture.Chunk {
	t.Helper()
	p, err := Parse("test.play", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	k := &keeping{}
	if _, err := p.Source(Options{EncodeGRPC: echo}).Run(context.Background(), k); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k.chunks
}

// dump writes chunks one a line; times after the start.
func dump(cs []capture.Chunk) string {
	var b strings.Builder
	for _, c := range cs {
		fmt.Fprintf(&b, "%d +%v %s %s", c.Conn, c.At.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), c.From, c.Kind)
		switch c.Kind {
		case capture.Bytes:
			fmt.Fprintf(&b, " %q", c.Data)
		case capture.Gap:
			fmt.Fprintf(&b, " %d", c.Lost)
		case capture.Closed:
			fmt.Fprintf(&b, " %q", c.Err)
		case capture.Opened, capture.Secured:
			fmt.Fprintf(&b, " %s>%s tls=%s name=%s alpn=%s mid=%v %s", c.Link.Client, c.Link.Server, c.Link.TLS, c.Link.ServerName, c.Link.ALPN, c.Link.Midstream, c.Link.Source)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// stream returns what a side sent.
func stream(cs []capture.Chunk, from capture.Side) []byte {
	var b []byte
	for _, c := range cs {
		if c.Kind == capture.Bytes && c.From == from {
			b = append(b, c.Data...)
		}
	}
	return b
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n--- got\n%s\n--- want\n%s", what, got, want)
	}
}

// Every construct of HTTP/1, as bytes.
func TestHTTP1Bytes(t *testing.T) {
	for _, c := range []struct{ name, play, client, server string }{
		{"lengths are added, status lines completed", `
> POST /a2a
> Host: h
>
> {"a":
>   "你"}
< 200
< Content-Type: application/json
<
< {}
`, "POST /a2a HTTP/1.1\r\nHost: h\r\nContent-Length: 14\r\n\r\n{\"a\":\n  \"你\"}",
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"},
		{"bodies that are none", `
> GET /
>
< 204

> POST /x HTTP/1.0
< 404 Nope

> HEAD /
< 200
< X: y

> GET /
< HTTP/1.0 299
`, "GET / HTTP/1.1\r\n\r\nPOST /x HTTP/1.0\r\nContent-Length: 0\r\n\r\nHEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n",
			"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 404 Nope\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\nHTTP/1.0 299\r\nContent-Length: 0\r\n\r\n"},
		{"what is written is kept", `
> POST  /  HTTP/1.1
> content-length:5
>
> abcdefgh
< 200
< Content-Length: 99
<
< x
`, "POST  /  HTTP/1.1\r\ncontent-length:5\r\n\r\nabcdefgh", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx"},
		{"chunks, a text in pieces, a trailer", `
> POST /
> Transfer-Encoding: chunked
>
> {"a":
+ 5ms
> 1}
>t X-Sum: 7

< 200
<
< a
< b
<t X-End: yes
`, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\nX-Sum: 7\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\nb\r\n0\r\nX-End: yes\r\n\r\n"},
		{"an event stream is chunked by event", `
> GET /
< 200
< Content-Type: text/event-stream; charset=utf-8
<
< id: 1
< data: {"a":1}
<
< : keep-alive
<
< data: x
`, "GET / HTTP/1.1\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n" +
				"15\r\nid: 1\ndata: {\"a\":1}\n\n\r\ne\r\n: keep-alive\n\n\r\n8\r\ndata: x\n\r\n0\r\n\r\n"},
		{"an event stream that ends with the connection", `
> GET /
< 200
< Content-Type: text/event-stream
< Connection: close
<
< data: x
<
<. data: {"cut
! close server
`, "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: x\n\ndata: {\"cut"},
		{"a stream that is broken off has no last chunk", `
> GET /
< 200
< Content-Type: text/event-stream
<
< data: x
<
! close server
`, "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: x\n\n\r\n"},
		{"bytes", `
> POST /
>
>x 00 ff0a
> a
> b
>. c
> d
<. HTTP/1.1 200 OK
<x 0a 0a
`, "POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n\x00\xff\na\nbcd", "HTTP/1.1 200 OK\n\n\r\n"},
		{"a gap is part of the body", `
> POST /
>
> abc
! gap client 10
> de
< 200
`, "POST / HTTP/1.1\r\nContent-Length: 15\r\n\r\nabcde", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"half a head", `
> POST /
> Host: h
! close client
`, "POST / HTTP/1.1\r\nHost: h\r\n", ""},
		{"\r\n in the play, a comment inside, a byte order mark", "\xef\xbb\xbf> GET /\r\n# no\r\n> A: b\r\n>\r\n", "GET / HTTP/1.1\r\nA: b\r\n\r\n", ""},
	} {
		cs := perform(t, c.play)
		equal(t, c.name+": client", string(stream(cs, capture.Client)), c.client)
		equal(t, c.name+": server", string(stream(cs, capture.Server)), c.server)
	}
}

// What is written is read by net/http as it was meant.
func TestHTTP1Read(t *testing.T) {
	cs := perform(t, `
> POST /a2a?x=1
> Host: agent.example.test
> Content-Type: application/json
>
> {"jsonrpc":"2.0","method":"SendMessage",
>  "params":{"message":{"parts":[{"text":"你好"}]}},"id":1}

> POST /upload
> Host: agent.example.test
> Transfer-Encoding: chunked
>
> one
+ 1ms
> two
>t X-Sum: 7

< 103
< Link: </x>
<
< 200
< Content-Type: text/event-stream
<
< data: 1
<
< data: 2
<

< 200
< Content-Encoding: gzip
<
< {"zipped":
<  true}

`)
	reqs := bufio.NewReader(bytes.NewReader(stream(cs, capture.Client)))
	var methods []string
	for _, want := range []struct{ target, body, trailer string }{
		{"/a2a?x=1", "{\"jsonrpc\":\"2.0\",\"method\":\"SendMessage\",\n \"params\":{\"message\":{\"parts\":[{\"text\":\"你好\"}]}},\"id\":1}", ""},
		{"/upload", "onetwo", "7"},
	} {
		r, err := http.ReadRequest(reqs)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != want.body || r.RequestURI != want.target || r.Trailer.Get("X-Sum") != want.trailer || r.Host != "agent.example.test" {
			t.Errorf("%s %q %v %v", r.RequestURI, body, r.Trailer, err)
		}
		methods = append(methods, r.Method)
	}
	if _, err := reqs.ReadByte(); err != io.EOF {
		t.Error("more was asked")
	}
	resps := bufio.NewReader(bytes.NewReader(stream(cs, capture.Server)))
	for i, want := range []string{"", "data: 1\n\ndata: 2\n\n", "{\"zipped\":\n true}"} {
		r, err := http.ReadResponse(resps, &http.Request{Method: methods[0]})
		if err != nil {
			t.Fatal(err)
		}
		body, err := readBody(r)
		if err != nil || string(body) != want {
			t.Errorf("response %d: %q %v", i, body, err)
		}
		if i == 0 && r.StatusCode != 103 {
			t.Error(r.Status)
		}
	}
	if _, err := resps.ReadByte(); err != io.EOF {
		t.Error("more was answered")
	}
}

// frames reads one direction of an HTTP/2 connection with x/net and writes it down.
func frames(t *testing.T, b []byte, client bool) string {
	t.Helper()
	if client {
		rest, ok := bytes.CutPrefix(b, []byte(http2.ClientPreface))
		if !ok {
			t.Fatalf("no preface: %.40q", b)
		}
		b = rest
	}
	fr := http2.NewFramer(io.Discard, bytes.NewReader(b))
	fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	var out strings.Builder
	for {
		f, err := fr.ReadFrame()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatalf("%v after\n%s", err, out.String())
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			fmt.Fprintf(&out, "HEADERS %d end=%v", f.StreamID, f.StreamEnded())
			for _, h := range f.Fields {
				fmt.Fprintf(&out, " [%s: %s]", h.Name, h.Value)
			}
		case *http2.DataFrame:
			if len(f.Data()) > 100 {
				fmt.Fprintf(&out, "DATA %d end=%v %d bytes", f.StreamID, f.StreamEnded(), len(f.Data()))
			} else {
				fmt.Fprintf(&out, "DATA %d end=%v %q", f.StreamID, f.StreamEnded(), f.Data())
			}
		case *http2.RSTStreamFrame:
			fmt.Fprintf(&out, "RST %d %v", f.StreamID, f.ErrCode)
		case *http2.GoAwayFrame:
			fmt.Fprintf(&out, "GOAWAY %d %v", f.LastStreamID, f.ErrCode)
		case *http2.SettingsFrame:
			fmt.Fprintf(&out, "SETTINGS ack=%v", f.IsAck())
		case *http2.WindowUpdateFrame:
			fmt.Fprintf(&out, "WINDOW %d %d", f.StreamID, f.Increment)
		default:
			fmt.Fprintf(&out, "%v", f.Header())
		}
		out.WriteByte('\n')
	}
}

const (
	clientHello = "SETTINGS ack=false\nWINDOW 0 2147418112\nSETTINGS ack=true\n"
	serverHello = "SETTINGS ack=false\nWINDOW 0 2147418112\nSETTINGS ack=true\n"
)

func TestHTTP2Frames(t *testing.T) {
	big := strings.Repeat("0123456789", 2000)
	for _, c := range []struct{ name, play, client, server string }{
		{"a request, a stream", `
= a name agent.example.test tls
> h2 POST /a2a
> content-type: application/json
>
> {"a":1}
< 200
< content-type: text/event-stream
<
< data: 1
<
+ 1ms
< data: 2
<
`, `HEADERS 1 end=false [:method: POST] [:scheme: https] [:authority: agent.example.test] [:path: /a2a] [content-type: application/json]
DATA 1 end=true "{\"a\":1}"
`, `HEADERS 1 end=false [:status: 200] [content-type: text/event-stream]
DATA 1 end=false "data: 1\n\n"
DATA 1 end=true "data: 2\n\n"
`},
		{"no bodies; pseudo-fields as written; the second request uses the table of the first", `
> h2 GET /
> host: h.test
> x-same: value
< 204

> h2 GET /2
> :authority: other
> :protocol: websocket
> x-same: value
>
< 404
< x: y
`, `HEADERS 1 end=true [:method: GET] [:scheme: http] [:authority: h.test] [:path: /] [x-same: value]
HEADERS 3 end=true [:method: GET] [:scheme: http] [:authority: other] [:path: /2] [:protocol: websocket] [x-same: value]
`, `HEADERS 1 end=true [:status: 204]
HEADERS 3 end=true [:status: 404] [x: y]
`},
		{"an end that comes later, trailers, a large body", `
> h2 POST /
>
> ` + big + `
>t x-sum: 1

< 200
<
< x
+ 1s

`, `HEADERS 1 end=false [:method: POST] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /]
DATA 1 end=false 16384 bytes
DATA 1 end=false 3616 bytes
HEADERS 1 end=true [x-sum: 1]
`, `HEADERS 1 end=false [:status: 200]
DATA 1 end=false "x"
DATA 1 end=true ""
`},
		{"two streams at once", `
= a/1
> h2 GET /1

= a/2
> h2 GET /2
< 200
<
< two

= a/1
< 200
<
< one
! goaway server NO_ERROR
`, `HEADERS 1 end=true [:method: GET] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /1]
HEADERS 3 end=true [:method: GET] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /2]
`, `HEADERS 3 end=false [:status: 200]
DATA 3 end=true "two"
HEADERS 1 end=false [:status: 200]
DATA 1 end=true "one"
GOAWAY 3 NO_ERROR
`},
		{"resets", `
> h2 POST /
>
> x
! rst server REFUSED_STREAM
> h2 GET /2

< 200
<
< half
! rst client
`, `HEADERS 1 end=false [:method: POST] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /]
DATA 1 end=true "x"
HEADERS 3 end=true [:method: GET] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /2]
RST 3 CANCEL
`, `RST 1 REFUSED_STREAM
HEADERS 3 end=false [:status: 200]
DATA 3 end=false "half"
`},
		{"a call", `
= a server 10.0.0.2:9000
> grpc /lf.a2a.v1.A2AService/GetTask
> a2a-version: 1.0
> {"id":"t1"}
< {"id":"t1"}
< status 0
`, `HEADERS 1 end=false [:method: POST] [:scheme: http] [:authority: 10.0.0.2:9000] [:path: /lf.a2a.v1.A2AService/GetTask] [content-type: application/grpc] [te: trailers] [a2a-version: 1.0]
DATA 1 end=true "\x00\x00\x00\x00//lf.a2a.v1.A2AService/GetTask false {\"id\":\"t1\"}"
`, `HEADERS 1 end=false [:status: 200] [content-type: application/grpc]
DATA 1 end=false "\x00\x00\x00\x00./lf.a2a.v1.A2AService/GetTask true {\"id\":\"t1\"}"
HEADERS 1 end=true [grpc-status: 0]
`},
		{"trailers-only with details; other content type; bytes as a message", `
> grpc /p.S/M
> content-type: application/grpc+proto
>
>x 0a 02 68 69
< status NOT_FOUND keine Aufgabe: ä%
< details {"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1"}}
< x-extra: 1
<t x-more: 2
`, `HEADERS 1 end=false [:method: POST] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /p.S/M] [te: trailers] [content-type: application/grpc+proto]
DATA 1 end=true "\x00\x00\x00\x00\x04\n\x02hi"
`, `HEADERS 1 end=true [:status: 200] [content-type: application/grpc] [grpc-status: 5] [grpc-message: keine Aufgabe: %C3%A4%25] [grpc-status-details-bin: CAUSEmtlaW5lIEF1ZmdhYmU6IMOkJRpcCih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEjAKDlRBU0tfTk9UX0ZPVU5EEhBhMmEtcHJvdG9jb2wub3JnGgwKBnRhc2tJZBICdDE] [x-extra: 1] [x-more: 2]
`},
		{"the head before the error; initial metadata; a stream that stays open", `
> grpc /p.S/M
> {"a":1}
< headers
+ 1ms
< status 13 oops

> grpc /p.S/M
< x-meta: 1
< {"a":1}
+ 1ms
< {"a":2}
`, `HEADERS 1 end=false [:method: POST] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /p.S/M] [content-type: application/grpc] [te: trailers]
DATA 1 end=true "\x00\x00\x00\x00\x14/p.S/M false {\"a\":1}"
HEADERS 3 end=true [:method: POST] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /p.S/M] [content-type: application/grpc] [te: trailers]
`, `HEADERS 1 end=false [:status: 200] [content-type: application/grpc]
HEADERS 1 end=true [grpc-status: 13] [grpc-message: oops]
HEADERS 3 end=false [:status: 200] [content-type: application/grpc] [x-meta: 1]
DATA 3 end=false "\x00\x00\x00\x00\x13/p.S/M true {\"a\":1}"
DATA 3 end=false "\x00\x00\x00\x00\x13/p.S/M true {\"a\":2}"
`},
		{"a call answered by something that is no gRPC", `
> grpc /p.S/M
> {"a":1}
< 502
< content-type: text/html
<
< <h1>Bad Gateway</h1>
`, `HEADERS 1 end=false [:method: POST] [:scheme: http] [:authority: 192.0.2.2:80] [:path: /p.S/M] [content-type: application/grpc] [te: trailers]
DATA 1 end=true "\x00\x00\x00\x00\x14/p.S/M false {\"a\":1}"
`, `HEADERS 1 end=false [:status: 502] [content-type: text/html]
DATA 1 end=true "<h1>Bad Gateway</h1>"
`},
	} {
		cs := perform(t, c.play)
		equal(t, c.name+": client", frames(t, stream(cs, capture.Client), true), clientHello+c.client)
		equal(t, c.name+": server", frames(t, stream(cs, capture.Server), false), serverHello+c.server)
	}
}

// A field block larger than a frame is continued.
func TestContinuation(t *testing.T) {
	value := strings.Repeat("~", 20_000) // 13 bits each: longer than a frame even when coded
	cs := perform(t, "> h2 GET /\n> x-large: "+value+"\n>\n< 200\n")
	got := frames(t, stream(cs, capture.Client), true)
	if !strings.Contains(got, "[x-large: "+value+"]") || strings.Count(got, "HEADERS") != 1 {
		t.Errorf("%.200s", got)
	}
	b := stream(cs, capture.Client)
	if !bytes.Contains(b, []byte{h2.Continuation, h2.EndHeaders, 0, 0, 0, 1}) {
		t.Error("no CONTINUATION was needed")
	}
}

func readBody(r *http.Response) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	z, err := newUnzip(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
