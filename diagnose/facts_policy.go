package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// PolicyFacts is how the address, and the other addresses of the agent, treated
// versions before: what was let in under the declared value of this call, and
// what was not.
type PolicyFacts struct {
	AcceptedName     string `cel:"accepted_name"`      // another name of this call's generation that was answered ok under the same declared value
	RefusedName      string `cel:"refused_name"`       // another one that was refused with VersionNotSupported under it
	AcceptedBinding  string `cel:"accepted_binding"`   // another binding of the card, of the same versions, that answered ok to this generation under the same declared value
	RefusedBinding   string `cel:"refused_binding"`    // another one that refused it with VersionNotSupported
	NameUnknownUnder string `cel:"name_unknown_under"` // a declared value ("absent" for none) other than this call's under which the same name was not known
	ByName           bool   `cel:"by_name"`            // a call, this one too, was answered ok though its header means the other generation: the name decides
	ByHeader         bool   `cel:"by_header"`          // a name that is served was refused under a header that means the other generation: the header decides
	PlainForeign     bool   `cel:"plain_foreign"`      // REST: a call without a prefix was answered by no A2A handler
}

// refusal says in which way a call was not served.
type refusal uint8

const (
	notRefused  refusal = iota
	asVersion           // VersionNotSupported
	asUnseen            // VersionNotSupported for another version than was declared: the header was not seen
	asName              // the method, service or route is not known
	refusedElse         // anything else
)

func refusalOf(c *decode.Call) refusal {
	switch f := c.Fault; {
	case c.Outcome == spec.OK || c.Outcome == "":
		return notRefused
	case f == nil:
		return refusedElse
	case f.A2A == "VersionNotSupportedError":
		if said, _ := versionsNamed(lower(f.Message)); said != "" && claimedGeneration(said) != claimedGeneration(declaredWord(&c.Declared)) {
			return asUnseen
		}
		return asVersion
	case f.Code == -32601,
		c.GRPC.Status == 12 && f.A2A == "" && !f.HasInfo,
		c.Binding == spec.HTTPJSON && f.Shape == "foreign" && (f.HTTP == 404 || f.HTTP == 405 || f.HTTP == 501):
		return asName
	}
	return refusedElse
}

// policyFacts looks back only where this call was let in or refused as such.
func (m *memory) policyFacts(f *PolicyFacts, c *decode.Call, s *seen, k *CallFacts) {
	if c.Kind != spec.KindCall || k.Outcome == "" {
		return
	}
	p := m.peers.find(m.keyOf(c, s))
	if p != nil {
		f.PlainForeign = p.deadEnd
	}
	why := refusalOf(c)
	if why == refusedElse || why == asUnseen || k.Request.Asked == "" {
		return
	}
	word := declaredWord(&c.Declared)
	if word == "" {
		return
	}
	if claims := claimedGeneration(word); why == notRefused && claims != "" {
		f.ByName = claims != k.Request.Asked
	}
	if p != nil {
		f.compare(p, c, k.Request.Asked, word)
	}
	if why == asVersion || why == notRefused && m.refusals > 0 {
		m.otherBindings(f, c, s, k.Request.Asked, word)
	}
}

// compare holds the call against the names the address was called by before.
func (f *PolicyFacts) compare(p *peer, c *decode.Call, gen, word string) {
	key := versionKey(c.Exchange)
	for i := range p.names {
		x := &p.names[i]
		claims := claimedGeneration(x.declared)
		switch {
		case x.ok:
			f.ByName = f.ByName || claims != "" && x.gen != "" && claims != x.gen
		case x.gen != "" && claims != "" && claims != x.gen && (x.why == asVersion || x.why == asName):
			// The generation is served, under another header.
			f.ByHeader = f.ByHeader || p.okUnder(x.name, x.gen)
		}
		switch {
		case x.declared != word:
			if x.name == c.Method && x.why == asName {
				f.NameUnknownUnder = x.declared
			}
		case x.name == c.Method || x.gen != gen || x.key != key:
		case x.ok:
			f.AcceptedName = x.name
		case x.why == asVersion:
			f.RefusedName = x.name
		}
	}
}

// okUnder reports whether a name was answered ok under a header of its own generation.
func (p *peer) okUnder(name, gen string) bool {
	for i := range p.names {
		if x := &p.names[i]; x.ok && x.name == name && claimedGeneration(x.declared) == gen {
			return true
		}
	}
	return false
}

// claimedGeneration is what a 1.0 server must read a declared value as, "" for
// what is no version of A2A.
func claimedGeneration(word string) string {
	switch word {
	case "absent", "empty":
		return "0.3"
	}
	return generation(majorOne(spec.Version(word)))
}

// otherBindings compares with the other bindings that the card declares with the same versions.
func (m *memory) otherBindings(f *PolicyFacts, c *decode.Call, s *seen, gen, word string) {
	own := s.match.group
	if own == nil || s.match.level != "exact" {
		return
	}
	for i := range s.match.card.groups {
		g := &s.match.card.groups[i]
		if g.binding == own.binding || !coreBinding(g.binding) || !sameList(g.versions, own.versions) {
			continue
		}
		p := m.peers.find(peerKey{g.address.authority, g.address.path, g.binding})
		if p == nil {
			continue
		}
		for n := range p.names {
			x := &p.names[n]
			switch {
			case x.declared != word || x.gen != gen:
			case x.ok:
				f.AcceptedBinding = g.binding
			case x.why == asVersion:
				f.RefusedBinding = g.binding
			}
		}
	}
}

// sameList reports whether two lists without repetition hold the same words.
func sameList(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, v := range a {
		if !contains(b, v) {
			return false
		}
	}
	return true
}
