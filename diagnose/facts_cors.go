package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// CORSFacts is a preflight of a browser and what it was answered.
type CORSFacts struct {
	Origin   string   `cel:"origin"`    // the page's origin
	Asked    []string `cel:"asked"`     // headers it wants to send, lower case
	Missing  []string `cel:"missing"`   // of them, those that the answer does not allow
	A2A      bool     `cel:"a2a"`       // a header of A2A is among the missing
	Allowed  string   `cel:"allowed"`   // Access-Control-Allow-Headers as sent
	NoOrigin bool     `cel:"no_origin"` // the answer does not allow the page's origin
	Verb     string   `cel:"verb"`      // the method it wants to use, where the answer does not allow it
	Refused  bool     `cel:"refused"`   // the status is not 2xx
	Called   bool     `cel:"called"`    // silent checkpoint: the call followed
	Settled  bool     `cel:"settled"`   // silent checkpoint
}

func (m *memory) corsFacts(f *CORSFacts, c *decode.Call, s *seen) {
	x := c.Exchange
	if c.Kind != spec.KindPreflight || x.Request == nil || x.Response == nil {
		return
	}
	f.Origin = cut(x.Request.Fields.Get("origin"))
	h := x.Response.Fields
	f.Refused = x.Response.Status < 200 || x.Response.Status > 299
	allow := strings.TrimSpace(h.Get("access-control-allow-origin"))
	f.NoOrigin = allow != "*" && !strings.EqualFold(allow, f.Origin)
	// "*" does not cover requests with credentials (Fetch §3.2.5), and never Authorization.
	star := h.Get("access-control-allow-credentials") != "true"
	f.Allowed = cut(strings.Join(h.Values("access-control-allow-headers"), ", "))
	ok := splitList(nil, lower(f.Allowed))
	f.Asked = splitList(nil, lower(strings.Join(x.Request.Fields.Values("access-control-request-headers"), ",")))
	for _, name := range f.Asked {
		if name == "" || contains(ok, name) || star && contains(ok, "*") && name != "authorization" {
			continue
		}
		f.Missing = addOnce(f.Missing, cut(name))
		f.A2A = f.A2A || strings.HasPrefix(name, "a2a-")
	}
	verb := x.Request.Fields.Get("access-control-request-method")
	switch verb {
	case "GET", "HEAD", "POST": // need no leave (Fetch §2.2.1)
	default:
		verbs := splitList(nil, strings.Join(h.Values("access-control-allow-methods"), ","))
		if !contains(verbs, verb) && !(star && contains(verbs, "*")) {
			f.Verb = cut(verb)
		}
	}
	if w := s.watch; w != nil && w.matured && w.reach.kind == reachPreflight {
		f.Settled, f.Called = true, w.reach.answered
	}
}
