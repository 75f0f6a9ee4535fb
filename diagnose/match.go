package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// match is where a call went, seen from the card.
type match struct {
	card   *card
	group  *group // the entry, nil for same-origin and none
	level  string // exact, same-url, same-origin, none, ""
	prefix string // REST: what stands between the entry's url and the route
	made   int    // memory.cards at the time
}

// matchCall finds the entry of the newest card that a call went to. Cards are
// preferred in this order: read by the same client, read from the same address
// (a gRPC channel and an HTTP fetch of one program name themselves
// differently), any; among equals the newest.
func (m *memory) matchCall(c *decode.Call, s *seen) match {
	o := m.origins.find(s.authority)
	if o == nil || len(o.cards) == 0 {
		return match{made: m.cards}
	}
	best := match{made: m.cards}
	rank := -1
	for i := len(o.cards) - 1; i >= 0; i-- {
		k := o.cards[i]
		if k.exchange == c.Exchange.ID && c.Kind == spec.KindCall {
			continue // the extended card that this call brings says nothing of what was known when it was made
		}
		r := 0
		switch {
		case k.reader == s.client:
			r = 2
		case k.reader.address == s.client.address:
			r = 1
		}
		if r <= rank {
			continue
		}
		rank = r
		best = k.match(c, s)
		if r == 2 {
			break
		}
	}
	best.made = m.cards
	return best
}

// match finds the group of this card that the call went to.
func (k *card) match(c *decode.Call, s *seen) match {
	best := match{card: k, level: "none"}
	score := 0
	for i := range k.groups {
		g := &k.groups[i]
		if g.address.authority != s.authority {
			continue
		}
		if score == 0 {
			best.level, score = "same-origin", 1
		}
		prefix, fits := g.holds(c, s)
		if !fits {
			continue
		}
		// The right binding counts most, then the longest url.
		n := 2 + len(g.address.path)
		level := "same-url"
		if g.binding == string(c.Binding) {
			n += 1 << 20
			level = "exact"
		}
		if n > score {
			best.group, best.level, best.prefix, score = g, level, prefix, n
		}
	}
	return best
}

// holds reports whether the call's path is the group's url, and what stands
// between the url and the route.
func (g *group) holds(c *decode.Call, s *seen) (prefix string, ok bool) {
	switch {
	case c.Binding == "GRPC":
		return "", true
	case c.Binding == "HTTP+JSON" && c.Path.Template != "":
		return below(s.before, g.address.path)
	case c.Binding == "HTTP+JSON":
		return below(s.path, g.address.path)
	}
	return "", s.path == g.address.path
}

// other finds another entry that declares the version, the same binding first;
// nil when there is none.
func (k *card) other(than *group, version, binding string) *group {
	var found *group
	for i := range k.groups {
		g := &k.groups[i]
		if g == than || !g.declares(version) {
			continue
		}
		if g.binding == binding {
			return g
		}
		if found == nil && coreBinding(g.binding) {
			found = g
		}
	}
	return found
}

func coreBinding(b string) bool { return b == "JSONRPC" || b == "GRPC" || b == "HTTP+JSON" }
