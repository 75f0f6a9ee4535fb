package diagnose

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// cardOf makes a card of its text, with entries of supportedInterfaces.
func cardOf(text string, entries ...decode.Interface) *decode.AgentCard {
	n := jsontree.Parse([]byte(text)).Root()
	a := &decode.AgentCard{Vocabulary: "1.0", Node: n, At: "response/frame/0#", Interfaces: entries, Signatures: n.Get("signatures").Len(),
		Protocol: n.Get("protocolVersion").Str(), Preferred: n.Get("preferredTransport").Str(), Version: n.Get("version").Str()}
	if !n.Has("supportedInterfaces") {
		a.Vocabulary = "0.3"
	} else if n.Has("url") || n.Has("protocolVersion") {
		a.Vocabulary = "blended"
	}
	return a
}

func TestHostClass(t *testing.T) {
	for host, want := range map[string]int{
		"0.0.0.0": hostAny, "::": hostAny, "127.0.0.1": hostSelf, "127.8.9.1": hostSelf, "::1": hostSelf, "localhost": hostSelf, "LOCALHOST": hostSelf,
		"agent.localhost": hostSelf, "10.1.2.3": hostPrivate, "192.168.0.1": hostPrivate, "fd00::1": hostPrivate, "fe80::1": hostPrivate, "169.254.1.1": hostPrivate,
		"echo": hostPrivate, "echo.agents.svc": hostPrivate, "echo.agents.svc.cluster.local": hostPrivate, "vm.internal": hostPrivate, "vm.internal.": hostPrivate,
		"203.0.113.9": hostPublic, "2001:db8::1": hostPublic, "agent.example.com": hostPublic, "::ffff:127.0.0.1": hostSelf,
	} {
		check(t, host, hostClass(host), want)
	}
}

func TestURLHost(t *testing.T) {
	for raw, want := range map[string]string{
		"https://a.example/x": "a.example", "https://a.example:8443/x?y=z": "a.example", "http://[::1]:80/": "::1", "a.example:443": "a.example",
		"dns:///a.example:443": "a.example", "/a2a": "", "": "", "https://u:p@a.example/": "a.example", "[2001:db8::1]:50051": "2001:db8::1",
	} {
		check(t, raw, urlHost(raw), want)
	}
}

func TestCardURLs(t *testing.T) {
	for _, tt := range []struct {
		name, url, binding, host, scheme, server string
		want                                     string
	}{
		{"fine", "https://a.example/a2a", "JSONRPC", "a.example", "https", "192.0.2.1:443", ""},
		{"bind address", "http://0.0.0.0:8000/x", "JSONRPC", "a.example", "http", "192.0.2.1:80", "hidden bind http://a.example/x"},
		{"loopback", "http://localhost:8000", "HTTP+JSON", "a.example:8001", "http", "192.0.2.1:80", "hidden loopback http://a.example:8001/"},
		{"loopback, seen over the loopback", "http://localhost:8000", "JSONRPC", "a.example", "http", "127.0.0.1:80", ""},
		{"inner name from an inner name", "http://b:8000", "JSONRPC", "a", "http", "10.0.0.1:80", ""},
		{"bind address of gRPC", "0.0.0.0:50051", "GRPC", "a.example", "http", "192.0.2.1:80", "hidden bind a.example"},
		{"without TLS", "http://a.example/a2a", "JSONRPC", "a.example", "https", "192.0.2.1:443", "plain https://a.example/a2a"},
		{"without TLS, same odd port", "http://a.example:8443/a2a", "JSONRPC", "a.example:8443", "https", "192.0.2.1:8443", "plain https://a.example:8443/a2a"},
		{"without TLS, own port", "http://a.example:8080/a2a", "JSONRPC", "a.example", "https", "192.0.2.1:443", ""},
		{"relative", "/a2a", "JSONRPC", "a.example", "https", "192.0.2.1:443", "odd relative"},
		{"no scheme", "a.example/a2a", "HTTP+JSON", "a.example", "https", "192.0.2.1:443", "odd relative"},
		{"route", "https://a.example/v1/message:send/", "HTTP+JSON", "a.example", "https", "192.0.2.1:443", "odd route https://a.example/v1"},
		{"card", "https://a.example/.well-known/agent.json", "JSONRPC", "a.example", "https", "192.0.2.1:443", "odd card https://a.example"},
		{"tasks of REST", "https://a.example/v1/tasks", "HTTP+JSON", "a.example", "https", "192.0.2.1:443", "odd route https://a.example/v1"},
		{"tasks of JSON-RPC", "https://a.example/tasks", "JSONRPC", "a.example", "https", "192.0.2.1:443", ""},
		{"gRPC path", "https://a.example/a2a", "GRPC", "a.example", "https", "192.0.2.1:443", "grpc a.example:443 /a2a"},
		{"gRPC", "a.example:50051", "GRPC", "a.example", "https", "192.0.2.1:443", ""},
		{"own binding", "mqtt/topic", "https://b.example/mqtt", "a.example", "https", "192.0.2.1:443", ""},
	} {
		var f CardURLFacts
		x := &capture.Exchange{Link: &capture.Link{Server: netip.MustParseAddrPort(tt.server)},
			Request: &capture.Head{Method: "GET", Scheme: tt.scheme, Authority: tt.host, Target: "/.well-known/agent-card.json"}}
		fillCardURLs(&f, cardOf(`{"supportedInterfaces":[{"url":"x"}]}`, entry(tt.binding, "1.0", tt.url)), x)
		var got []string
		if f.Odd != "" {
			got = append(got, "odd", f.Odd, f.OddBase)
		}
		if f.Hidden != "" {
			got = append(got, "hidden", f.Hidden, f.HideFix)
		}
		if f.Plain != "" {
			got = append(got, "plain", f.Secure)
		}
		if f.GRPC != "" {
			got = append(got, "grpc", f.GRPCHost, f.GRPCPath)
		}
		check(t, tt.name, strings.TrimSpace(strings.Join(got, " ")), tt.want)
	}
}

func TestPatched(t *testing.T) {
	for v, want := range map[string]string{"1.0": "", "1.0.1": "1.0", "0.3.0": "0.3", "v1.0": "1.0", "v1": "1.0", "V1.0.2": "1.0", "1": "", "latest": "", "1.0.0-rc": "", "": "", "1.0.1.2": "", "v": ""} {
		check(t, v, patched(v), want)
	}
}

func TestCardForm(t *testing.T) {
	var f CardFormFacts
	fillCardForm(&f, cardOf(`{"name":"a","description":null,"supportedInterfaces":[],"url":"https://a.example/old","capabilities":{},"skills":[{"id":"s"}],"defaultInputModes":[]}`,
		entry("jsonrpc", "0.3.1", "https://a.example/v03"), decode.Interface{From: "supportedInterfaces", At: "response/frame/0#/supportedInterfaces/1", URL: "https://a.example/"}))
	check(t, "missing", strings.Join(f.Missing, " "), "description version defaultOutputModes skills[0].name skills[0].description skills[0].tags")
	check(t, "empty", strings.Join(f.Empty, " "), "supportedInterfaces defaultInputModes")
	check(t, "binding", f.Binding+" "+f.Meant, "jsonrpc JSONRPC")
	check(t, "patch", f.Patch+" "+f.PatchFor, "0.3.1 0.3")
	check(t, "incomplete", strings.Join(f.Incomplete, " ")+" "+f.EntryAt, "protocolBinding protocolVersion response/frame/0#/supportedInterfaces/1")
	check(t, "old", strings.Join(f.Old, " ")+" "+f.OldAt, "url response/frame/0#/url")

	f = CardFormFacts{}
	broken := cardOf(`{"name":"a","skills":[`)
	fillCardForm(&f, broken)
	check(t, "broken: missing", len(f.Missing), 0)

	f = CardFormFacts{}
	fillCardForm(&f, cardOf(`{"supportedInterfaces":[],"signatures":[{"signature":""}],"capabilities":{"streaming":false,"extensions":[{"uri":"u","params":{"a":0}}]},"skills":[{"id":"s","name":"\u56de"}]}`))
	check(t, "default", f.DefaultAt, "response/frame/0#/capabilities/streaming")
	check(t, "text", f.ForeignAt, "response/frame/0#/skills/0/name")
}

// Whatever canonicalisation evens out makes no difference; everything else does.
func TestCardSum(t *testing.T) {
	m := newMemory()
	sum := func(text string) cardSum { return m.cardSum(cardOf(text)) }
	const sig = `"signatures":[{"protected":"p","signature":"s"}]`
	one := sum(`{"name":"a","n":1.0,"list":["x","y"],` + sig + `}`)
	for _, same := range []string{
		`{ "n":1, "list" : ["x","y"], "name":"a",` + sig + `}`,
		`{"name":"a","n":1.0,"list":["x","y"],"flag":false,"none":null,"o":{},` + sig + `}`,
	} {
		if one.forges(sum(same)) {
			t.Errorf("%s: told apart", same)
		}
	}
	for _, other := range []string{
		`{"name":"b","n":1.0,"list":["x","y"],` + sig + `}`,
		`{"name":"a","n":1.0,"list":["y","x"],` + sig + `}`,
		`{"name":"a","n":1.0,"list":["x","y"],"more":{"a":1},` + sig + `}`,
	} {
		if !one.forges(sum(other)) {
			t.Errorf("%s: not told apart", other)
		}
	}
	if one.forges(sum(`{"name":"b","signatures":[{"protected":"p","signature":"new"}]}`)) {
		t.Error("another signature is no old one")
	}
	a, b := cardOf(`{"name":"a","url":"x","flag":false,`+sig+`}`), cardOf(`{"name":"b","url":"x","gone":1,`+sig+`}`)
	check(t, "differing", strings.Join(differing(m, a, b), " "), "name gone")
}

// The memory of signed cards is bounded, oldest forgotten first.
func TestSignedCardsAreBounded(t *testing.T) {
	w := newWorld(t)
	for i := range maxSigned + 5 {
		host := fmt.Sprintf("a%d.example", i)
		w.run(w.card(host, cardOf(`{"supportedInterfaces":[],"signatures":[{"signature":"s"}]}`, entry("JSONRPC", "1.0", "https://"+host+"/"))))
	}
	check(t, "kept", len(w.m.signed), maxSigned)
	check(t, "oldest", w.m.signed[0].authority, "a5.example")
}

// A look for a card in vain is watched like a card that was read.
func TestCardMissed(t *testing.T) {
	miss := func(w *world, opts ...with) *decode.Call {
		c := w.card("a.example", nil, append(opts, fails(spec.ForeignError, decode.Fault{HTTP: 404, Shape: "foreign"}))...)
		w.run(c)
		return c
	}
	later := func(w *world, c *decode.Call) *ClientFacts {
		w.t.Helper()
		var mine *decode.Call
		for _, q := range w.m.quiet(w.now.Add(2*time.Minute), true) {
			if q.Exchange.ID == c.Exchange.ID {
				mine = q
			}
		}
		if mine == nil {
			w.t.Fatal("the fetch is not judged again")
		}
		w.m.facts(mine, decode.AtSilent, w.f)
		return w.f.Client
	}
	w := newWorld(t)
	check(t, "stopped", later(w, miss(w)).GaveUp, true)

	w = newWorld(t)
	c := miss(w)
	w.run(w.rpc("a.example", "/", "SendMessage"))
	check(t, "called anyway", later(w, c).GaveUp, false)

	w = newWorld(t)
	c = miss(w)
	w.run(w.rpc("b.example", "/", "SendMessage"))
	check(t, "called another agent", later(w, c).GaveUp, true)

	w = newWorld(t)
	c = miss(w)
	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/"))))
	f := later(w, c)
	check(t, "read it elsewhere", f.GaveUp, false)
	check(t, "read it elsewhere: known", f.ReadCard, true)
}

func TestIfaceChoice(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/a2a"))))
	f := w.run(w.rpc("a.example", "/rpc", "SendMessage"))
	check(t, "outside", f.Iface.Outside, true)
	check(t, "listed", strings.Join(f.Iface.Listed, " "), "JSONRPC https://a.example/a2a")

	moved := w.rpc("a.example", "/a2a", "SendMessage", fails(spec.HTTPError, decode.Fault{HTTP: 308, Shape: "foreign"}))
	moved.Exchange.Response.Fields = append(moved.Exchange.Response.Fields, fieldOf("Location", "/new?x=1"))
	w.run(moved)
	check(t, "redirected", w.run(w.rpc("a.example", "/new", "SendMessage")).Iface.Redirected, true)
	check(t, "not redirected", w.run(w.rpc("a.example", "/rpc", "SendMessage")).Iface.Redirected, false)

	f = w.run(w.rpc("a.example", "/a2a", "SendMessage", declared("1.0"), notFound()))
	check(t, "turned now", f.Iface.TurnedNow, "1.0")
	f = w.run(w.rpc("a.example", "/a2a", "SendMessage", notFound()))
	check(t, "turned before", f.Iface.TurnedV10, true)
	check(t, "no header: proves nothing", f.Iface.TurnedNow, "")
}

// Two findings of one rule about an agent, of different severity, do not displace each other for ever.
func TestRootsOfTwoSeverities(t *testing.T) {
	b := newBench(t, map[string]string{
		"discover/card": ruleText(30, "call.card.present", "at: card", "for: {kind: [card]}", "severity: warning",
			"escalate: [{if: call.card.has_v03, severity: error}]", "silences: [call/refused]", "silences_peer: true"),
		"call/refused": ruleText(80, "call.fault.present", "severity: warning"),
	})
	one := b.pass(b.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/"))))
	two := b.pass(b.card("a.example", card10(entry("JSONRPC", "0.3", "https://a.example/")), from("10.9.9.9")))
	bad := b.pass(b.rpc("a.example", "/", "SendMessage", notFound()))
	if !strings.Contains(b.of(one), "warning") || !strings.Contains(b.of(two), "error root") {
		t.Errorf("%s\n%s", b.of(one), b.of(two))
	}
	if got := b.of(bad); !strings.Contains(got, "follows discover/card") {
		t.Error(got)
	}
	roots := *b.e.roots.find("a.example")
	if i := slices.IndexFunc(roots, func(p peerRoot) bool { return p.severity == Error }); len(roots) != 1 || i != 0 || roots[0].key.Exchange != two.Exchange.ID {
		t.Errorf("%+v", roots)
	}
}
