package report

import (
	"fmt"
	"strconv"
	"strings"

	"a2ascope/internal/lang"
)

// review writes the subjects of which something failed as a list, with
// --review every question in tables.
func (p *mdPrinter) review(f *FileReport) {
	w, l := lang.ReviewWords(string(p.r.Options.Lang)), p.r.Options.Lang
	begun, more := 0, 0
	for i := range f.tables {
		t := &f.tables[i]
		if !p.r.Options.Review {
			switch {
			case len(t.failed()) == 0:
			case begun == maxTables:
				more++
			default:
				if begun++; begun == 1 {
					p.WriteByte('\n')
				}
				fmt.Fprintf(p, "- %s\n", mdText(t.head(w, l)))
			}
			continue
		}
		fmt.Fprintf(p, "\n### %s\n\n| | %s | %s | %s |\n|---|---|---|---|\n", mdText(t.head(w, l)), w.Check, w.Seen, w.Fill)
		for j := range t.questions {
			s := &t.questions[j]
			name := s.Question.ID
			if t.list == "ladder" {
				name = strconv.Itoa(j + 1)
			}
			var seen []string
			for _, part := range s.Parts {
				if part.Seen {
					seen = append(seen, mdText(part.Part.Title.In(l))+" "+mdText(f.shownAt(part.Exchange)))
				}
			}
			for _, x := range s.Failures {
				seen = append(seen, w.Failure+" "+mdText(failureText(f, x, w)))
			}
			var fill []string
			if open(s) {
				fill = append(fill, mdText(s.Question.Fill.In(l)))
				for _, c := range s.Question.Commands(t.at) {
					fill = append(fill, mdCode(c))
				}
			}
			if len(s.Question.TCK) > 0 {
				name += " (TCK " + strings.Join(s.Question.TCK, ", ") + ")"
			}
			fmt.Fprintf(p, "| %s %s | %s %s | %s | %s |\n", answerMark(s.Answer), mdText(w.AnswerWord(t.list, string(s.Answer))),
				mdText(name), mdText(s.Question.Title.In(l)), strings.Join(seen, "<br>"), strings.Join(fill, "<br>"))
		}
		if len(t.versions) > 0 {
			p.WriteByte('\n')
		}
		for k := range t.versions {
			fmt.Fprintf(p, "- %s\n", mdText(versionText(&t.versions[k], f, w)))
		}
	}
	if more > 0 {
		fmt.Fprintf(p, "- "+w.More+"\n", more)
	}
}
