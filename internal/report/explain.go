package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"a2ascope/internal/explain"
	"a2ascope/internal/lang"
)

// Explained is an explanation and what it is of.
type Explained struct {
	File     string
	Exchange int    // 0: a rule without traffic
	Rule     string // "": the exchange itself
	Severity string
	explain.Explanation
}

// ExplainFormatNames lists the outputs of explanations.
func ExplainFormatNames() []string { return []string{"text", "jsonl", "markdown"} }

// FindExplainFormat reports a name that none of them has.
func FindExplainFormat(name string) error {
	if slices.Contains(ExplainFormatNames(), name) {
		return nil
	}
	return fmt.Errorf("there is no format %q for explanations: choose one of %s", name, join(ExplainFormatNames()))
}

// WriteExplained lays explanations out in one of the formats of ExplainFormatNames.
func WriteExplained(w io.Writer, format, code string, list []Explained) error {
	if err := FindExplainFormat(format); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	p := &explainPrinter{Writer: b, w: lang.ExplainWords(code)}
	for i := range list {
		switch format {
		case "jsonl":
			if err := p.json(&list[i]); err != nil {
				return err
			}
		case "markdown":
			p.markdown(&list[i])
		default:
			if i > 0 {
				p.WriteByte('\n')
			}
			p.text(&list[i])
		}
	}
	return b.Flush()
}

type explainPrinter struct {
	*bufio.Writer
	w *lang.Explain
}

// heading names what is explained: "trace.har #3", "call/x".
func (e *Explained) heading() string {
	var parts []string
	if e.Exchange > 0 {
		parts = append(parts, fmt.Sprintf("%s #%d", e.File, e.Exchange))
	}
	if e.Rule != "" {
		parts = append(parts, "["+e.Rule+"]")
	}
	return clean(strings.Join(append(parts, e.Title), "  "))
}

func (p *explainPrinter) text(e *Explained) {
	fmt.Fprintln(p, wrap(e.heading(), textWidth))
	for _, s := range e.Sections {
		fmt.Fprintf(p, "\n%s\n", clean(s.Title))
		for i, part := range s.Parts {
			switch {
			case part.Table != nil:
				p.table(part.Table)
			case part.Code != "":
				p.indented(part.Code, 6)
			case part.Paste != "":
				if part.Label != "" {
					fmt.Fprintf(p, "  %s%s\n", part.Label, strings.TrimRight(p.w.Colon, " "))
				} else if i == 0 || s.Parts[i-1].Paste == "" {
					fmt.Fprintf(p, "  %s%s\n", p.w.Paste, strings.TrimRight(p.w.Colon, " "))
				}
				p.indented(part.Paste, 6)
			default:
				p.indented(wrap(cleanLines(part.Text), textWidth-2), 2)
			}
		}
		if len(s.Spec) > 0 {
			fmt.Fprintf(p, "  %s%s%s\n", p.w.Spec, p.w.Colon, join(s.Spec))
		}
	}
}

// cleanLines is clean that leaves line ends.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (p *explainPrinter) indented(text string, by int) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(p, "%s%s\n", strings.Repeat(" ", by), clean(line))
	}
}

// table writes columns where they fit into a line, else a row as a few lines.
func (p *explainPrinter) table(t *explain.Table) {
	last := len(t.Head) - 1
	widths := make([]int, last)
	sum := 4
	for c := range last {
		widths[c] = cells(t.Head[c])
		for _, r := range t.Rows {
			widths[c] = max(widths[c], cells(r.Cells[c]))
		}
		sum += widths[c] + 2
	}
	if sum > textWidth-24 {
		p.records(t)
		return
	}
	p.row(t.Head, widths, sum)
	for _, r := range t.Rows {
		line := r.Cells
		if r.Here {
			line = append(line[:last:last], line[last]+"  ← "+p.w.This)
		}
		p.row(line, widths, sum)
	}
}

func (p *explainPrinter) row(line []string, widths []int, indent int) {
	p.WriteString("    ")
	for c, w := range widths {
		p.WriteString(clean(line[c]) + strings.Repeat(" ", w-cells(line[c])+2))
	}
	text := wrap(clean(line[len(widths)]), textWidth-indent)
	fmt.Fprintln(p, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent)))
}

// records writes each row as lines "head: cell" under its first cell.
func (p *explainPrinter) records(t *explain.Table) {
	for _, r := range t.Rows {
		mark := ""
		if r.Here {
			mark = "  ← " + p.w.This
		}
		fmt.Fprintf(p, "    %s%s\n", clean(r.Cells[0]), mark)
		for c := 1; c < len(r.Cells); c++ {
			if r.Cells[c] != "" {
				text := wrap(clean(t.Head[c]+p.w.Colon+r.Cells[c]), textWidth-8)
				fmt.Fprintf(p, "        %s\n", strings.ReplaceAll(text, "\n", "\n          "))
			}
		}
	}
}

func (p *explainPrinter) markdown(e *Explained) {
	fmt.Fprintf(p, "## %s\n", mdText(e.heading()))
	for _, s := range e.Sections {
		fmt.Fprintf(p, "\n### %s\n", mdText(s.Title))
		for _, part := range s.Parts {
			switch {
			case part.Table != nil:
				p.markdownTable(part.Table)
			case part.Code != "", part.Paste != "":
				if part.Label != "" {
					fmt.Fprintf(p, "\n%s%s\n", mdText(part.Label), strings.TrimRight(p.w.Colon, " "))
				}
				fmt.Fprintf(p, "\n%s\n", mdBlock(part.Code+part.Paste))
			default:
				fmt.Fprintf(p, "\n%s\n", mdText(part.Text))
			}
		}
		if len(s.Spec) > 0 {
			fmt.Fprintf(p, "\n%s%s%s\n", p.w.Spec, p.w.Colon, join(s.Spec))
		}
	}
	p.WriteByte('\n')
}

func (p *explainPrinter) markdownTable(t *explain.Table) {
	p.WriteString("\n|")
	for _, h := range t.Head {
		p.WriteString(" " + mdText(h) + " |")
	}
	p.WriteString("\n|" + strings.Repeat("---|", len(t.Head)) + "\n")
	for _, r := range t.Rows {
		p.WriteByte('|')
		for i, c := range r.Cells {
			text := mdText(c)
			if r.Here && i == len(r.Cells)-1 {
				text += " ← " + p.w.This
			}
			p.WriteString(" " + text + " |")
		}
		p.WriteByte('\n')
	}
}

type explainLine struct {
	Type     string        `json:"type"`
	File     *string       `json:"file"`
	Exchange *int          `json:"exchange"`
	Rule     *string       `json:"rule"`
	Severity *string       `json:"severity"`
	Title    string        `json:"title"`
	Sections []sectionJSON `json:"sections"`
}

type sectionJSON struct {
	ID    string     `json:"id"`
	Title string     `json:"title"`
	Parts []partJSON `json:"parts"`
	Spec  []string   `json:"spec"`
}

type partJSON struct {
	Text  string     `json:"text,omitempty"`
	Code  string     `json:"code,omitempty"`
	Paste string     `json:"paste,omitempty"`
	Label string     `json:"label,omitempty"`
	Table *tableJSON `json:"table,omitempty"`
}

type tableJSON struct {
	Head []string  `json:"head"`
	Rows []rowJSON `json:"rows"`
}

type rowJSON struct {
	Cells []string `json:"cells"`
	Place *string  `json:"place"`
	Here  bool     `json:"here"`
	Code  string   `json:"code,omitempty"`
}

func (p *explainPrinter) json(e *Explained) error {
	line := explainLine{Type: "explain", File: known(e.File), Rule: known(e.Rule), Severity: known(e.Severity), Title: e.Title, Sections: []sectionJSON{}}
	if e.Exchange > 0 {
		line.Exchange = &e.Exchange
	}
	for _, s := range e.Sections {
		sj := sectionJSON{ID: s.ID, Title: s.Title, Spec: orEmpty(s.Spec)}
		for _, part := range s.Parts {
			pj := partJSON{Text: part.Text, Code: part.Code, Paste: part.Paste, Label: part.Label}
			if t := part.Table; t != nil {
				pj.Table = &tableJSON{Head: t.Head}
				for _, r := range t.Rows {
					pj.Table.Rows = append(pj.Table.Rows, rowJSON{r.Cells, known(string(r.At)), r.Here, r.Code})
				}
			}
			sj.Parts = append(sj.Parts, pj)
		}
		line.Sections = append(line.Sections, sj)
	}
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}
