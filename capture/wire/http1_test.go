package wire

import (
	"testing"

	"a2ascope/capture"
)

const (
	get  = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
	get2 = "GET /b HTTP/1.1\r\nHost: h\r\n\r\n"
	post = "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
	ok   = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	ok2  = "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\ntwo"
)

var http1Book = []aTalk{
	{"keep-alive", talk{cl(get), sv(ok), cl(post), sv(ok2), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done
		2> POST /p
		2> body "hello"
		2> .5
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"pipelined", talk{cl(get + post), sv(ok + ok2), bye("")}, `
		1> GET /a
		1> .0
		2> POST /p
		2> body "hello"
		2> .5
		1< 200
		1< body "ok"
		1< .2
		1< end done
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"chunked with extension and trailer", talk{cl(get), sv("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"3;x=\"y\"\r\nabc\r\n0002\r\nde\r\n0\r\nX-Sum: 7\r\n\r\n"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "abcde"
		1< trailer X-Sum=7
		1< .5
		1< end done`},
	{"chunked request, early response", talk{
		cl("POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), sv(ok), cl("0\r\n\r\n"), bye("")}, `
		1> POST /p
		1< 200
		1< body "ok"
		1< .2
		1> body "abc"
		1> .3
		1> end done`},
	{"until the connection ends", talk{cl(get), sv("HTTP/1.0 200 OK\r\n\r\nall of it"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "all of it"
		1< .9
		1< end done`},
	{"until a reset", talk{cl(get), sv("HTTP/1.0 200 OK\r\n\r\nall of"), bye("reset")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "all of" cut
		1< end reset`},
	{"short body", talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "half" cut
		1< end closed`},
	{"server ends first, then the capture", talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), fin(capture.Server), bye("capture ended")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "half" cut
		1< end closed`},
	{"capture ends", talk{cl(post), bye("capture ended")}, `
		1> POST /p
		1> body "hello"
		1> .5
		1< end still-open`},
	{"capture ends in the request head", talk{cl("POST /p HTTP/1.1\r\nHost: h\r\nConte"), bye("capture ended")}, `
		1> POST /p
		1< end still-open`},
	{"connection ends in the response head", talk{cl(get), sv("HTTP/1.1 200 OK\r\nA: b\r\nC"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! head-malformed
		1< end closed`},
	{"expect continue", talk{cl("POST /p HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
		sv("HTTP/1.1 100 Continue\r\n\r\n"), cl("hi"), sv("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok), bye("")}, `
		1> POST /p
		1< 100
		1> body "hi"
		1> .2
		1< 103
		1< 200
		1< body "ok"
		1< .2
		1< end done`},
	{"no body for HEAD, 204, 304", talk{cl("HEAD /a HTTP/1.1\r\n\r\n" + get + get2),
		sv("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"), bye("")}, `
		1> HEAD /a
		1> .0
		2> GET /a
		2> .0
		3> GET /b
		3> .0
		1< 200
		1< .0
		1< end done
		2< 204
		2< .0
		2< end done
		3< 304
		3< .0
		3< end done`},
	{"odd but readable", talk{cl("\r\n\r\nGET http://x.test:80/a?b HTTP/1.1\nhost:  h\t\nX-Y: 1\n  2\nbad name: 3\nnocolon\n\n"), sv(ok), bye("")}, `
		1> GET http://x.test:80/a?b
		1> ! head-malformed
		1> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done`},
	{"two lengths", talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! length-conflict
		1< body "ok"
		1< .2
		1< end done`},
	{"length and chunked", talk{cl("POST /p HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"), sv(ok), bye("")}, `
		1> POST /p
		1> ! length-conflict
		1> body "a"
		1> .1
		1< 200
		1< body "ok"
		1< .2
		1< end done`},
	{"chunk size is no number", talk{cl(get), sv("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! chunk-malformed
		1< body "ok" cut
		1< end closed`},
	{"response without request", talk{sv(ok + ok2), bye("capture ended")}, `
		1< ! no-request
		1< 200
		1< body "ok"
		1< .2
		1< end done
		2< ! no-request
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"capture begins inside messages", talk{cl("tail of a body}" + get2), sv("rest\":1}" + ok), bye("")}, `
		1> GET /b
		1> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done`},
	{"websocket", talk{cl("GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
		sv("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"), cl("\x81\x85...."), bye("")}, `
		1> GET /ws
		1> .0
		1< 101
		1< end upgraded`},
	{"upgrade declined", talk{cl("GET /a HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"), cl(get2), sv(ok + ok2), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		2> GET /b
		2> .0
		1< body "ok"
		1< .2
		1< end done
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"connect", talk{cl("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"), cl(get), sv("HTTP/1.1 200 Connection established\r\n\r\n"), sv(ok), bye("")}, `
		1> CONNECT h:443
		1> .0
		1< 200
		1< end upgraded
		2> GET /a
		2> .0
		2< 200
		2< body "ok"
		2< .2
		2< end done`},
	{"an upgrade nobody asked for", talk{cl(get + "POST /b HTTP/1.1\r\nContent-Length: 9\r\n\r\nfirst"),
		sv("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x00"), bye("")}, `
		1> GET /a
		1> .0
		2> POST /b
		1< 101
		1< end upgraded
		2> body "first" cut
		2< end still-open`},
	{"h2c nobody asked for", talk{cl(get + "POST /b HTTP/1.1\r\nContent-Length: 9\r\n\r\nfirst"),
		sv("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"), bye("")}, `
		1> GET /a
		1> .0
		2> POST /b
		1< 101
		2> body "first" cut
		2< end still-open
		1< end closed`},
	{"connect refused", talk{cl("CONNECT h:443 HTTP/1.1\r\n\r\n"), sv("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"), cl(get), sv(ok), bye("")}, `
		1> CONNECT h:443
		1> .0
		1< 407
		1< .0
		1< end done
		2> GET /a
		2> .0
		2< 200
		2< body "ok"
		2< .2
		2< end done`},
	{"answered with TLS", talk{cl(get), sv("\x15\x03\x01\x00\x02\x02\x46"), bye("")}, `
		1> GET /a
		1> .0
		1< ! tls-mismatch
		1< end closed`},
	{"answered with HTTP/2", talk{cl(get), sv("\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x07\x00"), bye("")}, `
		1> GET /a
		1> .0
		1< ! http2-answer
		1< end closed`},
	{"answered with nonsense", talk{cl(get), sv("SSH-2.0-OpenSSH_9\r\n"), bye("")}, `
		1> GET /a
		1> .0
		1< ! head-malformed
		1< end closed`},
	{"half-closed client", talk{cl(get), fin(capture.Client), sv(ok), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done`},
}

func TestHTTP1(t *testing.T) { runBook(t, http1Book) }

func TestHeadIsExact(t *testing.T) {
	raw := "POST /a%7e?x=1 HTTP/1.1\r\nhost: h\r\nA2A-Version:   1.0 \t\r\nA2a-version: 0.3\r\nX:\r\nContent-Length: 0\r\n\r\n"
	es := play(talk{open(capture.Link{TLS: "1.3"}), cl(raw), bye("")})
	h := es[0].Body.(*capture.Head)
	if string(h.Raw) != raw {
		t.Errorf("raw %q", h.Raw)
	}
	if h.Method != "POST" || h.Target != "/a%7e?x=1" || h.Proto != "HTTP/1.1" || h.Authority != "h" || h.Scheme != "https" {
		t.Errorf("%+v", h)
	}
	want := capture.Fields{{Name: "host", Value: "h"}, {Name: "A2A-Version", Value: "1.0"}, {Name: "A2a-version", Value: "0.3"},
		{Name: "X", Value: ""}, {Name: "Content-Length", Value: "0"}}
	if len(h.Fields) != len(want) {
		t.Fatalf("%v", h.Fields)
	}
	for i := range want {
		if h.Fields[i] != want[i] {
			t.Errorf("field %d: %v, want %v", i, h.Fields[i], want[i])
		}
	}
}

func TestBodyIsAView(t *testing.T) {
	ch := cl(post)
	es := NewConn(1).Feed(&ch, nil)
	f := es[1].Body.(*capture.Frame)
	if &f.Data[0] != &ch.Data[len(ch.Data)-5] {
		t.Error("the body was copied although one chunk holds it all")
	}
}
