package rules_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"a2ascope/diagnose"
	"a2ascope/rules"
)

// document is a reference document and its rows, from sources.yaml.
type document struct {
	ID    string
	Title struct{ EN, ZH string }
	Rows  []struct{ Code, EN, ZH string }
}

func documents(t *testing.T) []document {
	t.Helper()
	text, err := os.ReadFile("sources.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var docs []document
	if err := yaml.Unmarshal(text, &docs); err != nil {
		t.Fatal(err)
	}
	return docs
}

func builtIn(t *testing.T) []*diagnose.Rule {
	t.Helper()
	set, errs := diagnose.Load(rules.FS, true)
	for _, err := range errs {
		t.Fatal(err)
	}
	return set.Rules()
}

// TestSources: every row of the documents has a rule, and every code that a
// rule names is a row.
func TestSources(t *testing.T) {
	known := map[string]int{}
	for _, d := range documents(t) {
		for _, r := range d.Rows {
			if r.EN == "" || r.ZH == "" {
				t.Errorf("sources.yaml: %s has no en or no zh", r.Code)
			}
			known[r.Code] = 0
		}
	}
	for _, r := range builtIn(t) {
		codes := strings.Fields(r.Source)
		if len(codes) == 0 {
			t.Errorf("%s names no source", r.ID)
		}
		for _, c := range codes {
			if _, ok := known[c]; !ok {
				t.Errorf("%s: source %s is no row of sources.yaml", r.ID, c)
			}
			known[c]++
		}
	}
	for _, d := range documents(t) {
		for _, r := range d.Rows {
			if known[r.Code] == 0 {
				t.Errorf("no rule for %s (%s, %s)", r.Code, d.Title.EN, r.EN)
			}
		}
	}
}

// TestDoc holds docs/RULES.md and docs/RULES.zh.md against the rules.
func TestDoc(t *testing.T) {
	for lang, name := range map[diagnose.Lang]string{diagnose.EN: "../docs/RULES.md", diagnose.ZH: "../docs/RULES.zh.md"} {
		want := rulesDoc(documents(t), builtIn(t), lang)
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is out of date: go test ./rules -run TestDoc -update", name)
		}
	}
}

var hole = regexp.MustCompile(`\{+([a-z_]+)\}+`)

// rulesDoc writes the reference of all rules in one language.
func rulesDoc(docs []document, all []*diagnose.Rule, l diagnose.Lang) string {
	say := func(en, zh string) string { return diagnose.Text{EN: en, ZH: zh}.In(l) }
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", say("The rules", "规则"))
	fmt.Fprintf(&b, "<!-- %s -->\n\n", "generated: go test ./rules -run TestDoc -update")
	b.WriteString(say(
		"What a2ascope can find, by family, in the order in which rules are judged and a root cause is chosen. "+
			"‹words› are taken from the traffic. Each rule links to its file: condition, cause, fix and examples beside it. [中文](RULES.zh.md)\n",
		"a2ascope 能发现的问题，按类别排列，也是规则判定和选取根因的顺序。‹…› 取自流量。每条规则链接到它的文件：条件、原因、修复方法，旁边是示例。[English](RULES.md)\n"))
	fmt.Fprintf(&b, "\n%s\n", fmt.Sprintf(say("%d rules.", "共 %d 条规则。"), len(all)))
	family := ""
	for _, r := range all {
		if r.Family != family {
			family = r.Family
			fmt.Fprintf(&b, "\n## %s\n\n%s\n|---|---|---|---|---|\n", family, say(
				"| rule | severity | who changes | what it says | specification |",
				"| 规则 | 级别 | 由谁修改 | 提示 | 规范 |"))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", link(r), severities(r), r.Blame, cell(r.Symptom.In(l)), strings.Join(r.Spec, ", "))
	}
	fmt.Fprintf(&b, "\n## %s\n", say("Where they come from", "出处"))
	for _, d := range docs {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n|---|---|---|\n", diagnose.Text(d.Title).In(l), say("| code | row | rules |", "| 代码 | 条目 | 规则 |"))
		for _, row := range d.Rows {
			var links []string
			for _, r := range all {
				if slices.Contains(strings.Fields(r.Source), row.Code) {
					links = append(links, link(r))
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", row.Code, diagnose.Text{EN: row.EN, ZH: row.ZH}.In(l), strings.Join(links, ", "))
		}
	}
	return b.String()
}

func link(r *diagnose.Rule) string {
	_, slug, _ := strings.Cut(r.ID, "/")
	return fmt.Sprintf("[%s](../rules/%s.yaml)", slug, r.ID)
}

// severities are the one of a rule and those it may rise to.
func severities(r *diagnose.Rule) string {
	out := []string{string(r.Severity)}
	for _, e := range r.Escalate {
		if e.Severity != "" && !slices.Contains(out, string(e.Severity)) {
			out = append(out, string(e.Severity))
		}
	}
	return strings.Join(out, " → ")
}

// cell is a text as one cell of a table, with its holes marked.
func cell(s string) string {
	s = hole.ReplaceAllStringFunc(s, func(h string) string {
		if strings.HasPrefix(h, "{{") {
			return strings.Trim(h, "{}")
		}
		return "‹" + strings.Trim(h, "{}") + "›"
	})
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s)
}
