package decode

import (
	"strings"
	"testing"

	"a2ascope/capture"
)

func TestParsePlace(t *testing.T) {
	for _, c := range []struct {
		place string
		want  Where
		err   string // a part of the sentence; "" for a good place
	}{
		{"request", Where{Side: "request"}, ""},
		{"exchange", Where{Side: "exchange"}, ""},
		{"response/line", Where{Side: "response", Part: "line"}, ""},
		{"request/header/a2a-version", Where{Side: "request", Part: "header", Name: "a2a-version"}, ""},
		{"request/header/a2a-version/1", Where{Side: "request", Part: "header", Name: "a2a-version", Index: 1}, ""},
		{"response/trailer/grpc-status", Where{Side: "response", Part: "trailer", Name: "grpc-status"}, ""},
		{"request/query/A2A-Version", Where{Side: "request", Part: "query", Name: "A2A-Version"}, ""},
		{"request/frame/0", Where{Side: "request", Part: "frame"}, ""},
		{"response/frame/12#", Where{Side: "response", Part: "frame", Index: 12, Inside: true}, ""},
		{"response/frame/3#/result/a~1b/0", Where{Side: "response", Part: "frame", Index: 3, Pointer: "/result/a~1b/0", Inside: true}, ""},
		{"", Where{}, "must begin with request, response or exchange"},
		{"reply/line", Where{}, "must begin with"},
		{"exchange/line", Where{}, "nothing stands below exchange"},
		{"request/", Where{}, "must follow request/"},
		{"request/body", Where{}, `unknown part "body"`},
		{"request/line/x", Where{}, "nothing stands below line"},
		{"request/header/A2A-Version", Where{}, "lower case"},
		{"request/header/", Where{}, "name of the header is missing"},
		{"request/header/x/y", Where{}, `"y" is no number`},
		{"request/trailer/x", Where{}, "only a response has trailers"},
		{"response/query/x", Where{}, "only a request has query parameters"},
		{"request/query/", Where{}, "name of the query parameter is missing"},
		{"response/frame/x#/a", Where{}, `"x" is no frame number`},
		{"response/frame/-1", Where{}, "no frame number"},
		{"response/frame/0#result", Where{}, "a JSON pointer begins with /"},
		{"response/frame/0#/a~2", Where{}, "~0"},
	} {
		p, err := ParsePlace(c.place)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), c.place) {
				t.Errorf("%q: error %v, want one that names the place and says %q", c.place, err, c.err)
			}
			continue
		}
		w, _ := p.Parse()
		if err != nil || w != c.want {
			t.Errorf("%q: %+v %v, want %+v", c.place, w, err, c.want)
		}
	}
}

func TestValue(t *testing.T) {
	unary := read(t, `POST /a2a?A2A-Version=1.0&x=%20y
a2a-version: 1.0
a2a-version: 0.3

{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t","n":[1,{"a/b":true}]}}
---
404 Not Found
content-type: application/json

{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"`+strings.Repeat("ä", 500)+`"}}`)
	stream := read(t, stream10+last10)
	grpc := read(t, `grpc /lf.a2a.v1.A2AService/SendStreamingMessage

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/grpc

{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}
===
grpc-status: 0`)
	trailersOnly := read(t, "grpc /lf.a2a.v1.A2AService/GetTask\n\n{\"id\":\"t\"}\n---\n200\ncontent-type: application/grpc\ngrpc-status: 5\n\n")
	long := strings.Repeat("ä", valueLimit/2) + "…"
	for _, c := range []struct {
		call  *Call
		place Place
		want  string
		ok    bool
	}{
		{unary, "request/line", "POST /a2a?A2A-Version=1.0&x=%20y", true},
		{unary, "response/line", "404 Not Found", true},
		{unary, "request/header/a2a-version", "1.0", true},
		{unary, "request/header/a2a-version/1", "0.3", true},
		{unary, "request/header/a2a-version/2", "", false},
		{unary, "request/query/a2a-version", "1.0", true},
		{unary, "request/query/x", " y", true},
		{unary, "request/frame/0#/method", "GetTask", true},
		{unary, "request/frame/0#/params/n/1/a~1b", "true", true},
		{unary, "request/frame/0#/params/none", "", false},
		{unary, "request/frame/1#/method", "", false},
		{unary, "response/frame/0#/error/code", "-32001", true},
		{unary, "response/frame/0#/error/message", long, true},
		{unary, "response/trailer/x", "", false},
		{unary, "request", "", true},
		{unary, "exchange", "done", true},
		{unary, "nonsense", "", false},
		{stream, "response/frame/2#/result/artifactUpdate/taskId", "t", true},
		{stream, "response/frame/1#/result", "", false}, // the comment
		{grpc, "request/frame/0#/message/role", "ROLE_USER", true},
		{grpc, "response/frame/0#/task/status/state", "TASK_STATE_WORKING", true},
		{grpc, "response/trailer/grpc-status", "0", true},
		{trailersOnly, "response/trailer/grpc-status", "5", true},
		{trailersOnly, "response/header/grpc-status", "5", true},
	} {
		for name, call := range map[string]*Call{"full": c.call, "compact": c.call.Compact()} {
			if got, ok := Value(call, c.place); got != c.want || ok != c.ok {
				t.Errorf("%s %s: %q %v, want %q %v", name, c.place, got, ok, c.want, c.ok)
			}
		}
	}
}

// Every place that a call names must parse and, but for whole sides, have a value.
func TestPlacesStand(t *testing.T) {
	for _, text := range []string{benchRPC, stream10 + last10} {
		c := read(t, text)
		var places []Place
		for _, list := range [][]Signal{c.Identity, c.Request.Signals, c.Response.Signals} {
			for _, s := range list {
				places = append(places, s.Where)
			}
		}
		for _, e := range c.Events {
			places = append(places, e.At)
		}
		for _, p := range append(places, c.ParamsAt, c.ResultAt) {
			if p == "" {
				continue
			}
			if _, ok := Value(c, p); !ok {
				t.Errorf("nothing stands at %s", p)
			}
		}
	}
}

func FuzzCall(f *testing.F) {
	f.Add("POST", "/a2a", "application/json", []byte(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","parts":[{"text":"x"}]}}}`), 200, "text/event-stream", []byte(`{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t"}}}`), "0")
	f.Add("POST", "/lf.a2a.v1.A2AService/SendStreamingMessage", "application/grpc", []byte("\x12\x03\x0a\x01m"), 200, "application/grpc", []byte("\x0a\x03\x0a\x01t"), "CAkSAm5v")
	f.Add("POST", "", "application/grpc", []byte("\x0a\x07tasks/t"), 200, "application/grpc", []byte("\x0a\x01t"), "x")
	f.Add("GET", "/v1/tasks/%zz:cancel?tenant=%", "", []byte("null"), 404, "application/problem+json", []byte(`{"type":1,"title":[],"error":{"code":-1,"details":[null,{"reason":"X"}]}}`), "")
	f.Add("GET", "/.well-known/agent-card.json", "", []byte{}, 200, "application/json", []byte(`{"supportedInterfaces":{"a":1},"url":[],"skills":[],"capabilities":{"extensions":{"x":[]}},"defaultInputModes":[]}`), "")
	f.Add("POST", "/hook", "application/json", []byte(`[{"jsonrpc":"2.0"},{"jsonrpc":"2.0","method":"tasks/get"}]`), 500, "text/html", []byte("<html>"), "")
	f.Fuzz(func(t *testing.T, method, target, reqType string, reqBody []byte, status int, respType string, respBody []byte, details string) {
		forms := []capture.Form{capture.WholeBody, capture.SSEEvent, capture.GRPCMessage, capture.LooseData, capture.SSEComment}
		if method == "" {
			method = "POST"
		}
		if status < 100 || status > 999 {
			status = 200
		}
		var es []capture.Event
		add := func(from capture.Side, b capture.EventBody) {
			es = append(es, capture.Event{Exchange: 1, From: from, Body: b})
		}
		add(capture.Client, &capture.Head{Method: method, Target: target, Fields: capture.Fields{{Name: "Content-Type", Value: reqType}, {Name: "a2a-version", Value: details}}})
		for i, form := range forms {
			if strings.HasPrefix(reqType, "application/grpc") == (form == capture.GRPCMessage) {
				add(capture.Client, &capture.Frame{Seq: i, Form: form, Data: reqBody, Size: int64(len(reqBody)), Cut: form == capture.LooseData})
			}
		}
		add(capture.Client, &capture.BodyEnd{})
		add(capture.Server, &capture.Head{Status: status, Fields: capture.Fields{{Name: "content-type", Value: respType}, {Name: "a2a-version", Value: reqType}}})
		for i := range 3 * len(forms) {
			form := forms[(i+len(respBody))%len(forms)]
			add(capture.Server, &capture.Frame{Seq: i, Form: form, Data: respBody, Size: int64(len(respBody)) + int64(i%2), Event: []string{"", "error"}[i%2]})
		}
		add(capture.Server, &capture.Trailer{Fields: capture.Fields{{Name: "grpc-status", Value: details}, {Name: "grpc-status", Value: "9"}, {Name: "grpc-message", Value: target}, {Name: "grpc-status-details-bin", Value: details}}})
		add(capture.Server, &capture.BodyEnd{})
		add(capture.Client, &capture.Breach{Code: capture.BreachCoding, Text: "x"})
		add(capture.Server, &capture.End{Kind: capture.EndKind(len(reqBody) % 7)})
		for skip := range 3 { // whole, without the request's head, without the answer's head
			r := NewReader()
			var x *capture.Exchange
			var last *Call
			for i := range es {
				if h, ok := es[i].Body.(*capture.Head); ok && (skip == 1 && h.IsRequest() || skip == 2 && !h.IsRequest()) {
					continue
				}
				x = x.Apply(&es[i])
				c, at := r.Read(x, &es[i])
				if (c == nil) != (at == NoCheckpoint) {
					t.Fatalf("call %v at %q", c, at)
				}
				if c != nil {
					last = c
				}
			}
			if last == nil || last.Phase != Ended || last.Outcome == "" {
				t.Fatalf("ended without an outcome: %v", last)
			}
			Dump(last)
			for _, p := range last.Problems {
				if _, err := ParsePlace(string(p.At)); err != nil {
					t.Fatal(err)
				}
				Value(last, p.At)
			}
			for _, s := range last.Response.Signals {
				if _, err := ParsePlace(string(s.Where)); err != nil {
					t.Fatal(err)
				}
				Value(last.Compact(), s.Where)
			}
		}
	})
}
