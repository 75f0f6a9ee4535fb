package diagnose

import (
	"slices"
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

func TestMatchLevels(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(
		entry("JSONRPC", "1.0", "https://a.example/rpc"),
		entry("HTTP+JSON", "1.0", "https://a.example/rest/"),
		entry("GRPC", "1.0", "grpc.example:50051"),
		entry("JSONRPC", "0.3", "https://a.example/rpc"),
	)))
	for _, c := range []struct {
		name  string
		call  *decode.Call
		level string
		vers  []string
	}{
		{"url and binding", w.rpc("a.example", "/rpc", "SendMessage"), "exact", []string{"1.0", "0.3"}},
		{"trailing slash and query do not count", w.rpc("a.example", "/rpc/?x=1", "SendMessage"), "exact", []string{"1.0", "0.3"}},
		{"default port does not count", w.rpc("a.example:443", "/rpc", "SendMessage"), "exact", []string{"1.0", "0.3"}},
		{"url of another binding", w.rpc("a.example", "/rest", "SendMessage"), "same-url", []string{"1.0"}},
		{"other path", w.rpc("a.example", "/other", "SendMessage"), "same-origin", nil},
		{"route below the url", w.rest("a.example", "/rest", "POST", "message:send", spec.SendMessage, spec.V10), "exact", []string{"1.0"}},
		{"prefix below the url", w.rest("a.example", "/rest/v1", "POST", "message:send", spec.SendMessage, spec.V10), "exact", []string{"1.0"}},
		{"url is no segment prefix", w.rest("a.example", "/restless", "POST", "message:send", spec.SendMessage, spec.V10), "same-origin", nil},
		{"another authority the card names", w.grpc("grpc.example:50051", "lf.a2a.v1", "GetTask", spec.GetTask), "exact", []string{"1.0"}},
		{"an authority no card names", w.rpc("b.example", "/rpc", "SendMessage"), "", nil},
	} {
		f := w.look(c.call)
		check(t, c.name+": level", f.Iface.Level, c.level)
		if !slices.Equal(f.Iface.Versions, c.vers) {
			t.Errorf("%s: versions = %v, want %v", c.name, f.Iface.Versions, c.vers)
		}
		check(t, c.name+": known", f.Agent.Known, c.level != "")
	}
}

func TestLoopbackNamesAreOne(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("127.0.0.1:7301", card10(entry("JSONRPC", "1.0", "http://localhost:7301/"))))
	check(t, "level", w.look(w.rpc("[::1]:7301", "/", "SendMessage")).Iface.Level, "exact")
}

// Some servers vary their card by the A2A-Version of the fetch: a call is seen
// against the card that its own client read.
func TestTheCardAClientReadCounts(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/")), declared("1.0"), from("10.0.0.7"), userAgent("new")))
	w.run(w.card("a.example", card03("https://a.example/", "JSONRPC"), from("10.0.0.8"), userAgent("old")))

	f := w.look(w.rpc("a.example", "/", "SendMessage", from("10.0.0.7"), userAgent("new"), declared("1.0")))
	check(t, "reader of the 1.0 card", f.Iface.HasV10, true)
	check(t, "card differs", f.Agent.CardDiffers, false)
	f = w.look(w.rpc("a.example", "/", "message/send", from("10.0.0.8"), userAgent("old")))
	check(t, "reader of the 0.3 card", f.Iface.HasV10, false)
	f = w.look(w.rpc("a.example", "/", "SendMessage", from("10.0.0.8"), userAgent("old"), declared("1.0")))
	check(t, "called with another version than fetched", f.Agent.CardDiffers, true)
	f = w.look(w.rpc("a.example", "/", "SendMessage", from("10.0.0.9"), userAgent("who")))
	check(t, "a stranger sees the newest", f.Agent.Vocabulary, "0.3")
}

func TestRESTPrefix(t *testing.T) {
	tenant := entry("HTTP+JSON", "1.0", "https://t.example/api")
	tenant.Tenant = "v1"
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("HTTP+JSON", "1.0", "https://a.example/api"))))
	w.run(w.card("b.example", card10(entry("HTTP+JSON", "1.0", "https://b.example/api/v1"))))
	w.run(w.card("c.example", card03("https://c.example/api", "HTTP+JSON")))
	w.run(w.card("t.example", card10(tenant)))
	for _, c := range []struct {
		authority, before string
		v1                string
		foreign, asCard   bool
		tenant            string
	}{
		{"a.example", "/api", "", false, true, ""},
		{"a.example", "/api/v1", "yes", true, false, ""},
		{"a.example", "/api/acme", "", false, false, "acme"},
		{"a.example", "/api/v1/acme", "yes", true, false, "acme"},
		{"b.example", "/api/v1", "base", false, true, ""},
		{"b.example", "/api/v1/v1", "yes", true, false, ""},
		{"c.example", "/api/v1", "yes", true, true, ""},
		{"c.example", "/api", "", false, false, ""},
		{"t.example", "/api/v1", "tenant", false, true, "v1"},
		{"z.example", "/api/v1", "ambiguous", true, false, ""},
		{"z.example", "/api", "", false, false, ""},
	} {
		name := c.authority + c.before
		call := w.rest(c.authority, c.before, "POST", "message:send", spec.SendMessage, spec.V10)
		f := w.look(call)
		p := f.Call.Path
		check(t, name+" v1", p.V1, c.v1)
		check(t, name+" has_v1", p.HasV1, c.foreign)
		check(t, name+" as_card", p.AsCard, c.asCard)
		check(t, name+" tenant", w.m.resolve(call).Path.Tenant, c.tenant)
	}
}

func TestBetterEntry(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "0.3", "https://a.example/old"), entry("GRPC", "1.0", "a.example:50051"), entry("JSONRPC", "1.0", "https://a.example/new"))))
	f := w.look(w.rpc("a.example", "/old", "SendMessage", notFound()))
	check(t, "declares_spoken", f.Iface.DeclaresSpoken, false)
	check(t, "better", f.Iface.Better, "https://a.example/new")
	check(t, "better_same", f.Iface.BetterSame, true)
	check(t, "newer_same", f.Iface.NewerSame, true)
	f = w.look(w.rpc("a.example", "/new", "SendMessage"))
	check(t, "declares_spoken at the right entry", f.Iface.DeclaresSpoken, true)
	f = w.look(w.rpc("a.example", "/new", "message/send"))
	check(t, "better for 0.3", f.Iface.Better, "https://a.example/old")
}

// Row 11: the client sent 0.3 names under a header that only 1.0 has, while
// the card offers 1.0 for the same binding.
func TestClientTookOldInterface(t *testing.T) {
	w := newWorld(t)
	blended := card10(entry("JSONRPC", "0.3", "https://a.example/"), entry("JSONRPC", "1.0", "https://a.example/"))
	blended.Vocabulary = "blended"
	w.run(w.card("a.example", blended))
	f := w.run(w.rpc("a.example", "/", "message/send"))
	check(t, "a plain 0.3 client knows no 1.0", f.Client.KnowsV10, false)
	f = w.run(w.rpc("a.example", "/", "message/send", declared("0.3"), userAgent("new")))
	check(t, "a client that sends the header does", f.Client.KnowsV10, true)
	check(t, "newer_same", f.Iface.NewerSame, true)
	f = w.run(w.rpc("a.example", "/", "message/send", userAgent("new")))
	check(t, "and is remembered", f.Client.KnowsV10, true)

	// An url that stands in supportedInterfaces alone gives its reader away.
	w = newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "0.3", "https://a.example/old"), entry("JSONRPC", "1.0", "https://a.example/new"))))
	check(t, "found in supportedInterfaces", w.run(w.rpc("a.example", "/old", "message/send")).Client.KnowsV10, true)
	check(t, "configured", w.run(w.rpc("a.example", "/elsewhere", "message/send")).Client.KnowsV10, false)
	check(t, "another reader", w.run(w.rpc("a.example", "/old", "message/send", from("10.9.9.9"))).Client.KnowsV10, false)
}

func TestResolveTentative(t *testing.T) {
	guess := func(c *decode.Call) { c.Tentative, c.Fallback, c.Sure = true, spec.JSONRPCOther, decode.Possible }
	w := newWorld(t)
	c := w.m.resolve(w.rpc("a.example", "/rpc", "tasks/get", guess))
	check(t, "unknown address: kind", c.Kind, spec.KindOther)
	check(t, "unknown address: protocol", c.Protocol, spec.JSONRPCOther)
	check(t, "unknown address: binding", c.Binding, "")

	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/rpc"))))
	c = w.m.resolve(w.rpc("a.example", "/rpc", "tasks/get", guess))
	check(t, "known interface: kind", c.Kind, spec.KindCall)
	check(t, "known interface: sure", c.Sure, decode.Certain)

	check(t, "another path stays unproved", w.m.resolve(w.rpc("a.example", "/elsewhere", "tasks/get", guess)).Kind, spec.KindOther)
	w.run(w.rpc("b.example", "/b", "message/send"))
	check(t, "an address that answered A2A", w.m.resolve(w.rpc("b.example", "/b", "tasks/get", guess)).Kind, spec.KindCall)
}

func TestCardVersionFact(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "0.3", "https://a.example/"), entry("JSONRPC", "1.0", "https://a.example/"))))
	check(t, "of the generation asked", w.m.resolve(w.rpc("a.example", "/", "SendMessage")).Card.Value, spec.V10)
	check(t, "of the generation asked", w.m.resolve(w.rpc("a.example", "/", "message/send")).Card.Value, spec.V03)
	check(t, "not exact", w.m.resolve(w.rpc("a.example", "/x", "message/send")).Card.Value, spec.NoVersion)
}
