package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

// The shape that CI servers read: a suite for each file, a case for each
// exchange and each connection that failed.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Rules    *junitRules `xml:"properties>property"`
	Cases    []junitCase `xml:"testcase"`
	Output   *junitText  `xml:"system-out"`
}

// junitRules says in what the rules that judged are not the built-in ones.
type junitRules struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr,omitempty"` // seconds
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Output  *junitText    `xml:"system-out"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

type junitText struct {
	Text string `xml:",cdata"`
}

// textOf is nil for nothing: an element without content says there was output.
func textOf(b *strings.Builder) *junitText {
	if b.Len() == 0 {
		return nil
	}
	return &junitText{b.String()}
}

// writeJUnit fails the case of an exchange whose findings reach Options.FailOn;
// what else was found is its output. A file that cannot be read is an error.
func writeJUnit(w io.Writer, r *Report) error {
	words := lang.ReportWords(string(r.Options.Lang))
	all := junitSuites{Name: "a2ascope"}
	for i := range r.Files {
		s := r.junitFile(&r.Files[i], words)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Report) junitFile(f *FileReport, w lang.Report) junitSuite {
	name := clean(f.Name)
	s := junitSuite{Name: name}
	if line := r.rulesLine(); line != "" {
		s.Rules = &junitRules{"rules", clean(line)}
	}
	if f.Err != nil {
		s.Cases = append(s.Cases, junitCase{Class: name, Name: name, Error: &junitMessage{
			Message: clean(f.Err.Error()), Type: "unreadable", Text: w.Unreadable + ": " + clean(f.Err.Error())}})
		s.Errors++
	}
	var damage strings.Builder
	for _, d := range f.Damage {
		fmt.Fprintf(&damage, "%s (%s): %s\n", w.Damage, d.What, clean(d.Detail))
	}
	s.Output = textOf(&damage)
	for i := range f.Rows {
		c := r.junitRow(f, &f.Rows[i], w)
		c.Class = name
		if c.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	s.Tests = len(s.Cases)
	return s
}

func (r *Report) junitRow(f *FileReport, row *RowReport, w lang.Report) junitCase {
	c := junitCase{Name: row.label(w) + " " + row.story(w)} // no time: a case keeps its name from run to run
	if x := row.Call().Exchange; !x.Ended.IsZero() {
		c.Time = fmt.Sprintf("%.6f", x.Ended.Sub(x.Started).Seconds())
	}
	var failed, passed strings.Builder
	for _, fd := range row.Findings {
		if !fd.Counts() {
			continue
		}
		if at := r.Options.FailOn; at == "" || fd.Severity.Rank() < at.Rank() {
			r.plainFinding(&passed, fd, w)
			continue
		}
		if c.Failure == nil {
			c.Failure = &junitMessage{Message: clean(r.texts(fd).Symptom), Type: fd.Rule.ID}
		}
		r.plainFinding(&failed, fd, w)
	}
	if c.Failure != nil {
		c.Failure.Text = failed.String()
	}
	c.Output = textOf(&passed)
	return c
}

// plainFinding writes a finding as lines, for outputs that hold a text and no form.
func (r *Report) plainFinding(b *strings.Builder, fd *diagnose.Finding, w lang.Report) {
	t := r.texts(fd)
	fmt.Fprintf(b, "%s: %s [%s]%s%s\n", severityWord(w, fd.Severity), clean(t.Symptom), fd.Rule.ID, r.mark(fd), tableText(fd.Table, w))
	for _, part := range []struct{ label, text string }{{w.Why, t.Cause}, {w.FixClient, t.FixClient}, {w.FixServer, t.FixServer}} {
		if part.text != "" {
			fmt.Fprintf(b, "%s: %s\n", part.label, clean(strings.ReplaceAll(strings.TrimSpace(part.text), "\n", " ")))
		}
	}
	for _, e := range fd.Evidence {
		if e.Absent {
			fmt.Fprintf(b, "%s: %s: %s\n", w.Proof, e.Place, w.Absent)
			continue
		}
		fmt.Fprintf(b, "%s: %s\n", w.Proof, placeLine(e.Place, clean(r.value(e))))
	}
	if len(fd.Rule.Spec) > 0 {
		fmt.Fprintf(b, "%s: %s\n", w.Spec, join(fd.Rule.Spec))
	}
}
