package report

import (
	"fmt"
	"strconv"
	"strings"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

// maxTables bounds how many subjects are named of which something failed.
const maxTables = 8

// review prints one line for each subject of which something failed; with
// --review, every question of every subject.
func (p *textPrinter) review(f *FileReport) {
	w := p.reviewWords()
	told, more := 0, 0
	for i := range f.tables {
		t := &f.tables[i]
		if !p.r.Options.Review {
			switch {
			case len(t.failed()) == 0:
			case told == maxTables:
				more++
			default:
				told++
				fmt.Fprintf(p, "%s\n", t.head(w, p.r.Options.Lang))
			}
			continue
		}
		fmt.Fprintf(p, "%s\n", t.head(w, p.r.Options.Lang))
		for j := range t.questions {
			p.question(f, t, j, w)
		}
		for k, v := range t.versions {
			label := w.Versions
			if k > 0 {
				label = ""
			}
			p.labelled(label, versionText(&v, f, w))
		}
		p.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(p, w.More+"\n", more)
	}
	if told > 0 {
		fmt.Fprintf(p, "%s\n\n", w.Hint)
	}
}

func (p *textPrinter) reviewWords() *lang.Review { return lang.ReviewWords(string(p.r.Options.Lang)) }

// who names the subject of a table.
func (t *table) who() string {
	switch {
	case t.client == "":
		return clean(t.agent)
	case t.agent == "":
		return clean(t.client)
	}
	return clean(t.client) + " → " + clean(t.agent)
}

// head says in a line what a table comes to.
func (t *table) head(w *lang.Review, l diagnose.Lang) string {
	side := ""
	if t.list != "ladder" {
		side = w.Agent + " "
		if t.agent == "" {
			side = w.Client + " "
		}
	}
	s := w.List[t.list] + "  " + side + t.who() + ": "
	if t.list == "ladder" {
		if t.cause < 0 {
			return s + w.NoFail + "; " + w.CountsOf(t.list, t.counts())
		}
		return s + fmt.Sprintf(w.FailsAt, t.cause+1, t.questions[t.cause].Question.Title.In(l))
	}
	s += w.CountsOf(t.list, t.counts())
	if ids := t.failed(); len(ids) > 0 {
		s += " (" + join(ids) + ")"
	}
	if t.list == "migration" {
		s += "; " + fmt.Sprintf(w.PhaseIs, w.Phase[string(t.phase)])
	}
	return s
}

// question prints an answer, what shows it, and how to see what was not seen.
func (p *textPrinter) question(f *FileReport, t *table, i int, w *lang.Review) {
	s, l := &t.questions[i], p.r.Options.Lang
	q := s.Question
	name := q.ID
	if t.list == "ladder" {
		name = strconv.Itoa(i + 1)
	}
	tck := ""
	if len(q.TCK) > 0 {
		tck = "  (TCK " + join(q.TCK) + ")"
	}
	fmt.Fprintf(p, "  %s %s %s  %s%s\n", answerMark(s.Answer), padded(name, 3), padded(w.AnswerWord(t.list, string(s.Answer)), 9), q.Title.In(l), tck)
	if s.Answer == diagnose.NotSeen {
		p.labelled(w.Check, wrap(q.Check.In(l), textWidth))
	}
	for _, part := range s.Parts {
		if part.Seen {
			p.labelled(w.Seen, part.Part.Title.In(l)+"  "+f.shownAt(part.Exchange))
		}
	}
	for _, x := range s.Failures {
		p.labelled(w.Failure, failureText(f, x, w))
	}
	if n := s.Failing - len(s.Failures); n > 0 {
		p.labelled("", fmt.Sprintf(w.More, n))
	}
	if open(s) {
		p.labelled(w.Fill, wrap(q.Fill.In(l), textWidth))
		p.labelled("", strings.Join(q.Commands(t.at), "\n"))
	}
}

func failureText(f *FileReport, x diagnose.Failure, w *lang.Review) string {
	what := x.Rule
	if what == "" {
		what = w.Shows
	}
	return what + "  " + f.shownAt(x.Exchange)
}

// versionText says what had to become of a version and what did.
func versionText(v *diagnose.VersionRow, f *FileReport, w *lang.Review) string {
	s := clean(w.Verdict(v.Sent, v.Exposes, v.Declared, string(v.Expected), string(v.Did)))
	if !v.Agrees() {
		s += " (" + w.Disagree + ")"
	}
	s += "  " + f.shownAt(v.First)
	if v.Count > 1 {
		s += ", " + fmt.Sprintf(w.Times, v.Count)
	}
	return s
}

// answerMark is a sign beside the word.
func answerMark(a diagnose.Answer) string {
	switch a {
	case diagnose.Passed:
		return "✓"
	case diagnose.Failed:
		return "✗"
	case diagnose.Partly:
		return "~"
	}
	return "·"
}

// padded fills a word up to so many cells.
func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-cells(s)))
}
