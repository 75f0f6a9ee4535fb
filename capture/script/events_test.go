package script

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"a2ascope/capture"
)

func newUnzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// What happens to connections, as chunks.
func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, play, want string }{
		{"two connections, one under TLS, the clock, an end for each", `
= a client 10.0.0.1:1000 server 10.0.0.2:8080
> GET /a
= b tls 1.2 name b.test
> GET /b

+ 12ms
< 204

= a
+ 1.5s
< 204

! close client
+ 1m
`, `1 +0s client opened 10.0.0.1:1000>10.0.0.2:8080 tls= name= alpn= mid=false script
1 +0s client bytes "GET /a HTTP/1.1\r\n\r\n"
2 +0s client opened 192.0.2.1:50001>192.0.2.2:443 tls= name= alpn= mid=false script
2 +0s client secured 192.0.2.1:50001>192.0.2.2:443 tls=1.2 name=b.test alpn=http/1.1 mid=false script
2 +0s client bytes "GET /b HTTP/1.1\r\n\r\n"
2 +12ms server bytes "HTTP/1.1 204 No Content\r\n\r\n"
1 +1.512s server bytes "HTTP/1.1 204 No Content\r\n\r\n"
1 +1.512s client half-closed
1 +1.512s server half-closed
1 +1.512s client closed ""
2 +1m1.512s client closed "capture ended"
`},
		{"refused, reset, stop, end, unknown gap", `
= a tls
! refused
= b
> GET /
! reset server
= c
> GET /
! end client
+ 1s
! gap server ?
! stop
= d midstream
< 204
`, `1 +0s client opened 192.0.2.1:50000>192.0.2.2:443 tls= name= alpn= mid=false script
1 +0s server closed "refused"
2 +0s client opened 192.0.2.1:50001>192.0.2.2:80 tls= name= alpn= mid=false script
2 +0s client bytes "GET / HTTP/1.1\r\n\r\n"
2 +0s server closed "reset"
3 +0s client opened 192.0.2.1:50002>192.0.2.2:80 tls= name= alpn= mid=false script
3 +0s client bytes "GET / HTTP/1.1\r\n"
3 +0s client half-closed
3 +1s server gap -1
3 +1s server closed "capture ended"
4 +1s client opened 192.0.2.1:50003>192.0.2.2:80 tls= name= alpn= mid=true script
4 +1s server bytes "HTTP/1.1 204 No Content\r\n\r\n"
4 +1s client closed "capture ended"
`},
		{"a group ends where time passes, something happens or another connection speaks", `
= a
> POST /
> Content-Length: 9
>
> ab
= b
> GET /b

= a
> cd
! gap client 2
> ef
+ 1ms
> g
`, `1 +0s client opened 192.0.2.1:50000>192.0.2.2:80 tls= name= alpn= mid=false script
1 +0s client bytes "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"
1 +0s client bytes "ab"
2 +0s client opened 192.0.2.1:50001>192.0.2.2:80 tls= name= alpn= mid=false script
2 +0s client bytes "GET /b HTTP/1.1\r\n\r\n"
1 +0s client bytes "cd"
1 +0s client gap 2
1 +0s client bytes "ef"
1 +1ms client bytes "g"
1 +1ms client closed "capture ended"
2 +1ms client closed "capture ended"
`},
		{"an interim response ends with its head; pipelined requests", `
> GET /1

> GET /2

< 100
<
< 200
<
< one

< 200
<
< two
`, `1 +0s client opened 192.0.2.1:50000>192.0.2.2:80 tls= name= alpn= mid=false script
1 +0s client bytes "GET /1 HTTP/1.1\r\n\r\n"
1 +0s client bytes "GET /2 HTTP/1.1\r\n\r\n"
1 +0s server bytes "HTTP/1.1 100 Continue\r\n\r\n"
1 +0s server bytes "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
1 +0s server bytes "one"
1 +0s server bytes "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
1 +0s server bytes "two"
1 +0s client closed "capture ended"
`},
	} {
		cs := perform(t, c.play)
		equal(t, c.name, dump(cs), c.want)
		for i, ch := range cs {
			if ch.Seq != uint64(i+1) {
				t.Errorf("%s: chunk %d has seq %d", c.name, i, ch.Seq)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for play, want := range map[string]string{
		"":                                "1:1: nothing is said in this play",
		"# only this\n":                   "1:1: nothing is said",
		"hello":                           "1:1: a line begins with",
		">GET /":                          "1:2: a blank expected after '>'",
		"> hello":                         "1:3: a request begins with 'METHOD TARGET'",
		"> GET /\n\n> hello: x":           "3:3: the request of line 1 is finished; a request begins with",
		"> grpc p.S/M":                    "1:3: 'grpc /package.Service/Method' expected",
		"> h2 GET":                        "1:3: 'h2 METHOD TARGET' expected",
		"> GET /\n< hello":                "2:3: a response begins with a status such as '200'",
		"> GET /\n< 200\n\n< data: x":     "4:3: the response before is finished; a response begins",
		"+ 12":                            "1:2: a time such as '+ 12ms'",
		"> GET /\n+ -1s":                  "2:2: time does not run backwards",
		"+ 999999h":                       "1:2: a play of more than ten years",
		"=":                               "1:2: the name of a connection expected",
		"= a\n= a tls":                    "2:5: connection a is there already",
		"= a clint 1.2.3.4:5":             "1:5: unknown word 'clint'",
		"= a client 1.2.3.4":              "1:5: an address with its port expected after 'client'",
		"= a tls server":                  "1:9: an address with its port",
		"= a name":                        "1:5: a host name expected",
		"!":                               "1:2: close, end, reset",
		"! explode server":                "1:3: close, end, reset",
		"! close":                         "1:8: 'client' or 'server' expected after 'close'",
		"! gap client":                    "1:13: how many bytes are missing",
		"! gap client 0":                  "1:14: how many bytes are missing",
		"! close client now":              "1:19: 'now' is one word too many",
		"> GET /\n! rst server":           "2:1: only an HTTP/2 connection has 'rst'",
		"> h2 GET /\n! rst server WHAT":   "2:14: an HTTP/2 error code expected",
		"> GET /\n! close client\n> GET":  "3:1: connection 1 ended at line 2",
		"> GET /\n! stop\n! stop":         "3:1: connection 1 ended at line 2",
		"> GET /\n! refused":              "2:1: a connection that was refused carries nothing",
		"= a\n> GET /\n\n> h2 GET /":      "4:3: connection a speaks HTTP/1",
		"> h2 GET /\n\n> GET /":           "3:3: connection 1 speaks HTTP/2; a request on it begins with 'h2' or 'grpc'",
		"= a/1\n= a/2\n> GET /":           "3:3: connection a has lanes, which only HTTP/2 can have",
		"> h2 GET /\n> noval":             "2:3: 'name: value' expected",
		"> h2 GET /\n< 200\n\n< 200":      "4:1: the response to line 1 ended at line 3",
		"= a/1\n> h2 GET /\n= a/2\n< 200": "4:1: nothing was asked on this lane",
		"> POST /\n>\n>x 0":               "3:4: pairs of hex digits expected",
		">t a: b":                         "1:1: a trailer belongs behind a body",
		"> POST /\n>t a: b":               "2:1: a trailer belongs behind a body",
		"> POST /\n> Content-Length: 1\n>\n> a\n>t a: b": "5:1: a body with Content-Length has no trailer",
		"> POST /\n>\n> a\n>t ab":                        "4:4: 'name: value' expected",
		"> grpc /p.S/M\n> {\"ä\": x}":                    "2:9: this is no JSON",
		"> grpc /p.S/M\n> text":                          "2:3: metadata ('name: value') or a message",
		"> grpc /p.S/M\n> {}\n> text":                    "3:3: a message (one line of JSON) expected",
		"> grpc /p.S/M\n>. {}":                           "2:2: a gRPC message is one line of JSON",
		"> grpc /p.S/M\n< status WHAT":                   "2:10: a gRPC status expected",
		"> grpc /p.S/M\n< status 0\n< text":              "3:3: after the status come",
		"> grpc /p.S/M\n< status 0\n<x 00":               "3:1: the call ended with the status of line 2",
		"> grpc /p.S/M\n< {}\n<t a: b":                   "3:1: the trailers of a call come after its 'status'",
		"> grpc /p.S/M\n< status 5\n< details {\"x\":1}": "3:11: details are an ErrorInfo",
		"> grpc /p.S/M\n< status 5\n< details {":         "3:11: this is no JSON",
		"> grpc /p.S/M\n< status 5\n\n< {}":              "4:1: the response to line 1 ended at line 3",
	} {
		p, err := Parse("x.play", []byte(play))
		if err == nil || !strings.HasPrefix(err.Error(), "x.play:"+want) {
			t.Errorf("%q\n got %v\nwant x.play:%s", play, err, want)
		}
		var place *Error
		if !errors.As(err, &place) || p != nil {
			t.Errorf("%q: %T", play, err)
		}
	}
}

// A play that cannot be encoded says so before anything is sent.
func TestEncodeError(t *testing.T) {
	p, err := Parse("x.play", []byte("> GET /\n= b\n> grpc /p.S/M\n> {\"a\":1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {EncodeGRPC: func(string, bool, []byte) ([]byte, error) { return nil, errors.New("no such field a") }}} {
		k := &keeping{}
		_, err = p.Source(o).Run(context.Background(), k)
		if err == nil || !strings.HasPrefix(err.Error(), "x.play:4:3: ") || len(k.chunks) > 0 {
			t.Error(err, len(k.chunks))
		}
	}
}

func TestPace(t *testing.T) {
	p, err := Parse("x.play", []byte("> GET /\n+ 10ms\n< 200\n< Content-Type: text/event-stream\n<\n< data: 1\n<\n+ 2s\n< data: 2\n<\n+ 1s\n"))
	if err != nil {
		t.Fatal(err)
	}
	k := &keeping{}
	var slept []time.Duration
	var seen []int
	o := Options{Pace: true, Start: time.Unix(100, 0), Sleep: func(_ context.Context, d time.Duration) error {
		slept, seen = append(slept, d), append(seen, len(k.chunks))
		return nil
	}}
	sum, err := p.Source(o).Run(context.Background(), k)
	if err != nil || sum.Connections != 1 || sum.Format != "play" {
		t.Fatal(sum, err)
	}
	if !sum.Last.Equal(time.Unix(103, 10_000_000)) {
		t.Errorf("the play ends at %v", sum.Last)
	}
	if len(slept) != 3 || slept[0] != 10*time.Millisecond || slept[1] != 2*time.Second || slept[2] != time.Second || seen[0] != 2 || seen[1] != 4 || seen[2] != 5 {
		t.Error(slept, seen)
	}
	if last := k.chunks[len(k.chunks)-1]; last.Kind != capture.Closed || !last.At.Equal(time.Unix(103, 10_000_000)) {
		t.Error(last)
	}
	gone := errors.New("gone")
	o.Sleep = func(context.Context, time.Duration) error { return gone }
	if _, err := p.Source(o).Run(context.Background(), &keeping{}); err != gone {
		t.Error(err)
	}
	o.Sleep = nil
	if _, err := p.Source(o).Run(context.Background(), &keeping{}); err == nil {
		t.Error("paced without a clock")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Source(Options{}).Run(ctx, &keeping{}); err != context.Canceled {
		t.Error(err)
	}
}

// The details are google.rpc.Status, read back field by field.
func TestDetails(t *testing.T) {
	cs := perform(t, `
> grpc /p.S/M
> {}
< status 3 bad
< details [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"D","metadata":{"b":"2","a":"1"}},{"fieldViolations":[{"field":"f","description":"d"}]}]
`)
	out := frames(t, stream(cs, capture.Server), false)
	_, value, _ := strings.Cut(out, "[grpc-status-details-bin: ")
	value, _, _ = strings.Cut(value, "]")
	b, err := base64.RawStdEncoding.DecodeString(value)
	if err != nil {
		t.Fatal(err, out)
	}
	got := flat(t, b, "")
	equal(t, "google.rpc.Status", got, `1 3
2 bad
3.1 type.googleapis.com/google.rpc.ErrorInfo
3.2.1 R
3.2.2 D
3.2.3.1 a
3.2.3.2 1
3.2.3.1 b
3.2.3.2 2
3.1 type.googleapis.com/google.rpc.BadRequest
3.2.1.1 f
3.2.1.2 d
`)
}

// flat lists the fields of a message; fields that hold messages are named by nested.
func flat(t *testing.T, b []byte, path string) string {
	t.Helper()
	nested := map[string]bool{"3": true, "3.2": true, "3.2.3": true}
	info := strings.Contains(string(b), "ErrorInfo")
	out := ""
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatalf("%s: %v", path, protowire.ParseError(n))
		}
		b = b[n:]
		at := strings.TrimPrefix(path+"."+itoa(int(num)), ".")
		if typ == protowire.VarintType {
			v, n := protowire.ConsumeVarint(b)
			b = b[n:]
			out += at + " " + itoa(int(v)) + "\n"
			continue
		}
		v, n := protowire.ConsumeBytes(b)
		if n < 0 {
			t.Fatalf("%s: %v", at, protowire.ParseError(n))
		}
		b = b[n:]
		if nested[at] || at == "3.2.1" && !info && len(v) > 2 && v[0] == 0x0a {
			out += flat(t, v, at)
			continue
		}
		out += at + " " + string(v) + "\n"
	}
	return out
}

// FuzzPlay: no text makes the parser or the encoder panic, and what is played
// keeps the promises of a source.
func FuzzPlay(f *testing.F) {
	for _, s := range []string{
		"> POST /a2a\n> Host: h\n>\n> {}\n< 200\n< Content-Type: text/event-stream\n<\n< data: 1\n<\n+ 5ms\n<. cut\n! gap server 3\n! reset server\n",
		"= a name h tls\n> grpc /p.S/M\n> a: b\n> {\"a\":1}\n< headers\n< {\"b\":2}\n< status 5 text\n< details {\"reason\":\"R\"}\n<t x: y\n\n> grpc /p.S/M\n! rst client 8\n! goaway server\n",
		"= a/1\n> h2 GET /\n= a/2\n> h2 POST /\n>\n>x 00ff\n>t a: b\n\n< 200\n<\n< x\n= b midstream\n< 200\n! stop\n= c\n! refused\n",
		"> POST /\n> Transfer-Encoding: chunked\n>\n> a\n>t b: c\n\n> GET /\n> Content-Encoding: gzip\n>\n> z\n! end client\n< 100\n<\n< 404\n! close server\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("f.play", []byte(text))
		if err != nil {
			var place *Error
			if !errors.As(err, &place) || place.Line < 1 || place.Col < 1 {
				t.Fatal(err)
			}
			return
		}
		k := &keeping{}
		if _, err := p.Source(Options{EncodeGRPC: echo}).Run(context.Background(), k); err != nil {
			t.Fatal(err)
		}
		var last time.Time
		open, over := map[capture.ConnID]bool{}, map[capture.ConnID]bool{}
		total := 0
		for i, c := range k.chunks {
			if c.Seq != uint64(i+1) || c.At.Before(last) {
				t.Fatalf("chunk %d: seq %d at %v after %v", i, c.Seq, c.At, last)
			}
			last = c.At
			if over[c.Conn] || open[c.Conn] == (c.Kind == capture.Opened) {
				t.Fatalf("chunk %d of connection %d comes before its begin or after its end", i, c.Conn)
			}
			open[c.Conn] = true
			over[c.Conn] = c.Kind == capture.Closed
			if c.Kind == capture.Bytes && len(c.Data) == 0 {
				t.Fatal("nothing was sent")
			}
			total += len(c.Data)
		}
		for c := range open {
			if !over[c] {
				t.Fatalf("connection %d has no end", c)
			}
		}
		if total > 200*len(text)+1000 {
			t.Fatalf("%d bytes from a play of %d", total, len(text))
		}
	})
}
