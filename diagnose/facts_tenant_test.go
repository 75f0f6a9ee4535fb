package diagnose

import (
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

func TestTenants(t *testing.T) {
	of := func(binding, url, tenant string) decode.Interface {
		e := entry(binding, "1.0", url)
		e.Tenant = tenant
		return e
	}
	field := func(tenant string) with {
		return func(c *decode.Call) { c.Tenant, c.TenantFrom = tenant, "request/frame/0#/tenant" }
	}
	w := newWorld(t)
	w.run(w.card("a.example", card10(of("HTTP+JSON", "https://a.example/r", "acme"), of("HTTP+JSON", "https://a.example/free", ""),
		of("HTTP+JSON", "https://a.example/both", "acme"), of("HTTP+JSON", "https://a.example/both", ""), of("HTTP+JSON", "https://a.example/x/acme", "acme"))))
	send := func(before string, opts ...with) TenantFacts {
		return *w.run(w.rest("a.example", before, "POST", "message:send", spec.SendMessage, spec.V10, opts...)).Call.Tenants
	}
	for _, c := range []struct {
		name                                  string
		f                                     TenantFacts
		sent                                  string
		needed, fits, listed, conflict, first bool
	}{
		{"none", send("/r"), "", true, false, false, false, true},
		{"path", send("/r/acme"), "acme", true, true, true, false, true},
		{"member", send("/r", field("acme")), "acme", true, true, true, false, true},
		{"both and different", send("/r/acme", field("b")), "acme", true, true, true, true, true},
		{"invented", send("/r/nobody"), "nobody", true, false, false, false, true},
		{"of another entry", send("/free/acme"), "acme", false, false, true, false, false},
		{"one of two entries has none", send("/both"), "", false, true, false, false, true},
		{"the url ends in it", send("/x/acme"), "", false, true, false, false, true},
	} {
		f := c.f
		if f.Sent != c.sent || f.Needed != c.needed || f.Misfit == c.fits || f.Listed != c.listed || f.Conflict != c.conflict || (f.First == "acme") != c.first {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}
