package cli

import (
	"fmt"
	"strings"
	"sync"

	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/rules"
	"a2ascope/ui"
)

// engines makes one engine for each input. The questions of the review are read
// while the inputs are opened; they ask nothing of the rules in ignore.
func engines(set *diagnose.Set, ignore ...string) func() session.Engine {
	ask := sync.OnceValue(func() *diagnose.Questions {
		q, err := diagnose.LoadQuestions(rules.FS, set)
		if err != nil {
			panic(err) // the questions are built in, and a test reads them
		}
		return q.Without(ignore...)
	})
	go ask()
	return func() session.Engine { return diagnose.NewEngine(set, diagnose.Options{Questions: ask()}) }
}

// knownRules refuses an --ignore that names nothing: a typo would silently ignore nothing.
func knownRules(set *diagnose.Set, names []string) error {
	for _, n := range names {
		if findRule(set, n) == nil {
			return fmt.Errorf("--ignore %q: there is no such rule; 'a2ascope rules list' names them", n)
		}
	}
	return nil
}

// findRule finds a rule by its id or the last part of it.
func findRule(set *diagnose.Set, name string) *diagnose.Rule {
	for _, r := range set.Rules() {
		if r.ID == name || strings.HasSuffix(r.ID, "/"+name) {
			return r
		}
	}
	return nil
}

// rowFilter lets the screen and --only use the language of the rules on rows.
type rowFilter struct{ f *diagnose.Filter }

func (r rowFilter) Match(row *session.Row) bool {
	return row.HasCall() && r.f.Match(row.Call(), row.Findings)
}

func compileFilter(expr string) (ui.Filter, error) {
	f, err := diagnose.CompileFilter(expr)
	if err != nil {
		return nil, err
	}
	return rowFilter{f}, nil
}
