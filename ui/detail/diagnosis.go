package detail

import (
	"strconv"
	"strings"

	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// diagnosis says what is wrong, or that nothing is and what the exchange was.
func (b *builder) diagnosis() {
	r := b.p.Row
	if c := b.p.Note(r).Comment; c != "" {
		b.static().AddLine(text.Line{Hang: 2, Segs: []text.Seg{{Text: "; ", Role: kit.Accent}, {Text: kit.OneLine(c, 4000), Role: kit.Mark}}})
		b.static().Blank()
	}
	if !r.HasCall() {
		b.connection()
		return
	}
	if why := kit.Failure(r.Call().Exchange, b.w); why != "" {
		s, reason := b.static(), r.Call().Exchange.End.Text
		s.Add(text.Seg{Text: why, Role: kit.Bold})
		s.Blank().Text(kit.Plain, 2, b.w.ConnTroubleMore(kit.Trouble(reason)))
		s.Text(kit.Dim, 2, kit.Clean(reason))
		b.rule()
	}
	roots := 0
	for _, f := range r.Findings {
		if f.FollowsFrom == nil {
			if roots > 0 {
				b.rule()
			}
			b.finding(f, 0)
			roots++
		} else if !b.has(*f.FollowsFrom) { // its root is on another exchange
			if roots > 0 {
				b.rule()
			}
			b.finding(f, 0)
			roots++
		}
	}
	if roots > 0 {
		b.rule()
	}
	b.facts(roots == 0)
}

func (b *builder) rule() {
	b.static().Blank().Add(text.Seg{Text: strings.Repeat("─", 24), Role: kit.Border})
	b.static().Blank()
}

func (b *builder) has(k diagnose.Key) bool {
	for _, f := range b.p.Row.Findings {
		if f.Key == k {
			return true
		}
	}
	return false
}

// finding adds a finding: the symptom first, because it must be understood at
// a glance; then why, what to change, and the proof.
func (b *builder) finding(f *diagnose.Finding, indent int) {
	w, s := b.w, b.static()
	t := b.p.Texts(f)
	role := kit.Severity(f.Severity.Rank())
	pad := kit.Spaces(indent)
	letter := kit.SeverityHead(f.Severity, w)
	s.AddLine(text.Line{Hang: indent + 2, Segs: []text.Seg{
		{Text: pad + letter + "  ", Role: role},
		{Text: kit.OneLine(t.Symptom, 2000), Role: kit.Bold},
	}})
	if f.FollowsFrom != nil {
		b.linked(indent, kit.Label(w.FollowsFrom, ""), f.FollowsFrom.Rule, *f.FollowsFrom)
	}
	if t.Cause != "" && t.Cause != t.Symptom {
		b.part(indent, w.Cause, t.Cause, kit.Plain)
	}
	if t.FixClient != "" {
		b.part(indent, w.FixClient, t.FixClient, kit.Plain)
	}
	if t.FixServer != "" {
		b.part(indent, w.FixServer, t.FixServer, kit.Plain)
	}
	b.proof(f, indent)
	b.note(f, indent)
	for _, c := range b.p.Row.Findings {
		if c.FollowsFrom != nil && *c.FollowsFrom == f.Key && c != f && indent < 8 {
			b.static().Blank()
			b.finding(c, indent+4)
		}
	}
}

// part adds a heading and its text, as lines that can be copied.
func (b *builder) part(indent int, head, body string, role kit.Role) {
	b.static().Blank().Add(text.Seg{Text: kit.Spaces(indent) + head, Role: kit.Title})
	b.static().Text(role, indent+2, body)
}

// proof adds the evidence: place, value, and enter goes there.
func (b *builder) proof(f *diagnose.Finding, indent int) {
	if len(f.Evidence) == 0 {
		return
	}
	b.static().Blank().Add(text.Seg{Text: kit.Spaces(indent) + b.w.Evidence, Role: kit.Title},
		text.Seg{Text: "  " + b.w.EnterJumps, Role: kit.Dim})
	for _, e := range f.Evidence {
		sign, value := " = ", b.value(e)
		if e.Absent {
			sign, value = ": ", b.w.NotThere
		}
		b.static().AddLine(text.Line{Hang: indent + 4, Link: kit.Goto{Place: e.Place}, Segs: []text.Seg{
			{Text: kit.Spaces(indent+2) + b.place(e.Place), Role: kit.Accent},
			{Text: sign, Role: kit.Dim},
			{Text: value, Role: kit.Evidence},
		}})
	}
}

// place writes a place for people: side, then where in it.
func (b *builder) place(p decode.Place) string {
	side, kind, name, frame, ptr := kit.SplitPlace(p)
	w := b.w
	who := w.Exchange
	switch side {
	case "request":
		who = w.TabRequest
	case "response":
		who = w.TabResponse
	}
	switch kind {
	case "line":
		return who + " · " + w.PlaceLine
	case "header":
		return who + " · " + w.PlaceHeader + " " + kit.OneLine(name, 80)
	case "query":
		return who + " · ?" + kit.OneLine(name, 80)
	case "trailer":
		return who + " · " + w.PlaceTrailer + " " + kit.OneLine(name, 80)
	case "frame":
		ptr = kit.OneLine(ptr, 200)
		if side == "response" && kit.IsStream(b.p.Row.Call()) {
			who = w.PlaceEvent + " " + strconv.Itoa(frame+1)
			if ptr == "" {
				return who
			}
			return who + " · " + ptr
		}
		if ptr == "" {
			return who + " · " + w.PlaceBody
		}
		return who + " · " + ptr
	}
	return who
}

// note adds who is to blame, how sure it is, the table row and the specification.
func (b *builder) note(f *diagnose.Finding, indent int) {
	w := b.w
	var parts []string
	if who := w.Blame(string(f.Blame)); who != "" {
		parts = append(parts, kit.Label(w.Blamed, who))
	}
	if sure := w.Sure(string(f.Sure)); sure != "" {
		parts = append(parts, sure)
	}
	if f.Root {
		parts = append(parts, w.RootCause)
	}
	if f.AlsoSeen {
		parts = append(parts, w.AlsoSeen)
	}
	if f.Count > 1 {
		parts = append(parts, w.SeenTimes(f.Count))
	}
	if n := len(f.Table); n > 0 {
		rows := make([]string, n)
		for i, r := range f.Table {
			rows[i] = strconv.Itoa(r)
		}
		parts = append(parts, w.TableRow(strings.Join(rows, ", ")))
	}
	s := b.static().Blank()
	s.Text(kit.Dim, indent+2, strings.Join(parts, " · "))
	if len(f.Rule.Spec) > 0 {
		s.Text(kit.Dim, indent+2, kit.Label(w.Spec, strings.Join(f.Rule.Spec, "; ")))
	}
	was := ""
	if f.Was != "" {
		was = kit.SeverityWord(f.Was, w)
	}
	mark := lang.RulesWords(w.Code).MarkBehind(f.Rule.Own(), f.Rule.Replaces, was)
	s.Text(kit.Dim, indent+2, kit.Label(w.Rule, f.Rule.ID+mark))
	if f.RecoveredBy != nil {
		b.static().AddLine(text.Line{Hang: indent + 2, Link: kit.SelectExchange{ID: *f.RecoveredBy}, Segs: []text.Seg{
			{Text: kit.Spaces(indent+2) + w.Recovered, Role: kit.OK},
		}})
	}
	if f.FoldedInto != nil {
		b.linked(indent+2, kit.Label(w.FoldedInto, ""), f.FoldedInto.Rule, *f.FoldedInto)
	}
}

// linked adds a line that leads to the exchange of another finding.
func (b *builder) linked(indent int, head, rule string, k diagnose.Key) {
	l := text.Line{Hang: indent + 2, Segs: []text.Seg{
		{Text: kit.Spaces(indent) + head, Role: kit.Dim}, {Text: rule, Role: kit.Accent},
	}}
	if k.Exchange != b.p.Row.ID() {
		l.Link = kit.SelectExchange{ID: k.Exchange}
	}
	b.static().AddLine(l)
}

// connection explains a connection on which no HTTP was read.
func (b *builder) connection() {
	r, w, s := b.p.Row, b.w, b.static()
	if r.Conn == nil {
		s.Add(text.Seg{Text: w.ConnNoHTTP, Role: kit.Bold})
		return
	}
	head := w.ConnNoHTTP
	if r.Conn.Protocol == "refused" {
		head = kit.ConnText(r.Conn, w)
	}
	s.Add(text.Seg{Text: head, Role: kit.Bold})
	s.Blank().Text(kit.Plain, 2, kit.ConnMore(r.Conn, w))
	if r.Conn.Text != "" {
		s.Text(kit.Dim, 2, r.Conn.Text)
	}
	s.Blank().Text(kit.Dim, 2, w.ConnBytes(kit.Bytes(r.Conn.Sent[0]), kit.Bytes(r.Conn.Sent[1])))
}
