package diagnose

import (
	"slices"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// resolve reads a call in the light of what is known, and returns it changed: a
// reading that one exchange cannot prove is confirmed or given up, the card's version
// is filled in, and a REST path is cut where the known interface ends.
func (m *memory) resolve(c *decode.Call) *decode.Call {
	m.at(c.Exchange)
	s := m.see(c)
	if c.Tentative {
		c.Tentative = false
		why := m.confirms(c, s)
		if why == "" {
			c.Kind, c.Protocol = spec.KindOther, firstProtocol(c.Fallback)
			c.Binding, c.Operation = "", ""
			m.see(c)
			return c
		}
		c.Sure = decode.Certain
		c.Identity = append(slices.Clip(c.Identity),
			decode.Signal{Where: "request/line", Value: s.path, Says: string(c.Protocol), Weight: decode.Decisive, Why: why})
	}
	if c.Kind != spec.KindCall {
		return c
	}
	if g := s.match.group; g != nil && s.match.level == "exact" {
		c.Card = cardVersion(g, requestGeneration(c))
		if c.Binding == spec.HTTPJSON && c.Path.Template != "" {
			c.Path.Base = g.address.path
			c.Path.V1, c.Path.Tenant = splitPrefix(s.match.prefix, g, c.Path)
			if c.Tenant == "" && c.Path.Tenant != "" {
				c.Tenant, c.TenantFrom = c.Path.Tenant, "request/line"
			}
		}
	}
	return c
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
