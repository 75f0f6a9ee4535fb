package rules_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/rules"
)

var (
	update = flag.Bool("update", false, "write the .want files anew")
	only   = flag.String("only", "", "run the examples of rules whose id begins with this")
	facts  = flag.Bool("facts", false, "print the facts of every checkpoint")
)

// TestRules loads and compiles every rule and runs its examples with all rules on.
func TestRules(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	for _, err := range append(errs, set.Compile()...) {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow() // a set with errors is not for judging
	}
	o := ruletest.Options{Only: *only}
	if *update {
		o.Update = func(name string, text []byte) error {
			return os.WriteFile(filepath.FromSlash(name), text, 0o644)
		}
	}
	if *facts {
		o.Facts = func(text string) { t.Log(text) }
	}
	rep, err := ruletest.Run(set, os.DirFS("."), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Failures {
		t.Error(f)
	}
	t.Logf("%d rules, %d plays, %d archives changed", rep.Rules, rep.Plays, rep.Changed)
}
