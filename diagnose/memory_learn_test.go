package diagnose

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

func TestWhatTheServerSpeaks(t *testing.T) {
	w := newWorld(t)
	f := w.look(w.rpc("a.example", "/", "SendMessage", notFound()))
	check(t, "nothing known", f.Iface.Speaks, "")
	f = w.look(w.rpc("a.example", "/", "SendMessage", fails(spec.A2AError, decode.Fault{Code: -32009, A2A: "VersionNotSupportedError"})))
	check(t, "only a 1.0 server has that error", f.Iface.Speaks+" "+f.Iface.SpeaksFrom, "1.0 this answer")

	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/"))))
	f = w.look(w.rpc("a.example", "/", "SendMessage", notFound()))
	check(t, "by the card", f.Iface.Speaks+" "+f.Iface.SpeaksFrom, "1.0 card")
	w.run(w.rpc("a.example", "/", "SendMessage"))
	f = w.look(w.rpc("a.example", "/", "SendMessage", notFound()))
	check(t, "confirmed", f.Iface.Speaks+" "+f.Iface.SpeaksFrom, "1.0 both")
	check(t, "served", f.Iface.Served, true)
	check(t, "served the other", f.Iface.ServedOther, false)

	// The card says 1.0, the address answers 0.3.
	w.run(w.card("b.example", card10(entry("JSONRPC", "1.0", "https://b.example/"))))
	w.run(w.rpc("b.example", "/", "message/send"))
	f = w.look(w.rpc("b.example", "/", "SendMessage", notFound()))
	check(t, "overruled", f.Iface.Speaks+" "+f.Iface.SpeaksFrom, "0.3 answers")
	check(t, "overruled", f.Iface.Overruled, true)
	check(t, "serves 0.3", f.Agent.Serves("JSONRPC", "0.2"), true)
	check(t, "declares 1.0", f.Agent.Serves("JSONRPC", "1.0"), true)
	check(t, "other binding", f.Agent.Serves("GRPC", "1.0"), false)
	if v := f.Agent.Versions("JSONRPC"); !slices.Equal(v, []string{"1.0", "0.3"}) {
		t.Errorf("versions = %v", v)
	}

	// Without a card both generations were answered.
	w.run(w.rpc("c.example", "/", "message/send"))
	w.run(w.rpc("c.example", "/", "SendMessage"))
	check(t, "both", w.look(w.rpc("c.example", "/", "GetTask")).Iface.Speaks, "both")
}

// An exchange must not be its own history.
func TestAnAnswerIsNotItsOwnPrecedent(t *testing.T) {
	w := newWorld(t)
	f := w.run(w.rpc("a.example", "/", "SendMessage"))
	check(t, "served", f.Iface.Served, false)
	check(t, "calls", f.Iface.Calls, 0)
	check(t, "spoke 1.0", f.Client.SpokeV10, false)
	f = w.run(w.rpc("a.example", "/", "SendMessage"))
	check(t, "served", f.Iface.Served, true)
	check(t, "calls", f.Iface.Calls, 1)
	check(t, "spoke 1.0", f.Client.SpokeV10, true)
}

func TestNameUnderAnotherHeader(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("a.example", "/", "message/send"))
	f := w.look(w.rpc("a.example", "/", "message/send", declared("1.0"), notFound()))
	check(t, "ok without the header before", f.Iface.NameOKUnder, "absent")
	f = w.look(w.rpc("a.example", "/", "tasks/get", declared("1.0"), notFound()))
	check(t, "another name", f.Iface.NameOKUnder, "")
	f = w.look(w.rpc("a.example", "/", "message/send", notFound()))
	check(t, "the same header", f.Iface.NameOKUnder, "")

	w.run(w.rpc("b.example", "/", "SendMessage", declared("1.0")))
	lower := w.rpc("b.example", "/", "SendMessage", declared("1.0"), fails(spec.A2AError, decode.Fault{Code: -32009, A2A: "VersionNotSupportedError"}))
	lower.Exchange.Request.Fields[1].Name = "a2a-version"
	f = w.look(lower)
	check(t, "key case", f.Iface.KeyCaseOK, true)
}

func TestGRPCPackages(t *testing.T) {
	w := newWorld(t)
	unimplemented := fails(spec.StdError, decode.Fault{GRPC: 12, Shape: "grpc-bare", Message: "unknown service lf.a2a.v1.A2AService"})
	f := w.run(w.grpc("g:1", "lf.a2a.v1", "SendMessage", spec.SendMessage, unimplemented))
	check(t, "first call", f.Iface.AllUnimplemented, false)
	check(t, "unknown service", f.Call.GRPC.UnknownService, true)
	check(t, "counterpart", f.Call.GRPC.Counterpart, "/a2a.v1.A2AService/SendMessage")
	f = w.run(w.grpc("g:1", "lf.a2a.v1", "GetTask", spec.GetTask, unimplemented))
	check(t, "second call", f.Iface.AllUnimplemented, true)
	w.run(w.grpc("g:1", "a2a.v1", "GetTask", spec.GetTask))
	f = w.run(w.grpc("g:1", "lf.a2a.v1", "GetTask", spec.GetTask, unimplemented))
	check(t, "other package", f.Iface.OtherPackage, true)
	check(t, "own package", f.Iface.ServedPackage, false)
	check(t, "no longer all", f.Iface.AllUnimplemented, false)
	// An A2A error under UNIMPLEMENTED proves that the package is served.
	w.run(w.grpc("h:1", "lf.a2a.v1", "GetTask", spec.GetTask, fails(spec.A2AError, decode.Fault{GRPC: 12, A2A: "UnsupportedOperationError", HasInfo: true})))
	f = w.run(w.grpc("h:1", "lf.a2a.v1", "GetTask", spec.GetTask, unimplemented))
	check(t, "served by an A2A error", f.Iface.ServedPackage, true)
}

func TestSubscribeVerbs(t *testing.T) {
	w := newWorld(t)
	foreign := fails(spec.ForeignError, decode.Fault{HTTP: 405, Shape: "foreign"})
	w.run(w.rest("a.example", "", "GET", "tasks/{id}:subscribe", spec.SubscribeToTask, spec.V10, foreign))
	f := w.run(w.rest("a.example", "", "POST", "tasks/{id}:subscribe", spec.SubscribeToTask, spec.V10))
	check(t, "other verb", f.Session.OtherVerb, "refused")
	if !slices.Equal(f.Iface.DeafVerbs, []string{"GET"}) {
		t.Errorf("deaf verbs = %v", f.Iface.DeafVerbs)
	}
	f = w.look(w.rest("a.example", "", "GET", "tasks/{id}:subscribe", spec.SubscribeToTask, spec.V10, foreign))
	if !slices.Equal(f.Iface.Verbs, []string{"POST"}) {
		t.Errorf("verbs = %v", f.Iface.Verbs)
	}
}

func TestTasks(t *testing.T) {
	missing := fails(spec.A2AError, decode.Fault{Code: -32001, A2A: "TaskNotFoundError"})
	w := newWorld(t)
	f := w.run(w.rpc("a.example", "/", "GetTask", about("t1"), missing))
	check(t, "never seen", f.Task.Known, false)
	w.run(w.rpc("a.example", "/", "SendMessage", result(`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`)))
	f = w.run(w.rpc("a.example", "/", "GetTask", about("t1"), result(`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`)))
	check(t, "known", f.Task.Known, true)
	check(t, "context", f.Task.Context, "c1")
	check(t, "state before this answer", f.Task.State, "TASK_STATE_WORKING")
	check(t, "version", f.Task.Version, "1.0")
	f = w.run(w.rpc("a.example", "/", "GetTask", about("t1"), missing))
	check(t, "terminal", f.Task.Terminal, true)
	check(t, "flips: missing, then found", f.Task.Flips, 1)
	f = w.run(w.rpc("a.example", "/", "GetTask", about("t1")))
	check(t, "flips: and missing again", f.Task.Flips, 2)
	f = w.run(w.rpc("b.example", "/", "GetTask", about("t1"), missing))
	check(t, "elsewhere", f.Task.Elsewhere, true)
}

func TestTaskMadeBelowV1(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("HTTP+JSON", "1.0", "https://a.example"))))
	w.run(w.rest("a.example", "/v1", "POST", "message:send", spec.SendMessage, spec.V10, result(`{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}`)))
	f := w.run(w.rest("a.example", "", "GET", "tasks/{id}", spec.GetTask, spec.V10, about("t1"), fails(spec.A2AError, decode.Fault{HTTP: 404, A2A: "TaskNotFoundError"})))
	check(t, "made below /v1", f.Task.V1Tenant, true)
}

// The id of a configuration that is really the id of a task.
func TestConfigIsTask(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("a.example", "/", "SendMessage", result(`{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}`)))
	f := w.run(w.rpc("a.example", "/", "GetTaskPushNotificationConfig", about("t1"), params(`{"taskId":"t1","id":"t1"}`)))
	check(t, "config is a task", f.Task.ConfigIsTask, true)
	check(t, "config known", f.Task.ConfigKnown, false)
	f = w.run(w.rpc("a.example", "/", "GetTaskPushNotificationConfig", about("t1"), params(`{"taskId":"t1","id":"c9"}`)))
	check(t, "an id of its own", f.Task.ConfigIsTask, false)
	// Some servers use the task's id for the configuration.
	w.run(w.rpc("a.example", "/", "CreateTaskPushNotificationConfig", about("t1"), result(`{"id":"t1","taskId":"t1","url":"https://c.example/hook"}`),
		func(c *decode.Call) { c.Push = &decode.PushFact{URL: "https://c.example/hook", TaskID: "t1"} }))
	f = w.run(w.rpc("a.example", "/", "GetTaskPushNotificationConfig", about("t1"), params(`{"taskId":"t1","id":"t1"}`)))
	check(t, "config known", f.Task.ConfigKnown, true)
}

func TestRecovered(t *testing.T) {
	unauthorized := fails(spec.HTTPError, decode.Fault{HTTP: 401, Shape: "foreign"})
	foreign := fails(spec.ForeignError, decode.Fault{HTTP: 404, Shape: "foreign"})
	refused := fails(spec.A2AError, decode.Fault{Code: -32004, A2A: "UnsupportedOperationError"})
	credential := func(c *decode.Call) {
		c.Exchange.Request.Fields = append(c.Exchange.Request.Fields, capture.Field{Name: "Authorization", Value: "Bearer x"})
	}
	at := func(path string) with { return func(c *decode.Call) { c.Exchange.Request.Target = path } }
	cards := card10(entry("JSONRPC", "1.0", "https://a.example/new"), entry("JSONRPC", "0.3", "https://a.example/old"), entry("GRPC", "1.0", "https://a.example"))
	for _, c := range []struct {
		name   string
		failed func(w *world) *decode.Call
		ok     func(w *world) *decode.Call
		want   bool
	}{
		{"the other verb", func(w *world) *decode.Call {
			return w.rest("a.example", "", "GET", "tasks/{id}:subscribe", spec.SubscribeToTask, spec.V10, foreign)
		}, func(w *world) *decode.Call {
			return w.rest("a.example", "", "POST", "tasks/{id}:subscribe", spec.SubscribeToTask, spec.V10)
		}, true},
		{"a credential", func(w *world) *decode.Call { return w.rpc("a.example", "/new", "GetTask", unauthorized) },
			func(w *world) *decode.Call { return w.rpc("a.example", "/new", "GetTask", credential) }, true},
		{"the same again after 401", func(w *world) *decode.Call { return w.rpc("a.example", "/new", "GetTask", unauthorized) },
			func(w *world) *decode.Call { return w.rpc("a.example", "/new", "GetTask") }, false},
		{"the other card path", func(w *world) *decode.Call {
			return w.card("a.example", nil, foreign, at("/.well-known/agent.json"))
		}, func(w *world) *decode.Call { return w.card("a.example", cards) }, true},
		{"no stream", func(w *world) *decode.Call { return w.rpc("a.example", "/new", "SendStreamingMessage", refused) },
			func(w *world) *decode.Call { return w.rpc("a.example", "/new", "SendMessage") }, true},
		{"another entry", func(w *world) *decode.Call { return w.rpc("a.example", "/old", "SendMessage", notFound()) },
			func(w *world) *decode.Call { return w.rpc("a.example", "/new", "SendMessage") }, true},
		{"another binding", func(w *world) *decode.Call { return w.rpc("a.example", "/new", "SendMessage", refused) },
			func(w *world) *decode.Call {
				return w.grpc("a.example", "lf.a2a.v1", "SendMessage", spec.SendMessage, userAgent("grpc-go/1"))
			}, true},
		{"another version", func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", notFound()) },
			func(w *world) *decode.Call { return w.rpc("z.example", "/", "message/send") }, true},
		{"another version under a contrary header", func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", notFound()) },
			func(w *world) *decode.Call { return w.rpc("z.example", "/", "message/send", declared("1.0")) }, false},
		{"another header alone", func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", notFound()) },
			func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", declared("1.0")) }, false},
		{"another operation", func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", notFound()) },
			func(w *world) *decode.Call { return w.rpc("z.example", "/", "tasks/get") }, false},
		{"another client", func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", notFound()) },
			func(w *world) *decode.Call { return w.rpc("z.example", "/", "message/send", userAgent("other")) }, false},
		{"too late", func(w *world) *decode.Call { return w.rpc("z.example", "/", "SendMessage", notFound()) },
			func(w *world) *decode.Call {
				w.now = w.now.Add(2 * time.Minute)
				return w.rpc("z.example", "/", "message/send")
			}, false},
	} {
		w := newWorld(t)
		w.run(w.card("a.example", cards, userAgent("setup")))
		bad := c.failed(w)
		w.run(bad)
		good := c.ok(w)
		w.run(good)
		got := w.m.recovered(w.m.resolve(good))
		want := []capture.ExchangeID(nil)
		if c.want {
			want = []capture.ExchangeID{bad.Exchange.ID}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: recovered %v, want %v", c.name, got, want)
		}
		if again := w.m.recovered(w.m.resolve(good)); len(again) > 0 {
			t.Errorf("%s: returned twice", c.name)
		}
	}
}

// A message without a stream makes good the refused stream of the same message,
// or what the client sent just before; not any stream it ever tried.
func TestSentAgainWithoutAStream(t *testing.T) {
	refused := fails(spec.A2AError, decode.Fault{Code: -32004, A2A: "UnsupportedOperationError"})
	msg := func(id, text string) with {
		return params(`{"message":{"messageId":"` + id + `","parts":[{"text":"` + text + `"}]}}`)
	}
	stream := func(w *world, o ...with) *decode.Call {
		return w.rpc("a.example", "/", "SendStreamingMessage", append(o, refused)...)
	}
	send := func(w *world, o ...with) *decode.Call { return w.rpc("a.example", "/", "SendMessage", o...) }
	for name, tt := range map[string]struct {
		between func(w *world) *decode.Call
		ok      with
		want    bool
	}{
		"next":                             {nil, msg("m2", "other"), true},
		"same id later":                    {func(w *world) *decode.Call { return send(w, msg("m3", "else"), refused) }, msg("m1", "other"), true},
		"same words later":                 {func(w *world) *decode.Call { return send(w, msg("m3", "else"), refused) }, msg("m2", "hello"), true},
		"another message later":            {func(w *world) *decode.Call { return send(w, msg("m3", "else"), refused) }, msg("m2", "other"), false},
		"after another stream":             {func(w *world) *decode.Call { return stream(w, msg("m3", "else")) }, msg("m2", "other"), false},
		"something else between":           {func(w *world) *decode.Call { return w.rpc("a.example", "/", "GetTask", notFound()) }, msg("m2", "other"), true},
		"a send of another client between": {func(w *world) *decode.Call { return send(w, msg("m3", "else"), userAgent("other")) }, msg("m2", "other"), true},
		"another message that got through": {func(w *world) *decode.Call { return send(w, msg("m1", "hello"), refused) }, msg("m2", "other"), false},
	} {
		w := newWorld(t)
		bad := stream(w, msg("m1", "hello"))
		w.run(bad)
		if tt.between != nil {
			c := tt.between(w)
			w.run(c)
			w.m.recovered(w.m.resolve(c))
		}
		good := send(w, tt.ok)
		w.run(good)
		check(t, name, slices.Contains(w.m.recovered(w.m.resolve(good)), bad.Exchange.ID), tt.want)
	}
}

// What is remembered stays within its bounds, whatever comes.
func TestMemoryIsBounded(t *testing.T) {
	w := newWorld(t)
	n := 3 * maxTasks / 2
	if testing.Short() {
		n = maxClients + 200
	}
	for i := range n {
		host := fmt.Sprintf("h%d.example", i%(2*maxOrigins))
		c := w.rpc(host, fmt.Sprintf("/%d", i%7), "SendMessage", userAgent(fmt.Sprint("ua", i)), declared(fmt.Sprintf("1.%d", i)),
			result(fmt.Sprintf(`{"task":{"id":"t%d","status":{"state":"TASK_STATE_WORKING"}}}`, i)),
			func(c *decode.Call) {
				c.Push = &decode.PushFact{URL: fmt.Sprintf("https://hook%d.example/", i), TaskID: fmt.Sprint("t", i)}
			})
		w.run(c)
		if i%5 == 0 {
			w.run(w.card(host, card10(entry("JSONRPC", "1.0", "https://"+host+"/0")), userAgent(fmt.Sprint("ua", i))))
		}
	}
	m := w.m
	for what, got := range map[string][2]int{
		"origins": {m.origins.len(), maxOrigins}, "peers": {m.peers.len(), maxPeers}, "clients": {m.clients.len(), maxClients},
		"sessions": {m.sessions.len(), maxSessions}, "tasks": {m.tasks.len(), maxTasks}, "hooks": {m.hooks.len(), maxWebhooks},
		"open": {m.open.len(), maxOpen}, "watches": {len(m.watches), maxWatches},
	} {
		if got[0] > got[1] {
			t.Errorf("%s: %d kept, at most %d", what, got[0], got[1])
		}
	}
	for _, o := range m.origins.all() {
		if len(o.cards) > maxCards {
			t.Errorf("%d cards of %s", len(o.cards), o.authority)
		}
	}
	for _, p := range m.peers.all() {
		if len(p.names) > maxNames || len(p.accepted) > maxValues {
			t.Errorf("%d names, %d values of a peer", len(p.names), len(p.accepted))
		}
	}
	for _, s := range m.sessions.all() {
		if len(s.steps) > 2*maxSteps {
			t.Errorf("%d steps of a session", len(s.steps))
		}
	}
}

func TestAgents(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("z.example", "/rpc", "SendMessage"))
	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/"), entry("GRPC", "1.0", "g.example:50051"))))
	w.run(w.rpc("a.example", "/", "SendMessage"))
	w.run(w.rpc("a.example", "/", "SendMessage", notFound()))
	w.run(w.grpc("g.example:50051", "lf.a2a.v1", "GetTask", spec.GetTask))
	w.run(w.rpc("a.example", "/stray", "message/send"))
	list := w.m.agents()
	if len(list) != 2 || list[0].Authority != "z.example" || list[1].Authority != "a.example" {
		t.Fatalf("agents: %+v", list)
	}
	a := list[1]
	check(t, "calls", a.Calls, 4)
	check(t, "failures", a.Failures, 1)
	check(t, "card", a.Card != nil, true)
	if len(a.Interfaces) != 3 {
		t.Fatalf("interfaces: %+v", a.Interfaces)
	}
	check(t, "first calls", a.Interfaces[0].Calls, 2)
	check(t, "first answered", a.Interfaces[0].Answered[spec.V10], 1)
	check(t, "second", a.Interfaces[1].Binding, spec.GRPC)
	check(t, "second calls", a.Interfaces[1].Calls, 1)
	check(t, "stray", a.Interfaces[2].Declared+a.Interfaces[2].URL, "a.example/stray")
}

// A call that a proxy hands on is seen twice: nested in time, at two addresses.
func TestHops(t *testing.T) {
	body := params(`{"message":{"messageId":"m-1"}}`)
	for _, c := range []struct {
		name     string
		near     []with
		far      []with
		ended    bool
		stripped bool
		hop      string
	}{
		{"header dropped", []with{body, declared("1.0")}, []with{body}, false, true, "far"},
		{"header kept", []with{body, declared("1.0")}, []with{body, declared("1.0")}, false, false, "far"},
		{"header added", []with{body}, []with{body, declared("1.0")}, false, false, "far"},
		{"the first was over", []with{body, declared("1.0")}, []with{body}, true, false, ""},
		{"another message", []with{body, declared("1.0")}, []with{params(`{"message":{"messageId":"m-2"}}`)}, false, false, ""},
	} {
		w := newWorld(t)
		near := w.rpc("gateway.example", "/", "SendMessage", c.near...)
		w.m.learn(w.m.resolve(near), decode.AtRequest)
		if c.ended {
			w.m.learn(w.m.resolve(near), decode.AtEnd)
		}
		f := w.run(w.rpc("inner.example:8080", "/a2a", "SendMessage", c.far...))
		check(t, c.name+": hop", f.Call.Declared.Hop, c.hop)
		check(t, c.name+": stripped", f.Call.Declared.Stripped, c.stripped)
		f = w.look(near)
		check(t, c.name+": the near side knows", f.Call.Declared.Stripped, c.stripped)
	}
}
