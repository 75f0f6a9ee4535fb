package report

import (
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
)

// rulesLine says in what the rules that judged are not the built-in ones; "" where they are.
func (r *Report) rulesLine() string {
	c := r.Options.Rules
	if c.None() {
		return ""
	}
	return lang.RulesWords(string(r.Options.Lang)).Changes(c.BuiltIn, c.Own, c.Replaced, c.Disabled, c.Severity, c.Folders)
}

// partly reports whether rules were left out, so that silence says less than usual.
func (r *Report) partly() bool { return r.Options.Rules.Disabled+len(r.Options.Ignore) > 0 }

// mark says behind a rule that it is a user's, or that its severity was changed.
func (r *Report) mark(f *diagnose.Finding) string {
	was := ""
	if f.Was != "" {
		was = severityWord(lang.ReportWords(string(r.Options.Lang)), f.Was)
	}
	return lang.RulesWords(string(r.Options.Lang)).MarkBehind(f.Rule.Own(), f.Rule.Replaces, was)
}

// origin is where a rule comes from.
func origin(r *diagnose.Rule) string {
	switch {
	case r.Replaces:
		return "override"
	case r.Own():
		return "user"
	}
	return "built-in"
}
