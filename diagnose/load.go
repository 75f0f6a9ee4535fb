package diagnose

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// RuleError is a mistake in a file of rules, with the place to look at.
type RuleError struct {
	File      string
	Line, Col int // from 1; 0 when it is about the whole file
	Text      string
	Source    string // the line, of files of users
}

func (e *RuleError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Text)
}

// Load reads every rule file (family/slug.yaml) of a tree. Built-in rules are
// held to more (both languages, a rank), but of each only the header is read
// here; the rest is read and compiled when an exchange first needs it, so that
// hundreds of them do not delay the start. Set.Compile reads and checks all of
// it. Rules of users are read and compiled here.
//
// A file with a mistake gives errors and no rule.
func Load(fsys fs.FS, builtIn bool) (*Set, []error) {
	if !builtIn {
		return LoadOnto(&Set{}, fsys, Folder{})
	}
	set := &Set{byID: map[string]*Rule{}}
	var errs []error
	err := walkRules(fsys, func(name string, text []byte, err error) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		r, es := newRule(name, text)
		errs = append(errs, es...)
		if r != nil {
			set.rules = append(set.rules, r)
			set.byID[r.ID] = r
		}
	})
	if err != nil {
		errs = append(errs, fmt.Errorf("read rules: %w", err))
	}
	set.sort()
	return set, append(errs, set.checkRanks()...)
}

// walkRules hands out the rule files of a tree, or why one cannot be used. The
// questions of a review are none; and what begins with a dot is of other
// programs, for a folder of rules is often a repository.
func walkRules(fsys fs.FS, take func(name string, text []byte, err error)) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			take(name, nil, unread(name, err))
			return nil
		case base != "." && strings.HasPrefix(base, "."), name == reviewDir && d.IsDir():
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		switch path.Ext(name) {
		case ".yml":
			take(name, nil, &RuleError{File: name, Text: "a rule file ends in .yaml: rename it"})
		case ".yaml":
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				err = unread(name, err)
			}
			take(name, text, err)
		}
		return nil
	})
}

// unread says why a file cannot be read; its name is said already.
func unread(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &RuleError{File: name, Text: "it cannot be read: " + err.Error()}
}

// Compile reads every rule completely, checks it with cel-go, whatever makes it
// run, and returns what is wrong.
func (s *Set) Compile() []error {
	var errs []error
	for _, r := range s.rules {
		if es := r.open(); len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		errs = append(errs, s.checkReferences(r)...)
		errs = append(errs, r.verify()...)
		r.compile()
	}
	return append(errs, s.checkCycles()...)
}

// newRule reads the header of a built-in rule's file, or all of it where the
// header is not written in the usual way.
func newRule(name string, text []byte) (*Rule, []error) {
	h, ok := scanHeader(string(text))
	if !ok {
		return readRule(name, text, true)
	}
	r := &Rule{ID: strings.TrimSuffix(name, ".yaml"), At: h.at, For: h.kinds, Rank: h.rank, Fallback: h.fallback, builtIn: true, text: text}
	r.Family, _, _ = strings.Cut(r.ID, "/")
	r.src = &ruleSource{file: name}
	if !slices.Contains(families, r.Family) {
		return nil, []error{&RuleError{File: name, Text: fmt.Sprintf("unknown family '%s'%s", r.Family, didYouMean(r.Family, families))}}
	}
	return r, nil
}

// open reads the rest of a built-in rule's file, once.
func (r *Rule) open() []error {
	r.once.Do(func() {
		if r.text == nil {
			return
		}
		full, errs := readRule(r.src.file, r.text, true)
		if r.openErrs = errs; full == nil {
			return
		}
		// At, For, Rank and Fallback stay as they are: others read them already.
		r.If, r.Unless, r.Check, r.Let, r.let = full.If, full.Unless, full.Check, full.Let, full.let
		r.Severity, r.Escalate, r.Blame, r.Sure, r.Table, r.TableIf = full.Severity, full.Escalate, full.Blame, full.Sure, full.Table, full.TableIf
		r.Silences, r.SilencedBy, r.SilencesIf, r.SilencesPeer = full.Silences, full.SilencedBy, full.SilencesIf, full.SilencesPeer
		r.Explains, r.PerPeer, r.Evidence = full.Explains, full.PerPeer, full.Evidence
		r.Symptom, r.Cause, r.Fix, r.Spec, r.Source, r.src = full.Symptom, full.Cause, full.Fix, full.Spec, full.Source, full.src
	})
	return r.openErrs
}

// checkReferences reports silences that name no rule.
func (s *Set) checkReferences(r *Rule) []error {
	var errs []error
	for _, ref := range r.src.refs {
		if (s.byID[ref.id] != nil || s.faulty[ref.id]) && ref.id != r.ID {
			continue
		}
		text := fmt.Sprintf("%s names the unknown rule '%s'%s", ref.key, ref.id, didYouMean(ref.id, s.IDs()))
		if ref.id == r.ID {
			text = ref.key + " names the rule itself"
		}
		errs = append(errs, &RuleError{File: r.src.file, Line: ref.line, Col: ref.col, Text: text})
	}
	return errs
}

// checkRanks reports ranks used twice: the root would depend on chance.
func (s *Set) checkRanks() []error {
	var errs []error
	for i := 1; i < len(s.rules); i++ {
		a, b := s.rules[i-1], s.rules[i]
		if a.Rank == b.Rank {
			errs = append(errs, &RuleError{File: b.src.file, Text: fmt.Sprintf("rank %d is already that of %s", b.Rank, a.ID)})
		}
	}
	return errs
}

// checkCycles reports silences that go round in a circle. A conditional edge
// takes the place of a static edge the other way, so each of them is tried
// alone and all together.
func (s *Set) checkCycles() []error {
	static := map[string][]string{}
	type edge struct{ from, to string }
	var conds []edge
	for _, r := range s.Rules() {
		static[r.ID] = append(static[r.ID], r.Silences...)
		for _, by := range r.SilencedBy {
			static[by] = append(static[by], r.ID)
		}
		for _, c := range r.SilencesIf {
			conds = append(conds, edge{r.ID, c.Rule})
		}
	}
	graph := func(on []edge) func(string) []string {
		return func(id string) []string {
			to := slices.Clone(static[id])
			for _, e := range on {
				to = slices.DeleteFunc(to, func(t string) bool { return id == e.to && t == e.from })
				if e.from == id {
					to = append(to, e.to)
				}
			}
			return to
		}
	}
	tries := [][]edge{nil, conds}
	for _, e := range conds {
		tries = append(tries, []edge{e})
	}
	var errs []error
	var seen []string
	for _, on := range tries {
		cycle := s.findCycle(graph(on))
		if cycle == nil {
			continue
		}
		text := "silences go round in a circle: " + strings.Join(cycle, " → ")
		if slices.Contains(seen, text) {
			continue
		}
		seen = append(seen, text)
		at := s.byID[cycle[0]]
		for _, id := range cycle {
			if r := s.byID[id]; at.builtIn && !r.builtIn {
				at = r // whoever wrote it can open it
			}
		}
		errs = append(errs, &RuleError{File: at.src.file, Text: text})
	}
	return errs
}

// findCycle returns the first circle of the graph, its first rule repeated at the end.
func (s *Set) findCycle(next func(string) []string) []string {
	const walking, done = 1, 2
	mark := map[string]int{}
	var trail, cycle []string
	var walk func(id string) bool
	walk = func(id string) bool {
		mark[id] = walking
		trail = append(trail, id)
		for _, to := range next(id) {
			if s.byID[to] == nil {
				continue
			}
			switch mark[to] {
			case walking:
				cycle = append(slices.Clone(trail[slices.Index(trail, to):]), to)
				return true
			case 0:
				if walk(to) {
					return true
				}
			}
		}
		trail = trail[:len(trail)-1]
		mark[id] = done
		return false
	}
	for _, r := range s.rules {
		if mark[r.ID] == 0 && walk(r.ID) {
			return cycle
		}
	}
	return nil
}
