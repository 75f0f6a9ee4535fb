package diagnose

import (
	"net/url"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// AccessFacts is what the card demands of a caller, whether the call brought
// it, and how the agent refused. Names are compared; values are not looked at.
type AccessFacts struct {
	Refused   string   `cel:"refused"`   // unauthenticated, forbidden, "" for neither
	By        string   `cel:"by"`        // how: "HTTP 401", "gRPC 16 UNAUTHENTICATED", "JSON-RPC -31401"
	Challenge string   `cel:"challenge"` // scheme named by WWW-Authenticate: "Bearer"
	Demands   bool     `cel:"demands"`   // every alternative of the card's security needs something that a capture shows
	Ways      []string `cel:"ways"`      // what to send for its first alternative: "Authorization: Bearer …"
	Sent      bool     `cel:"sent"`      // the request carries a credential, or a key that the card names
	ListedAt  string   `cel:"listed_at"` // place of the demand, in the exchange of the card
}

func (m *memory) accessFacts(f *AccessFacts, c *decode.Call, s *seen, k *CallFacts) {
	if c.Kind != spec.KindCall && c.Kind != spec.KindCard {
		return
	}
	if k.Failed {
		f.refusal(c)
	}
	f.Sent = k.HTTP.Credential
	card := s.match.card
	if c.Kind != spec.KindCall || card == nil || !card.card.Secured || c.Exchange.Request == nil || f.Sent && f.Refused == "" {
		return
	}
	f.demand(card.card.Node, c.Exchange)
}

// refusal tells an answer that wants credentials from one that does not take
// those of this caller.
func (f *AccessFacts) refusal(c *decode.Call) {
	switch {
	case c.GRPC.Status == 16:
		f.Refused, f.By = "unauthenticated", "gRPC 16 UNAUTHENTICATED"
	case c.GRPC.Status == 7:
		f.Refused, f.By = "forbidden", "gRPC 7 PERMISSION_DENIED"
	case c.Fault != nil && c.Fault.Code == -31401:
		f.Refused, f.By = "unauthenticated", "JSON-RPC -31401"
	case c.Fault != nil && c.Fault.Code == -31403:
		f.Refused, f.By = "forbidden", "JSON-RPC -31403"
	case c.Exchange.Response == nil:
	case c.Exchange.Response.Status == 401:
		f.Refused, f.By = "unauthenticated", "HTTP 401"
	case c.Exchange.Response.Status == 403:
		f.Refused, f.By = "forbidden", "HTTP 403"
	}
	if f.Refused != "" && c.Exchange.Response != nil {
		f.Challenge, _, _ = strings.Cut(cut(c.Exchange.Response.Fields.Get("www-authenticate")), " ")
	}
}

// demand reads the security of a card: alternatives, each a set of schemes. In
// 1.0 the set stands in a member of its own (§4.5).
func (f *AccessFacts) demand(card jsontree.Node, x *capture.Exchange) {
	list, at := card.Get("securityRequirements"), "/securityRequirements"
	if list.Len() == 0 {
		list, at = card.Get("security"), "/security"
	}
	if x.Request.Torn {
		return // the credential may be in what the capture does not hold
	}
	n := 0
	for alternative := range list.Children() {
		if n++; n > maxMembers {
			break
		}
		set := alternative
		if inner := alternative.Get("schemes"); inner.IsObject() {
			set = inner
		}
		if set.Len() == 0 {
			return // no credential is an alternative too
		}
		for scheme := range set.Children() {
			way, sent, visible := carrier(card.Get("securitySchemes").Get(scheme.Key()), x)
			if !visible {
				return
			}
			f.Sent = f.Sent || sent
			if n == 1 {
				f.Ways = addOnce(f.Ways, way)
			}
		}
	}
	f.Demands, f.ListedAt = n > 0, at
}

// carrier says how a scheme is sent, whether a request carries it, and whether
// a capture could show it. 0.3 has the fields of OpenAPI, 1.0 a member for each kind.
func carrier(scheme jsontree.Node, x *capture.Exchange) (way string, sent, visible bool) {
	where, name, kind := scheme.Get("in").Str(), scheme.Get("name").Str(), scheme.Get("type").Str()
	word := scheme.Get("scheme").Str()
	switch {
	case scheme.Has("apiKeySecurityScheme"):
		k := scheme.Get("apiKeySecurityScheme")
		kind, where, name = "apiKey", k.Get("location").Str(), k.Get("name").Str()
	case scheme.Has("httpAuthSecurityScheme"):
		kind, word = "http", scheme.Get("httpAuthSecurityScheme").Get("scheme").Str()
	case scheme.Has("oauth2SecurityScheme"), scheme.Has("openIdConnectSecurityScheme"):
		kind = "oauth2"
	case scheme.Has("mtlsSecurityScheme"):
		kind = "mutualTLS"
	}
	switch kind {
	case "apiKey":
		switch {
		case name == "":
			return "", false, false
		case where == "query":
			q, err := url.ParseQuery(x.Request.Query())
			return "?" + cut(name) + "=KEY", err == nil && q.Has(name), true
		case where == "cookie":
			return "Cookie: " + cut(name) + "=KEY", sentField(x.Request.Fields, "cookie"), true
		}
		return cut(name) + ": KEY", sentField(x.Request.Fields, name), true
	case "http":
		if strings.EqualFold(word, "basic") {
			return "Authorization: Basic BASE64", sentField(x.Request.Fields, "authorization"), true
		}
		return "Authorization: Bearer TOKEN", sentField(x.Request.Fields, "authorization"), true
	case "oauth2", "openIdConnect":
		return "Authorization: Bearer TOKEN", sentField(x.Request.Fields, "authorization"), true
	}
	return "", false, false
}
