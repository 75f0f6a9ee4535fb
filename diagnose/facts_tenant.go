package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// TenantFacts is how a call names its tenant, and what the card says of it.
type TenantFacts struct {
	Sent     string `cel:"sent"`     // the tenant of the call, by path, member or query parameter
	SentAt   string `cel:"sent_at"`  // its place
	Path     string `cel:"path"`     // HTTP+JSON: the segments between the url of the entry and the route
	Field    string `cel:"field"`    // the member or query parameter
	FieldAt  string `cel:"field_at"` // its place
	Conflict bool   `cel:"conflict"` // path and member differ
	Needed   bool   `cel:"needed"`   // every 1.0 entry of the card for this url and binding has a tenant
	Misfit   bool   `cel:"misfit"`   // what was sent (or that nothing was) is not what an entry for this url and binding has
	Listed   bool   `cel:"listed"`   // some entry of a card of this agent has the tenant that was sent
	Expected string `cel:"expected"` // the tenants of the entries for this url and binding
	First    string `cel:"first"`    // the first of them
}

func (m *memory) tenantFacts(f *TenantFacts, c *decode.Call, s *seen) {
	if c.Kind != spec.KindCall {
		return
	}
	f.Path = c.Path.Tenant
	if c.Tenant != "" && c.TenantFrom != "request/line" {
		f.Field, f.FieldAt = c.Tenant, string(c.TenantFrom)
	}
	f.Sent, f.SentAt = f.Field, f.FieldAt
	if f.Path != "" {
		f.Sent, f.SentAt = f.Path, "request/line"
	}
	f.Conflict = f.Path != "" && f.Field != "" && f.Path != f.Field
	g := s.match.group
	if g == nil || s.match.level != "exact" {
		return
	}
	f.Expected = strings.Join(g.tenants, ", ")
	f.Needed = len(g.tenants) > 0 && !g.bare
	if len(g.tenants) > 0 {
		f.First = g.tenants[0]
	}
	for _, t := range g.tenants {
		if c.Binding == spec.HTTPJSON && strings.HasSuffix(g.address.path, "/"+t) {
			f.Needed = false // the url of the entry ends in the tenant already
		}
	}
	if f.Sent == "" {
		f.Misfit = f.Needed
		return
	}
	f.Listed = contains(g.tenants, f.Sent)
	f.Misfit = !f.Listed
	if o := m.origins.find(s.authority); o != nil && !f.Listed {
		for _, k := range o.cards {
			for i := range k.groups {
				f.Listed = f.Listed || contains(k.groups[i].tenants, f.Sent)
			}
		}
	}
}
