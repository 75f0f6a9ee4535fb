package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mattn/go-runewidth"

	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/rules"
	"a2ascope/ui"
)

// ruleSet loads the built-in rules and those of folders on top.
func ruleSet(dirs []string) (*diagnose.Set, error) {
	set, errs := diagnose.Load(rules.FS, true)
	for _, dir := range dirs {
		st, err := os.Stat(dir)
		if err != nil {
			return nil, exit{exitInput, fmt.Sprintf("--rules: %s", err)}
		}
		if !st.IsDir() {
			return nil, exit{exitInput, fmt.Sprintf("--rules: %s is a file: name the folder that holds <family>/<rule>.yaml", dir)}
		}
		var more []error
		set, more = diagnose.LoadOnto(set, os.DirFS(dir))
		for _, err := range more {
			errs = append(errs, pointed(dir, err))
		}
	}
	if len(errs) > 0 {
		return nil, exit{exitInput, "the rules could not be loaded:\n" + errors.Join(errs...).Error()}
	}
	return set, nil
}

// pointed adds the line of the file and a caret to a mistake in a rule, as
// compilers do, and names the file so that an editor finds it.
func pointed(dir string, err error) error {
	var re *diagnose.RuleError
	if !errors.As(err, &re) {
		return err
	}
	at := *re
	at.File = filepath.Join(dir, filepath.FromSlash(re.File))
	text, readErr := os.ReadFile(at.File)
	lines := strings.Split(string(text), "\n")
	if readErr != nil || re.Line < 1 || re.Line > len(lines) {
		return &at
	}
	src := []rune(strings.TrimRight(lines[re.Line-1], "\r"))
	before := src[:min(max(re.Col-1, 0), len(src))]
	blank := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	if w := runewidth.StringWidth(string(before)); !strings.Contains(blank, "\t") {
		blank = strings.Repeat(" ", w) // Chinese is two cells wide
	}
	return fmt.Errorf("%w\n    %s\n    %s^", &at, string(src), blank)
}

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
	return row.Call != nil && r.f.Match(row.Call, row.Findings)
}

func compileFilter(expr string) (ui.Filter, error) {
	f, err := diagnose.CompileFilter(expr)
	if err != nil {
		return nil, err
	}
	return rowFilter{f}, nil
}
