package diagnose

import (
	"io/fs"
	"strings"
	"testing"

	"a2ascope/rules"
)

// TestConditionsAreScanned: what is picked out of a file in a hurry is what
// YAML reads there.
func TestConditionsAreScanned(t *testing.T) {
	set, errs := Load(rules.FS, true)
	for _, err := range errs {
		t.Fatal(err)
	}
	scanned := 0
	for _, r := range set.Rules() {
		text, err := fs.ReadFile(rules.FS, r.ID+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		c, ok := scanCondition(string(text))
		if !ok {
			t.Logf("%s is read as YAML", r.ID)
			continue
		}
		scanned++
		for _, p := range [][2]string{{c.when, r.If}, {c.unless, r.Unless}, {c.check, r.Check}} {
			if got, want := oneSpaced(p[0]), oneSpaced(p[1]); got != want {
				t.Errorf("%s: scanned %q, YAML says %q", r.ID, got, want)
			}
		}
	}
	if scanned < 200 {
		t.Errorf("only %d conditions are scanned", scanned)
	}
}

func oneSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }
