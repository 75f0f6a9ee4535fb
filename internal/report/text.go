package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

// writeText is for people: per file one head line, then only the exchanges
// that have something to say.
func writeText(w io.Writer, r *Report) error {
	p := &textPrinter{Writer: bufio.NewWriter(w), r: r, w: lang.ReportWords(string(r.Options.Lang))}
	for i := range r.Files {
		p.file(&r.Files[i])
	}
	p.summary()
	return p.Flush()
}

// textWidth is what a line of prose is wrapped at: readable in a terminal, in a
// log and in a mail. Evidence is never wrapped.
const textWidth = 100

type textPrinter struct {
	*bufio.Writer
	r    *Report
	w    lang.Report
	told map[string]int // texts of a rule → the exchange at which they were printed
}

func (p *textPrinter) file(f *FileReport) {
	p.told = map[string]int{}
	fmt.Fprintf(p, "%s  %s\n", clean(f.Name), f.headline(p.w))
	if f.Err != nil {
		fmt.Fprintf(p, "  %s: %s\n\n", p.w.Unreadable, clean(f.Err.Error()))
		return
	}
	for _, d := range f.Damage {
		fmt.Fprintf(p, "  %s (%s): %s\n", p.w.Damage, d.What, clean(d.Detail))
	}
	for _, row := range f.Other {
		if row.HasCall() {
			continue // it stands among the findings
		}
		fmt.Fprintf(p, "  %s: %s\n", p.w.Encrypted, otherLine(row))
	}
	p.WriteByte('\n')
	for i := range f.Rows {
		if len(f.Rows[i].Findings) > 0 {
			p.row(f, &f.Rows[i])
		}
	}
	p.review(f)
}

func (p *textPrinter) row(f *FileReport, row *RowReport) {
	fmt.Fprintf(p, "%s  %s\n", row.label(p.w), row.oneLine(p.w))
	for _, fd := range row.Findings {
		switch {
		case fd.FollowsFrom != nil:
			t := p.r.texts(fd)
			fmt.Fprintf(p, "     ↳ %s: %s  [%s]%s\n", p.w.Follows, clean(t.Symptom), fd.Rule.ID, p.r.mark(fd))
		case fd.FoldedInto != nil:
			t := p.r.texts(fd)
			fmt.Fprintf(p, "     ≡ #%s %s  [%s]%s\n", numberText(f.number(fd.FoldedInto.Exchange)), clean(t.Symptom), fd.Rule.ID, p.r.mark(fd))
		default:
			p.finding(f, row, fd)
		}
	}
	p.WriteByte('\n')
}

func (p *textPrinter) finding(f *FileReport, row *RowReport, fd *diagnose.Finding) {
	t := p.r.texts(fd)
	fmt.Fprintf(p, "  %s  %s  [%s]%s%s\n", severityWord(p.w, fd.Severity), clean(t.Symptom), fd.Rule.ID, p.r.mark(fd), tableText(fd.Table, p.w))
	// The same words once are enough: later exchanges refer to the first.
	words := fd.Rule.ID + t.Cause + t.FixClient + t.FixServer
	if first, ok := p.told[words]; ok {
		p.labelled(p.w.Why, fmt.Sprintf(p.w.AsAt, first))
	} else {
		p.told[words] = row.Number
		p.labelled(p.w.Why, wrap(t.Cause, textWidth))
		p.labelled(p.w.FixClient, wrap(t.FixClient, textWidth))
		p.labelled(p.w.FixServer, wrap(t.FixServer, textWidth))
		if len(fd.Rule.Spec) > 0 {
			p.labelled(p.w.Spec, join(fd.Rule.Spec))
		}
	}
	for i, e := range fd.Evidence {
		label := p.w.Proof
		if i > 0 {
			label = ""
		}
		if e.Absent {
			p.labelled(label, string(e.Place)+": "+p.w.Absent)
			continue
		}
		p.labelled(label, placeLine(e.Place, p.r.value(e)))
	}
	for _, s := range f.standing(fd, p.w) {
		p.labelled("", s)
	}
}

// labelled prints a label and a text, further lines of the text below the first.
func (p *textPrinter) labelled(label, text string) {
	if text == "" {
		return
	}
	const width = 16
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(p, "     %s%s%s\n", label, strings.Repeat(" ", max(1, width-cells(label))), clean(line))
	}
}

func (p *textPrinter) summary() {
	s := p.r.Summary
	switch {
	case s.Unreadable == s.Files:
	case s.A2A == 0:
		fmt.Fprintln(p, p.w.NoA2A)
	case s.Errors+s.Warnings+s.Infos == 0 && p.r.partly():
		fmt.Fprintln(p, p.w.HealthyPart)
	case s.Errors+s.Warnings+s.Infos == 0:
		fmt.Fprintln(p, p.w.Healthy)
	}
	p.WriteString(s.text(p.w))
	if len(s.TableRows) > 0 {
		fmt.Fprintf(p, "; %s: %s", p.w.TableRows, joinInts(s.TableRows))
	}
	p.WriteByte('\n')
	if line := p.r.rulesLine(); line != "" {
		fmt.Fprintln(p, clean(line))
	}
}

func severityWord(w lang.Report, s diagnose.Severity) string {
	switch s {
	case diagnose.Error:
		return w.Error
	case diagnose.Warning:
		return w.Warning
	}
	return w.Info
}

func tableText(rows []int, w lang.Report) string {
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", w.Row, joinInts(rows))
}

// oneLine names an exchange: when, what was asked, how, and what came of it.
func (row *RowReport) oneLine(w lang.Report) string {
	return row.Call().Exchange.Started.UTC().Format("15:04:05.000") + "  " + row.story(w)
}

// story is oneLine without the time.
func (row *RowReport) story(w lang.Report) string {
	c, x := row.Call(), row.Call().Exchange
	if row.Conn != nil {
		return otherLine(row.Row)
	}
	parts := []string{}
	if q := x.Request; q != nil {
		parts = append(parts, clean(q.Method+" "+q.Path()))
	}
	what := []string{}
	for _, s := range []string{string(c.Binding), string(c.Operation), string(c.Request.Value)} {
		if s != "" {
			what = append(what, s)
		}
	}
	if c.Protocol != spec.A2A {
		what = append(what, string(c.Protocol))
	}
	parts = append(parts, strings.Join(what, " "), "→", row.answer(w))
	return strings.Join(parts, "  ")
}

func (row *RowReport) answer(w lang.Report) string {
	c, x := row.Call(), row.Call().Exchange
	if x.Response == nil {
		if x.End == nil {
			return w.StillOpen
		}
		return w.NoAnswer
	}
	s := fmt.Sprint(x.Response.Status)
	if c.Binding == spec.GRPC && c.GRPC.Status >= 0 {
		s = "grpc-status " + fmt.Sprint(c.GRPC.Status)
	}
	if name := faultName(c.Fault); name != "" {
		s += " " + name
	} else if c.Outcome != "" && c.Outcome != spec.OK {
		s += " " + string(c.Outcome)
	}
	if c.Streaming && c.NumEvents() > 0 {
		s += fmt.Sprintf(" (%d %s)", c.NumEvents(), w.Events)
	}
	return s
}
