package diagnose

import (
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func filled(c *decode.Call) *Facts {
	f := NewFacts()
	f.FillCall(c)
	return f
}

func TestUnimplementedMessages(t *testing.T) {
	w := newWorld(t)
	for msg, want := range map[string]string{
		"unknown service lf.a2a.v1.A2AService":                                     "service",
		"Service is unimplemented.":                                                "service",
		"unknown method SubscribeToTask for service a2a.v1.A2AService":             "method",
		"method ListTasks not implemented":                                         "method",
		"Method is unimplemented.":                                                 "method",
		"Method a2a.v1.A2AService/ListTasks is unimplemented":                      "method",
		"Method not implemented!":                                                  "method",
		"The server does not implement the method /lf.a2a.v1.A2AService/ListTasks": "path",
		"Method not found: lf.a2a.v1.A2AService/ListTasks":                         "path",
		"Method not found!":                                                        "path",
		"Requested RPC isn't implemented by this server.":                          "path",
		"":                                     "",
		"push notifications are not supported": "",
		"PushNotificationNotSupportedError: push notifications are off": "",
		"Streaming is not supported by the agent":                       "",
	} {
		f := filled(w.grpc("g:1", "a2a.v1", "ListTasks", spec.ListTasks, fails(spec.StdError, decode.Fault{GRPC: 12, Shape: "grpc-bare", Message: msg})))
		got := ""
		switch g := f.Call.GRPC; {
		case g.UnknownService:
			got = "service"
		case g.UnknownMethod:
			got = "method"
		case g.UnknownPath:
			got = "path"
		}
		check(t, msg, got, want)
		check(t, msg+": any", f.Call.GRPC.Unknown, want != "")
		check(t, msg+": names an error", f.Call.GRPC.NamesError, strings.HasPrefix(msg, "Push"))
	}
	f := filled(w.grpc("g:1", "a2a.v1", "GetTask", spec.GetTask, fails(spec.StdError, decode.Fault{GRPC: 13, Message: "unknown service x"})))
	check(t, "another status", f.Call.GRPC.Unknown, false)
}

func TestStatusTable(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		binding spec.Binding
		fault   decode.Fault
		want    string
		shared  bool
	}{
		{spec.HTTPJSON, decode.Fault{HTTP: 404, GRPC: -1, Reason: "TASK_NOT_FOUND", HasInfo: true}, "both", false},
		{spec.HTTPJSON, decode.Fault{HTTP: 500, GRPC: -1, Reason: "TASK_NOT_FOUND", HasInfo: true}, "none", false},
		{spec.HTTPJSON, decode.Fault{HTTP: 409, GRPC: -1, Reason: "TASK_NOT_CANCELABLE", HasInfo: true}, "1.0.0", false},
		{spec.HTTPJSON, decode.Fault{HTTP: 400, GRPC: -1, Reason: "TASK_NOT_CANCELABLE", HasInfo: true}, "1.0.1", true},
		{spec.HTTPJSON, decode.Fault{HTTP: 400, GRPC: -1, Reason: "INVALID_PARAMS", HasInfo: true}, "", true},
		{spec.HTTPJSON, decode.Fault{HTTP: 404, GRPC: -1, A2A: "TaskNotFoundError"}, "", false},
		{spec.HTTPJSON, decode.Fault{HTTP: 404, GRPC: -1, Type: "https://a2a-protocol.org/errors/task-not-found"}, "both", false},
		{spec.HTTPJSON, decode.Fault{HTTP: 200, GRPC: -1, Reason: "TASK_NOT_FOUND", HasInfo: true, InBand: true}, "", false},
		{spec.GRPC, decode.Fault{GRPC: 12, Reason: "UNSUPPORTED_OPERATION", HasInfo: true}, "1.0.0", true},
		{spec.GRPC, decode.Fault{GRPC: 9, Reason: "UNSUPPORTED_OPERATION", HasInfo: true}, "1.0.1", true},
		{spec.JSONRPC, decode.Fault{HTTP: 200, GRPC: -1, Code: -32001, Reason: "TASK_NOT_FOUND", HasInfo: true}, "", false},
	} {
		call := w.rpc("a", "/", "GetTask", func(k *decode.Call) { k.Binding = c.binding; f := c.fault; k.Fault, k.Outcome = &f, spec.A2AError })
		f := filled(call).Call.Fault
		check(t, string(c.binding)+" "+c.fault.Reason+c.fault.Type, f.StatusTable, c.want)
		check(t, "shared of "+c.fault.Reason, f.Shared, c.shared)
	}
}

func TestWhatMessagesSay(t *testing.T) {
	w := newWorld(t)
	says := func(method, msg string, opts ...with) *FaultFacts {
		opts = append(opts, fails(spec.StdError, decode.Fault{Code: -32600, Message: msg}))
		f := filled(w.rpc("a", "/", method, opts...)).Call.Fault
		n := *f
		return &n
	}
	check(t, "version", says("SendMessage", "Unsupported A2A version 9.9", declared("9.9")).SaysVersion, true)
	check(t, "declared value", says("SendMessage", "version 9.9 unknown", declared("9.9")).SaysVersion, true)
	check(t, "schema version", says("SendMessage", "schema version mismatch").SaysVersion, false)
	check(t, "field name", says("SendMessage", `message type lf.a2a.v1.Message has no field named "protocolVersion"`).SaysVersion, false)
	check(t, "other method", says("SendMessage", `method: expected "message/send"`).SaysMethod, true)
	check(t, "other method of 0.3 call", says("message/send", "unknown method, did you mean SendMessage?").SaysMethod, true)
	check(t, "its own method", says("message/send", "message/send: role is required").SaysMethod, false)
	check(t, "its own name", says("SendMessage", "SendMessage: messageId is required").SaysMethod, false)
	check(t, "0.1 call", says("tasks/send", "expected message/send").SaysMethod, true)
}

func TestVersionsNamed(t *testing.T) {
	for msg, want := range map[string]string{
		`a2a version "0.3" is not supported, supported versions: 1.0`:                             "0.3 < 1.0",
		"the requested a2a protocol version '2.0' is not supported. supported versions: 0.3, 1.0": "2.0 < 0.3,1.0",
		"unsupported a2a version 9.9":                  "9.9 < ",
		"this agent supports protocol version 1.0":     " < 1.0",
		"supported versions: 1.0, got 0.3":             "0.3 < 1.0",
		"a2a version 1.0.1 unsupported (expected 1.0)": "1.0.1 < 1.0",
		"version not supported":                        " < ",
		"a2a version is not supported by 127.0.0.1":    " < ",
	} {
		refuses, offers := versionsNamed(msg)
		check(t, msg, refuses+" < "+strings.Join(offers, ","), want)
	}
}

func TestIDHasVerb(t *testing.T) {
	w := newWorld(t)
	notThere := func(msg, body string) with {
		return func(c *decode.Call) {
			fails(spec.A2AError, decode.Fault{HTTP: 404, A2A: "TaskNotFoundError", Message: msg})(c)
			c.ResponseDoc = jsontree.Parse([]byte(body))
		}
	}
	get := func(o with) bool {
		return filled(w.rest("a", "", "GET", "tasks/{id}:subscribe", spec.SubscribeToTask, spec.V10, o)).Call.Path.IDHasVerb
	}
	check(t, "in the message", get(notThere("Task not found: 7:subscribe", "{}")), true)
	check(t, "in the metadata", get(notThere("no", `{"error":{"details":[{"metadata":{"taskId":"7:subscribe"}}]}}`)), true)
	check(t, "plain id", get(notThere("Task not found: 7", `{"error":{"details":[{"metadata":{"taskId":"7"}}]}}`)), false)
}

func TestFraming(t *testing.T) {
	for raw, want := range map[string][]string{
		"data: {}\n":                       nil,
		"data: {}\r\n":                     {"crlf"},
		"data: {}\r":                       {"cr"},
		"data:{}\n":                        {"no-space"},
		"id: 1\ndata: {}\n":                {"id"},
		"event: error\ndata: {}\nretry: 5": {"event", "retry"},
		"data: {\ndata: }\n":               {"multi-line"},
		": keep-alive\ndata: {}\n":         {"comment"},
		"\xef\xbb\xbfdata: {}\n":           {"bom"},
		"data: {\"a\":\"x\\r\\n:\"}\n":     nil,
		"data\ndata: {}\n":                 {"multi-line"},
		"data: {\"text\":\"data:{}\"}\n":   nil,
	} {
		if got := unusualLines([]byte(raw)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	}
}

// Facts of a stream must not cost its length at every event.
func TestStreamFactsGrowWithTheStream(t *testing.T) {
	w := newWorld(t)
	c := w.rpc("a", "/", "SendStreamingMessage")
	for i := range 1000 {
		n := *c
		kind, wrapped := "statusUpdate", i != 3
		if i == 0 {
			kind = "task"
		}
		n.Events = append(n.Events, decode.StreamEvent{Kind: kind, Frame: i, Wrapped: wrapped, State: "TASK_STATE_WORKING"})
		if i == 999 {
			n.Events[i].State = "TASK_STATE_COMPLETED"
		}
		c = &n
		w.m.facts(c, decode.AtFrame, w.f)
		check(t, "frame", w.f.Call.Stream.Frame, i)
	}
	s := w.f.Call.Stream
	check(t, "events", s.Events, 1000)
	check(t, "first", s.First, "task")
	check(t, "wrapped", s.Wrapped, 999)
	check(t, "bare", s.Bare, 1)
	check(t, "bare at", s.BareAt, "response/frame/3#")
	check(t, "terminal", s.Terminal, true)
	allocs := testing.AllocsPerRun(50, func() { w.m.facts(c, decode.AtFrame, w.f) })
	if allocs > 4 {
		t.Errorf("facts at a frame allocate %v times", allocs)
	}
}

func TestPushIDs(t *testing.T) {
	w := newWorld(t)
	for body, want := range map[string]string{
		`{"taskId":"t","id":"c"}`:                   "taskId+id",
		`{"id":"t","pushNotificationConfigId":"c"}`: "id+pushNotificationConfigId",
		`{"id":"t"}`:             "id",
		`{"taskId":"t"}`:         "taskId",
		`{"taskId":"","id":"c"}`: "id",
	} {
		f := filled(w.rpc("a", "/", "GetTaskPushNotificationConfig", params(body)))
		check(t, body, f.Call.Params.IDs, want)
	}
}

func TestIncompleteConfigs(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		method, body, lacks, at string
	}{
		{"CreateTaskPushNotificationConfig", `{"id":"c","taskId":"t","url":"u"}`, "", ""},
		{"CreateTaskPushNotificationConfig", `{"taskId":"","url":"u"}`, "id taskId", "response/frame/0#"},
		{"CreateTaskPushNotificationConfig", `{"id":"c","taskId":"t"}`, "url", "response/frame/0#"},
		{"ListTaskPushNotificationConfigs", `{"configs":[{"id":"c","taskId":"t","url":"u"},{"taskId":"t","url":"u"}]}`, "id", "response/frame/0#/configs/1"},
		{"tasks/pushNotificationConfig/set", `{"taskId":"t","pushNotificationConfig":{"id":"c","url":"u"}}`, "", ""},
		{"tasks/pushNotificationConfig/set", `{"taskId":"t","pushNotificationConfig":{"url":"u"}}`, "id", "response/frame/0#"},
		{"tasks/pushNotificationConfig/list", `[{"taskId":"t","pushNotificationConfig":{"url":"u"}}]`, "id", "response/frame/0#/0"},
		{"tasks/pushNotificationConfig/set", `{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"url":"u"}}`, "", ""},
		{"GetTask", `{"id":"t"}`, "", ""},
	} {
		f := filled(w.rpc("a", "/", c.method, result(c.body))).Call.Result
		check(t, c.body, strings.Join(f.Incomplete, " "), c.lacks)
		check(t, c.body, f.IncompleteAt, c.at)
	}
	f := filled(w.rest("a", "", "GET", "tasks/{id}/pushNotificationConfigs/{cid}", spec.GetPushConfig, spec.V10, result(`{"id":"c","url":"u"}`)))
	check(t, "over REST the path names the task", len(f.Call.Result.Incomplete), 0)
}

func TestDuplicateBindings(t *testing.T) {
	at := func(e decode.Interface, place string) decode.Interface { e.At = decode.Place(place); return e }
	k := CardFacts{}
	fillCard(&k, card10(at(entry("JSONRPC", "0.3", "https://a/1"), "p0"), at(entry("GRPC", "1.0", "a:1"), "p1"), at(entry("JSONRPC", "1.0", "https://a/2"), "p2"), at(entry("GRPC", "0.3", "a:2"), "p3")))
	if !slices.Equal(k.Duplicate, []string{"JSONRPC", "GRPC"}) || !slices.Equal(k.OldFirst, []string{"JSONRPC"}) {
		t.Errorf("duplicate %v, older first %v", k.Duplicate, k.OldFirst)
	}
	check(t, "old", k.OldAt+k.OldVersion+k.NewAt+k.NewVersion, "p00.3p21.0")
	k = CardFacts{}
	fillCard(&k, card10(entry("JSONRPC", "1.0", "https://a/1"), entry("JSONRPC", "1.0", "https://a/2")))
	check(t, "same version twice", len(k.Duplicate), 0)
	for _, c := range [][2]string{{"0.3", "1.0"}, {"1.2", "1.10"}, {"0.3", "0.30"}} {
		check(t, c[0]+" older than "+c[1], older(c[0], c[1]) && !older(c[1], c[0]), true)
	}
	check(t, "no number", older("v1", "2.0") || older("", "1.0"), false)
}

func TestRefused(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		fault decode.Fault
		want  bool
	}{
		{decode.Fault{Code: -32602, HTTP: 200}, true},
		{decode.Fault{Code: -32601, HTTP: 200}, false},
		{decode.Fault{HTTP: 422, Shape: "status-plain"}, true},
		{decode.Fault{HTTP: 400, A2A: "TaskNotCancelableError"}, false},
		{decode.Fault{HTTP: 500, Shape: "message-only"}, true},
		{decode.Fault{HTTP: 500, Shape: "foreign"}, false},
	} {
		f := filled(w.rpc("a", "/", "SendMessage", fails(spec.StdError, c.fault)))
		check(t, "refused", f.Call.Refused, c.want)
	}
	f := filled(w.grpc("a", "lf.a2a.v1", "SendMessage", spec.SendMessage, fails(spec.StdError, decode.Fault{GRPC: 3})))
	check(t, "INVALID_ARGUMENT", f.Call.Refused, true)
}

func BenchmarkFacts(b *testing.B) {
	t := &testing.T{}
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "0.3", "https://a.example/"), entry("JSONRPC", "1.0", "https://a.example/"), entry("HTTP+JSON", "1.0", "https://a.example/r"), entry("GRPC", "1.0", "a.example:1"))))
	c := w.rpc("a.example", "/", "SendMessage", declared("1.0"),
		params(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{"acceptedOutputModes":["text/plain"]}}`),
		result(`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`))
	c.Exchange.Request.Fields = append(c.Exchange.Request.Fields, capture.Field{Name: "Content-Type", Value: "application/json"}, capture.Field{Name: "Content-Length", Value: "120"}, capture.Field{Name: "Accept", Value: "application/json, text/event-stream"}, capture.Field{Name: "Accept-Encoding", Value: "gzip"})
	c.Exchange.Response.Fields = capture.Fields{{Name: "Content-Type", Value: "application/json"}, {Name: "Date", Value: "x"}, {Name: "Content-Length", Value: "90"}}
	for range 100 {
		w.run(c)
	}
	c = w.m.resolve(c)
	b.Run("facts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.m.facts(c, decode.AtResponse, w.f)
		}
	})
	b.Run("resolve", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.m.resolve(c)
		}
	})
	b.Run("exchange", func(b *testing.B) { // all three checkpoints of a new exchange
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			x := *c.Exchange
			n++
			x.ID = capture.NewExchangeID(9, n&0xffffff)
			k := *c
			k.Exchange = &x
			for _, at := range [...]decode.Checkpoint{decode.AtRequest, decode.AtResponse, decode.AtEnd} {
				r := w.m.resolve(&k)
				w.m.facts(r, at, w.f)
				w.m.learn(r, at)
			}
		}
	})
}
