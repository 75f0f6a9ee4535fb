package rules_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/rules"
)

var (
	anyHole = regexp.MustCompile(`\{\{?([a-z_][a-z0-9_]*)\}`)
	literal = regexp.MustCompile(`"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`)
	han     = regexp.MustCompile(`\p{Han}`)
	runs    = regexp.MustCompile(`[^\S\n]{2,}`)
	odd     = []struct {
		what string
		is   *regexp.Regexp
		zh   bool // a fault in Chinese only
	}{
		{"two spaces", regexp.MustCompile(`\S {2,}`), false},
		{"a space at the end", regexp.MustCompile(` (\n|$)`), false},
		{"a space at the beginning", regexp.MustCompile(`^ `), false},
		{"a space before a comma or a full stop", regexp.MustCompile(` [,;](\s|$)| \.(\s|$)`), false},
		{"a space next to a full-width mark", regexp.MustCompile(`[，。；：！？、（）“”《》] | [，。；：！？、（）”》]`), true},
	}
)

func texts(r *diagnose.Rule) map[string]diagnose.Text {
	return map[string]diagnose.Text{"symptom": r.Symptom, "cause": r.Cause, "fix.client": r.Fix.Client, "fix.server": r.Fix.Server}
}

func holes(text string) []string {
	var names []string
	for _, m := range anyHole.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[0], "{{") {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// faults says what is wrong with the form of a text.
func faults(text string, zh bool) []string {
	var fs []string
	for _, o := range odd {
		if m := o.is.FindStringIndex(text); m != nil && (zh || !o.zh) {
			fs = append(fs, fmt.Sprintf("%s at %q", o.what, text[max(0, m[0]-20):min(len(text), m[1]+20)]))
		}
	}
	if zh && text != "" && !han.MatchString(text) && !anyHole.MatchString(text) { // holes are seen when they are filled
		fs = append(fs, fmt.Sprintf("no Chinese in %q", text))
	}
	return fs
}

// TestTextsOfRules: both languages tell the same holes, and no text is misspaced.
func TestTextsOfRules(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, r := range set.Rules() {
		for name, text := range texts(r) {
			if en, zh := holes(text.EN), holes(text.ZH); !slices.Equal(en, zh) {
				t.Errorf("%s: %s has the holes %v in English and %v in Chinese", r.ID, name, en, zh)
			}
			for _, f := range faults(text.EN, false) {
				t.Errorf("%s: %s: %s", r.ID, name, f)
			}
			for _, f := range faults(text.ZH, true) {
				t.Errorf("%s: %s: %s", r.ID, name, f)
			}
		}
		for name, expr := range r.Let {
			for _, s := range literal.FindAllString(expr, -1) {
				if strings.Contains(s, "  ") {
					t.Errorf("%s: let %s: two spaces in %s", r.ID, name, s)
				}
			}
		}
	}
}

// TestTextsAsShown: with the holes filled, by every example of every rule, the
// texts are well spaced too, and Chinese is Chinese.
func TestTextsAsShown(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	seen := map[string]bool{}
	for name, play := range plays(t) {
		o, err := ruletest.Play(set, name, play, diagnose.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range o.Findings {
			shown := *f
			shown.Args = maps.Clone(f.Args)
			for k, v := range shown.Args {
				shown.Args[k] = runs.ReplaceAllString(v, " ") // a peer may write what it likes
			}
			for _, l := range []diagnose.Lang{diagnose.EN, diagnose.ZH} {
				s := shown.Texts(l)
				for _, text := range []string{s.Symptom, s.Cause, s.FixClient, s.FixServer} {
					for _, fault := range faults(text, l == diagnose.ZH) {
						if line := f.Rule.ID + ": " + fault; !seen[line] {
							seen[line] = true
							t.Errorf("%s (%s)", line, name)
						}
					}
				}
			}
		}
	}
}

// plays yields the examples of all rules by archive and name.
func plays(t *testing.T) map[string][]byte {
	all := map[string][]byte{}
	files := os.DirFS(".")
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".txtar") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, f := range txtar.Parse(text).Files {
			if strings.HasSuffix(f.Name, ".play") {
				all[name+"/"+f.Name] = f.Data
			}
		}
		return nil
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d plays, %v", len(all), err)
	}
	return all
}

// TestTextsDependOnWhatIsThere: advice fits the agent that was met.
func TestTextsDependOnWhatIsThere(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	all := plays(t)
	for _, tt := range []struct{ rule, play, has, not string }{
		{"stream/stream-rest-line-wrapped", "hit/v10-send", "POST /message:send", "JSONRPC interface"},
		{"stream/stream-rest-line-wrapped", "hit/another-interface", "call its JSONRPC interface", "POST /message:send"},
		{"call/grpc-method-not-served", "hit/left-out", "Implement ListTasks", "Nothing is missing"},
		{"call/grpc-method-not-served", "hit/v03-name-in-v10-package", "Nothing is missing in lf.a2a.v1", "Implement"},
		{"discover/wrong-entry-for-version", "hit/card-not-read", "was not seen reading the card", "took the entry for its position or its url"},
		{"discover/wrong-entry-for-version", "hit/rest", "took the entry for its position or its url", "was not seen reading the card"},
		{"task/push-config-not-found", "hit/internal-grpc", "internal error (gRPC 13)", "it knows the task"},
		{"task/push-config-not-found", "hit/internal-rest", "internal error (HTTP 500)", "it knows the task"},
		{"task/push-config-not-found", "hit/get", "it knows the task", "what an internal error"},
	} {
		name := tt.rule + ".txtar/" + tt.play + ".play"
		o, err := ruletest.Play(set, name, all[name], diagnose.Options{})
		if err != nil || all[name] == nil {
			t.Fatalf("%s: %v", name, err)
		}
		i := slices.IndexFunc(o.Findings, func(f *diagnose.Finding) bool { return f.Rule.ID == tt.rule })
		if i < 0 {
			t.Errorf("%s: the rule does not speak", name)
			continue
		}
		s := o.Findings[i].Texts(diagnose.EN)
		text := strings.Join([]string{s.Symptom, s.Cause, s.FixClient, s.FixServer}, "\n")
		if !strings.Contains(text, tt.has) || strings.Contains(text, tt.not) {
			t.Errorf("%s: want %q and not %q in\n%s", name, tt.has, tt.not, text)
		}
	}
}
