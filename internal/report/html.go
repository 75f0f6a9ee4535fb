package report

import (
	_ "embed"
	"html/template"
	"io"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

//go:embed html.tmpl
var htmlText string

// The page runs no scripts and loads nothing; the template escapes what it is
// given, and what was captured is cleaned before.
var htmlPage = template.Must(template.New("report").Funcs(template.FuncMap{"clean": clean, "lines": cleanLines}).Parse(htmlText))

type htmlReport struct {
	W       lang.Report
	Review  *lang.Review
	Lang    string
	Summary string
	Rows    string // of the failure table
	Rules   string // where they are not just the built-in ones
	Files   []htmlFile
}

type htmlFile struct {
	Name, Headline string
	Error          string
	Notes          []string // damage, connections that were not read
	Exchanges      []htmlExchange
	Heads          []string // of the review: subjects of which something failed
	Tables         []htmlTable
}

type htmlExchange struct {
	Label, Line  string
	Class, Worst string // severity, and its word
	Findings     []htmlFinding
}

type htmlFinding struct {
	Class, Severity string
	diagnose.Texts
	Rule, Table, Spec, Note string
	Mark                    string // behind the rule
	Evidence                []htmlEvidence
	Consequence             bool // of another finding, or the same again
}

type htmlEvidence struct {
	Place, Value string
	Absent       bool
}

type htmlTable struct {
	Head     string
	Rows     []reviewRow
	Versions []string
}

// writeHTML is one page to hand on: it opens in any browser, without us.
func writeHTML(w io.Writer, r *Report) error {
	l := string(r.Options.Lang)
	words := lang.ReportWords(l)
	page := htmlReport{W: words, Review: lang.ReviewWords(l), Lang: r.Options.tag(), Summary: r.Summary.text(words), Rows: joinInts(r.Summary.TableRows), Rules: r.rulesLine()}
	for i := range r.Files {
		page.Files = append(page.Files, r.htmlFile(i, &page))
	}
	return htmlPage.Execute(w, page)
}

func (r *Report) htmlFile(i int, page *htmlReport) htmlFile {
	f, w := &r.Files[i], page.W
	h := htmlFile{Name: f.Name, Headline: f.headline(w)}
	if f.Err != nil {
		h.Error = f.Err.Error()
		return h
	}
	for _, d := range f.Damage {
		h.Notes = append(h.Notes, w.Damage+" ("+d.What+"): "+d.Detail)
	}
	for _, row := range f.Other {
		if !row.HasCall() {
			h.Notes = append(h.Notes, w.Encrypted+": "+otherLine(row))
		}
	}
	for j := range f.Rows {
		h.Exchanges = append(h.Exchanges, r.htmlExchange(f, &f.Rows[j], w))
	}
	l := r.Options.Lang
	for j := range f.tables {
		t := &f.tables[j]
		if !r.Options.Review {
			if len(t.failed()) > 0 {
				h.Heads = append(h.Heads, t.head(page.Review, l))
			}
			continue
		}
		tab := htmlTable{Head: t.head(page.Review, l)}
		for k := range t.questions {
			tab.Rows = append(tab.Rows, f.reviewRow(t, k, page.Review, l))
		}
		for k := range t.versions {
			tab.Versions = append(tab.Versions, versionText(&t.versions[k], f, page.Review))
		}
		h.Tables = append(h.Tables, tab)
	}
	return h
}

func (r *Report) htmlExchange(f *FileReport, row *RowReport, w lang.Report) htmlExchange {
	x := htmlExchange{Label: row.label(w), Line: row.oneLine(w)}
	worst := diagnose.Severity("")
	for _, fd := range row.Findings {
		h := htmlFinding{
			Class: string(fd.Severity), Severity: severityWord(w, fd.Severity), Texts: r.texts(fd),
			Rule: fd.Rule.ID, Mark: r.mark(fd), Table: joinInts(fd.Table), Consequence: fd.FollowsFrom != nil || fd.FoldedInto != nil,
		}
		switch {
		case fd.FollowsFrom != nil:
			h.Note = w.Follows
		case fd.FoldedInto != nil:
			h.Note = "≡ #" + numberText(f.number(fd.FoldedInto.Exchange))
		default:
			if fd.Severity.Rank() > worst.Rank() {
				worst = fd.Severity
			}
			h.full(r, f, fd, w)
		}
		x.Findings = append(x.Findings, h)
	}
	if worst != "" {
		x.Class, x.Worst = string(worst), severityWord(w, worst)
	}
	return x
}

// full adds what a finding that stands for itself says beside its first line.
func (h *htmlFinding) full(r *Report, f *FileReport, fd *diagnose.Finding, w lang.Report) {
	h.Spec = join(fd.Rule.Spec)
	h.Note = join(f.standing(fd, w))
	for _, e := range fd.Evidence {
		v := htmlEvidence{Place: string(e.Place), Absent: e.Absent}
		if !e.Absent {
			v.Value = r.value(e)
		}
		h.Evidence = append(h.Evidence, v)
	}
}
