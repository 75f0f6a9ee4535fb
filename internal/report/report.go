package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// Format is one headless output.
type Format struct {
	Name  string
	Write func(w io.Writer, r *Report) error
}

// formats is the one list of outputs.
var formats = []Format{
	{"text", writeText},
	{"jsonl", writeJSONL},
	{"markdown", writeMarkdown},
	{"junit", writeJUnit},
	{"sarif", writeSARIF},
	{"html", writeHTML},
}

// FormatNames lists the outputs in order.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// FindFormat returns the output of a name.
func FindFormat(name string) (Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("there is no format %q: choose one of %s", name, join(FormatNames()))
}

// Options of a report.
type Options struct {
	Lang   diagnose.Lang
	Plain  bool                    // --no-redact
	Only   func(*session.Row) bool // nil: every exchange
	Ignore []string                // rule ids, or their last part
	Review bool                    // --review: all of the review, not just what failed
	Rules  diagnose.Changes        // the rules that judged

	Version string            // of this program
	FailOn  diagnose.Severity // from which on a finding fails a run; "": none does
}

// tag is the language of the texts as documents name it (BCP 47).
func (o Options) tag() string {
	if o.Lang == diagnose.ZH {
		return "zh-CN"
	}
	return "en"
}

// Report is what the formats lay out.
type Report struct {
	Options Options
	Files   []FileReport
	Summary Summary
}

// FileReport is one input.
type FileReport struct {
	session.File
	Rows  []RowReport
	Other []*session.Row // connections without HTTP

	tables []table // of the review
	shown  map[capture.ExchangeID]int

	numbers map[capture.ExchangeID]int
}

// RowReport is an exchange and the findings that the options leave.
type RowReport struct {
	*session.Row
	Findings []*diagnose.Finding
}

// Summary counts findings that count; consequences and repetitions do not.
type Summary struct {
	Files, Exchanges, A2A   int
	Errors, Warnings, Infos int
	TableRows               []int
	Unreadable              int

	worstForgotten diagnose.Severity // of exchanges that are not counted, for the session let go of them
}

// New filters and counts a view.
func New(v *session.View, o Options) *Report {
	r := &Report{Options: o, Files: make([]FileReport, len(v.Files))}
	for i, f := range v.Files {
		r.Files[i].File, r.Files[i].numbers = f, map[capture.ExchangeID]int{}
		if i < len(v.Reviews) {
			r.Files[i].review(v.Reviews[i])
		}
		r.Summary.Files++
		if f.Err != nil {
			r.Summary.Unreadable++
		}
	}
	r.Summary.worstForgotten = v.WorstForgotten
	var table [13]bool
	for i := range v.Rows.Len() {
		row := v.Rows.At(i)
		if row.Forgotten {
			continue
		}
		f := &r.Files[row.File]
		if row.Conn != nil {
			f.Other = append(f.Other, row)
		}
		if !row.HasCall() {
			continue
		}
		f.show(row)
		if o.Only != nil && !o.Only(row) {
			continue
		}
		if row.Conn == nil {
			r.Summary.Exchanges++
		}
		if row.A2A() {
			r.Summary.A2A++
		}
		rr := RowReport{Row: row}
		for _, fd := range row.Findings {
			if ignored(fd.Rule.ID, o.Ignore) {
				continue
			}
			rr.Findings = append(rr.Findings, fd)
			r.Summary.count(fd, &table)
		}
		f.Rows = append(f.Rows, rr)
		if row.Conn == nil {
			f.numbers[row.ID()] = row.Number
		}
	}
	for n, seen := range table {
		if seen {
			r.Summary.TableRows = append(r.Summary.TableRows, n)
		}
	}
	return r
}

func (s *Summary) count(f *diagnose.Finding, table *[13]bool) {
	if !f.Counts() {
		return
	}
	switch f.Severity {
	case diagnose.Error:
		s.Errors++
	case diagnose.Warning:
		s.Warnings++
	case diagnose.Info:
		s.Infos++
	}
	for _, n := range f.Table {
		if n > 0 && n < len(table) {
			table[n] = true
		}
	}
}

func ignored(id string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return s == id || strings.HasSuffix(id, "/"+s)
	})
}

// Reaches reports whether the report holds a finding at or above a severity ("" for never).
func (s Summary) Reaches(at diagnose.Severity) bool {
	if at != "" && s.worstForgotten.Rank() >= at.Rank() {
		return true
	}
	switch at {
	case diagnose.Error:
		return s.Errors > 0
	case diagnose.Warning:
		return s.Errors+s.Warnings > 0
	case diagnose.Info:
		return s.Errors+s.Warnings+s.Infos > 0
	}
	return false
}

// value is what stands at a place, as it may be shown.
func (r *Report) value(e diagnose.Evidence) string { return e.Shown(r.Options.Plain) }

// mask is how secrets of an exchange are shown.
func (r *Report) mask(x *capture.Exchange) redact.Style {
	return redact.For(x.Request, r.Options.Plain)
}

// texts are those of a finding in the report's language.
func (r *Report) texts(fd *diagnose.Finding) diagnose.Texts {
	return fd.TextsFor(r.Options.Lang, r.Options.Plain)
}

// addr prints an address where it is known.
func addr(a fmt.Stringer, ok bool) *string {
	if !ok {
		return nil
	}
	s := a.String()
	return &s
}

// clientOf and serverOf name the two ends; nil when the input does not tell.
func clientOf(l *capture.Link) *string {
	if l == nil {
		return nil
	}
	return addr(l.Client, l.Client.IsValid())
}

func serverOf(x *capture.Exchange) *string {
	switch {
	case x.Link != nil && x.Link.Server.IsValid():
		return addr(x.Link.Server, true)
	case x.Request != nil && x.Request.Authority != "":
		return &x.Request.Authority
	case x.Link != nil && x.Link.ServerName != "":
		return &x.Link.ServerName
	}
	return nil
}

// faultName is the A2A or standard error name of a call, "" when there is none.
func faultName(f *decode.Fault) string {
	switch {
	case f == nil:
		return ""
	case f.A2A != "":
		return f.A2A
	}
	return f.Std
}

// number finds the exchange number of an id within the file; nil when the options left it out.
func (f *FileReport) number(id capture.ExchangeID) *int {
	n, ok := f.numbers[id]
	if !ok {
		return nil
	}
	return &n
}
