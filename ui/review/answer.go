package review

import (
	"fmt"
	"strings"

	"a2ascope/capture"
	"a2ascope/diagnose"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// answer makes the document of what is chosen.
type answer struct {
	p    kit.Props
	find *finder
	l    line
	s    *text.Static
}

func (m Model) build(l line, p kit.Props) *text.Doc {
	a := answer{p: p, find: m.find, l: l, s: &text.Static{}}
	if l.state() == nil {
		a.subject()
	} else {
		a.question(l.state())
	}
	return text.NewDoc(a.s)
}

// subject tells what the answers come to, and what became of the versions that were sent.
func (a *answer) subject() {
	w, s := &a.p.Words.Review, a.l.s
	a.s.AddLine(text.Line{Hang: 2, Segs: []text.Seg{{Text: s.who(w), Role: kit.Bold}}})
	a.s.Text(kit.Plain, 0, s.sum(w, a.p.Lang))
	if s.list != "ladder" {
		a.s.Text(kit.Plain, 0, fmt.Sprintf(w.PhaseIs, w.Phase[string(s.phase)]))
	}
	if len(s.versions) == 0 {
		return
	}
	a.title(w.VersionsTitle)
	for i := range s.versions {
		v := &s.versions[i]
		sign, role := "✓", kit.OK
		switch {
		case !v.Agrees():
			sign, role = "✗", kit.Err
		case v.Expected == diagnose.NotKnown || v.Expected == diagnose.Undefined || v.Did == diagnose.NotKnown || v.Did == diagnose.Otherwise:
			sign, role = "·", kit.Dim
		}
		times := ""
		if v.Count > 1 {
			times = "  " + fmt.Sprintf(w.Times, v.Count)
		}
		a.line(v.First, kit.TabDiagnosis, sign, role, kit.OneLine(w.SentIs(v.Sent), 200)+times)
		a.s.Text(kit.Dim, 4, kit.OneLine(w.Has(v.Exposes, v.Declared), 200))
		a.s.Text(kit.Plain, 4, w.MustWord(string(v.Expected)))
		did := fmt.Sprintf(w.DidLine, w.DidWord(string(v.Did)))
		if !v.Agrees() {
			did += " (" + w.Disagree + ")"
		}
		a.s.Text(kit.Plain, 4, did)
	}
}

// question tells what is asked, what shows the answer, and how to see the rest.
func (a *answer) question(q *diagnose.QuestionState) {
	w, l := &a.p.Words.Review, a.p.Lang
	sign, role := mark(q.Answer)
	a.s.AddLine(text.Line{Hang: 2, Segs: []text.Seg{{Text: sign + " " + a.l.name() + "  ", Role: role}, {Text: q.Question.Title.In(l), Role: kit.Bold},
		{Text: "  " + w.AnswerWord(a.l.s.list, string(q.Answer)), Role: role}}})
	if a.l.question == a.l.s.cause {
		a.s.Text(kit.Err, 0, w.Cause)
	}
	a.title(w.Asks)
	a.s.Text(kit.Plain, 2, q.Question.Check.In(l))
	if _, ok := shows(q); ok {
		a.shown(q)
	}
	if q.Answer == diagnose.NotSeen || q.Answer == diagnose.Partly {
		a.missing(q)
	}
	a.s.Blank().Text(kit.Dim, 0, kit.Label(a.p.Words.Spec, strings.Join(q.Question.Spec, "; ")))
	if len(q.Question.TCK) > 0 {
		a.s.Text(kit.Dim, 0, kit.Label("TCK", strings.Join(q.Question.TCK, ", ")))
	}
}

// shown lists the exchanges that answer a question.
func (a *answer) shown(q *diagnose.QuestionState) {
	w := &a.p.Words.Review
	a.s.Blank().Add(text.Seg{Text: w.Shown, Role: kit.Title}, text.Seg{Text: "  " + a.p.Words.EnterJumps, Role: kit.Dim})
	for _, x := range q.Failures {
		what := w.Shows
		row := a.find.row(a.p.View, ref{a.l.s.file, x.Exchange})
		switch f := finding(row, x.Rule); {
		case f != nil:
			what = a.p.Texts(f).Symptom
		case row != nil && x.Rule == "" && row.Call().Method != "":
			what += ": " + row.Call().Method
		}
		a.line(x.Exchange, kit.TabDiagnosis, "✗", kit.Err, kit.OneLine(what, 1000))
		if x.Rule != "" {
			a.s.Text(kit.Dim, 4, kit.Label(a.p.Words.Rule, x.Rule))
		}
	}
	if n := q.Failing - len(q.Failures); n > 0 {
		a.s.Text(kit.Dim, 4, fmt.Sprintf(w.More, n))
	}
	for _, p := range q.Parts {
		if p.Seen {
			a.line(p.Exchange, kit.TabDiagnosis, "✓", kit.OK, p.Part.Title.In(a.p.Lang))
		}
	}
}

// missing says what was not seen, and how to see it.
func (a *answer) missing(q *diagnose.QuestionState) {
	w := &a.p.Words.Review
	a.title(w.ToSee)
	if q.Exhausted() {
		a.s.Text(kit.Dim, 2, w.OneBinding)
		return
	}
	a.s.Text(kit.Plain, 2, q.Question.Fill.In(a.p.Lang))
	for _, p := range q.Parts {
		if !p.Seen && !p.Spared && len(q.Parts) > 1 {
			a.s.Text(kit.Dim, 2, "· "+fmt.Sprintf(w.PartUnseen, p.Part.Title.In(a.p.Lang)))
		}
	}
	if q.Question.Need == "any" && q.Answer == diagnose.NotSeen {
		a.s.Text(kit.Dim, 2, w.OneIsEnough)
	}
	if len(q.Question.Run) == 0 && q.Question.Of == diagnose.OfClient {
		a.s.Text(kit.Dim, 2, w.NothingRun)
	}
	at := a.l.s.at
	if a.p.Redact {
		at = masked(at)
	}
	for i, c := range q.Question.Commands(at) {
		if i == 0 {
			a.s.Text(kit.Dim, 2, w.CopyHint)
		}
		a.s.AddLine(text.Line{Hang: 4, Segs: []text.Seg{{Text: "  " + kit.OneLine(c, 4000), Role: kit.Accent}}})
	}
}

func (a *answer) title(s string) { a.s.Blank().Add(text.Seg{Text: s, Role: kit.Title}) }

// line adds what an exchange shows; enter leads to it while it is there.
func (a *answer) line(id capture.ExchangeID, tab kit.Tab, sign string, role kit.Role, what string) {
	l := text.Line{Hang: 4, Segs: []text.Seg{{Text: "  " + sign + " ", Role: role}, {Text: what, Role: kit.Plain}}}
	if row := a.find.row(a.p.View, ref{a.l.s.file, id}); row != nil {
		l.Link = kit.OpenRow{Index: row.Index, Tab: tab}
		l.Segs = append(l.Segs, text.Seg{Text: "  " + kit.Number(row) + " " + kit.Operation(row, a.p.Words), Role: kit.Accent})
	}
	a.s.AddLine(l)
}

// finding is the finding of a rule on a row, nil for none.
func finding(r *session.Row, rule string) *diagnose.Finding {
	if r == nil || rule == "" {
		return nil
	}
	for _, f := range r.Findings {
		if f.Rule.ID == rule {
			return f
		}
	}
	return nil
}

// masked are addresses without what must not leave the machine.
func masked(at diagnose.Addresses) diagnose.Addresses {
	for _, s := range []*string{&at.Agent, &at.JSONRPC, &at.REST, &at.GRPC} {
		*s = redact.Words.Text(*s)
	}
	return at
}
