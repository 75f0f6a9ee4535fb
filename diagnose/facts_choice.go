package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// maxTargets bounds the addresses remembered of redirects to one authority.
const maxTargets = 16

// turnedAway returns the generation in which a call was refused as a whole: by
// its name, its route or its version; -1 where it was not. A call whose header
// speaks of another version proves nothing: a server that has both may choose
// its handler by the header.
func turnedAway(c *decode.Call) int {
	i := genIndex(string(requestGeneration(c)))
	if i < 0 || c.Fault == nil || c.Outcome == spec.OK || genIndex(majorOne(c.Declared.Semantic())) != i {
		return -1
	}
	switch {
	case c.Fault.A2A == "VersionNotSupportedError", c.Fault.Code == -32601:
		return i
	case c.Binding == spec.GRPC:
		if c.GRPC.Status == 12 && !c.Fault.HasInfo {
			return i
		}
	case c.Binding == spec.HTTPJSON:
		if c.Fault.Shape == "foreign" && (c.Fault.HTTP == 404 || c.Fault.HTTP == 405 || c.Fault.HTTP == 501) {
			return i
		}
	}
	return -1
}

// learnRedirect remembers where an answer sends its client.
func (m *memory) learnRedirect(c *decode.Call, s *seen) {
	to := c.Exchange.Response.Fields.Get("location")
	if to == "" {
		return
	}
	a := parseAddress(to)
	if a.authority == "" {
		a.authority = s.authority
	}
	if o := m.origin(a.authority, c.Exchange.ID); len(o.targets) < maxTargets {
		o.targets = addOnce(o.targets, cut(a.path))
	}
}

// ifaceCard fills what the cards of the agent, and its redirects, say of the
// choice of the address.
func (m *memory) ifaceCard(i *IfaceFacts, c *decode.Call, s *seen) {
	if c.Kind != spec.KindCall {
		return
	}
	o := m.origins.find(s.authority)
	if o != nil {
		i.Redirected = contains(o.targets, cut(s.path))
	}
	if s.match.card == nil {
		return
	}
	if n := turnedAway(c); n >= 0 {
		i.TurnedNow = [...]string{"0.3", "1.0"}[n]
	}
	if s.match.group == nil {
		if o != nil {
			o.outside(i, c, s)
		}
	} else if i.Exact && s.match.card.reader.address == s.client.address {
		m.skipped(i, c, s)
	}
}

// outside looks whether any card of the agent lists the address.
func (o *origin) outside(i *IfaceFacts, c *decode.Call, s *seen) {
	known := false
	for _, k := range o.cards {
		if k.match(c, s).group != nil {
			return
		}
		known = known || k.exchange != c.Exchange.ID // what a call brings does not bind the call itself
	}
	if !known {
		return
	}
	i.Outside = true
	for n := range s.match.card.groups {
		if g := &s.match.card.groups[n]; len(i.Listed) < maxListed {
			i.Listed = append(i.Listed, g.binding+" "+g.url)
		}
	}
}

// skipped looks for an entry before the one that was called, which the client
// can use too: it has the same binding and version, or one that the client has
// used elsewhere. An entry that it called at any time, it did not pass over.
func (m *memory) skipped(i *IfaceFacts, c *decode.Call, s *seen) {
	asked := generation(string(requestGeneration(c)))
	mine := s.match.group
	if asked != "1.0" || !mine.hasV10 {
		return // the order of entries means something since 1.0 (§8.3.1)
	}
	client := m.clients.find(s.client)
	for n := range s.match.card.groups {
		g := &s.match.card.groups[n]
		if g == mine {
			return
		}
		if !g.hasV10 || !coreBinding(g.binding) || !sameWords(g.tenants, mine.tenants) {
			continue
		}
		same := g.binding == mine.binding
		if !same && (client == nil || !contains(client.used[1], g.binding)) {
			continue
		}
		if p := m.peers.find(peerKey{g.address.authority, g.address.path, g.binding}); p != nil && p.calls > 0 {
			continue
		}
		i.Skipped, i.SkippedBinding, i.SkippedSame = g.url, g.binding, same
		return
	}
}

func sameWords(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
