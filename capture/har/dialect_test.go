package har

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// harOf wraps entries the way a file does.
func harOf(entries ...string) string {
	return `{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[` + strings.Join(entries, ",") + `]}}`
}

// dialects are entries as producers write them, and the events they must give.
var dialects = []struct{ name, entry, want string }{
	{"chrome h2: pseudo-fields, members in the order of the alphabet, null error", `{
  "_initiator": {"type": "script", "stack": {"callFrames": [{"url": "https://x/\"a\"", "lineNumber": 1}]}},
  "_priority": "High", "_resourceType": "fetch", "cache": {}, "connection": "443",
  "request": {"method": "POST", "url": "https://agent.example.test/a2a?x=1#top", "httpVersion": "http/2.0",
    "headers": [{"name": ":authority", "value": "agent.example.test:443"}, {"name": ":method", "value": "POST"},
      {"name": ":path", "value": "/a2a?x=1"}, {"name": ":scheme", "value": "https"}, {"name": "a2a-version", "value": "1.0"}],
    "queryString": [{"name": "x", "value": "1"}], "cookies": [], "headersSize": -1, "bodySize": 15,
    "postData": {"mimeType": "application/json", "text": "{\"a\":\"\u4f60\\n\"}"}},
  "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0", "headers": [{"name": "content-encoding", "value": "gzip"}],
    "cookies": [], "content": {"size": 13, "mimeType": "application/json", "text": "{\"ok\": true }", "compression": -20},
    "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 120, "_error": null, "_fetchedViaServiceWorker": false},
  "serverIPAddress": "[2001:db8::1]", "startedDateTime": "2026-11-29T12:00:00.000Z", "time": 10,
  "timings": {"blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.5, "wait": 5, "receive": 3, "_blocked_queueing": 1}}`,
		`1.1 client +0s HTTP/2 POST https agent.example.test:443 /a2a?x=1 [a2a-version: 1.0] link(agent.example.test [2001:db8::1]:443 tls=yes alpn=h2 har)
1.1 client +2ms body#0 "{\"a\":\"你\\n\"}" size=13 wire=15
1.1 client +2ms body-end 13
1.1 server +7ms HTTP/2 200  [content-encoding: gzip]
1.1 server +10ms body#0 "{\"ok\": true }" size=13 wire=13 coding=gzip
1.1 server +10ms body-end 13
1.1 server +10ms end done ~
`},
	{"firefox: HTTP/2, no pseudo-fields, body sent kept as params", `{"pageref":"page_1","startedDateTime":"2026-11-29T13:00:00.000+01:00",
  "request":{"bodySize":9,"method":"POST","url":"https://login.example.test:8443/token","httpVersion":"HTTP/2",
   "headers":[{"name":"Host","value":"login.example.test:8443"}],"cookies":[],"queryString":[],"headersSize":300,
   "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"grant type","value":"a&b"},{"name":"c","value":"ü"}],"text":""}},
  "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2","headers":[],"cookies":[],
   "content":{"mimeType":"application/json","size":2,"text":"{}"},"redirectURL":"","headersSize":1,"bodySize":700},
  "cache":{},"timings":{"blocked":0,"dns":0,"connect":4,"ssl":3,"send":0,"wait":6,"receive":0},"time":10,
  "_securityState":"secure","serverIPAddress":"192.0.2.7","connection":"8443"}`,
		`1.1 client +0s HTTP/2 POST https login.example.test:8443 /token [Host: login.example.test:8443] link(login.example.test 192.0.2.7:8443 tls=yes alpn=h2 har)
1.1 client +4ms body#0 "grant+type=a%26b&c=%C3%BC" size=25 wire=9
1.1 client +4ms body-end 25
1.1 server +10ms HTTP/2 200 ~
1.1 server +10ms body#0 "{}" size=2 wire=700
1.1 server +10ms body-end 2
1.1 server +10ms end done ~
`},
	{"safari: empty versions, no address, body base64 with escaped slashes", `{"startedDateTime":"2026-11-29T12:00:00.000Z","time":3,
  "request":{"method":"GET","url":"http://127.0.0.1:7311/.well-known/agent-card.json","httpVersion":"","headers":[],"cookies":[],"queryString":[],"headersSize":-1,"bodySize":-1},
  "response":{"status":200,"statusText":"OK","httpVersion":"","headers":[{"name":"Content-Type","value":"application/octet-stream"}],"cookies":[],
   "content":{"size":3,"mimeType":"application/octet-stream","encoding":"base64","text":"\/\/79"},"redirectURL":"","headersSize":-1,"bodySize":-1},
  "cache":{},"timings":{"blocked":-1,"dns":-1,"connect":-1,"ssl":-1,"send":-1,"wait":-1,"receive":-1}}`,
		`1.1 client +0s  GET http 127.0.0.1:7311 /.well-known/agent-card.json link(127.0.0.1 127.0.0.1:7311 tls= alpn= har)
1.1 client +0s body-end 0
1.1 server +3ms  200  [Content-Type: application/octet-stream]
1.1 server +3ms body#0 "\xff\xfe\xfd" size=3 wire=3
1.1 server +3ms body-end 3
1.1 server +3ms end done ~
`},
	{"mitmproxy: HTTP/2.0, host header as sent, microseconds, surrogates for what is no UTF-8", `{"startedDateTime": "2026-11-29T12:00:00.000000+00:00", "time": 53,
  "request": {"method": "POST", "url": "http://127.0.0.1:7331/a2a", "httpVersion": "HTTP/2.0", "cookies": [],
   "headers": [{"name": "host", "value": "proxied.example.test"}, {"name": "A2A-Version", "value": "1.0"}], "queryString": [], "headersSize": 322, "bodySize": 5,
   "postData": {"mimeType": "text/plain", "text": "a\udcffb\u0000c", "params": []}},
  "response": {"status": 204, "statusText": "No Content", "httpVersion": "HTTP/2.0", "cookies": [], "headers": [],
   "content": {"size": 0, "compression": 0, "mimeType": "", "text": ""}, "redirectURL": "", "headersSize": 281, "bodySize": 0},
  "cache": {}, "timings": {"send": 3, "receive": 0, "wait": 50, "connect": 0, "ssl": -1}, "serverIPAddress": "127.0.0.1"}`,
		`1.1 client +0s HTTP/2 POST http proxied.example.test /a2a [host: proxied.example.test] [A2A-Version: 1.0] link(127.0.0.1 127.0.0.1:7331 tls= alpn= har)
1.1 client +3ms body#0 "a\xffb\x00c" size=5 wire=5
1.1 client +3ms body-end 5
1.1 server +53ms HTTP/2 204 ~
1.1 server +53ms body-end 0
1.1 server +53ms end done ~
`},
	{"charles: request refused, status 0 with a text, form-data without body", `{"startedDateTime": "2026-11-29T12:00:00.000+00:00", "time": 12,
  "request": {"method": "POST", "url": "http://agent.example.test/up", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [{"name": "Host", "value": "agent.example.test"}],
   "queryString": [], "postData": {"mimeType": "multipart/form-data; boundary=x", "params": [{"name": "file", "fileName": "a.txt"}]}, "headersSize": 40, "bodySize": 99},
  "response": {"_charlesStatus": "FAILED", "status": 0, "statusText": "Connection refused", "httpVersion": "", "cookies": [], "headers": [], "content": {"size": 0, "mimeType": ""}, "redirectURL": null, "headersSize": 0, "bodySize": 0},
  "serverIPAddress": "", "cache": {}, "timings": {"send": 0, "wait": 12, "receive": 0}}`,
		`1.1 client +0s HTTP/1.1 POST http agent.example.test /up [Host: agent.example.test] link(agent.example.test invalid AddrPort tls= alpn= har)
1.1 client +0s breach bytes-lost lost=-1 the HAR holds only the 1 fields of a form, not the body
1.1 client +0s body-end 0
1.1 client +12ms end unreachable Connection refused
`},
	{"proxyman: HTTP/1.1, body missing though it had a size, headers of an odd form", `{"startedDateTime": "2026-11-29T12:00:00.0000000Z", "time": 1,
  "request": {"method": "GET", "url": "https://Agent.Example.test", "httpVersion": "HTTP/1.1", "headers": {"Host": "agent.example.test", "X": ["1", "2"]}, "bodySize": 0},
  "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [["Server", "x"], {"name": "n", "value": 7}, {"value": "nameless"}], "content": {"size": 700, "mimeType": "application/json", "comment": "too large"}, "bodySize": 300},
  "timings": {"send": 0, "wait": 1, "receive": 0}, "_clientAddress": "10.0.0.1"}`,
		`1.1 client +0s HTTP/1.1 GET https agent.example.test / [Host: agent.example.test] [X: 1] [X: 2] link(Agent.Example.test invalid AddrPort tls=yes alpn= har)
1.1 client +0s body-end 0
1.1 server +1ms HTTP/1.1 200 OK [Server: x] [n: 7]
1.1 server +1ms breach bytes-lost lost=700 the HAR does not hold the body of 700 bytes, the recorder says "too large"
1.1 server +1ms body-end 700
1.1 server +1ms end done ~
`},
	{"fiddler: no timings but a time, h3, numbers as strings", `{"startedDateTime": "2026-11-29T13:00:00.0000000+01:00", "time": "20",
  "request": {"method": "DELETE", "url": "https://agent.example.test/tasks/1?", "httpVersion": "h3", "headers": [], "bodySize": 0, "postData": {"mimeType": "", "text": ""}},
  "response": {"status": "404", "statusText": "Not Found", "httpVersion": "h3", "headers": [], "content": {"size": 9, "mimeType": "text/html", "text": "not found"}, "bodySize": 9},
  "timings": {}, "connection": "ClientPort:1;EgressPort:2"}`,
		`1.1 client +0s HTTP/3 DELETE https agent.example.test /tasks/1? link(agent.example.test invalid AddrPort tls=yes alpn=h3 har)
1.1 client +0s body-end 0
1.1 server +20ms HTTP/3 404 ~
1.1 server +20ms body#0 "not found" size=9 wire=9
1.1 server +20ms body-end 9
1.1 server +20ms end done ~
`},
	{"http toolkit: binary request in _content, body left out, trailers", `{"startedDateTime": "2026-11-29T12:00:00.000Z", "time": 5,
  "request": {"method": "POST", "url": "http://agent.example.test/x", "httpVersion": "HTTP/1.1", "headers": [{"name": "Transfer-Encoding", "value": "chunked"}], "bodySize": 4,
   "_requestBodyStatus": "discarded:not-representable", "_content": {"text": "//4AAQ==", "size": 4, "encoding": "base64"}, "_trailers": [{"name": "X-Sum", "value": "1"}]},
  "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [], "_responseBodyStatus": "discarded:too-large", "content": {"mimeType": "", "size": 900000},
   "_trailers": {"X-End": "2"}, "bodySize": 900000},
  "timings": {"send": 1, "wait": 2, "receive": 2}}`,
		`1.1 client +0s HTTP/1.1 POST http agent.example.test /x [Transfer-Encoding: chunked] link(agent.example.test invalid AddrPort tls= alpn= har)
1.1 client +1ms body#0 "\xff\xfe\x00\x01" size=4 wire=4
1.1 client +1ms trailer only=false [X-Sum: 1]
1.1 client +1ms body-end 4
1.1 server +3ms HTTP/1.1 200 OK
1.1 server +5ms breach bytes-lost lost=900000 the HAR does not hold the body of 900000 bytes, it was left out by the recorder (discarded:too-large)
1.1 server +5ms trailer only=false [X-End: 2]
1.1 server +5ms body-end 900000
1.1 server +5ms end done ~
`},
	{"playwright: the body lies in a file", `{"startedDateTime": "2026-11-29T12:00:00.000Z", "time": 5,
  "request": {"method": "GET", "url": "http://agent.example.test/x", "httpVersion": "unknown", "headers": [], "bodySize": 0},
  "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.0", "headers": [], "content": {"size": -1, "mimeType": "application/json", "_file": "a\"b.json"}, "bodySize": -1}}`,
		`1.1 client +0s HTTP/1.0 GET http agent.example.test /x link(agent.example.test invalid AddrPort tls= alpn= har)
1.1 client +0s body-end 0
1.1 server +5ms HTTP/1.0 200 OK
1.1 server +5ms breach bytes-lost lost=-1 the HAR does not hold the body, it lies in the file "a\"b.json" beside it
1.1 server +5ms body-end 0
1.1 server +5ms end done ~
`},
	{"chrome: EventSource without body, events with times", `{"_resourceType": "eventsource", "startedDateTime": "2026-11-29T12:00:00.000Z", "time": 9000,
  "_eventSourceMessages": [{"time": 1795953601.25, "eventName": "message", "eventId": "", "data": "{\"a\":1}"}, {"time": 1795953602.5, "eventName": "done", "eventId": "7", "data": ""}],
  "request": {"method": "GET", "url": "http://agent.example.test/x", "httpVersion": "http/1.1", "headers": [], "bodySize": 0},
  "response": {"status": 200, "statusText": "OK", "httpVersion": "http/1.1", "headers": [{"name": "Content-Type", "value": "text/event-stream"}], "content": {"size": 0, "mimeType": "text/event-stream"}, "bodySize": -1, "_error": "net::ERR_ABORTED"},
  "timings": {"send": 0, "wait": 1000, "receive": 8000}}`,
		`1.1 client +0s HTTP/1.1 GET http agent.example.test /x link(agent.example.test invalid AddrPort tls= alpn= har)
1.1 client +0s body-end 0
1.1 server +1s HTTP/1.1 200 OK [Content-Type: text/event-stream]
1.1 server +1.25s sse-event#0 "{\"a\":1}" size=7 wire=7
1.1 server +2.5s sse-event#1 "" size=0 wire=0 event=done id=7
1.1 server +9s body-end 7
1.1 server +9s end done net::ERR_ABORTED
`},
	{"a recorder inside a server: path alone; base64 that is none", `{"startedDateTime": "2026-11-29T12:00:00Z", "time": 1,
  "request": {"method": "GET", "url": "/only/a/path", "httpVersion": "HTTP/1.1", "headers": [{"name": "Host", "value": "h"}]},
  "response": {"status": 200, "httpVersion": "HTTP/1.1", "headers": [], "content": {"size": 3, "text": "a b", "encoding": "base64"}}}`,
		`1.1 client +0s HTTP/1.1 GET  h /only/a/path [Host: h] link( invalid AddrPort tls= alpn= har)
1.1 client +0s body-end 0
1.1 server +1ms HTTP/1.1 200 ~
1.1 server +1ms breach coding-broken lost=0 the HAR says that the body is base64, but it is not: illegal base64 data at input byte 1
1.1 server +1ms body#0 "a b" size=3 wire=3
1.1 server +1ms body-end 3
1.1 server +1ms end done ~
`},
}

func TestDialects(t *testing.T) {
	for _, d := range dialects {
		text := harOf(d.entry)
		d.want = strings.ReplaceAll(d.want, " ~\n", " \n") // a blank at the end of a line
		k, sum, err := mapped([]byte(text))
		if err != nil || len(sum.Damage) > 0 {
			t.Errorf("%s: %v %v", d.name, err, sum.Damage)
			continue
		}
		equal(t, d.name, dump(k.events, noon), d.want)
		if s, _, err := streamed("\xef\xbb\xbf \n"+text, true); err != nil || dump(s.events, noon) != d.want {
			t.Errorf("%s: as a stream: %v\n%s", d.name, err, dump(s.events, noon))
		}
	}
}

// gRPC bodies and event streams go through the parsers of capture/wire.
func TestStreams(t *testing.T) {
	message := "\x00\x00\x00\x00\x05\x0a\x03a\xffb"
	body := base64.StdEncoding.EncodeToString([]byte(message + message))
	latin := ""
	for _, b := range []byte(message) {
		latin += fmt.Sprintf(`\u%04x`, b)
	}
	surrogates := strings.ReplaceAll(latin, `\u00ff`, `\udcff`)
	entry := func(post, headers, content string) string {
		return `{"startedDateTime":"2026-11-29T12:00:00Z","time":2,"request":{"method":"POST","url":"https://h/lf.a2a.v1.A2AService/GetTask","httpVersion":"HTTP/2.0",
"headers":[{"name":"content-type","value":"application/grpc"}],"postData":{"mimeType":"application/grpc","text":"` + post + `"}},
"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2.0","headers":[` + headers + `],"content":` + content + `}}`
	}
	grpcHead := `{"name":"content-type","value":"application/grpc+proto"}`
	for _, c := range []struct{ name, entry, want string }{
		{"latin-1 request, base64 response, no trailers", entry(latin, grpcHead, `{"size":20,"mimeType":"application/grpc+proto","encoding":"base64","text":"`+body+`"}`), `
client grpc-message#0 "\n\x03a\xffb" size=5
server grpc-message#0 "\n\x03a\xffb" size=5
server grpc-message#1 "\n\x03a\xffb" size=5
`},
		{"surrogates, trailers-only", entry(surrogates, grpcHead+`,{"name":"grpc-status","value":"12"}`, `{"size":0,"mimeType":"application/grpc"}`), `
client grpc-message#0 "\n\x03a\xffb" size=5
server trailer only=true [content-type: application/grpc+proto] [grpc-status: 12]
`},
		{"trailers among the headers", entry(latin, grpcHead+`,{"name":"Grpc-Status","value":"0"},{"name":"grpc-message","value":""}`, `{"size":20,"mimeType":"application/grpc","encoding":"base64","text":"`+body+`"}`), `
client grpc-message#0 "\n\x03a\xffb" size=5
server grpc-message#0 "\n\x03a\xffb" size=5
server grpc-message#1 "\n\x03a\xffb" size=5
server trailer only=false [grpc-status: 0] [grpc-message: ]
`},
		{"server-sent events, one cut, a comment", entry(latin, `{"name":"content-type","value":"text/event-stream; charset=utf-8"}`, `{"size":20,"mimeType":"text/event-stream","text":"id: 1\ndata: {\"a\":1}\n\n: keep-alive\n\ndata: x\r\ndata: y\r\n\r\ndata: cut"}`), `
client grpc-message#0 "\n\x03a\xffb" size=5
server sse-event#0 "{\"a\":1}" size=7 event= id=1
server sse-comment#1 "keep-alive" size=10
server sse-event#2 "x\ny" size=3
server sse-event#3 "cut" size=3
`},
	} {
		k, sum, err := mapped([]byte(harOf(c.entry)))
		if err != nil || len(sum.Damage) > 0 {
			t.Errorf("%s: %v %v", c.name, err, sum.Damage)
			continue
		}
		got := "\n"
		for _, line := range strings.Split(dump(k.events, noon), "\n") {
			_, line, _ = strings.Cut(line, " ")
			side, line, _ := strings.Cut(line, " ")
			_, line, _ = strings.Cut(line, " ")
			if what, _, _ := strings.Cut(line, "#"); strings.HasPrefix(what, "grpc") || strings.HasPrefix(what, "sse") || strings.HasPrefix(line, "trailer") || strings.HasPrefix(line, "breach") {
				line, wire, _ := strings.Cut(line, " wire=")
				if i := strings.IndexByte(wire, ' '); i >= 0 {
					line += wire[i:]
				}
				got += side + " " + line + "\n"
			}
		}
		equal(t, c.name, got, c.want)
	}
}
