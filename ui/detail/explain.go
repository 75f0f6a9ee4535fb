package detail

import (
	"strings"

	"a2ascope/internal/explain"
	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// explain says what the exchange is and why each finding was made, in the
// detail that the diagnosis has no room for.
func (b *builder) explain() {
	r := b.p.Row
	c := r.Call()
	made := func(plain bool) []explain.Explanation {
		o := explain.Options{Lang: b.p.Lang, Plain: plain}
		out := []explain.Explanation{explain.Exchange(c, r.Version, o)}
		for _, f := range r.Findings {
			out = append(out, explain.Finding(f, c, o))
		}
		return out
	}
	shown := made(!b.p.Redact)
	copied := shown
	if !b.p.Redact { // what is copied is masked whatever the screen shows
		copied = made(false)
	}
	pastes := pastesOf(copied)
	for i, e := range shown {
		if i > 0 {
			b.rule()
			f := r.Findings[i-1]
			b.static().AddLine(text.Line{Hang: 2, Segs: []text.Seg{
				{Text: kit.SeverityHead(f.Severity, b.w) + "  ", Role: kit.Severity(f.Severity.Rank())}, {Text: kit.OneLine(e.Title, 2000), Role: kit.Bold}}})
		} else {
			b.static().Add(text.Seg{Text: kit.OneLine(e.Title, 2000), Role: kit.Bold})
		}
		for _, s := range e.Sections {
			b.title(s.Title)
			for _, part := range s.Parts {
				b.explainPart(part, &pastes)
			}
			if len(s.Spec) > 0 {
				b.static().Text(kit.Dim, 2, kit.Label(b.w.Spec, strings.Join(s.Spec, "; ")))
			}
		}
	}
}

// pastesOf lists what can be copied, in the order of the page.
func pastesOf(es []explain.Explanation) []string {
	var out []string
	for _, e := range es {
		for _, s := range e.Sections {
			for _, p := range s.Parts {
				if p.Paste != "" {
					out = append(out, p.Paste)
				}
			}
		}
	}
	return out
}

func (b *builder) explainPart(p explain.Part, pastes *[]string) {
	switch {
	case p.Table != nil:
		b.table(p.Table)
	case p.Code != "":
		for line := range strings.SplitSeq(p.Code, "\n") {
			b.static().AddLine(text.Line{Hang: 6, Segs: []text.Seg{{Text: "    " + kit.Clean(line), Role: kit.SynAttr}}})
		}
	case p.Paste != "":
		var copied string
		if len(*pastes) > 0 {
			copied, *pastes = (*pastes)[0], (*pastes)[1:]
		}
		b.paste(p, copied)
	default:
		b.static().Text(kit.Plain, 2, p.Text)
	}
}

// paste adds something to paste: in one line, or under a line that stands for it.
func (b *builder) paste(p explain.Part, copied string) {
	const edge = "  │ "
	lines := strings.Split(strings.TrimRight(p.Paste, "\n"), "\n")
	link := kit.CopyText{Text: copied}
	if len(lines) == 1 && p.Label == "" {
		b.static().AddLine(text.Line{Hang: 4, Link: link, Segs: []text.Seg{
			{Text: edge, Role: kit.Accent}, {Text: kit.Clean(lines[0]), Role: kit.SynString}, {Text: "  " + b.w.PasteCopies, Role: kit.Dim}}})
		return
	}
	label := p.Label
	if label == "" {
		label = lang.ExplainWords(b.w.Code).Paste
	}
	b.static().AddLine(text.Line{Hang: 4, Link: link, Segs: []text.Seg{
		{Text: "  ┌ ", Role: kit.Accent}, {Text: label, Role: kit.Accent}, {Text: "  " + b.w.PasteCopies, Role: kit.Dim}}})
	for _, l := range lines {
		b.static().AddLine(text.Line{Hang: 4 + indentOf(l) + 2, Segs: []text.Seg{
			{Text: edge, Role: kit.Accent}, {Text: kit.Clean(l), Role: kit.SynString}}})
	}
}

func indentOf(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// table writes columns where all but the last fit into half of the pane, else
// a row as a few lines.
func (b *builder) table(t *explain.Table) {
	last := len(t.Head) - 1
	widths, sum := make([]int, last), 4
	for c := range last {
		widths[c] = kit.Width(t.Head[c])
		for _, r := range t.Rows {
			widths[c] = max(widths[c], kit.Width(kit.OneLine(r.Cells[c], maxCell)))
		}
		sum += widths[c] + 2
	}
	if sum > b.p.Size.W/2 {
		b.records(t)
		return
	}
	head := "    "
	for c, h := range t.Head[:last] {
		head += kit.Fit(h, widths[c]) + "  "
	}
	b.static().AddLine(text.Line{Hang: sum, Segs: []text.Seg{{Text: head + t.Head[last], Role: kit.Dim}}})
	for _, r := range t.Rows {
		segs := []text.Seg{{Text: "    "}}
		for c := range last {
			role := kit.Plain
			if c == 0 {
				role = firstCell(r)
			}
			segs = append(segs, text.Seg{Text: kit.Fit(kit.OneLine(r.Cells[c], maxCell), widths[c]) + "  ", Role: role})
		}
		segs = append(segs, text.Seg{Text: kit.OneLine(r.Cells[last], maxCell)})
		b.row(r, sum, segs)
	}
}

// maxCell bounds a cell; captured values are longer.
const maxCell = 400

// row adds a line of a table, which leads to where it stands.
func (b *builder) row(r explain.Row, hang int, segs []text.Seg) {
	if r.Here {
		segs = append(segs, text.Seg{Text: "  ← " + lang.ExplainWords(b.w.Code).This, Role: kit.Accent})
	}
	l := text.Line{Hang: hang, Segs: segs}
	if r.At != "" {
		l.Link = kit.Goto{Place: r.At}
	}
	b.static().AddLine(l)
}

// firstCell is the colour of what a row begins with: losses catch the eye.
func firstCell(r explain.Row) kit.Role {
	effect, _, _ := strings.Cut(r.Code, "/")
	switch {
	case effect == "lost" || effect == "unsaid" || effect == "differs":
		return kit.Warn
	case r.At != "":
		return kit.Accent
	}
	return kit.Bold
}

// records writes each row as lines "head: cell" under its first cell.
func (b *builder) records(t *explain.Table) {
	for _, r := range t.Rows {
		b.row(r, 6, []text.Seg{{Text: "    " + kit.OneLine(r.Cells[0], maxCell), Role: firstCell(r)}})
		for c := 1; c < len(r.Cells); c++ {
			if r.Cells[c] != "" {
				b.static().AddLine(text.Line{Hang: 8, Segs: []text.Seg{
					{Text: "      " + t.Head[c] + lang.ExplainWords(b.w.Code).Colon, Role: kit.Dim}, {Text: kit.OneLine(r.Cells[c], maxCell)}}})
			}
		}
	}
}
