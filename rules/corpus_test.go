package rules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/rules"
)

// TestCorpus runs the saved captures: whatever real traffic brings, no
// condition ends in an error, every finding can be shown, and every failure is
// explained.
func TestCorpus(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	files, err := filepath.Glob("../samples/captures/*.[hp]*")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	spoke := map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, ".keylog") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			var src capture.Source
			var err error
			if strings.HasSuffix(name, ".har") {
				src, err = har.Open(name)
			} else {
				src, err = pcap.Open(name)
			}
			if err != nil {
				t.Fatal(err)
			}
			o, err := ruletest.Observe(set, src, diagnose.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Check(); err != nil {
				t.Error(err)
			}
			for rule, n := range o.Stats.Broken {
				t.Errorf("%s: its condition could not be evaluated (%d times)", rule, n)
			}
			explained := map[capture.ExchangeID]bool{}
			for _, f := range o.Findings {
				spoke[f.Rule.ID]++
				explained[f.Key.Exchange] = true
				if f.Root && f.FollowsFrom != nil {
					t.Errorf("exchange %d: %s is a root and follows from %s", o.Number[f.Key.Exchange], f.Rule.ID, f.FollowsFrom.Rule)
				}
			}
			for id, c := range o.Calls {
				if c.Protocol == spec.A2A && (c.Kind == spec.KindCall || c.Kind == spec.KindCard || c.Kind == spec.KindPush) &&
					c.Outcome != "" && c.Outcome != spec.OK && !explained[id] {
					t.Errorf("exchange %d: %s %s failed (%s) and nothing says why", o.Number[id], c.Kind, c.Operation, c.Outcome)
				}
			}
		})
	}
	t.Logf("%d of %d rules spoke", len(spoke), len(set.IDs()))
}
