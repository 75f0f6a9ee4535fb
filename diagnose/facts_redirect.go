package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// RedirectFacts is where an answer sends its client, and whether it went there.
type RedirectFacts struct {
	To       string `cel:"to"`       // Location as sent, "" when the answer is no redirect
	Keeps    bool   `cel:"keeps"`    // 307 or 308: the client has to repeat the POST
	Scheme   string `cel:"scheme"`   // the scheme it changes to, "" when it stays
	Host     string `cel:"host"`     // the host it changes to, "" when it stays
	Slash    bool   `cel:"slash"`    // only a slash at the end differs
	Followed string `cel:"followed"` // silent checkpoint: the method of the request that followed, "" when none did
	Failed   bool   `cel:"failed"`   // silent checkpoint: that request failed
	Settled  bool   `cel:"settled"`  // silent checkpoint
	Exchange int    `cel:"exchange"` // the exchange that followed
}

func (m *memory) redirectFacts(f *RedirectFacts, c *decode.Call, s *seen) {
	x := c.Exchange
	if c.Kind != spec.KindCall || !redirects(x) || x.Request == nil {
		return
	}
	f.To = cut(x.Response.Fields.Get("location"))
	f.Keeps = x.Response.Status == 307 || x.Response.Status == 308
	to := parseAddress(f.To)
	if to.scheme != "" && x.Request.Scheme != "" && to.scheme != x.Request.Scheme {
		f.Scheme = to.scheme
	}
	if to.authority != "" && to.authority != s.authority {
		f.Host = to.authority
	}
	f.Slash = f.Scheme == "" && f.Host == "" && to.path == s.path && strings.HasSuffix(f.To, "/") != strings.HasSuffix(x.Request.Path(), "/")
	if w := s.watch; w != nil && w.matured && w.reach.kind == reachRedirect {
		f.Settled, f.Followed, f.Failed, f.Exchange = true, w.reach.followed, w.reach.failed, int(w.reach.exchange)
	}
}
