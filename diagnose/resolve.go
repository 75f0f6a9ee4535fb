package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// resolve reads a call in the light of what is known: a reading that one
// exchange cannot prove is confirmed or given up, the card's version is filled
// in, and a REST path is cut where the known interface ends.
func (m *memory) resolve(c *decode.Call) *decode.Call {
	if c == nil || c.Exchange == nil {
		return c
	}
	m.at(c.Exchange)
	s := m.see(c)
	n := c
	own := func() {
		if n == c {
			k := *c
			n = &k
		}
	}
	if c.Tentative {
		own()
		if why := m.confirms(c, s); why != "" {
			n.Tentative = false
			n.Sure = decode.Certain
			n.Identity = append(n.Identity[:len(n.Identity):len(n.Identity)],
				decode.Signal{Where: "request/line", Value: s.path, Says: string(c.Protocol), Weight: decode.Decisive, Why: why})
		} else {
			n.Tentative = false
			n.Kind, n.Protocol = spec.KindOther, firstProtocol(c.Fallback)
			n.Binding, n.Operation = "", ""
			m.see(n)
			return n
		}
	}
	if n.Kind != spec.KindCall {
		return n
	}
	if g := s.match.group; g != nil && s.match.level == "exact" {
		own()
		n.Card = cardVersion(g, requestGeneration(c))
		if n.Binding == spec.HTTPJSON && n.Path.Template != "" {
			n.Path.Base = g.address.path
			n.Path.V1, n.Path.Tenant = splitPrefix(s.match.prefix, g, n.Path)
			if n.Tenant == "" && n.Path.Tenant != "" {
				n.Tenant, n.TenantFrom = n.Path.Tenant, "request/line"
			}
		}
	}
	return n
}

// confirms reports by which knowledge a tentative reading holds, "" when by none.
func (m *memory) confirms(c *decode.Call, s *seen) string {
	switch c.Kind {
	case spec.KindPush:
		if h := m.hooks.find(hookKey(deliveryURL(c, s))); h != nil && (h.asked || h.stored != 0) {
			return "known-webhook"
		}
	case spec.KindCall:
		if s.match.level == "exact" || s.match.level == "same-url" {
			return "known-interface"
		}
		if p := m.peers.find(m.keyOf(c, s)); p != nil && p.calls > 0 {
			return "known-peer"
		}
	case spec.KindCard, spec.KindInfra, spec.KindPreflight:
		if o := m.origins.find(s.authority); o != nil && (o.a2a || len(o.cards) > 0) {
			return "known-agent"
		}
	}
	return ""
}

func firstProtocol(p spec.Protocol) spec.Protocol {
	if p == "" || p == spec.A2A {
		return spec.HTTPOther
	}
	return p
}

// cardVersion is fact 4: what the entry declares. Where it declares several,
// the one of the call's generation stands for them.
func cardVersion(g *group, asked spec.Version) decode.VersionFact {
	f := decode.VersionFact{Sure: decode.Certain}
	for i, v := range g.versions {
		if i == 0 || generation(v) == generation(string(asked)) && generation(string(f.Value)) != generation(v) {
			f.Value = spec.Version(v)
		}
	}
	if f.Value == "" {
		f.Sure = decode.Unsure
	}
	return f
}

// splitPrefix reads what stands between a known interface's url and the route.
func splitPrefix(prefix string, g *group, p decode.PathFact) (v1, tenant string) {
	switch {
	case prefix == "":
		return "", p.Tenant
	case prefix == "/v1":
		if contains(g.tenants, "v1") {
			return "", "v1"
		}
		return "yes", ""
	}
	rest := prefix
	if x, ok := cutPrefixSegment(rest, "v1"); ok {
		v1, rest = "yes", x
	} else if x, ok := cutSuffixSegment(rest, "v1"); ok {
		v1, rest = "yes", x
	}
	if len(rest) > 1 && rest[0] == '/' {
		tenant = rest[1:]
	}
	return v1, tenant
}

func cutPrefixSegment(path, seg string) (string, bool) {
	rest, ok := below(path, "/"+seg)
	return rest, ok && rest != ""
}

func cutSuffixSegment(path, seg string) (string, bool) {
	n := len(path) - len(seg) - 1
	if n > 0 && path[n:] == "/"+seg {
		return path[:n], true
	}
	return path, false
}
