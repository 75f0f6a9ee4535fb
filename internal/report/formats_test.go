package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
)

// hostile is what a captured value may hold: markup of every output.
const hostile = "<script>alert(1)</script> ]]> \" onload=\"x\" \x1b[31m \u202e | ` {{.}}"

// mixed is a report of an exchange with an error, its consequence and a warning,
// one without findings, and a file that cannot be read.
func mixed(o Options) *Report {
	rule := func(id string, s diagnose.Severity) *diagnose.Rule {
		return &diagnose.Rule{ID: id, Family: "f", Severity: s, Symptom: diagnose.Text{EN: "It says {what}."}, Cause: diagnose.Text{EN: "Why {what}."},
			Fix: diagnose.Fix{Client: diagnose.Text{EN: "Send:\n{what}"}}, Spec: []string{"1.0 §9"}}
	}
	finding := func(id string, s diagnose.Severity) *diagnose.Finding {
		return &diagnose.Finding{Key: diagnose.Key{Rule: id, Exchange: 1, Frame: -1}, Rule: rule(id, s), Severity: s, Blame: diagnose.BlameClient,
			Args: map[string]string{"what": hostile}, Table: []int{4}, Count: 3,
			Evidence: []diagnose.Evidence{{Place: "request/line", Value: hostile}, {Place: "request/header/x", Absent: true}}}
	}
	root := finding("f/root", diagnose.Error)
	root.Root = true
	after := finding("f/after", diagnose.Error)
	after.FollowsFrom = &root.Key
	at := time.Unix(1, 0)
	exchange := func(id capture.ExchangeID) *decode.Call {
		return &decode.Call{Phase: decode.Ended, Exchange: &capture.Exchange{ID: id, Started: at, Ended: at.Add(1500 * time.Millisecond),
			Request: &capture.Head{Method: "POST", Target: "/x", Authority: "agent.example:80"}}}
	}
	return New(&session.View{
		Rows: session.RowsOf([]*session.Row{
			session.Row{Index: 0, Number: 1, Findings: []*diagnose.Finding{root, after, finding("f/beside", diagnose.Warning)}}.With(exchange(1)),
			session.Row{Index: 1, Number: 2}.With(exchange(2)),
		}),
		Files: []session.File{{Name: "a b/<x>.har", Format: "har"}, {Name: "gone.pcap", Err: errors.New("no such file")}},
		Done:  true,
	}, o)
}

func written(t *testing.T, format string, o Options) []byte {
	t.Helper()
	f, err := FindFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, mixed(o)); err != nil {
		t.Fatal(err)
	}
	if format != "sarif" && bytes.ContainsAny(b.Bytes(), "\x1b\u202e") { // SARIF has values as data, too
		t.Errorf("%s: what steers a terminal came through", format)
	}
	return b.Bytes()
}

// TestJUnit: the case of an exchange fails from Options.FailOn on, and only then.
func TestJUnit(t *testing.T) {
	for _, test := range []struct {
		failOn   diagnose.Severity
		failures int
		typ      string
		holds    []string // in the failure
		not      string
	}{
		{diagnose.Error, 1, "f/root", []string{"Why <script>", "]]>", "[f/root]", "request/header/x: not there"}, "[f/beside]"},
		{diagnose.Warning, 1, "f/root", []string{"[f/root]", "[f/beside]"}, "[f/after]"},
		{"", 0, "", nil, ""},
	} {
		var got junitSuites
		if err := xml.Unmarshal(written(t, "junit", Options{FailOn: test.failOn}), &got); err != nil {
			t.Fatal(err)
		}
		if got.Tests != 3 || got.Failures != test.failures || got.Errors != 1 || len(got.Suites) != 2 {
			t.Fatalf("%q: %+v", test.failOn, got)
		}
		c := got.Suites[0].Cases[0]
		if c.Time != "1.500000" || got.Suites[0].Cases[1].Failure != nil || got.Suites[1].Cases[0].Error == nil {
			t.Errorf("%q: %+v", test.failOn, got)
		}
		if test.typ == "" {
			if c.Failure != nil || c.Output == nil || !strings.Contains(c.Output.Text, "[f/root]") {
				t.Errorf("%q: %+v", test.failOn, c)
			}
			continue
		}
		if c.Failure == nil || c.Failure.Type != test.typ || !strings.Contains(c.Failure.Message, "<script>") {
			t.Fatalf("%q: %+v", test.failOn, c.Failure)
		}
		for _, want := range test.holds {
			if !strings.Contains(c.Failure.Text, want) {
				t.Errorf("%q: %q is missing in\n%s", test.failOn, want, c.Failure.Text)
			}
		}
		if strings.Contains(c.Failure.Text, test.not) {
			t.Errorf("%q: %q is there:\n%s", test.failOn, test.not, c.Failure.Text)
		}
	}
}

// TestSARIF: every result leads to its rule and its file; consequences are none.
func TestSARIF(t *testing.T) {
	var got sarifLog
	if err := json.Unmarshal(written(t, "sarif", Options{Version: "1.2.3"}), &got); err != nil {
		t.Fatal(err)
	}
	run := got.Runs[0]
	if got.Version != "2.1.0" || run.Tool.Driver.Version != "1.2.3" || run.Language != "en" || len(run.Results) != 2 || len(run.Artifacts) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, level := range []string{"error", "warning"} {
		r := run.Results[i]
		rule := run.Tool.Driver.Rules[r.RuleIndex]
		if strings.ContainsAny(r.Message.Text, "\x1b\u202e") {
			t.Errorf("what steers a terminal came through: %q", r.Message.Text)
		}
		if r.Level != level || rule.ID != r.RuleID || r.Occurrences != 3 {
			t.Errorf("%+v", r)
		}
		if uri := r.Locations[0].Physical.Artifact.URI; uri != "a%20b/%3Cx%3E.har" {
			t.Errorf("the file is %s", uri)
		}
		if rule.Short.Text != "It says …." {
			t.Errorf("the rule says %q", rule.Short.Text)
		}
	}
	if a, b := run.Results[0].Fingerprints["a2ascope/v1"], run.Results[1].Fingerprints["a2ascope/v1"]; len(a) != 32 || a == b {
		t.Errorf("fingerprints %s, %s", a, b)
	}
	call := run.Invocations[0]
	if call.Successful || len(call.Notifications) != 1 || !strings.Contains(call.Notifications[0].Message.Text, "no such file") {
		t.Errorf("%+v", call)
	}
	if runtime.GOOS != "windows" {
		if uri := fileURI("/tmp/ä b.har"); uri != "file:///tmp/%C3%A4%20b.har" {
			t.Errorf("an absolute path is %s", uri)
		}
	}
}

// TestHTML: one page that says everything, runs nothing and loads nothing.
func TestHTML(t *testing.T) {
	root, err := html.Parse(bytes.NewReader(written(t, "html", Options{Lang: diagnose.ZH})))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	elements := map[string]int{}
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		elements[n.Data]++
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			if n.Data == "html" && a.Val != "zh-CN" {
				t.Errorf("the language is %s", a.Val)
			}
		}
	}
	if elements["script"] > 0 || elements["img"] > 0 || elements["link"] > 0 || elements["details"] != 1 {
		t.Errorf("%v", elements)
	}
	for _, want := range []string{"a b/<x>.har", "Why <script>alert(1)</script> ]]>", "request/header/x", "no such file", "f/after", "f/beside", "{{.}}", "共出现 3 次", "#2"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestFormatNames: a name that is none says which there are.
func TestFormatNames(t *testing.T) {
	if _, err := FindFormat("yaml"); err == nil || !strings.Contains(err.Error(), "junit, sarif, html") {
		t.Error(err)
	}
	if err := FindExplainFormat("sarif"); err == nil || !strings.Contains(err.Error(), "text, jsonl, markdown") {
		t.Error(err)
	}
}
