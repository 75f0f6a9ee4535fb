package rules_test

import (
	"os"
	"testing"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/rules"
)

// TestQuestions reads the questions of the review as strictly as rules are read,
// and runs their examples: traffic that passes, fails, and does not show each.
func TestQuestions(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	for _, err := range errs {
		t.Fatal(err)
	}
	q, err := diagnose.LoadQuestions(rules.FS, set)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(q.List("ladder")); n != 6 {
		t.Errorf("the ladder has %d steps, the reference has 6", n)
	}
	rep, err := ruletest.Questions(set, q, os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Failures {
		t.Error(f)
	}
}
