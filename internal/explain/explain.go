package explain

import (
	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/redact"
)

// Options of an explanation.
type Options struct {
	Lang  diagnose.Lang
	Plain bool          // secrets as they are
	Set   *diagnose.Set // the rules that judged; nil: the built-in ones
}

// Explanation is what is said of one thing.
type Explanation struct {
	Title    string
	Sections []Section
}

// Section is a heading and what stands under it.
type Section struct {
	ID    string // stable: what, names, headers, answer, versions, request-1.0, answer-1.0, request-0.3, answer-0.3, card-1.0, card-0.3, documents, why, condition, grade, refute, fix-client, fix-server, rule
	Title string
	Parts []Part
	Spec  []string // sections of the specification
}

// Part is one of a text, a table, a piece of a rule or something to paste.
type Part struct {
	Text  string
	Table *Table
	Code  string // an expression
	Paste string
	Label string // what the paste is; "" where the section says it
}

// Table has rows of as many cells as its head.
type Table struct {
	Head []string
	Rows []Row
}

// Row is a line of a table.
type Row struct {
	Cells []string
	Here  bool         // it is the one that is on the wire
	At    decode.Place // where it stands; "" when nowhere
	Code  string       // stable name of what the row says; "" where there is none
}

// maker makes the sections of one explanation.
type maker struct {
	o Options
	w *lang.Explain
	g *lang.Words
	u lang.Rules
	t *lang.Translate

	mask redact.Style // of what was captured
}

// newMaker begins an explanation of a call; nil where it is of none.
func newMaker(o Options, c *decode.Call) *maker {
	code := string(o.Lang)
	var request *capture.Head
	if c != nil {
		request = c.Exchange.Request
	}
	return &maker{o, lang.ExplainWords(code), lang.Get(code), lang.RulesWords(code), lang.TranslateWords(code), redact.For(request, o.Plain)}
}

func (s *Section) text(text string) {
	if text != "" {
		s.Parts = append(s.Parts, Part{Text: text})
	}
}

func (s *Section) code(text string) {
	if text != "" {
		s.Parts = append(s.Parts, Part{Code: text})
	}
}

func (s *Section) table(t *Table) {
	if len(t.Rows) > 0 {
		s.Parts = append(s.Parts, Part{Table: t})
	}
}

// add puts a section to an explanation, unless it is empty.
func (e *Explanation) add(s Section) {
	if len(s.Parts) > 0 {
		e.Sections = append(e.Sections, s)
	}
}

// value is a captured value as it may be shown.
func (m *maker) value(at decode.Place, v string) string {
	return m.mask.Evidence(string(at), v)
}

func (m *maker) grade(s decode.Sure) string {
	if s == decode.Unsure {
		return m.w.Treatment[""]
	}
	return m.g.Sure(string(s))
}
