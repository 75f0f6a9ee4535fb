package report

import (
	"fmt"
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
			p.reviewRow(f.reviewRow(t, j, w, l))
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

func (p *mdPrinter) reviewRow(r reviewRow) {
	var seen, fill []string
	for _, text := range r.Seen {
		seen = append(seen, mdText(text))
	}
	if r.Fill != "" {
		fill = append(fill, mdText(r.Fill))
	}
	for _, c := range r.Commands {
		fill = append(fill, mdCode(c))
	}
	name := r.Name
	if r.TCK != "" {
		name += " (TCK " + r.TCK + ")"
	}
	fmt.Fprintf(p, "| %s %s | %s %s | %s | %s |\n", r.Mark, mdText(r.Word), mdText(name), mdText(r.Title),
		strings.Join(seen, "<br>"), strings.Join(fill, "<br>"))
}
