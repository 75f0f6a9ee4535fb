package wire

import (
	"testing"

	"a2ascope/capture"
)

var http1Gaps = []aTalk{
	{"inside a body of known length", talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
		gapOf(capture.Server, 4), sv("xyz" + ok2), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=4
		1< body "abcxyz" size=10 lost=4
		1< .10
		1< end done
		2< ! no-request
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"the end of one body and the next response head", talk{cl(get), cl(get2), sv("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
		gapOf(capture.Server, 40), sv("tail" + ok2), bye("")}, `
		1> GET /a
		1> .0
		2> GET /b
		2> .0
		1< 200
		1< ! bytes-lost lost=7
		1< body "abc" size=10 lost=7
		1< .10
		1< end done
		2< ! bytes-lost lost=33
		2< end still-open
		3< ! no-request
		3< 201
		3< body "two"
		3< .3
		3< end done`},
	{"a whole response, seen after the next request", talk{cl(get), cl(get2), gapOf(capture.Server, 60), sv(ok2), bye("")}, `
		1> GET /a
		1> .0
		2> GET /b
		2> .0
		1< ! bytes-lost lost=60
		1< end still-open
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"the end of a stream and the response behind it", talk{cl(get), sv(lines("HTTP/1.1 200 OK\nContent-Type: text/event-stream\nTransfer-Encoding: chunked\n\n9\n") + "data: x\n\n\r\n"), gapOf(capture.Server, 70), cl(get2), gapOf(capture.Server, 60), cl(get), sv(ok), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "x"
		1< ! bytes-lost lost=70
		2> GET /b
		2> .0
		1< ! bytes-lost lost=60
		3> GET /a
		3> .0
		1< end done
		2< ! bytes-lost lost=-1
		2< end still-open
		3< 200
		3< body "ok"
		3< .2
		3< end done`},
	{"a response and the request behind it", talk{cl(get), gapOf(capture.Server, 60), gapOf(capture.Client, 50), sv(ok2), bye("")}, `
		1> GET /a
		1> .0
		1< ! bytes-lost lost=60
		1< end still-open
		2< ! no-request
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"one of pipelined responses", talk{cl(get + get2 + get), sv(ok), gapOf(capture.Server, -1), sv(ok2), bye("")}, `
		1> GET /a
		1> .0
		2> GET /b
		2> .0
		3> GET /a
		3> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done
		2< ! bytes-lost lost=-1
		2< end still-open
		4< ! no-request
		4< 201
		4< body "two"
		4< .3
		4< end done
		3< ! bytes-lost lost=-1
		3< end still-open`},
	{"all responses, of pipelined requests", talk{cl(get + get2 + get), gapOf(capture.Server, 180), bye("")}, `
		1> GET /a
		1> .0
		2> GET /b
		2> .0
		3> GET /a
		3> .0
		1< ! bytes-lost lost=180
		1< end still-open
		2< ! bytes-lost lost=-1
		2< end still-open
		3< ! bytes-lost lost=-1
		3< end still-open`},
	{"a whole request", talk{cl(get), sv(ok), gapOf(capture.Client, 50), sv(ok2), cl(get2), sv(ok), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done
		2< ! no-request
		2< 201
		2< body "two"
		2< .3
		2< end done
		3> GET /b
		3> .0
		3< 200
		3< body "ok"
		3< .2
		3< end done`},
	{"inside a request head", talk{cl("POST /p HTTP/1.1\r\nHost: h\r\nX"), gapOf(capture.Client, 30), sv(ok), cl(get2), sv(ok2), bye("")}, `
		1> POST /p
		1> ! bytes-lost lost=30
		1< 200
		1< body "ok"
		1< .2
		1> end done
		2> GET /b
		2> .0
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"inside a chunk", talk{cl(get), sv("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nab"), gapOf(capture.Server, 3), sv("xyz\r\n0\r\n\r\n"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=3
		1< body "abxyz" size=8 lost=3
		1< .8
		1< end done`},
	{"over a chunk end", talk{cl(get), sv("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nab"), gapOf(capture.Server, 12), sv("xyz\r\n2\r\nuv\r\n0\r\n\r\n" + ok2), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=12
		1< body "abuv" size=21 lost=17
		1< .21
		1< end done
		2< ! no-request
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"events of a chunked stream", talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nb\r\ndata: {1}\n\n\r\n"),
		gapOf(capture.Server, 16), sv("b\r\ndata: {3}\n\n\r\n0\r\n\r\n"), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< sse-event "{1}"
		1< ! bytes-lost lost=16
		1< sse-event "{3}"
		1< .38
		1< end done`},
	{"unknown number of bytes", talk{cl("POST /p HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc"), gapOf(capture.Client, -1), cl("}" + get2), sv(ok), sv(ok2), bye("")}, `
		1> POST /p
		1> ! bytes-lost lost=-1
		1> body "abc" lost=-1 cut
		2> GET /b
		2> .0
		1< 200
		1< body "ok"
		1< .2
		1< end done
		2< 201
		2< body "two"
		2< .3
		2< end done`},
	{"until the end", talk{cl(get), sv("HTTP/1.0 200 OK\r\n\r\nab"), gapOf(capture.Server, 5), sv("cd"), fin(capture.Server), bye("")}, `
		1> GET /a
		1> .0
		1< 200
		1< ! bytes-lost lost=5
		1< body "abcd" size=9 lost=5
		1< .9
		1< end done`},
}

func TestHTTP1Gaps(t *testing.T) { runBook(t, http1Gaps) }
