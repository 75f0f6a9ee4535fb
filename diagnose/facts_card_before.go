package diagnose

import (
	"path"
	"slices"
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// CardBeforeFacts is the card of this exchange, or the failed look for one,
// beside what was known before. At the end of the exchange it is known itself:
// rules judge this at checkpoint card, or at the answer.
type CardBeforeFacts struct {
	OtherPath string   `cel:"other_path"` // a card of this authority was read at the other well-known name: its path
	Interface string   `cel:"interface"`  // the path of the fetch begins with the url of this interface
	Fetches   int      `cel:"fetches"`    // how often this client read the card here before
	Exchange  int      `cel:"exchange"`   // an earlier reading from the same place with other content and an equal signature
	Differs   []string `cel:"differs"`    // the members that are not the same there
	Far       int      `cel:"far"`        // the same fetch as a hop sent it on, with other content and an equal signature
	FarHost   string   `cel:"far_host"`
	FarDiffs  []string `cel:"far_differs"`
	Varied    int      `cel:"varied"` // an earlier reading of this version of the agent under another A2A-Version got another vocabulary
	VariedAs  string   `cel:"varied_vocabulary"`
	VariedFor string   `cel:"varied_declared"` // what that reading declared, "" for nothing
	Public    int      `cel:"public"`          // an extended card: the reading of the public one it is compared with
	Added     []string `cel:"added"`           // interfaces that only the extended card has
	Removed   []string `cel:"removed"`         // interfaces that only the public card has
	Fits      bool     `cel:"fits"`            // an entry has a core binding, and binding and version that the client has shown where it has shown any
	Shown     []string `cel:"shown"`           // the bindings and generations that the client has shown
}

// cardBefore compares the card or the failed fetch of an exchange with the memory.
func (m *memory) cardBefore(f *CardBeforeFacts, c *decode.Call, s *seen) {
	if c.AgentCard == nil {
		if c.Kind == spec.KindCard {
			m.lookedElsewhere(f, s)
		}
		return
	}
	if c.Exchange.Request == nil {
		return
	}
	if o := m.origins.find(s.authority); o != nil {
		m.readBefore(f, c, s, o)
	}
	if c.AgentCard.Signatures > 0 {
		m.metBehind(f, c)
	}
	if c.AgentCard.Extended {
		m.besidePublic(f, c, s)
	}
	m.usable(f, c, s)
}

// readBefore compares the card with earlier readings from the same place.
func (m *memory) readBefore(f *CardBeforeFacts, c *decode.Call, s *seen, o *origin) {
	var mine cardSum
	over := false // the place gave another vocabulary to the same question: it changed in time
	for _, k := range o.cards {
		if k.exchange == c.Exchange.ID || k.authority != s.authority || k.path != c.Exchange.Request.Path() || k.card.Extended != c.AgentCard.Extended {
			continue
		}
		if k.reader == s.client {
			f.Fetches += k.fetches
		}
		if k.server != serverOf(c.Exchange) {
			continue // perhaps the other side of a hop
		}
		switch {
		case k.card.Vocabulary == c.AgentCard.Vocabulary:
		case k.declared == cardWord(&c.Declared):
			over = true
		case f.Varied == 0 && k.card.Version == c.AgentCard.Version:
			f.Varied, f.VariedAs, f.VariedFor = int(k.exchange), k.card.Vocabulary, k.declared
		}
		if f.Exchange == 0 && c.AgentCard.Signatures > 0 && k.card.Signatures > 0 {
			if mine.of == nil {
				mine = m.cardSum(c.AgentCard)
			}
			if mine.forges(m.cardSum(k.card)) {
				f.Exchange, f.Differs = int(k.exchange), differing(m, c.AgentCard, k.card)
			}
		}
	}
	if over {
		f.Varied, f.VariedAs, f.VariedFor = 0, "", ""
	}
}

// lookedElsewhere is for a fetch that brought no card.
func (m *memory) lookedElsewhere(f *CardBeforeFacts, s *seen) {
	o := m.origins.find(s.authority)
	if o == nil {
		return
	}
	base, _, known := strings.Cut(s.path, "/.well-known/")
	for _, k := range o.cards {
		if k.authority == s.authority && !k.card.Extended && path.Base(k.path) != path.Base(s.path) && wellKnownName(path.Base(k.path)) {
			f.OtherPath = k.path
		}
		if !known || base == "" || k.path == s.path {
			continue
		}
		for i := range k.groups {
			if g := &k.groups[i]; g.address.authority == s.authority && g.address.path == base {
				f.Interface = g.url
			}
		}
	}
}

func wellKnownName(name string) bool { return name == "agent-card.json" || name == "agent.json" }

// metBehind looks for the same fetch behind a hop: it began and ended within
// this one, on another connection to another server.
func (m *memory) metBehind(f *CardBeforeFacts, c *decode.Call) {
	x := c.Exchange
	for _, k := range m.signed {
		if k.conn == x.Conn || k.server == serverOf(x) || k.started.Before(x.Started) || x.Answered.IsZero() || k.answered.After(x.Answered) || path.Base(k.path) != path.Base(x.Request.Path()) {
			continue
		}
		if mine := m.cardSum(c.AgentCard); mine.forges(m.cardSum(k.card)) {
			f.Far, f.FarHost, f.FarDiffs = int(k.exchange), k.authority, differing(m, c.AgentCard, k.card)
			return
		}
	}
}

// besidePublic compares the interfaces of an extended card with those of the public one.
func (m *memory) besidePublic(f *CardBeforeFacts, c *decode.Call, s *seen) {
	o := m.origins.find(m.agentOf(s))
	if o == nil {
		return
	}
	k := newestPublic(o)
	if k == nil || k.card.Extended || k.card.Vocabulary != c.AgentCard.Vocabulary {
		return // each vocabulary has a list of its own
	}
	mine, public := interfaceWords(c.AgentCard), interfaceWords(k.card)
	f.Public = int(k.exchange)
	f.Added, f.Removed = missingIn(mine, public), missingIn(public, mine)
}

func interfaceWords(a *decode.AgentCard) []string {
	var list []string
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		u := parseAddress(e.URL)
		list = addOnce(list, cut(e.Binding+" "+firstOf(e.Version, "-")+" "+u.authority+u.path))
	}
	return list
}

func missingIn(list, other []string) []string {
	var left []string
	for _, w := range list {
		if !slices.Contains(other, w) {
			left = append(left, w)
		}
	}
	return left
}

// usable reports whether an entry fits what the client has shown so far. Of a
// client that has shown nothing, no entry is known to fit.
func (m *memory) usable(f *CardBeforeFacts, c *decode.Call, s *seen) {
	var gens [2]bool
	var bindings []string
	if k := m.clients.find(s.client); k != nil {
		gens, bindings = k.gens, k.bindings
	}
	if i := genIndex(majorOne(c.Declared.Version)); i >= 0 && c.Declared.Presence == "set" {
		gens[i] = true
	}
	f.Shown = append(f.Shown, bindings...)
	for i, name := range [...]string{"0.3", "1.0"} {
		if gens[i] {
			f.Shown = append(f.Shown, name)
		}
	}
	if len(f.Shown) == 0 {
		return
	}
	a := c.AgentCard
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		n := genIndex(e.Version)
		if n < 0 && e.From != "supportedInterfaces" {
			n = 0
		}
		if n >= 0 && coreBinding(e.Binding) && (gens == [2]bool{} || gens[n]) && (len(bindings) == 0 || contains(bindings, e.Binding)) {
			f.Fits = true
			return
		}
	}
}
