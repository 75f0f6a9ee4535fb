package ruletest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"a2ascope/decode"
	"a2ascope/diagnose"
)

// Failure is an example that did not come out as it should.
type Failure struct {
	Rule string
	Case string // "hit/no-card", "" for the rule as a whole
	Text string
}

func (f Failure) Error() string {
	if f.Case == "" {
		return fmt.Sprintf("%s: %s", f.Rule, f.Text)
	}
	return fmt.Sprintf("%s, %s: %s", f.Rule, f.Case, f.Text)
}

// Report says what was run.
type Report struct {
	Rules, Plays int
	Failures     []Failure
	Changed      int      // archives rewritten
	Off          []string // rules that were left out because settings switch them off, with the place

	broken map[string]bool // rules that were reported as broken
}

// Options of a run.
type Options struct {
	Only   string                                  // run the examples of rules whose id begins with it
	Rule   string                                  // run the examples of this rule
	Draft  bool                                    // what is still to be written may be missing
	Update func(archive string, text []byte) error // writes want files anew; nil: compare
	Facts  func(text string)                       // gets every fact of every checkpoint; may be nil
}

// Run runs the examples of every rule file of the tree with all rules of the
// set on. Each rule needs at least one hit and one miss.
func Run(set *diagnose.Set, fsys fs.FS, o Options) (*Report, error) {
	rep := &Report{broken: map[string]bool{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		id := strings.TrimSuffix(name, path.Ext(name))
		if !strings.HasPrefix(id, o.Only) || o.Rule != "" && id != o.Rule {
			return nil
		}
		switch path.Ext(name) {
		case ".yaml":
			r := set.Rule(id)
			if r == nil {
				return nil // the loader said why, or these are the settings
			}
			rep.Rules++
			if at := set.Disabled(id); at != "" {
				rep.Off = append(rep.Off, id+": "+at)
				return nil
			}
			if !o.Draft {
				rep.draft(r)
			}
			return rep.rule(set, fsys, id, o)
		case ".txtar":
			if _, err := fs.Stat(fsys, id+".yaml"); err != nil {
				rep.fail(id, "", "there are examples but no rule: "+id+".yaml is missing")
			}
		}
		return nil
	})
	return rep, err
}

func (rep *Report) fail(rule, name, text string) {
	rep.Failures = append(rep.Failures, Failure{rule, name, text})
}

func (rep *Report) rule(set *diagnose.Set, fsys fs.FS, id string, o Options) error {
	text, err := fs.ReadFile(fsys, id+".txtar")
	if err != nil {
		rep.fail(id, "", "no examples: "+id+".txtar with at least one hit/….play and one miss/….play is needed")
		return nil
	}
	a := parseArchive(text)
	kinds := map[string]int{}
	for _, f := range append([]file(nil), a.files...) {
		kind, rest, _ := strings.Cut(f.name, "/")
		base, isPlay := strings.CutSuffix(rest, ".play")
		if wantOf, ok := strings.CutSuffix(f.name, ".want"); ok && a.find(wantOf+".play") != nil {
			continue
		}
		if kind != "hit" && kind != "miss" || !isPlay || base == "" || strings.Contains(base, "/") {
			rep.fail(id, f.name, "an example is named hit/NAME.play or miss/NAME.play, what it should give ….want beside it")
			continue
		}
		kinds[kind]++
		rep.Plays++
		if rest == Placeholder && !o.Draft {
			rep.fail(id, strings.TrimSuffix(f.name, ".play"), "this is no example yet: put traffic there that looks alike and is fine")
			continue
		}
		rep.play(set, id, kind, a, f, o)
	}
	for _, kind := range []string{"hit", "miss"} {
		if kinds[kind] == 0 {
			rep.fail(id, "", fmt.Sprintf("no %s/….play: a rule needs at least one example of each kind", kind))
		}
	}
	if out := a.format(); o.Update != nil && string(out) != string(text) {
		rep.Changed++
		return o.Update(id+".txtar", out)
	}
	return nil
}

// What stands in a rule that was begun by 'rules new', until somebody writes it.
const (
	ToWriteEN   = "To be written"
	ToWriteZH   = "待写"
	Placeholder = "replace-me.play"
)

// draft reports texts that nobody has written yet.
func (rep *Report) draft(r *diagnose.Rule) {
	for _, x := range []struct {
		name string
		text diagnose.Text
	}{{"symptom", r.Symptom}, {"cause", r.Cause}, {"fix.client", r.Fix.Client}, {"fix.server", r.Fix.Server}} {
		if strings.HasPrefix(x.text.EN, ToWriteEN) || strings.HasPrefix(x.text.ZH, ToWriteZH) {
			rep.fail(r.ID, "", x.name+" is still to be written")
		}
	}
}

// play runs one example.
func (rep *Report) play(set *diagnose.Set, id, kind string, a *archive, f file, o Options) {
	name := strings.TrimSuffix(f.name, ".play")
	// Lines before the play are kept as empty lines, so that an error names the
	// line of the archive.
	padded := append([]byte(strings.Repeat("#\n", f.line-1)), f.text...)
	var eo diagnose.Options
	if o.Facts != nil {
		eo.Trace = func(c *decode.Call, at decode.Checkpoint, f *diagnose.Facts) {
			o.Facts(fmt.Sprintf("%s %s, exchange on connection %d, at %s\n%s", id, name, c.Exchange.Conn, at, f))
		}
	}
	got, err := Play(set, id+".txtar", padded, eo)
	if err != nil {
		rep.fail(id, name, err.Error())
		return
	}
	if err := got.Check(); err != nil {
		rep.fail(id, name, err.Error())
	}
	for rule := range got.Stats.Broken {
		if !rep.broken[rule] {
			rep.broken[rule] = true
			rep.fail(rule, "", "its condition could not be evaluated on "+id+" "+name)
		}
	}
	spoke := false
	for _, g := range got.Findings {
		spoke = spoke || g.Rule.ID == id
	}
	if spoke != (kind == "hit") {
		what := map[bool]string{true: "the rule speaks, but this is a miss", false: "the rule does not speak, but this is a hit"}[spoke]
		rep.fail(id, name, what+"; the findings are\n"+indent(got.Want()))
	}
	wantFile := name + ".want"
	if o.Update != nil {
		a.set(wantFile, f.name, []byte(got.Want()))
		return
	}
	want := ""
	if w := a.find(wantFile); w != nil {
		want = strings.ReplaceAll(string(w.text), "\r\n", "\n")
	}
	if want != got.Want() {
		rep.fail(id, name, "the findings are not those of "+wantFile+"\n"+diff(want, got.Want()))
	}
}

func indent(s string) string {
	if s == "" {
		return "    (none)"
	}
	return "    " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n    ")
}

// diff lists the lines that are missing (-) and those that are too many (+).
func diff(want, got string) string {
	count := map[string]int{}
	for l := range strings.Lines(got) {
		count[l]++
	}
	var b strings.Builder
	for l := range strings.Lines(want) {
		if count[l] > 0 {
			count[l]--
			continue
		}
		b.WriteString("    - " + l)
	}
	for l := range strings.Lines(got) {
		if count[l] > 0 {
			count[l]--
			b.WriteString("    + " + l)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
