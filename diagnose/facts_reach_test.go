package diagnose

import (
	"slices"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func TestDemand(t *testing.T) {
	ask := func(target string, fields ...capture.Field) *capture.Exchange {
		return &capture.Exchange{Request: &capture.Head{Method: "POST", Target: target, Fields: fields}}
	}
	for _, c := range []struct {
		name, card    string
		x             *capture.Exchange
		demands, sent bool
		way           string
	}{
		{"1.0 bearer", `{"securitySchemes":{"b":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},"securityRequirements":[{"schemes":{"b":{"list":[]}}}]}`,
			ask("/"), true, false, "Authorization: Bearer TOKEN"},
		{"0.3 basic", `{"securitySchemes":{"b":{"type":"http","scheme":"basic"}},"security":[{"b":[]}]}`, ask("/"), true, false, "Authorization: Basic BASE64"},
		{"0.3 key in the query, sent", `{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"}},"security":[{"k":[]}]}`, ask("/a?key=x"), true, true, "?key=KEY"},
		{"1.0 key in a header, sent", `{"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}},"securityRequirements":[{"schemes":{"k":{}}}]}`,
			ask("/", capture.Field{Name: "x-key", Value: "v"}), true, true, "X-Key: KEY"},
		{"the second alternative is sent", `{"securitySchemes":{"b":{"type":"oauth2"},"k":{"type":"apiKey","in":"header","name":"X-Key"}},"security":[{"b":[]},{"k":[]}]}`,
			ask("/", capture.Field{Name: "X-Key", Value: "v"}), true, true, "Authorization: Bearer TOKEN"},
		{"nothing is an alternative", `{"securitySchemes":{"b":{"type":"oauth2"}},"security":[{"b":[]},{}]}`, ask("/"), false, false, ""},
		{"client certificate", `{"securitySchemes":{"m":{"type":"mutualTLS"}},"security":[{"m":[]}]}`, ask("/"), false, false, ""},
		{"scheme that is not defined", `{"security":[{"x":[]}]}`, ask("/"), false, false, ""},
		{"head that is not whole", `{"securitySchemes":{"b":{"type":"http","scheme":"basic"}},"security":[{"b":[]}]}`,
			&capture.Exchange{Request: &capture.Head{Method: "POST", Target: "/", Torn: true}}, false, false, ""},
		{"broken", `{"securitySchemes":7,"security":"yes"}`, ask("/"), false, false, ""},
	} {
		var f AccessFacts
		f.demand(jsontree.Parse([]byte(c.card)).Root(), c.x)
		if f.Demands != c.demands || f.Demands && (f.Sent != c.sent || f.Ways[0] != c.way) {
			t.Errorf("%s: demands %v, sent %v, ways %q", c.name, f.Demands, f.Sent, f.Ways)
		}
	}
}

func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		call    decode.Call
		refused string
	}{
		{decode.Call{GRPC: decode.GRPCFact{Status: 16}}, "unauthenticated"},
		{decode.Call{GRPC: decode.GRPCFact{Status: 7}}, "forbidden"},
		{decode.Call{GRPC: decode.GRPCFact{Status: -1}, Fault: &decode.Fault{Code: -31403}}, "forbidden"},
		{decode.Call{GRPC: decode.GRPCFact{Status: -1}, Fault: &decode.Fault{Code: -32007}}, ""},
	} {
		c.call.Exchange = &capture.Exchange{}
		var f AccessFacts
		f.refusal(&c.call)
		if f.Refused != c.refused {
			t.Errorf("%+v: %q", c.call.GRPC, f.Refused)
		}
	}
	x := &capture.Exchange{Response: &capture.Head{Status: 401, Fields: capture.Fields{{Name: "WWW-Authenticate", Value: `Bearer realm="a"`}}}}
	var f AccessFacts
	f.refusal(&decode.Call{Exchange: x, GRPC: decode.GRPCFact{Status: -1}})
	if f.Refused != "unauthenticated" || f.By != "HTTP 401" || f.Challenge != "Bearer" {
		t.Errorf("%+v", f)
	}
}

func TestCORS(t *testing.T) {
	for _, c := range []struct {
		name, asked, verb string
		status            int
		answer            capture.Fields
		missing           []string
		noOrigin, refused bool
		wantVerb          string
	}{
		{"listed in another case", "A2A-Version, content-type", "POST", 204,
			capture.Fields{{Name: "Access-Control-Allow-Origin", Value: "*"}, {Name: "Access-Control-Allow-Headers", Value: "a2a-version,Content-Type"}}, nil, false, false, ""},
		{"star", "a2a-version", "POST", 200, capture.Fields{{Name: "Access-Control-Allow-Origin", Value: "*"}, {Name: "Access-Control-Allow-Headers", Value: "*"}}, nil, false, false, ""},
		{"star does not cover Authorization", "authorization", "POST", 200,
			capture.Fields{{Name: "Access-Control-Allow-Origin", Value: "*"}, {Name: "Access-Control-Allow-Headers", Value: "*"}}, []string{"authorization"}, false, false, ""},
		{"star with credentials", "a2a-version", "POST", 200, capture.Fields{{Name: "Access-Control-Allow-Origin", Value: "https://app.example.org"},
			{Name: "Access-Control-Allow-Headers", Value: "*"}, {Name: "Access-Control-Allow-Credentials", Value: "true"}}, []string{"a2a-version"}, false, false, ""},
		{"nothing at all", "a2a-version", "DELETE", 405, nil, []string{"a2a-version"}, true, true, "DELETE"},
	} {
		x := &capture.Exchange{
			Request: &capture.Head{Method: "OPTIONS", Target: "/", Fields: capture.Fields{{Name: "Origin", Value: "https://app.example.org"},
				{Name: "Access-Control-Request-Method", Value: c.verb}, {Name: "Access-Control-Request-Headers", Value: c.asked}}},
			Response: &capture.Head{Status: c.status, Fields: c.answer},
		}
		var f CORSFacts
		newMemory().corsFacts(&f, &decode.Call{Exchange: x, Kind: spec.KindPreflight}, &seen{})
		if !slices.Equal(f.Missing, c.missing) || f.NoOrigin != c.noOrigin || f.Refused != c.refused || f.Verb != c.wantVerb {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestSpanWords(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 ms", 999: "999 ms", 1000: "1 s", 1500: "1.5 s", 9990: "9.9 s", 30_004: "30 s"} {
		if got := spanWords(ms); got != want {
			t.Errorf("%d: %s", ms, got)
		}
	}
}

func TestSaysHTTPS(t *testing.T) {
	for body, want := range map[string]bool{
		"Client sent an HTTP request to an HTTPS server.\n":              true,
		"<center>The plain HTTP request was sent to HTTPS port</center>": true,
		"Bad Request\nThis combination of host and port requires TLS.":   true,
		`{"error":{"message":"the file must be fetched over https"}}`:    false,
		"": false,
	} {
		if got := saysHTTPS([]byte(body)); got != want {
			t.Errorf("%q: %v", body, got)
		}
	}
}
