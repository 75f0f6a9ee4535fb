package diagnose

import (
	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// What a watch of reach waits for.
const (
	reachDial      = "dial"      // another attempt after a connection that failed
	reachPreflight = "preflight" // the call that a browser asked leave for
	reachRedirect  = "redirect"  // the request that follows a redirect
)

// reachWatch waits for what a client does next at an address.
type reachWatch struct {
	kind      string // "" for other watches
	authority string
	path      string
	answered  bool // something was answered there
	followed  string
	failed    bool // what followed was refused, or not answered
	exchange  capture.ExchangeID
}

// dialled names the agent that a failed connection was meant for: the authority
// under which A2A was spoken to the address, else the address itself.
func (m *memory) dialled(x *capture.Exchange, authority string) string {
	if x.Link != nil && x.Link.Server.IsValid() {
		if known := m.servers.find(x.Link.Server); known != nil {
			return *known
		}
	}
	return authority
}

// learnReach takes the end of an exchange in: where agents are, and what
// followed what was waited for.
func (m *memory) learnReach(c *decode.Call, s *seen) {
	x := c.Exchange
	for _, w := range m.watches {
		if w.reach.kind != "" {
			w.reach.follow(w, c, s)
		}
	}
	switch {
	case c.Kind == spec.KindConnection:
		m.watchReach(c, s, reachWatch{kind: reachDial, authority: s.authority})
	case c.Kind == spec.KindPreflight && c.Protocol == spec.A2A:
		m.watchReach(c, s, reachWatch{kind: reachPreflight, authority: s.authority, path: s.path})
	case c.Kind == spec.KindCall && redirects(x) && x.Request != nil:
		to := parseAddress(x.Response.Fields.Get("location"))
		if to.authority == "" {
			to.authority = s.authority
		}
		m.watchReach(c, s, reachWatch{kind: reachRedirect, authority: to.authority, path: to.path})
	}
	if x.Response != nil && x.Link != nil && x.Link.Server.IsValid() && (c.Kind == spec.KindCall || c.Kind == spec.KindCard) && c.Protocol == spec.A2A {
		known, fresh := m.servers.take(x.Link.Server)
		if fresh {
			*known = s.authority
		}
	}
}

func (m *memory) watchReach(c *decode.Call, s *seen, r reachWatch) {
	m.watchFor(s, &watch{call: c.Compact(), due: m.now.Add(giveUpSpan), reader: s.client, reach: r})
}

func redirects(x *capture.Exchange) bool {
	if x.Response == nil {
		return false
	}
	switch x.Response.Status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// follow looks whether an exchange that ended is what the watch waits for.
func (r *reachWatch) follow(w *watch, c *decode.Call, s *seen) {
	x := c.Exchange
	if x.ID == w.call.Exchange.ID || s.client.address != w.reader.address || x.Started.Before(w.call.Exchange.Started) {
		return
	}
	if r.authority != s.authority && (r.kind != reachDial || !sameServer(w.call.Exchange, x)) {
		return
	}
	switch r.kind {
	case reachDial:
		r.answered = r.answered || x.Response != nil
	case reachPreflight:
		if c.Kind != spec.KindPreflight && s.path == r.path {
			r.answered = true
		}
	case reachRedirect:
		if r.followed == "" && s.path == r.path && x.Request != nil && s.client.agent == w.reader.agent {
			r.followed, r.exchange = x.Request.Method, x.ID
			r.failed = c.Fault != nil || x.Response == nil || x.Response.Status >= 400 || c.Outcome != "" && c.Outcome != spec.OK
		}
	}
}

// sameServer reports that both went to one address, whatever it was called: of a
// connection that failed the name may not be known.
func sameServer(a, b *capture.Exchange) bool {
	return a.Link != nil && b.Link != nil && a.Link.Server.IsValid() && a.Link.Server == b.Link.Server
}
