package translate_test

import (
	"strings"
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
)

func TestCards(t *testing.T) {
	const common = `"name":"n","description":"d","version":"1","defaultInputModes":["text"],"defaultOutputModes":["text"]`
	for _, c := range []struct {
		name, card string
		to         spec.Version
		want, say  string
	}{
		{"to 1.0", `{"protocolVersion":"0.3.0",` + common + `,"url":"https://a","preferredTransport":"GRPC","additionalInterfaces":[{"url":"https://a","transport":"GRPC"},{"url":"https://b","transport":"JSONRPC"}],
			"capabilities":{"streaming":true,"stateTransitionHistory":true},"supportsAuthenticatedExtendedCard":true,
			"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Key"},"o":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://t","scopes":{"s":"x"}}}},"odd":{"type":"magic"}},
			"security":[{"k":[],"o":["s"]}],"skills":[{"id":"s","name":"s","description":"d","tags":["t"],"security":[{"k":[]}]}],"signatures":[{"protected":"p","signature":"s"}],"mine":1}`, spec.V10,
			`{` + common + `,"supportedInterfaces":[{"url":"https://a","protocolBinding":"GRPC","protocolVersion":"0.3"},{"url":"https://b","protocolBinding":"JSONRPC","protocolVersion":"0.3"}],` +
				`"capabilities":{"streaming":true,"extendedAgentCard":true},"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}},` +
				`"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://t","scopes":{"s":"x"}}}}},"odd":{"type":"magic"}},` +
				`"securityRequirements":[{"schemes":{"k":{"list":[]},"o":{"list":["s"]}}}],"skills":[{"id":"s","name":"s","description":"d","tags":["t"],"securityRequirements":[{"schemes":{"k":{"list":[]}}}]}],"mine":1}`,
			"renamed/interfaces/url lost/no-place/stateTransitionHistory dropped/scheme-type/type unsaid/scheme-type/odd lost/signature/signatures kept/unknown/mine renamed/name/security"},
		{"to 0.3, where 0.3 is served", `{` + common + `,"supportedInterfaces":[{"url":"https://new","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://old","protocolBinding":"JSONRPC","protocolVersion":"0.3","tenant":"t"},{"url":"https://rest","protocolBinding":"HTTP+JSON","protocolVersion":"0.3"}],` +
			`"capabilities":{"extendedAgentCard":false},"skills":[],"securitySchemes":{"d":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},"securityRequirements":[{"schemes":{"d":{"list":[]}}}]}`, spec.V03,
			`{` + common + `,"protocolVersion":"0.3.0","url":"https://old","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"https://rest","transport":"HTTP+JSON"}],` +
				`"capabilities":{},"supportsAuthenticatedExtendedCard":false,"skills":[],"securitySchemes":{"d":{"type":"http","scheme":"Bearer"}},"security":[{"d":[]}]}`,
			"lost/other-interface/supportedInterfaces lost/tenant/tenant added/scheme-type/type !differs"},
		{"to 0.3, which nobody serves", `{` + common + `,"supportedInterfaces":[{"url":"https://new","protocolBinding":"JSONRPC","protocolVersion":"1.0"},7],"capabilities":{},"skills":[]}`, spec.V03,
			`{` + common + `,"protocolVersion":"0.3.0","url":"https://new","preferredTransport":"JSONRPC","capabilities":{},"skills":[]}`, "differs/other-interface/protocolVersion unsaid/type/supportedInterfaces"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, why := translate.CardTo(call("GET /.well-known/agent-card.json", c.card), c.to)
			if m == nil {
				t.Fatalf("no translation: %s", why)
			}
			if string(m.Body) != c.want {
				t.Errorf("card\n%s\nwant\n%s", m.Body, c.want)
			}
			tells(t, m.Changes, c.say)
		})
	}
}

// Cards of the corpus that lose nothing come back as they were.
func TestCardsThereAndBack(t *testing.T) {
	n := 0
	each(t, func(name string, c *decode.Call) {
		if c.AgentCard == nil {
			return
		}
		to := spec.V10
		if c.AgentCard.Vocabulary == "1.0" {
			to = spec.V03
		}
		there, why := translate.CardTo(c, to)
		if why != translate.NoReason || !there.Lossless() || strings.HasPrefix(c.AgentCard.Protocol, "0.2") {
			return
		}
		for _, x := range there.Changes {
			if x.Effect == translate.Differs {
				return // interfaces of 1.0 that a 0.3 card calls 0.3
			}
		}
		back, why := translate.CardTo(call("GET /.well-known/agent-card.json", string(there.Body)), there.From)
		if why != translate.NoReason {
			t.Errorf("%s: no way back: %s\n%s", name, why, there.Body)
			return
		}
		main := c.AgentCard.Node.Get("url").Raw()
		for e := range c.AgentCard.Node.Get("additionalInterfaces").Children() {
			if string(e.Get("url").Raw()) == string(main) {
				return // said twice, and once is enough
			}
		}
		if from := c.AgentCard.Node; to == spec.V10 && (!from.Has("protocolVersion") || !from.Has("preferredTransport") || from.Get("protocolVersion").Str() != "0.3.0") {
			return // what is said by default, and patch numbers
		}
		n++
		same(t, name, c.AgentCard.Node.Raw(), back.Body, there.Body)
	})
	t.Logf("%d cards", n)
	if n < 15 {
		t.Errorf("only %d cards went there and back", n)
	}
}

func TestCardsThatAreNotTranslated(t *testing.T) {
	for _, c := range []struct {
		name, request, card string
		why                 translate.Reason
	}{
		{"blended", "GET /.well-known/agent-card.json", `{"name":"n","url":"https://a","protocolVersion":"0.3.0","supportedInterfaces":[{}],"skills":[]}`, translate.NoVersion},
		{"of 1.0 already", "GET /.well-known/agent-card.json", `{"name":"n","supportedInterfaces":[{}],"skills":[]}`, translate.NoVersion},
		{"no card", rpc("GetTask", `{"id":"t"}`), `{"jsonrpc":"2.0","id":1,"result":{}}`, translate.NotACall},
	} {
		if _, why := translate.CardTo(call(c.request, c.card), spec.V10); why != c.why {
			t.Errorf("%s: %q, want %q", c.name, why, c.why)
		}
	}
}
