package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

// The parts of SARIF 2.1.0 (OASIS) that a report fills.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Language    string            `json:"language"`
	Invocations []sarifInvocation `json:"invocations"`
	Artifacts   []sarifArtifact   `json:"artifacts"`
	Results     []sarifResult     `json:"results"`
	More        map[string]any    `json:"properties"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID       string         `json:"id"`
	Short    sarifText      `json:"shortDescription"`
	Full     sarifText      `json:"fullDescription"`
	Help     *sarifText     `json:"help,omitempty"`
	Defaults sarifDefaults  `json:"defaultConfiguration"`
	More     map[string]any `json:"properties"`
}

type sarifDefaults struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool          `json:"executionSuccessful"`
	Notifications []sarifNotice `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotice struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifArtifact struct {
	Location sarifArtifactLocation `json:"location"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Occurrences  int               `json:"occurrenceCount"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	More         map[string]any    `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifactLocation `json:"artifactLocation"`
	Region   *sarifRegion          `json:"region,omitempty"`
}

type sarifArtifactLocation struct {
	URI   string `json:"uri"`
	Index int    `json:"index"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// writeSARIF is for code scanning: the rules that spoke, and a result for each
// finding that counts. Where it stands is the file, and in it the exchange.
func writeSARIF(w io.Writer, r *Report) error {
	p := &sarifPrinter{r: r, w: lang.ReportWords(string(r.Options.Lang)), rules: map[string]int{}}
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "a2ascope", Version: r.Options.Version, Rules: []sarifRule{}}},
		Language:    r.Options.tag(),
		Invocations: []sarifInvocation{{Successful: r.Summary.Unreadable == 0}},
		Artifacts:   []sarifArtifact{}, Results: []sarifResult{},
		More: map[string]any{"rules": r.rules()},
	}
	for i := range r.Files {
		p.file(&run, i)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

type sarifPrinter struct {
	r     *Report
	w     lang.Report
	rules map[string]int // index of a rule by its id
}

func (p *sarifPrinter) file(run *sarifRun, i int) {
	f := &p.r.Files[i]
	here := sarifArtifactLocation{fileURI(f.Name), i}
	run.Artifacts = append(run.Artifacts, sarifArtifact{here})
	notice := func(level, text string) {
		call := &run.Invocations[0]
		call.Notifications = append(call.Notifications, sarifNotice{level, sarifText{text}, []sarifLocation{{Physical: sarifPhysical{Artifact: here}}}})
	}
	if f.Err != nil {
		notice("error", p.w.Unreadable+": "+clean(f.Err.Error()))
	}
	for _, d := range f.Damage {
		notice("warning", fmt.Sprintf("%s (%s): %s", p.w.Damage, d.What, clean(d.Detail)))
	}
	for j := range f.Rows {
		row := &f.Rows[j]
		for _, fd := range row.Findings {
			if fd.Counts() {
				run.Results = append(run.Results, p.result(&run.Tool.Driver, here, row, fd))
			}
		}
	}
}

func (p *sarifPrinter) result(d *sarifDriver, here sarifArtifactLocation, row *RowReport, fd *diagnose.Finding) sarifResult {
	n, met := p.rules[fd.Rule.ID]
	if !met {
		n = len(d.Rules)
		p.rules[fd.Rule.ID] = n
		d.Rules = append(d.Rules, p.rule(fd.Rule))
	}
	var text strings.Builder
	p.r.plainFinding(&text, fd, p.w)
	return sarifResult{
		RuleID: fd.Rule.ID, RuleIndex: n, Level: sarifLevel(fd.Severity),
		Message: sarifText{strings.TrimSuffix(text.String(), "\n")},
		// A capture has no lines; who shows a result beside a file wants one.
		Locations: []sarifLocation{{sarifPhysical{here, &sarifRegion{1}}, []sarifLogical{{
			Name: row.label(p.w), Full: row.label(p.w) + " " + row.story(p.w), Kind: "resource"}}}},
		Occurrences:  max(fd.Count, 1),
		Fingerprints: map[string]string{"a2ascope/v1": fingerprint(row, fd)},
		More: map[string]any{"exchange": row.Number, "root": fd.Root, "blame": string(fd.Blame), "sure": string(fd.Sure),
			"table": orEmpty(fd.Table), "evidence": p.r.evidence(fd), "severity_was": known(string(fd.Was))},
	}
}

func (p *sarifPrinter) rule(r *diagnose.Rule) sarifRule {
	l := p.r.Options.Lang
	s := sarifRule{ID: r.ID, Short: sarifText{diagnose.Unfilled(r.Symptom.In(l))}, Full: sarifText{diagnose.Unfilled(r.Cause.In(l))},
		Defaults: sarifDefaults{sarifLevel(r.Severity)},
		More:     map[string]any{"tags": []string{r.Family}, "spec": orEmpty(r.Spec), "table": orEmpty(r.Table), "origin": origin(r)}}
	var help []string
	for _, fix := range []struct{ label, text string }{{p.w.FixClient, r.Fix.Client.In(l)}, {p.w.FixServer, r.Fix.Server.In(l)}} {
		if fix.text != "" {
			help = append(help, fix.label+": "+diagnose.Unfilled(fix.text))
		}
	}
	if len(help) > 0 {
		s.Help = &sarifText{strings.Join(help, "\n")}
	}
	return s
}

func sarifLevel(s diagnose.Severity) string {
	if s == diagnose.Info {
		return "note"
	}
	return string(s)
}

// fingerprint tells a finding again in the next run: the rule, whom it is
// about, what was called and what was said, without times, ports and numbers.
func fingerprint(row *RowReport, fd *diagnose.Finding) string {
	authority := ""
	if q := row.Call().Exchange.Request; q != nil {
		authority = q.Authority
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{fd.Rule.ID, authority, string(row.Call().Operation), fd.Texts(diagnose.EN).Symptom}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// fileURI is a path as a URI: relative where the path is.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}
