package agents

import (
	"sort"
	"strconv"
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// Model is the pane of agents.
type Model struct {
	cursor int
	top    int
	inside bool
	shown  *diagnose.AgentInfo
	words  *lang.Words
	redact bool
	pager  text.Pager
}

// New returns the pane.
func New() Model { return Model{} }

func rowsH(h, n int) int { return max(1, min(n, max(3, h/4), h-3)) }

// Sync takes the agents of a new view.
func (m Model) Sync(p kit.Props) Model {
	as := p.View.Agents
	m.cursor = max(0, min(m.cursor, len(as)-1))
	h := rowsH(p.Size.H, len(as))
	m.top = kit.Window(m.top, m.cursor, h, len(as))
	if len(as) == 0 {
		m.shown = nil
		return m
	}
	body := kit.Size{W: p.Size.W, H: max(1, p.Size.H-h-2)}
	if a := as[m.cursor]; a != m.shown || m.words != p.Words || m.redact != p.Redact {
		doc := build(a, p)
		if m.shown != nil && m.shown.Authority == a.Authority {
			m.pager = m.pager.Replace(doc)
		} else {
			m.pager = m.pager.Resize(body).Show(doc)
		}
		m.shown, m.words, m.redact = a, p.Words, p.Redact
	}
	m.pager = m.pager.Resize(body)
	return m
}

// build makes the document of an agent.
func build(a *diagnose.AgentInfo, p kit.Props) *text.Doc {
	w, s := p.Words, &text.Static{}
	for _, i := range a.Interfaces {
		s.AddLine(text.Line{Hang: 4, Segs: []text.Seg{
			{Text: kit.Fit(kit.BindingName(i.Binding, false), 10), Role: kit.Accent},
			{Text: kit.OneLine(i.URL, 400), Role: kit.Bold},
		}})
		declared := i.Declared
		if declared == "" {
			declared = w.VersionAbsent
		}
		spoken, calls := text.Seg{Text: w.NotCalled, Role: kit.Dim}, ""
		if i.Calls > 0 {
			spoken = text.Seg{Text: w.AnsweredVersions + " " + answered(i.Answered, w), Role: disagree(i)}
			calls = w.CallsFailed(i.Calls, i.Failed)
		}
		s.AddLine(text.Line{Hang: 4, Segs: []text.Seg{
			{Text: "    " + w.DeclaredVersion + " ", Role: kit.Dim}, {Text: kit.OneLine(declared, 40)},
			{Text: "   "}, spoken,
			{Text: "   " + calls, Role: kit.Dim},
		}})
	}
	if a.Card == nil {
		s.Blank().Text(kit.Plain, 0, w.CardNotSeen)
		return text.NewDoc(s)
	}
	c := a.Card
	s.Blank().Add(text.Seg{Text: w.Card, Role: kit.Title}, text.Seg{Text: "  " + kit.OneLine(c.Name, 120) + " " + kit.OneLine(c.Version, 40), Role: kit.Bold})
	fact := func(k, v string) {
		if v != "" {
			s.AddLine(text.Line{Hang: 24, Segs: []text.Seg{{Text: "  " + kit.Fit(k, 21) + " ", Role: kit.Dim}, {Text: kit.OneLine(v, 400)}}})
		}
	}
	fact(w.CardVocabulary, c.Vocabulary)
	fact(w.CardProtocol, c.Protocol)
	fact(w.CardPreferred, c.Preferred)
	fact(w.CardStreaming, flag(c.Streaming, w))
	fact(w.CardPush, flag(c.PushNotes, w))
	fact(w.CardExtended, flag(c.ExtCard, w))
	for _, e := range c.Extensions {
		v := e.URI
		if e.Required {
			v += "  (" + w.Required + ")"
		}
		fact(w.CardExtension, v)
	}
	if c.Secured || len(c.Schemes) > 0 {
		fact(w.CardSecurity, strings.Join(c.Schemes, ", "))
	}
	if c.Signatures > 0 {
		fact(w.CardSignatures, strconv.Itoa(c.Signatures))
	}
	if a.CardFrom != 0 {
		s.AddLine(text.Line{Link: kit.OpenExchange{ID: a.CardFrom, Tab: kit.TabResponse}, Segs: []text.Seg{
			{Text: "  " + w.CardFetched + " ", Role: kit.Dim}, {Text: p.At(a.CardAt), Role: kit.Accent},
		}})
	}
	s.Blank()
	if raw := c.Node.Raw(); len(raw) > 0 {
		return text.NewDoc(s, text.NewJSON(raw, p.Mask(), w.ValueCut))
	}
	return text.NewDoc(s)
}

func flag(f decode.Flag, w *lang.Words) string {
	switch f {
	case decode.FlagTrue:
		return w.Yes
	case decode.FlagFalse:
		return w.No
	}
	return w.VersionAbsent
}

// answered lists versions with how often each was answered, the newest first.
func answered(m map[spec.Version]int, w *lang.Words) string {
	vs := make([]spec.Version, 0, len(m))
	for v := range m {
		vs = append(vs, v)
	}
	if len(vs) == 0 {
		return w.VersionUnknown
	}
	sort.Slice(vs, func(a, b int) bool { return vs[b].Less(vs[a]) || vs[a] == spec.NoVersion })
	parts := make([]string, len(vs))
	for i, v := range vs {
		name := string(v)
		if name == "" {
			name = "?"
		}
		parts[i] = name + " ×" + strconv.Itoa(m[v])
	}
	return strings.Join(parts, ", ")
}

// disagree is the role of the answered versions: a warning where none is the declared one.
func disagree(i diagnose.InterfaceInfo) kit.Role {
	for v := range i.Answered {
		if d := string(v); d == i.Declared || strings.HasPrefix(i.Declared, d+".") { // 0.3.0 is 0.3
			return kit.Plain
		}
	}
	if i.Declared == "" || len(i.Answered) == 0 {
		return kit.Plain
	}
	return kit.Warn
}

// Key moves over the agents, or scrolls the chosen one.
func (m Model) Key(k kit.Key, p kit.Props) (Model, kit.Intent) {
	n := len(p.View.Agents)
	h := rowsH(p.Size.H, n)
	switch k.Name {
	case "a":
		return m, kit.Back{}
	case "esc", "q":
		if m.inside {
			m.inside = false
			return m, nil
		}
		return m, kit.Back{}
	case "click":
		switch {
		case k.Y >= 1 && k.Y <= h && m.top+k.Y-1 < n:
			m.cursor, m.inside = m.top+k.Y-1, false
			return m.Sync(p), nil
		case k.Y > h+1:
			m.inside = true
			k.Y -= h + 2
			pager, in, _ := m.pager.Key(k)
			m.pager = pager
			return m, in
		}
		return m, nil
	}
	if m.inside {
		if pager, in, ok := m.pager.Key(k); ok {
			m.pager = pager
			return m, in
		}
		return m, kit.Unused{}
	}
	if k.Name == "enter" {
		m.inside = n > 0
		return m, nil
	}
	if at, ok := kit.Move(k.Name, m.cursor, n, h); ok {
		m.cursor = at
		return m.Sync(p), nil
	}
	return m, kit.Unused{}
}

// Search moves to a match in the chosen agent.
func (m Model) Search(q string, dir int) (Model, bool) {
	var ok bool
	m.pager, ok = m.pager.Search(q, dir)
	return m, ok
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{
		{Keys: "j k ↑ ↓", Does: w.KeyMove},
		{Keys: "enter", Does: w.KeyAgentInside},
		{Keys: "esc q a", Does: w.KeyBack},
	}
}

// View draws the rows, a line, and the chosen agent.
func (m Model) View(p kit.Props, size kit.Size) string {
	st, w, as := p.Styles, p.Words, p.View.Agents
	sc := kit.NewScreen(size)
	sc.Line(st, kit.Dim, "  "+w.AgentsTitle(len(as)))
	if len(as) == 0 {
		sc.Blank(1)
		for _, l := range kit.Wrap(w.NoAgents, max(10, min(size.W-4, 76))) {
			sc.Line(st, kit.Plain, "  "+l)
		}
		return sc.String()
	}
	h := rowsH(size.H, len(as))
	for i := m.top; i < len(as) && i < m.top+h; i++ {
		a := as[i]
		cur, name := "  ", w.CardNotSeenShort
		if i == m.cursor {
			cur = "> "
		}
		if a.Card != nil {
			name = kit.OneLine(a.Card.Name, 80) + "  " + w.CardShort + " " + a.Card.Vocabulary
		}
		sc.Row(kit.PiecesOn(st, size.W, kit.Plain, i == m.cursor,
			kit.Piece{Text: cur, Role: kit.Accent},
			kit.Piece{Text: kit.Fit(kit.OneLine(a.Authority, 80), 30) + " ", Role: kit.Bold},
			kit.Piece{Text: kit.Fit(w.CallsFailed(a.Calls, a.Failures), 26) + " ", Role: kit.Dim},
			kit.Piece{Text: name, Role: kit.Plain}))
	}
	hint := w.EnterForCard
	if m.inside {
		hint = w.InsideCard
	}
	sc.Row(kit.Rule(st, size.W, hint))
	for line := range strings.SplitSeq(m.pager.View(st, m.inside), "\n") {
		sc.Row(line)
	}
	return sc.String()
}
