package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// fillPath fills what a path tells without knowledge of the interface.
func fillPath(p *PathFacts, c *decode.Call, raw string) {
	p.Path = raw
	if c.Kind == spec.KindCard {
		p.CardPath = cardPath(raw)
		return
	}
	if c.Binding != spec.HTTPJSON {
		return
	}
	f := &c.Path
	p.Base, p.Template, p.V1, p.Tenant, p.VerbMismatch = f.Base, f.Template, f.V1, f.Tenant, f.VerbMismatch
	before := strings.TrimRight(f.Rest, "/")
	p.HasV1 = strings.HasSuffix(before, "/v1")
	if p.HasV1 {
		p.Prefix = "/v1"
	}
	p.SlashForColon = slashForColon(raw)
	p.EncodedColon = strings.Contains(raw, "%3A") || strings.Contains(raw, "%3a")
	p.DoubleSlash = strings.Contains(raw, "//")
	p.Singular = strings.Contains(raw, "/task/")
	p.IDHasVerb = idHasVerb(c)
}

// cardPath names the well-known path a card was looked for at.
func cardPath(p string) string {
	if strings.Count(p, "/.well-known/") > 1 || strings.Contains(p, "//.well-known") {
		return "joined-wrongly"
	}
	if i := strings.Index(p, "/.well-known/"); i > 0 {
		before := p[:i]
		if strings.HasSuffix(before, "message:send") || strings.HasSuffix(before, "message:stream") || strings.HasSuffix(before, "/tasks") ||
			strings.HasSuffix(before, ".json") {
			return "joined-wrongly"
		}
	}
	switch {
	case strings.HasSuffix(p, "/agent-card.json"):
		return "agent-card.json"
	case strings.HasSuffix(p, "/agent.json"):
		return "agent.json"
	}
	return "other"
}

// slashForColon reports a route whose verb is joined with a slash.
func slashForColon(path string) bool {
	path = strings.TrimRight(path, "/")
	if strings.HasSuffix(path, "/message/send") || strings.HasSuffix(path, "/message/stream") {
		return true
	}
	i := strings.LastIndexByte(path, '/')
	if i < 0 || path[i:] != "/cancel" && path[i:] != "/subscribe" {
		return false
	}
	j := strings.LastIndexByte(path[:i], '/')
	return j > 0 && strings.HasSuffix(path[:j], "/tasks")
}

// verbs that a route hangs on an id.
var idVerbs = [...]string{":subscribe", ":cancel", "%3Asubscribe", "%3asubscribe", "%3Acancel", "%3acancel"}

// idHasVerb reports that the agent took "x:subscribe" for the id of a task: it
// says it does not know a task of that name.
func idHasVerb(c *decode.Call) bool {
	if c.Fault == nil || c.Fault.A2A != "TaskNotFoundError" && c.Fault.HTTP != 404 && c.Fault.Code != -32001 {
		return false
	}
	msg := lower(c.Fault.Message)
	for _, v := range idVerbs[:2] {
		if strings.Contains(msg, v) {
			return true
		}
	}
	if c.ResponseDoc == nil {
		return false
	}
	return strings.Contains(string(errorOf(c)), ":subscribe\"")
}

// errorOf returns the text of an error answer, bounded.
func errorOf(c *decode.Call) []byte {
	raw := c.ResponseDoc.Text
	if len(raw) > 8<<10 {
		raw = raw[:8<<10]
	}
	return raw
}

// v1Foreign reports a /v1 before the route that is neither part of a known
// interface's url nor a declared tenant.
func v1Foreign(c *decode.Call, s *seen) bool {
	if g := s.match.group; g != nil && s.match.level == "exact" {
		return v1Of(s.match.prefix, g) == "yes"
	}
	return strings.HasSuffix(s.before, "/v1")
}

// v1Of says what the /v1 before a route is.
func v1Of(prefix string, g *group) string {
	switch {
	case prefix == "/v1" && contains(g.tenants, "v1"):
		return "tenant"
	case strings.HasPrefix(prefix, "/v1") || strings.HasSuffix(prefix, "/v1"):
		return "yes"
	case strings.HasSuffix(g.address.path, "/v1") && prefix == "":
		return "base"
	}
	return ""
}

// knownPath fills what the known interface adds.
func knownPath(p *PathFacts, c *decode.Call, s *seen, i *IfaceFacts) {
	if c.Binding != spec.HTTPJSON || p.Template == "" {
		return
	}
	g := s.match.group
	if g == nil || s.match.level != "exact" {
		if p.HasV1 && p.V1 == "" {
			p.V1 = "ambiguous"
		}
		return
	}
	p.Prefix = s.match.prefix
	p.Base = g.address.path
	p.V1 = v1Of(s.match.prefix, g)
	p.HasV1 = p.V1 == "yes"
	switch {
	case p.Prefix == "":
		p.AsCard = g.hasV10 || i.EndsInV1 || len(g.versions) == 0
	case p.Prefix == "/v1":
		p.AsCard = g.hasV03 || p.V1 == "tenant"
	default:
		p.AsCard = contains(g.tenants, strings.TrimPrefix(p.Prefix, "/"))
	}
}
