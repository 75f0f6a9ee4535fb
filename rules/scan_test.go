package rules_test

import (
	"io/fs"
	"strings"
	"testing"

	"a2ascope/diagnose"
	"a2ascope/rules"
)

// TestConditionsAreScanned: what is picked out of a file in a hurry is what
// YAML reads there.
func TestConditionsAreScanned(t *testing.T) {
	scanned := 0
	for _, r := range builtIn(t) {
		text, err := fs.ReadFile(rules.FS, r.ID+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		when, unless, check, ok := diagnose.ScanCondition(string(text))
		if !ok {
			t.Logf("%s is read as YAML", r.ID)
			continue
		}
		scanned++
		for _, p := range [][2]string{{when, r.If}, {unless, r.Unless}, {check, r.Check}} {
			if got, want := words(p[0]), words(p[1]); got != want {
				t.Errorf("%s: scanned %q, YAML says %q", r.ID, got, want)
			}
		}
	}
	if scanned < 200 {
		t.Errorf("only %d conditions are scanned", scanned)
	}
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }
