package translate

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// CardTo shows an agent card as another version writes it.
func CardTo(c *decode.Call, to spec.Version) (*Message, Reason) {
	c = c.Full()
	card := c.AgentCard
	if card == nil || c.Kind != spec.KindCard && c.Operation != spec.GetExtendedAgentCard {
		return nil, NotACall
	}
	from, why := cardVersion(card)
	switch {
	case why != NoReason:
		return nil, why
	case from == to || to != spec.V03 && to != spec.V10:
		return nil, NoVersion
	case c.Binding == spec.GRPC: // its 0.3 card is another object than the JSON one
		return nil, OtherForm
	case !card.Node.IsObject() || card.Node.Doc().Err != nil:
		return nil, Unreadable
	}
	w := walkerFor(cardDialect(from), cardDialect(to), card.At)
	return &Message{from, to, c.Binding, w.card(card.Node).write(nil), w.list}, NoReason
}

// cardVersion is the version a card is written in: a card with the members of
// both versions needs no translation.
func cardVersion(card *decode.AgentCard) (spec.Version, Reason) {
	switch card.Vocabulary {
	case "0.2", "0.3":
		return spec.V03, NoReason
	case "1.0":
		return spec.V10, NoReason
	}
	return spec.NoVersion, NoVersion
}

// cardDialect: cards of 0.3 are JSON objects of its schema in every binding.
func cardDialect(v spec.Version) spec.Dialect {
	if v == spec.V03 {
		return spec.DialectJ
	}
	return spec.Dialect10
}

func (w *walker) card(n jsontree.Node) tree {
	t, _ := spec.TwinOf(spec.Dialect10, "AgentCard")
	src, dst := shapeOf(w.from, t.Name(w.from)), shapeOf(w.to, t.Name(w.to))
	out := object()
	for c := range n.Children() {
		switch key := c.Key(); key {
		case "protocolVersion", "preferredTransport", "additionalInterfaces": // see entries, split
		case "url":
			w.entries(&out, n)
		case "supportedInterfaces":
			w.split(&out, c)
		case "supportsAuthenticatedExtendedCard":
		case "capabilities":
			w.capabilities(&out, n, c)
		case "signatures":
			if c.Len() > 0 { // they are of every byte
				w.note(Lost, Signature, key, w.at(c), "")
			}
		default:
			w.member(&out, c, t, src, dst)
		}
	}
	for _, f := range dst.Fields {
		if f.Required && !out.has(f.JSON) {
			w.note(Unsaid, Missing, f.JSON, w.at(n), w.here(f.JSON))
		}
	}
	return out
}

// entries makes the interfaces of 1.0 of the addresses of a 0.3 card.
func (w *walker) entries(out *tree, n jsontree.Node) {
	version := majorMinor(n.Get("protocolVersion").Str())
	if version == "" {
		version = string(spec.V03)
		w.note(Added, Interfaces, "protocolVersion", spot{}, w.here("supportedInterfaces"))
	}
	list := tree{kind: jsontree.Array}
	add := func(url, transport string) {
		e := object()
		e.put("url", text(url))
		e.put("protocolBinding", text(transport))
		e.put("protocolVersion", text(version))
		list.add(e)
	}
	main := n.Get("url").Str()
	preferred := n.Get("preferredTransport").Str()
	if preferred == "" {
		preferred = string(spec.JSONRPC) // 0.3 §5.5.5
		w.note(Added, Interfaces, "protocolBinding", spot{}, w.here("supportedInterfaces"))
	}
	add(main, preferred)
	for e := range n.Get("additionalInterfaces").Children() {
		url, transport := e.Get("url").Str(), e.Get("transport").Str()
		if url != main || transport != preferred { // 0.3 lets a card repeat the main address
			add(url, transport)
		}
	}
	out.put("supportedInterfaces", list)
	w.note(Renamed, Interfaces, "url", w.at(n.Get("url")), w.here("supportedInterfaces"))
}

// majorMinor leaves the patch number out, which takes no part in 1.0; "" for
// what is no version.
func majorMinor(v string) string {
	major, rest, _ := strings.Cut(v, ".")
	minor, _, _ := strings.Cut(rest, ".")
	if major == "" || minor == "" {
		return ""
	}
	return major + "." + minor
}

// split makes the addresses of a 0.3 card of 1.0's interfaces: of those that
// speak 0.3, or of all when none says so.
func (w *walker) split(out *tree, c jsontree.Node) {
	var pick []jsontree.Node
	old := func(e jsontree.Node) bool { return majorMinor(e.Get("protocolVersion").Str()) == string(spec.V03) }
	for e := range c.Children() {
		if e.IsObject() && old(e) {
			pick = append(pick, e)
		}
	}
	some := len(pick) > 0
	for e := range c.Children() {
		switch {
		case !e.IsObject():
			w.odd(e, "supportedInterfaces")
		case some && !old(e):
			w.note(Lost, OtherInterface, "supportedInterfaces", w.at(e), "")
		case !some:
			pick = append(pick, e)
			w.note(Differs, OtherInterface, "protocolVersion", w.at(e), "")
		}
	}
	more := tree{kind: jsontree.Array}
	for i, e := range pick {
		if e.Get("tenant").Str() != "" {
			w.note(Lost, Tenant, "tenant", w.at(e.Get("tenant")), "")
		}
		if i == 0 {
			out.put("protocolVersion", text("0.3.0"))
			w.address(out, e, "preferredTransport")
			w.note(Renamed, Interfaces, "supportedInterfaces", w.at(c), w.here("url"))
			continue
		}
		x := object()
		w.address(&x, e, "transport")
		more.add(x)
	}
	if len(more.kids) > 0 {
		out.put("additionalInterfaces", more)
	}
}

// address writes the url of an interface, and how it is spoken to there.
func (w *walker) address(out *tree, e jsontree.Node, transport string) {
	for _, m := range [...]struct{ was, is string }{{"url", "url"}, {"protocolBinding", transport}} {
		if v := e.Get(m.was); v.Exists() {
			out.put(m.is, asIs(v))
		} else {
			w.note(Unsaid, Missing, m.was, w.at(e), w.here(m.is))
		}
	}
}

// capabilities: the flag of the extended card has moved into them.
func (w *walker) capabilities(out *tree, card, c jsontree.Node) {
	t, _ := spec.TwinOf(spec.Dialect10, "AgentCapabilities")
	w.enter("capabilities")
	v := w.object(c, t)
	w.leave()
	if w.to == spec.Dialect10 {
		if flag := card.Get("supportsAuthenticatedExtendedCard"); flag.Exists() && v.kind == jsontree.Object {
			w.note(Renamed, ByName, "supportsAuthenticatedExtendedCard", w.at(flag), w.here("capabilities")+"/extendedAgentCard")
			v.put("extendedAgentCard", asIs(flag))
		}
		out.put("capabilities", v)
		return
	}
	out.put("capabilities", v)
	if flag := c.Get("extendedAgentCard"); flag.Exists() {
		w.note(Renamed, ByName, "extendedAgentCard", w.at(flag), w.here("supportsAuthenticatedExtendedCard"))
		out.put("supportsAuthenticatedExtendedCard", asIs(flag))
	}
}

// requirements: 0.3 names the schemes directly, 1.0 in an object with lists in objects.
func (w *walker) requirements(c jsontree.Node) tree {
	return w.each(c, func(n jsontree.Node) tree {
		if !n.IsObject() {
			return w.odd(n, c.Key())
		}
		from := n
		if w.from == spec.Dialect10 {
			from = n.Get("schemes")
		}
		schemes := object()
		for s := range from.Children() {
			v := asIs(s)
			if w.from == spec.Dialect10 {
				v = tree{kind: jsontree.Array}
				if l := s.Get("list"); l.IsArray() {
					v = asIs(l)
				}
			} else {
				v = object()
				v.put("list", asIs(s))
			}
			schemes.put(s.Key(), v)
		}
		if w.to != spec.Dialect10 {
			return schemes
		}
		out := object()
		out.put("schemes", schemes)
		return out
	})
}

// scheme: 0.3 says with type what a security scheme is, 1.0 with a member around it.
func (w *walker) scheme(n jsontree.Node) tree {
	for _, s := range spec.SchemeTypes() {
		t, _ := spec.TwinOf(spec.Dialect10, s.V10)
		switch {
		case w.from == spec.DialectJ && n.Get("type").Str() == s.Type:
			out := object()
			w.enter(s.Member)
			out.put(s.Member, w.object(n, t))
			w.leave()
			return out
		case w.from == spec.Dialect10 && n.Get(s.Member).IsObject():
			return w.object(n.Get(s.Member), t)
		}
	}
	w.note(Unsaid, SchemeType, n.Key(), w.at(n), w.here(""))
	return asIs(n)
}
