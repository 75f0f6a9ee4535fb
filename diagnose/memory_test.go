package diagnose

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// world makes calls by hand and runs them through a memory.
type world struct {
	t    *testing.T
	m    *memory
	now  time.Time
	next int
	f    *Facts
}

func newWorld(t *testing.T) *world {
	return &world{t: t, m: newMemory(), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), f: NewFacts()}
}

// with changes a call that is being made.
type with func(*decode.Call)

// exchange makes an ended exchange of a POST.
func (w *world) exchange(authority, path string) *capture.Exchange {
	w.next++
	w.now = w.now.Add(time.Second)
	conn := capture.ConnID(w.next)
	return &capture.Exchange{
		ID: capture.NewExchangeID(conn, 1), Conn: conn, Started: w.now, Answered: w.now.Add(time.Millisecond), Ended: w.now.Add(2 * time.Millisecond),
		Link:     &capture.Link{Client: netip.MustParseAddrPort(fmt.Sprintf("10.0.0.1:%d", 40000+w.next%20000)), Server: netip.MustParseAddrPort("10.0.0.2:80")},
		Request:  &capture.Head{Method: "POST", Proto: "HTTP/1.1", Scheme: "http", Authority: authority, Target: path, Fields: capture.Fields{{Name: "User-Agent", Value: "client/1"}}},
		Response: &capture.Head{Proto: "HTTP/1.1", Status: 200},
		End:      &capture.End{Kind: capture.EndDone},
	}
}

// card makes a card fetch that was answered.
func (w *world) card(authority string, a *decode.AgentCard, opts ...with) *decode.Call {
	x := w.exchange(authority, "/.well-known/agent-card.json")
	x.Request.Method = "GET"
	c := &decode.Call{Exchange: x, Kind: spec.KindCard, Protocol: spec.A2A, Sure: decode.Certain, Operation: spec.GetAgentCard, Outcome: spec.OK, AgentCard: a,
		GRPC: decode.GRPCFact{Status: -1}}
	return apply(c, opts)
}

// rpc makes a JSON-RPC call that was answered ok in its own version.
func (w *world) rpc(authority, path, method string, opts ...with) *decode.Call {
	k, ok := spec.MethodByName(method)
	if !ok {
		w.t.Fatalf("no method %s", method)
	}
	c := &decode.Call{Exchange: w.exchange(authority, path), Kind: spec.KindCall, Protocol: spec.A2A, Binding: spec.JSONRPC, Sure: decode.Certain,
		Operation: k.Op, Method: method, Outcome: spec.OK, GRPC: decode.GRPCFact{Status: -1},
		CallVersion: decode.VersionFact{Value: k.Version, Sure: decode.Certain},
		Request:     decode.VersionFact{Value: k.Version, Sure: decode.Certain},
		Response:    decode.VersionFact{Value: k.Version, Sure: decode.Likely}}
	return apply(c, opts)
}

// rest makes an HTTP+JSON call. before is the path in front of the route.
func (w *world) rest(authority, before, verb, route string, op spec.Operation, v spec.Version, opts ...with) *decode.Call {
	x := w.exchange(authority, before+"/"+route)
	x.Request.Method = verb
	c := &decode.Call{Exchange: x, Kind: spec.KindCall, Protocol: spec.A2A, Binding: spec.HTTPJSON, Sure: decode.Certain,
		Operation: op, Method: verb + " /" + route, Outcome: spec.OK, GRPC: decode.GRPCFact{Status: -1},
		Path:     decode.PathFact{Template: route, Rest: before, Base: before},
		Request:  decode.VersionFact{Value: v, Sure: decode.Likely},
		Response: decode.VersionFact{Value: v, Sure: decode.Likely}}
	return apply(c, opts)
}

// grpc makes a gRPC call.
func (w *world) grpc(authority, pkg, method string, op spec.Operation, opts ...with) *decode.Call {
	v := spec.V03
	if pkg == "lf.a2a.v1" {
		v = spec.V10
	}
	x := w.exchange(authority, "/"+pkg+".A2AService/"+method)
	x.Request.Proto = "HTTP/2"
	c := &decode.Call{Exchange: x, Kind: spec.KindCall, Protocol: spec.A2A, Binding: spec.GRPC, Sure: decode.Certain,
		Operation: op, Method: "/" + pkg + ".A2AService/" + method, Outcome: spec.OK,
		GRPC:    decode.GRPCFact{Package: pkg, Service: "A2AService", Method: method, Status: 0},
		Request: decode.VersionFact{Value: v, Sure: decode.Certain}, CallVersion: decode.VersionFact{Value: v, Sure: decode.Certain},
		Response: decode.VersionFact{Value: v, Sure: decode.Certain}}
	return apply(c, opts)
}

func apply(c *decode.Call, opts []with) *decode.Call {
	for _, o := range opts {
		o(c)
	}
	return c
}

// run takes a call through its checkpoints and returns its facts at the answer.
func (w *world) run(c *decode.Call) *Facts {
	w.t.Helper()
	asked := *c
	asked.Outcome, asked.Fault, asked.AgentCard, asked.Response = "", nil, nil, decode.VersionFact{}
	asked.Result, asked.Events = jsontree.Node{}, nil
	x := *c.Exchange
	x.Response, x.Answered, x.Ended, x.End, x.Received = nil, time.Time{}, time.Time{}, nil, nil
	asked.Exchange = &x
	a := w.m.resolve(&asked)
	w.m.facts(a, decode.AtRequest, w.f)
	w.m.learn(a, decode.AtRequest)
	r := w.m.resolve(c)
	w.m.facts(r, decode.AtResponse, w.f)
	w.m.learn(r, decode.AtResponse)
	e := w.m.resolve(c)
	w.m.learn(e, decode.AtEnd)
	return w.f
}

// look returns the facts of a call without learning from it.
func (w *world) look(c *decode.Call) *Facts {
	w.m.facts(w.m.resolve(c), decode.AtResponse, w.f)
	return w.f
}

func declared(raw string) with {
	return func(c *decode.Call) {
		c.Declared = decode.Declared{Presence: "set", Raw: raw, Version: spec.Version(raw), Source: "header"}
		c.Exchange.Request.Fields = append(c.Exchange.Request.Fields, capture.Field{Name: "A2A-Version", Value: raw})
	}
}

func fails(outcome spec.Outcome, f decode.Fault) with {
	return func(c *decode.Call) {
		if f.HTTP != 0 {
			c.Exchange.Response.Status = f.HTTP
		}
		if f.GRPC != 0 {
			c.GRPC.Status, c.GRPC.Message = f.GRPC, f.Message
		} else {
			f.GRPC = -1
		}
		c.Outcome, c.Fault, c.Response = outcome, &f, decode.VersionFact{}
	}
}

func notFound() with {
	return fails(spec.StdError, decode.Fault{Code: -32601, Std: "MethodNotFoundError"})
}

func about(id string) with { return func(c *decode.Call) { c.TaskID = id } }

func result(text string) with {
	return func(c *decode.Call) {
		c.ResponseDoc = jsontree.Parse([]byte(text))
		c.Result, c.ResultAt = c.ResponseDoc.Root(), "response/frame/0#"
	}
}

func params(text string) with {
	return func(c *decode.Call) {
		c.RequestDoc = jsontree.Parse([]byte(text))
		c.Params, c.ParamsAt = c.RequestDoc.Root(), "request/frame/0#"
	}
}

func userAgent(ua string) with {
	return func(c *decode.Call) { c.Exchange.Request.Fields[0].Value = ua }
}

func from(ip string) with {
	return func(c *decode.Call) { c.Exchange.Link.Client = netip.MustParseAddrPort(ip + ":5000") }
}

// entry is a card entry: binding, version, url.
func entry(binding, version, url string) decode.Interface {
	return decode.Interface{Binding: binding, Version: version, RawVer: version, URL: url, From: "supportedInterfaces", At: "response/frame/0#/supportedInterfaces/0"}
}

func card10(entries ...decode.Interface) *decode.AgentCard {
	return &decode.AgentCard{Vocabulary: "1.0", Name: "a", Interfaces: entries, Node: jsontree.Parse([]byte(`{"supportedInterfaces":[]}`)).Root()}
}

func card03(url, binding string) *decode.AgentCard {
	return &decode.AgentCard{Vocabulary: "0.3", Name: "a", Protocol: "0.3.0", Preferred: binding, Node: jsontree.Parse([]byte(`{"url":""}`)).Root(),
		Interfaces: []decode.Interface{{Binding: binding, Version: "0.3", RawVer: "0.3.0", URL: url, From: "url", At: "response/frame/0#/url"}}}
}

// check compares named facts.
func check[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func fieldOf(name, value string) capture.Field { return capture.Field{Name: name, Value: value} }
