package diagnose

import (
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func versionRefused(message string) with {
	return fails(spec.A2AError, decode.Fault{Code: -32009, A2A: "VersionNotSupportedError", Message: message})
}

func TestVersionsLetInAndRefused(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("a.example", "/", "SendMessage", versionRefused("")))
	p := w.run(w.rpc("a.example", "/", "GetTask")).Iface.Policy
	check(t, "refused name", p.RefusedName, "SendMessage")
	check(t, "accepted name", p.AcceptedName, "")
	p = w.run(w.rpc("a.example", "/", "CancelTask", versionRefused(""))).Iface.Policy
	check(t, "accepted name", p.AcceptedName, "GetTask")
	check(t, "under another header", w.look(w.rpc("a.example", "/", "CancelTask", declared("1.0"))).Iface.Policy.RefusedName, "")
	check(t, "of another generation", w.look(w.rpc("a.example", "/", "tasks/cancel")).Iface.Policy.RefusedName, "")

	// A server that names 0.3 where 1.0 was declared did not see the header: no rule of versions.
	w = newWorld(t)
	w.run(w.rpc("b.example", "/", "SendMessage", declared("1.0"), versionRefused("version 0.3 is not supported")))
	check(t, "header not seen", w.look(w.rpc("b.example", "/", "GetTask", declared("1.0"))).Iface.Policy.RefusedName, "")
}

func TestVersionsOfOtherBindings(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/rpc"), entry("GRPC", "1.0", "https://a.example"), entry("HTTP+JSON", "0.3", "https://a.example/rest"))))
	w.run(w.rpc("a.example", "/rpc", "GetTask", declared("9.9"), versionRefused("")))
	p := w.look(w.grpc("a.example", "lf.a2a.v1", "GetTask", spec.GetTask, declared("9.9"))).Iface.Policy
	check(t, "refused over", p.RefusedBinding, "JSONRPC")
	p = w.look(w.rest("a.example", "/rest", "GET", "tasks/{id}", spec.GetTask, spec.V10, declared("9.9"))).Iface.Policy
	check(t, "entry of another version", p.RefusedBinding, "")
	w.run(w.grpc("a.example", "lf.a2a.v1", "GetTask", spec.GetTask, declared("9.9")))
	p = w.look(w.rpc("a.example", "/rpc", "CancelTask", declared("9.9"), versionRefused(""))).Iface.Policy
	check(t, "accepted over", p.AcceptedBinding, "GRPC")
}

func TestWhatDecides(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("a.example", "/", "tasks/get"))
	p := w.run(w.rpc("a.example", "/", "tasks/get", declared("1.0"), notFound())).Iface.Policy
	check(t, "by name", p.ByName, false)
	p = w.look(w.rpc("a.example", "/", "tasks/get")).Iface.Policy
	check(t, "unknown under", p.NameUnknownUnder, "1.0")
	check(t, "by header", p.ByHeader, true)

	w = newWorld(t)
	check(t, "a 1.0 name without header", w.run(w.rpc("b.example", "/", "GetTask")).Iface.Policy.ByName, true)
	check(t, "remembered", w.look(w.rpc("b.example", "/", "tasks/get")).Iface.Policy.ByName, true)
	// Nothing was served under a header of its own: the names are unknown, whatever the header.
	w = newWorld(t)
	w.run(w.rpc("c.example", "/", "tasks/get", declared("1.0"), notFound()))
	check(t, "by header", w.look(w.rpc("c.example", "/", "GetTask", declared("1.0"))).Iface.Policy.ByHeader, false)
}

func TestChangesOfVersion(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("a.example", "/", "SendMessage", declared("1.0"), notFound()))
	c := w.run(w.rpc("a.example", "/", "message/send")).Session.Change
	check(t, "downgraded", c.Downgraded, true)
	check(t, "failed method", c.FailedMethod, "SendMessage")
	check(t, "failed as", c.FailedAs, "name")
	check(t, "other", c.OtherMethod, "")
	check(t, "another operation", w.look(w.rpc("a.example", "/", "tasks/get")).Session.Change.Downgraded, false)
	check(t, "another program", w.look(w.rpc("a.example", "/", "message/send", userAgent("other/1"))).Session.Change.Downgraded, false)

	w = newWorld(t)
	w.run(w.rpc("b.example", "/", "SendMessage", declared("1.0"), versionRefused("version 1.0 is not supported")))
	check(t, "failed as", w.run(w.rpc("b.example", "/", "message/send")).Session.Change.FailedAs, "version")

	w = newWorld(t)
	w.run(w.rpc("c.example", "/", "SendMessage", declared("1.0")))
	check(t, "other", w.look(w.rpc("c.example", "/", "tasks/get")).Session.Change.OtherMethod, "SendMessage")
	check(t, "other program", w.look(w.rpc("c.example", "/", "tasks/get", userAgent("other/1"))).Session.Change.OtherMethod, "")
	check(t, "other url", w.look(w.rpc("c.example", "/old", "tasks/get")).Session.Change.OtherMethod, "")
}

func TestMCPAtAnAgent(t *testing.T) {
	mcp := func(w *world, path, method, answer string) *decode.Call {
		c := &decode.Call{Exchange: w.exchange("a.example", path), Kind: spec.KindOther, Protocol: spec.MCP, Sure: decode.Certain, Method: method, Outcome: spec.OK,
			GRPC: decode.GRPCFact{Status: -1}}
		c.ResponseDoc = jsontree.Parse([]byte(answer))
		return c
	}
	const refused = `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}`
	w := newWorld(t)
	check(t, "unknown url", w.run(mcp(w, "/", "initialize", refused)).Call.MCP.AtAgent, false)
	w.run(w.rpc("a.example", "/", "GetTask"))
	m := w.run(mcp(w, "/", "initialize", refused)).Call.MCP
	check(t, "at an agent", m.AtAgent, true)
	check(t, "code", m.Code, -32601)
	check(t, "served", m.Served, false)
	check(t, "other path", w.look(mcp(w, "/mcp", "initialize", refused)).Call.MCP.AtAgent, false)
	w.run(mcp(w, "/", "initialize", `{"jsonrpc":"2.0","id":0,"result":{}}`))
	check(t, "served", w.look(mcp(w, "/", "tools/list", refused)).Call.MCP.Served, true)
}

func TestEnvelopes(t *testing.T) {
	for _, tt := range []struct{ body, op, faults, at string }{
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}`, "GetTask", "", ""},
		{`{"jsonrpc":"2.0","id":"x","method":"GetExtendedAgentCard"}`, "GetExtendedAgentCard", "", ""},
		{`{"jsonrpc":"2.0","id":"x","method":"GetExtendedAgentCard","params":null}`, "GetExtendedAgentCard", "", ""},
		{`[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}]`, "GetTask", "batch", "request/frame/0#"},
		{`{"id":1,"method":"GetTask","params":{}}`, "GetTask", "version", "request/frame/0#/jsonrpc"},
		{`{"jsonrpc":"2.0","method":"GetTask","params":{}}`, "GetTask", "id", "request/frame/0#/id"},
		{`{"jsonrpc":"2.0","method":"example/note","params":{}}`, "", "", ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"GetTask","params":{}}`, "GetTask", "id-type", "request/frame/0#/id"},
		{`{"jsonrpc":"2.0","id":{},"method":"GetTask","params":[]}`, "GetTask", "id-type, params", "request/frame/0#/id"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`, "GetTask", "params", "request/frame/0#/params"},
		{`{"jsonrpc":"2.0","id":1,"params":{}}`, "", "method", "request/frame/0#/method"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "", "", ""},
		{`"text"`, "", "", ""},
	} {
		doc := jsontree.Parse([]byte(tt.body))
		root := doc.Root()
		c := &decode.Call{Exchange: &capture.Exchange{}, Kind: spec.KindCall, Protocol: spec.A2A, Binding: spec.JSONRPC, Operation: spec.Operation(tt.op),
			Method: root.Get("method").Str(), RequestDoc: doc, Params: root.Get("params"), ParamsAt: "request/frame/0#/params", GRPC: decode.GRPCFact{Status: -1}}
		c.RPC.IsEnvelope = root.Get("jsonrpc").Str() == "2.0"
		e := filled(c).Call.Envelope
		if got := strings.Join(e.Faults, ", "); got != tt.faults || e.At != tt.at {
			t.Errorf("%s: %s at %s, want %s at %s", tt.body, got, e.At, tt.faults, tt.at)
		}
	}
}
