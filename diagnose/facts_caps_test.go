package diagnose

import (
	"slices"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func TestOddList(t *testing.T) {
	for v, want := range map[string]string{
		"":                                 "",
		"https://e.example/a":              "",
		"https://e.example/a,https://b/c":  "",
		"urn:a , urn:b":                    "",
		"https://e.example/a;v=1":          "",
		"https://e.example/a; https://b/c": "semicolons",
		"https://e.example/a;https://b/c":  "semicolons",
		"https://e.example/a https://b/c":  "spaces",
		`"https://e.example/a"`:            "quotes",
		`["urn:a"]`:                        "quotes",
	} {
		if got := oddList(v); got != want {
			t.Errorf("%q: %q, want %q", v, got, want)
		}
	}
}

func TestAccepts(t *testing.T) {
	list := []string{"text/plain; charset=utf-8", "image/*", "data"}
	for media, want := range map[string]bool{
		"text/plain": true, "TEXT/Plain;format=flowed": true, "text/html": false, "image/png": true, "imagex/png": false,
		"application/json": true, "video/mp4": false,
	} {
		if got := accepts(list, media); got != want {
			t.Errorf("%s: %v", media, got)
		}
	}
	if !accepts([]string{"*/*"}, "video/mp4") || accepts(nil, "text/plain") {
		t.Error("everything and nothing")
	}
}

func TestSchemesUsed(t *testing.T) {
	card := func(s string) jsontree.Node { return jsontree.Parse([]byte(`{"securitySchemes":` + s + `}`)).Root() }
	ask := func(target string, fields ...capture.Field) *capture.Exchange {
		return &capture.Exchange{Request: &capture.Head{Method: "GET", Target: target, Fields: fields}}
	}
	for _, c := range []struct {
		name, schemes string
		x             *capture.Exchange
		key, mtls     bool
	}{
		{"0.3 header", `{"k":{"type":"apiKey","in":"header","name":"X-Key"}}`, ask("/", capture.Field{Name: "x-key", Value: "v"}), true, false},
		{"1.0 header", `{"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}}`, ask("/", capture.Field{Name: "X-Key", Value: "v"}), true, false},
		{"query", `{"k":{"apiKeySecurityScheme":{"location":"query","name":"key"}}}`, ask("/a?b=1&key=v"), true, false},
		{"not sent", `{"k":{"apiKeySecurityScheme":{"location":"query","name":"key"}}}`, ask("/a?monkey=v"), false, false},
		{"client certificate", `{"m":{"type":"mutualTLS"}}`, ask("/"), false, true},
		{"bearer", `{"b":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}}`, ask("/"), false, false},
		{"no list", `[]`, ask("/"), false, false},
		{"half an exchange", `{}`, &capture.Exchange{}, false, false},
	} {
		if key, mtls := schemesUsed(card(c.schemes), c.x); key != c.key || mtls != c.mtls {
			t.Errorf("%s: key %v, client certificate %v", c.name, key, mtls)
		}
	}
}

// What was asked for and not confirmed; a trailer confirms too.
func TestExtensionsAskedAndConfirmed(t *testing.T) {
	w := newWorld(t)
	f := w.run(w.rpc("a.example", "/", "SendMessage", func(c *decode.Call) {
		c.Exchange.Request.Fields = append(c.Exchange.Request.Fields, capture.Field{Name: "A2A-Extensions", Value: "urn:a, urn:b"}, capture.Field{Name: "a2a-extensions", Value: "urn:c"})
		c.Exchange.Response.Fields = capture.Fields{{Name: "A2A-Extensions", Value: "urn:b"}}
		c.Exchange.Trailer = &capture.Trailer{Fields: capture.Fields{{Name: "a2a-extensions", Value: "urn:c"}}}
	}))
	if got := f.Call.Caps.Unconfirmed; !slices.Equal(got, []string{"urn:a"}) {
		t.Errorf("unconfirmed: %v", got)
	}
	check(t, "lines", f.Call.Caps.ExtensionLines, 2)
	check(t, "form", f.Call.Caps.ExtensionForm, "several-lines")
	check(t, "confirms", f.Call.Caps.Confirms, true)
}

// A part is named by its media type; what is in it is never a fact.
func TestRefusedModes(t *testing.T) {
	w := newWorld(t)
	card := card10(entry("JSONRPC", "1.0", "https://a.example/"))
	card.Node = jsontree.Parse([]byte(`{"defaultInputModes":["text/plain"],"skills":[{"inputModes":["image/*"]}]}`)).Root()
	w.run(w.card("a.example", card))
	f := w.run(w.rpc("a.example", "/", "SendMessage",
		params(`{"message":{"parts":[{"text":"x"},{"raw":"eA==","mediaType":"image/png"},{"data":{"a":1}},{"url":"https://b.example/v","mediaType":"video/mp4"}]}}`),
		fails(spec.A2AError, decode.Fault{Code: -32005, A2A: "ContentTypeNotSupportedError"})))
	if got := f.Call.Caps.RefusedModes; !slices.Equal(got, []string{"application/json", "video/mp4"}) {
		t.Errorf("refused: %v", got)
	}
	if at := f.Call.Caps.RefusedAt; at == "" || at[len(at)-len("/parts/3/mediaType"):] != "/parts/3/mediaType" {
		t.Errorf("at %q", at)
	}
}

// The extended card that a call brings does not judge the call itself.
func TestExtendedCardDoesNotJudgeItsOwnCall(t *testing.T) {
	w := newWorld(t)
	public := card10(entry("JSONRPC", "1.0", "https://a.example/"))
	public.ExtCard = decode.FlagTrue
	w.run(w.card("a.example", public))
	c := w.rpc("a.example", "/", "GetExtendedAgentCard", func(c *decode.Call) {
		c.AgentCard = card10(entry("JSONRPC", "1.0", "https://a.example/"))
		c.AgentCard.Extended = true
	})
	w.run(c)
	w.m.facts(w.m.resolve(c), decode.AtEnd, w.f)
	check(t, "grants", w.f.Agent.Grants, "extendedAgentCard")
	check(t, "denies", w.f.Agent.Denies, "")
	f := w.run(w.rpc("a.example", "/", "GetExtendedAgentCard"))
	check(t, "of the next call", f.Agent.Denies, "extendedAgentCard")
}

// TestExtensionsOfATornHead: an extension whose confirmation may be in what the
// capture does not hold is not told to be unconfirmed.
func TestExtensionsOfATornHead(t *testing.T) {
	h := &HTTPFacts{Extensions: []string{"https://ext.example/a"}}
	for _, c := range []struct {
		x    capture.Exchange
		want int
	}{
		{capture.Exchange{Response: &capture.Head{Status: 200}}, 1},
		{capture.Exchange{Response: &capture.Head{Status: 200, Torn: true}}, 0},
		{capture.Exchange{Response: &capture.Head{Status: 200}, Trailer: &capture.Trailer{Fields: capture.Fields{{Name: "<before gap 1 #1>", Unknown: true}}}}, 0},
	} {
		c.x.Request = &capture.Head{Method: "POST"}
		var f CapsFacts
		f.extensions(&decode.Call{Exchange: &c.x}, h)
		if len(f.Unconfirmed) != c.want {
			t.Errorf("%+v: unconfirmed %q, want %d", c.x.Response, f.Unconfirmed, c.want)
		}
	}
}
