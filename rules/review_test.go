package rules_test

import (
	"testing"

	"a2ascope/diagnose"
	"a2ascope/rules"
)

// TestQuestions reads the questions of the review as strictly as rules are read.
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
}
