package diagnose

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// rulesOf makes a folder of rules: by file, what replaces "rank: 90" in the good rule.
func rulesOf(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, more := range files {
		text := more
		if name != SettingsFile {
			text = strings.Replace(good, "rank: 90", more, 1)
		}
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

// builtIns are three rules: a silences b.
func builtIns(t *testing.T) *Set {
	t.Helper()
	set, errs := Load(rulesOf(map[string]string{"call/a.yaml": "rank: 1\nsilences: [call/b]", "call/b.yaml": "rank: 2", "error/c.yaml": "rank: 3"}), true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return set
}

func TestUserRuleReplacesABuiltIn(t *testing.T) {
	base := builtIns(t)
	set, errs := LoadOnto(base, rulesOf(map[string]string{"call/b.yaml": ""}), Folder{Path: "my", Name: "~/my"})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := set.Rule("call/b")
	if !r.Own() || !r.Replaces || r.Rank != 2 || r.Folder != "my" || len(set.Rules()) != 3 || set.rules[1] != r {
		t.Errorf("%+v, %v", r, set.IDs())
	}
	if base.Rule("call/b").Own() {
		t.Error("the base was changed")
	}
	if c := set.Changes(); c.None() || fmt.Sprint(c) != "{2 1 1 0 0 [~/my]}" {
		t.Errorf("%+v", c)
	}
	// Where a mistake takes it out again, the built-in one is back.
	for what, more := range map[string]string{"reference": "silences: [call/nope]", "circle": "silences: [call/a]", "condition": "unless: call.nope", "key": "nope: 1"} {
		set, errs := LoadOnto(base, rulesOf(map[string]string{"call/b.yaml": more}), Folder{Path: "my"})
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), filepath.Join("my", "call", "b.yaml")+":") {
			t.Errorf("%s: %v", what, errs)
		}
		if r := set.Rule("call/b"); r == nil || r.Own() || len(set.rules) != 3 || set.rules[1] != r {
			t.Errorf("%s: the built-in rule is not back: %v", what, set.IDs())
		}
	}
}

func TestTwoUserRulesOfOneName(t *testing.T) {
	set, errs := LoadOnto(builtIns(t), rulesOf(map[string]string{"call/x.yaml": ""}), Folder{Path: "one"})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	_, errs = LoadOnto(set, rulesOf(map[string]string{"call/x.yaml": ""}), Folder{Path: "two"})
	want := fmt.Sprintf("%s: there are two rules 'call/x' of yours, this one and %s: rename or delete one of them",
		filepath.Join("two", "call", "x.yaml"), filepath.Join("one", "call", "x.yaml"))
	if len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("%v", errs)
	}
}

// TestUserMistakes: all of them at once, each with its line; who only names a
// rule with a mistake has none himself.
func TestUserMistakes(t *testing.T) {
	fs := rulesOf(map[string]string{"my/a.yaml": "rnk: 7", "my/b.yaml": "silences: [my/a]", "my/c.yaml": "unless: call.okay", SettingsFile: "disable: [my/a]\n"})
	fs[".github/workflows/ci.yaml"] = &fstest.MapFile{Data: []byte("on: push\n")}
	set, errs := LoadOnto(builtIns(t), fs, Folder{})
	if len(errs) != 2 {
		t.Fatalf("%v", errs)
	}
	for i, want := range []struct{ text, source string }{
		{"my/a.yaml:19:1: unknown key 'rnk' — did you mean 'rank'?", "rnk: 7"},
		{"my/c.yaml:19:14: undefined field 'okay'", "unless: call.okay"},
	} {
		var re *RuleError
		if !errors.As(errs[i], &re) || !strings.HasPrefix(filepath.ToSlash(re.Error()), want.text) || re.Source != want.source {
			t.Errorf("%q, source %q", errs[i], re.Source)
		}
	}
	if got := fmt.Sprint(set.IDs()); got != "[call/a call/b error/c my/b]" {
		t.Errorf("left are %s", got)
	}
}

func TestSettings(t *testing.T) {
	set, errs := LoadOnto(builtIns(t), rulesOf(map[string]string{
		"my/x.yaml":  "silences: [call/b]",
		SettingsFile: "severity:\n  error/c: info\n  my/x: warning\ndisable:\n  - call/*\n",
	}), Folder{Path: "my"})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if at := set.Disabled("call/b"); at != filepath.Join("my", "settings.yaml")+":5" || set.Disabled("error/c") != "" {
		t.Errorf("call/b is off by %q", at)
	}
	if now, at := set.Changed("error/c"); now != Info || at != filepath.Join("my", "settings.yaml")+":2" {
		t.Errorf("error/c is %q by %q", now, at)
	}
	if c := set.Changes(); fmt.Sprint(c) != "{3 1 0 2 2 [my]}" {
		t.Errorf("%+v", c)
	}
	// A folder on top adds to it, and its severities count.
	set, errs = LoadOnto(set, rulesOf(map[string]string{SettingsFile: "severity: {error/c: error, my/x: info}"}), Folder{Path: "top"})
	if now, _ := set.Changed("error/c"); len(errs) > 0 || now != Error || set.Disabled("call/a") == "" {
		t.Errorf("%v, error/c is %q", errs, now)
	}
	for _, nothing := range []string{"", "# nothing yet\n", "---\n", "disable:\n  # - call/a\nseverity:\n"} {
		set, errs := LoadOnto(builtIns(t), rulesOf(map[string]string{SettingsFile: nothing}), Folder{Path: "my"})
		if len(errs) > 0 || !set.Changes().None() {
			t.Errorf("%q: %v", nothing, errs)
		}
	}
}

func TestSettingsMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"disabel: [call/a]":                                    "settings.yaml:1:1: unknown key 'disabel' in 'settings' — did you mean 'disable'?",
		"disable: [call/a, eror/c]":                            "settings.yaml:1:19: there is no rule 'eror/c' — did you mean 'error/c'?",
		"disable: [b]":                                         "settings.yaml:1:11: there is no rule 'b' — did you mean 'call/b'?",
		"disable: [eror/*]":                                    "settings.yaml:1:11: there is no family 'eror' — did you mean 'error'?",
		"disable: call/a":                                      "settings.yaml:1:10: a list is expected here: [a, b]",
		"severity: {call/a: fatal}":                            "settings.yaml:1:20: 'fatal' is not a severity (error, warning, info)",
		"severity: {call/a: warn}":                             "settings.yaml:1:20: 'warn' is not a severity (error, warning, info)",
		"severity: {call/a: off}":                              "settings.yaml:1:20: 'off' is not a severity (error, warning, info): to switch the rule off, name it under 'disable'",
		"severity: {call/aa: info}":                            "settings.yaml:1:12: there is no rule 'call/aa' — did you mean 'call/a'?",
		"severity: {call/*: info}":                             "settings.yaml:1:12: a severity is that of one rule: write each of 'call/*' on a line of its own",
		"severity: {call/a: info, call/a: error}":              "settings.yaml:1:26: key 'call/a' is there twice",
		"severity: [call/a]":                                   "settings.yaml:1:11: 'severity' is a list of 'key: value', not a list",
		"severity:\n  call/a: info\ndisable:\n  - call/*\n":    "settings.yaml:2:3: 'call/a' is disabled in this file: a severity changes nothing",
		"- call/a":                                             "settings.yaml:1:1: 'settings' is a list of 'key: value', not a list",
		"disable: [call/a]\n---\nseverity: {error/c: info}":    "settings.yaml:3:1: the settings are one document, and here a second one begins: write all of them into the first",
		"disable: [call/a":                                     "settings.yaml:",
		"disable: [error/c]\nseverity:\n  call/a: {x: info}\n": "settings.yaml:3:11: one word or sentence is expected here, not a mapping",
	} {
		set, errs := LoadOnto(builtIns(t), rulesOf(map[string]string{SettingsFile: text}), Folder{})
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) {
			t.Errorf("%q\ngot  %v\nwant %s", text, errs, want)
		}
		if !set.Changes().None() {
			t.Errorf("%q: a file with a mistake changes the set: %+v", text, set.Changes())
		}
	}
}
