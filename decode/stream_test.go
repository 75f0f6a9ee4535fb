package decode

import (
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
)

const stream10 = `POST /a2a
a2a-version: 1.0

{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}
---
200
content-type: text/event-stream

data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}}

: keep-alive

data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"x"}]}}}}
`

const last10 = `
data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}}
`

func TestStreams(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"1.0", stream10 + last10, `
outcome ok
flags streaming
event 0 task at response/frame/0#/result/task version 1.0 task t context c state TASK_STATE_SUBMITTED wrapped member
event 2 artifactUpdate at response/frame/2#/result/artifactUpdate version 1.0 task t context c wrapped member
event 3 statusUpdate at response/frame/3#/result/statusUpdate version 1.0 task t context c state TASK_STATE_COMPLETED wrapped member
response 1.0 likely
rpc id 1 answer 1 batch 0
!fault…`},
		{"ended without a terminal state", stream10, "outcome ok"},
		{"closed by the client after the end", stream10 + last10 + "\n--- closed client", "outcome ok"},
		{"cut", stream10 + "\n--- closed server", "outcome truncated"},
		{"cut by a reset", stream10 + "\n--- reset client", "outcome truncated"},
		{"still open", stream10 + "\n--- still-open", "outcome truncated"},
		{"0.3", `POST /a2a

{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"kind":"message","role":"user","parts":[]}}}
---
200
content-type: text/event-stream

data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed"},"final":true}}`, `
response 0.3 certain
event 0 statusUpdate at response/frame/0#/result version 0.3 task t context c state completed wrapped final`},
		{"REST", `POST /message:stream
a2a-version: 1.0

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: text/event-stream

data: {"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}`, `
event 0 message at response/frame/0#/message version 1.0 member
response 1.0 likely
!40 1.0 result-wrapper…`},
		{"REST stream in JSON-RPC envelopes", `POST /message:stream
a2a-version: 1.0

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: text/event-stream

data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}`, `
event 0 task at response/frame/0#/result/task version 1.0 task t state TASK_STATE_WORKING wrapped member`},
		{"bare events over JSON-RPC", strings.ReplaceAll(strings.ReplaceAll(stream10, `{"jsonrpc":"2.0","id":1,"result":`, ""), "}}}}\n\n:", "}}}\n\n:"), `
event 0 task at response/frame/0#/task version 1.0 task t context c state TASK_STATE_SUBMITTED member`},
		{"error as the first event", `POST /a2a

{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{}}
---
200
content-type: text/event-stream

data: {"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no"}}`, `
outcome a2a-error
event 0 error at response/frame/0#/error wrapped
fault rpc-nodata at response/frame/0#/error http 200 grpc -1 code -32004 a2a UnsupportedOperationError std - sure certain in-band message "no"`},
		{"error in a REST stream", `POST /message:stream
a2a-version: 1.0

{}
---
200
content-type: text/event-stream

event: error
data: {"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNSUPPORTED_OPERATION","domain":"a2a-protocol.org"}]}}`, `
outcome a2a-error
event 0 error at response/frame/0#`},
		{"streaming call answered with JSON", `POST /a2a

{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{}}
---
200

{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, `
flags streaming
outcome std-error
!event…`},
		{"event that is no JSON", `POST /a2a

{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{}}
---
200
content-type: text/event-stream

data: [DONE]`, `
event 0 other at response/frame/0#
problem event-not-json at response/frame/0#…`},
		{"stream without its request", `none
---
200
content-type: text/event-stream

data: {"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`, `
kind call a2a likely
binding HTTP+JSON
event 0 statusUpdate…`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, c.want) })
	}
}

func TestCheckpoints(t *testing.T) {
	got := func(es []capture.Event) (at []Checkpoint) {
		for _, c := range readAll(es) {
			at = append(at, c.at)
		}
		return at
	}
	for _, c := range []struct {
		name, text string
		want       []Checkpoint
	}{
		{"unary", "POST /\n\n{}\n---\n200\n\n{}", []Checkpoint{AtRequest, AtResponse, AtEnd}},
		{"stream", stream10 + last10, []Checkpoint{AtRequest, AtResponse, AtFrame, AtFrame, AtEnd}},
		{"no answer", "POST /\n\n{}\n--- closed", []Checkpoint{AtRequest, AtEnd}},
		{"answer alone", "none\n---\n200\n\n{}", []Checkpoint{AtResponse, AtEnd}},
		{"stream of another protocol", "POST /v1/chat/completions\n\n{}\n---\n200\ncontent-type: text/event-stream\n\ndata: {}\n\ndata: {}\n\ndata: {}",
			[]Checkpoint{AtRequest, AtResponse, AtEnd}},
		{"gRPC stream", "grpc /lf.a2a.v1.A2AService/SubscribeToTask\n\n{\"id\":\"t\"}\n---\n200\ncontent-type: application/grpc\n\n{\"task\":{\"id\":\"t\"}}\n{\"task\":{\"id\":\"t\"}}\n===\ngrpc-status: 0",
			[]Checkpoint{AtRequest, AtResponse, AtFrame, AtEnd}},
	} {
		if at := got(events(t, c.text)); !slices.Equal(at, c.want) {
			t.Errorf("%s: %v, want %v", c.name, at, c.want)
		}
	}
	// The first event of a stream is due at both; a unary answer at one.
	cs := readAll(events(t, stream10))
	if o := cs[0].call.Outcome; o != "" {
		t.Errorf("request: outcome %q", o)
	}
	if c := cs[1].call; c.Outcome != "ok" || c.Phase != Streaming {
		t.Errorf("first event: outcome %q, phase %q", c.Outcome, c.Phase)
	}
	if due := Due(cs[1].call, cs[1].at); !slices.Equal(due, []Checkpoint{AtResponse, AtFrame}) {
		t.Errorf("first event: due %v", due)
	}
	if due := Due(cs[0].call, cs[0].at); !slices.Equal(due, []Checkpoint{AtRequest}) {
		t.Errorf("request: due %v", due)
	}
}

// A server may answer before it has the whole request: the call is read again when it is there.
func TestAnswerBeforeRequest(t *testing.T) {
	es := events(t, stream10+last10)
	// head, body, end of the request; then the answer. Move body and end behind the first event.
	order := []int{0, 3, 4, 1, 2}
	var moved []capture.Event
	for _, i := range order {
		moved = append(moved, es[i])
	}
	moved = append(moved, es[5:]...)
	cs := readAll(moved)
	c := cs[len(cs)-1].call
	straight := readAll(es)
	if got, want := Dump(c), Dump(straight[len(straight)-1].call); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
}

// Calls returned earlier must not change when the stream goes on.
func TestCallsDoNotChange(t *testing.T) {
	r := NewReader()
	var x *capture.Exchange
	var calls []*Call
	var dumps []string
	es := events(t, stream10+last10)
	for i := range es {
		x = x.Apply(&es[i])
		if c, at := r.Read(x, &es[i]); at != NoCheckpoint {
			calls, dumps = append(calls, c), append(dumps, Dump(c))
		}
	}
	for i, c := range calls {
		if d := Dump(c); d != dumps[i] {
			t.Errorf("call %d became\n%s\nwas\n%s", i, d, dumps[i])
		}
	}
}
