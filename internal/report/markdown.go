package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

// writeMarkdown is for an issue or a merge request: one section a file, one
// subsection a finding, a table of the rest.
func writeMarkdown(w io.Writer, r *Report) error {
	p := &mdPrinter{Writer: bufio.NewWriter(w), r: r, w: lang.ReportWords(string(r.Options.Lang))}
	s := r.Summary
	fmt.Fprintf(p, "# %s\n\n", p.w.Title)
	fmt.Fprintln(p, s.text(p.w))
	if len(s.TableRows) > 0 {
		fmt.Fprintf(p, "\n%s: %s\n", p.w.TableRows, joinInts(s.TableRows))
	}
	if line := r.rulesLine(); line != "" {
		fmt.Fprintf(p, "\n%s\n", mdText(line))
	}
	for i := range r.Files {
		p.file(&r.Files[i])
	}
	return p.Flush()
}

type mdPrinter struct {
	*bufio.Writer
	r *Report
	w lang.Report
}

func (p *mdPrinter) file(f *FileReport) {
	fmt.Fprintf(p, "\n## %s\n\n%s\n", mdText(f.Name), f.headline(p.w))
	if f.Err != nil {
		fmt.Fprintf(p, "\n**%s**: %s\n", p.w.Unreadable, mdText(f.Err.Error()))
		return
	}
	for _, d := range f.Damage {
		fmt.Fprintf(p, "\n- %s (%s): %s", p.w.Damage, d.What, mdText(d.Detail))
	}
	for _, row := range f.Other {
		if row.HasCall() {
			continue // it stands among the findings
		}
		fmt.Fprintf(p, "\n- %s: %s", p.w.Encrypted, mdText(otherLine(row)))
	}
	if len(f.Damage)+len(f.Other) > 0 {
		p.WriteByte('\n')
	}
	for i := range f.Rows {
		row := &f.Rows[i]
		for _, fd := range row.Findings {
			if fd.FollowsFrom == nil && fd.FoldedInto == nil {
				p.finding(f, row, fd)
			}
		}
	}
	p.review(f)
	p.exchanges(f)
}

func (p *mdPrinter) finding(f *FileReport, row *RowReport, fd *diagnose.Finding) {
	t := p.r.texts(fd)
	fmt.Fprintf(p, "\n### %s %s: %s\n\n", severityWord(p.w, fd.Severity), row.label(p.w), mdText(t.Symptom))
	fmt.Fprintf(p, "`%s`%s%s\n", fd.Rule.ID, p.r.mark(fd), tableText(fd.Table, p.w))
	if t.Cause != "" {
		fmt.Fprintf(p, "\n**%s**: %s\n", p.w.Why, mdText(t.Cause))
	}
	for _, x := range []struct{ label, text string }{{p.w.FixClient, t.FixClient}, {p.w.FixServer, t.FixServer}} {
		if x.text != "" {
			fmt.Fprintf(p, "\n**%s**:\n%s\n", x.label, mdBlock(x.text))
		}
	}
	if len(fd.Evidence) > 0 {
		fmt.Fprintf(p, "\n| %s | |\n|---|---|\n", p.w.Proof)
		for _, e := range fd.Evidence {
			what := p.w.Absent
			if !e.Absent {
				what = mdCode(p.r.value(e))
			}
			fmt.Fprintf(p, "| %s | %s |\n", mdCode(string(e.Place)), what)
		}
	}
	for _, s := range f.standing(fd, p.w) {
		fmt.Fprintf(p, "\n%s\n", s)
	}
	if len(fd.Rule.Spec) > 0 {
		fmt.Fprintf(p, "\n%s: %s\n", p.w.Spec, mdText(join(fd.Rule.Spec)))
	}
}

// exchanges lists every exchange of the file in a table.
func (p *mdPrinter) exchanges(f *FileReport) {
	if len(f.Rows) == 0 {
		return
	}
	fmt.Fprintf(p, "\n| # | %s | |\n|---|---|---|\n", p.w.Exchanges)
	for i := range f.Rows {
		row := &f.Rows[i]
		mark := ""
		if row.Worst != "" {
			mark = severityWord(p.w, row.Worst)
		}
		fmt.Fprintf(p, "| %s | %s | %s |\n", strings.TrimPrefix(row.label(p.w), "#"), mdText(row.oneLine(p.w)), mark)
	}
}

// mdText keeps captured text from being read as markup.
func mdText(s string) string {
	return mdEscaper.Replace(clean(strings.ReplaceAll(s, "\n", " ")))
}

var mdEscaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]", "#", "\\#")

// mdCode is inline code whose fence is longer than any run of backticks inside.
func mdCode(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(clean(strings.ReplaceAll(s, "\n", " ")), "|", "\\|")
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	return fence + " " + s + " " + fence
}

// mdBlock is a fenced block: fixes are there to be pasted.
func mdBlock(s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + "\n" + cleanLines(s) + "\n" + fence
}

func longestRun(s string, c byte) int {
	best, n := 0, 0
	for i := range len(s) {
		if s[i] == c {
			n++
			best = max(best, n)
		} else {
			n = 0
		}
	}
	return best
}
