package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"a2ascope/decode"
	"a2ascope/diagnose"
)

// Finding says why a finding was made, what would refute it, and what to change.
func Finding(f *diagnose.Finding, c *decode.Call, o Options) Explanation {
	m := newMaker(o, c)
	t := f.TextsFor(o.Lang, o.Plain)
	e := Explanation{Title: t.Symptom}

	why := Section{ID: "why", Title: m.w.Why, Spec: f.Rule.Spec}
	why.text(t.Cause)
	why.table(m.evidence(f))
	if c != nil {
		c = c.Full()
		m.grounds(&why, f.Rule, c)
	}
	e.add(why)
	e.add(m.condition(f.Rule))
	e.add(m.sure(f))
	e.add(m.refute(f.Rule))
	e.add(m.fix("fix-client", m.w.FixClient, t.FixClient))
	e.add(m.fix("fix-server", m.w.FixServer, t.FixServer))
	e.add(m.standing(f))
	return e
}

// Rule explains a rule without traffic; holes of its texts stay {names}.
func Rule(r *diagnose.Rule, o Options) Explanation {
	m := newMaker(o, nil)
	e := Explanation{Title: r.Symptom.In(o.Lang)}
	why := Section{ID: "why", Title: m.w.Why, Spec: r.Spec}
	why.text(r.Cause.In(o.Lang))
	e.add(why)
	e.add(m.condition(r))
	e.add(m.refute(r))
	e.add(m.fix("fix-client", m.w.FixClient, r.Fix.Client.In(o.Lang)))
	e.add(m.fix("fix-server", m.w.FixServer, r.Fix.Server.In(o.Lang)))
	s := m.about(r)
	if len(r.Table) > 0 {
		s.text(m.w.Table + m.w.Colon + strings.Trim(fmt.Sprint(r.Table), "[]"))
	}
	if m.o.Set != nil {
		if now, at := m.o.Set.Changed(r.ID); now != "" && now != r.Severity {
			s.Parts[0].Text = fmt.Sprintf(m.w.RuleHead, m.severity(now), m.g.Blame(string(r.Blame)))
			s.text(fmt.Sprintf(m.u.WasBy, m.severity(r.Severity), at))
		}
		if at := m.o.Set.Disabled(r.ID); at != "" {
			s.text(fmt.Sprintf(m.u.OffBy, at))
		}
	}
	if len(r.Silences) > 0 {
		s.text(m.w.Silences + m.w.Colon + strings.Join(r.Silences, ", "))
	}
	e.add(s)
	return e
}

// evidence lists the places that prove a finding.
func (m *maker) evidence(f *diagnose.Finding) *Table {
	t := &Table{Head: []string{m.w.ColWhere, m.w.ColStands}}
	for _, e := range f.Evidence {
		v := m.g.NotThere
		if !e.Absent {
			v = e.Shown(m.o.Plain)
		}
		t.Rows = append(t.Rows, Row{Cells: []string{string(e.Place), v}, At: e.Place})
	}
	return t
}

// grounds adds the evidence of the facts that the condition rests on.
func (m *maker) grounds(s *Section, r *diagnose.Rule, c *decode.Call) {
	for _, g := range []struct {
		fact  string
		index int
		of    decode.VersionFact
	}{{"call.request", 0, c.Request}, {"call.response", 1, c.Response}, {"iface", 3, c.Card}} {
		if len(g.of.Signals) == 0 || !slices.ContainsFunc(Facts(r), func(f string) bool { return strings.HasPrefix(f, g.fact+".") }) {
			continue
		}
		s.text(fmt.Sprintf("%s%s%s (%s)", m.w.Fact[g.index], m.w.Colon, g.of.Value, m.grade(g.of.Sure)))
		s.table(m.signals(g.of.Signals))
	}
}

var factName = regexp.MustCompile(`\b(?:call|iface|agent|client|task|session|shape|tree)(?:\.[a-z_][a-z0-9_]*)+`)

// Facts lists the facts that the conditions of a rule name, in their order.
func Facts(r *diagnose.Rule) []string {
	var out []string
	for _, name := range factName.FindAllString(withoutStrings(r.If+"\n"+r.Unless), -1) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

var stringLiteral = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

func withoutStrings(expr string) string { return stringLiteral.ReplaceAllString(expr, `""`) }

// condition shows when the rule speaks.
func (m *maker) condition(r *diagnose.Rule) Section {
	s := Section{ID: "condition", Title: m.w.Condition}
	s.code(strings.TrimSpace(r.If))
	if r.Check != "" {
		s.text(m.w.Check + " " + r.Check)
	}
	if facts := Facts(r); len(facts) > 0 {
		s.text(m.w.Rests + m.w.Colon + strings.Join(facts, ", "))
	}
	for _, x := range r.Escalate {
		to := []string{}
		if x.Severity != "" {
			to = append(to, m.severity(x.Severity))
		}
		if x.Blame != "" {
			to = append(to, m.g.Blame(string(x.Blame)))
		}
		if x.Sure != "" {
			to = append(to, m.grade(x.Sure))
		}
		s.text(m.w.Escalates + " (" + m.w.EscalatesTo + " " + strings.Join(to, ", ") + ")")
		s.code(strings.TrimSpace(x.If))
	}
	return s
}

// refute says what would speak against it.
func (m *maker) refute(r *diagnose.Rule) Section {
	s := Section{ID: "refute", Title: m.w.Refute}
	if r.Unless == "" {
		s.text(m.w.NoUnless)
		return s
	}
	s.text(m.w.Unless + strings.TrimRight(m.w.Colon, " "))
	s.code(strings.TrimSpace(r.Unless))
	return s
}

// sure gives the grade, and what would raise it.
func (m *maker) sure(f *diagnose.Finding) Section {
	s := Section{ID: "grade", Title: m.w.Grade}
	s.text(fmt.Sprintf(m.w.GradeIs, m.grade(f.Sure)))
	switch f.Sure {
	case decode.Certain:
		s.text(m.w.GradeTop)
	case f.Rule.Sure:
		s.text(m.w.GradeRule)
	default:
		s.text(m.w.GradeFacts)
	}
	return s
}

// fix separates what can be pasted from the prose.
func (m *maker) fix(id, title, text string) Section {
	s := Section{ID: id, Title: title}
	s.text(strings.TrimSpace(text))
	for _, p := range Pastes(text) {
		if p != strings.TrimSpace(text) {
			s.Parts = append(s.Parts, Part{Paste: p})
		}
	}
	return s
}

func (m *maker) about(r *diagnose.Rule) Section {
	s := Section{ID: "rule", Title: m.w.Rule + " " + r.ID}
	s.text(fmt.Sprintf(m.w.RuleHead, m.severity(r.Severity), m.g.Blame(string(r.Blame))))
	at := make([]string, len(r.At))
	for i, a := range r.At {
		at[i] = m.w.At[string(a)]
	}
	s.text(m.u.Mark(r.Own(), r.Replaces, ""))
	if len(at) > 0 {
		s.text(m.w.Judged + m.w.Colon + strings.Join(at, "; "))
	}
	var to []string
	for _, l := range [][]string{r.For.Kind, r.For.Binding, r.For.Operation, r.For.Outcome, r.For.Version} {
		if len(l) > 0 {
			to = append(to, strings.Join(l, "|"))
		}
	}
	if len(to) > 0 {
		s.text(m.w.Applies + m.w.Colon + strings.Join(to, " · "))
	}
	return s
}

func (m *maker) severity(s diagnose.Severity) string {
	switch s {
	case diagnose.Error:
		return m.g.Error
	case diagnose.Warning:
		return m.g.Warning
	}
	return m.g.Info
}

// standing says how the finding stands among the others.
func (m *maker) standing(f *diagnose.Finding) Section {
	s := m.about(f.Rule)
	s.Parts[0].Text = fmt.Sprintf(m.w.RuleHead, m.severity(f.Severity), m.g.Blame(string(f.Blame)))
	if f.Was != "" {
		s.text(fmt.Sprintf(m.u.Was, m.severity(f.Was)))
	}
	switch {
	case f.FollowsFrom != nil:
		s.text(fmt.Sprintf(m.w.Follows, f.FollowsFrom.Rule))
	case f.AlsoSeen:
		s.text(m.w.AlsoSeen)
	case f.FoldedInto != nil:
		s.text(m.w.Folded)
	case f.Root:
		s.text(m.w.Root)
	}
	if f.RecoveredBy != nil {
		s.text(m.w.Recovered)
	}
	if f.Count > 1 {
		s.text(fmt.Sprintf(m.w.Seen, f.Count))
	}
	return s
}
