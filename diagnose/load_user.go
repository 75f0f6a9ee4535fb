package diagnose

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is a folder of a user's rules.
type Folder struct {
	Path string // files are named below it in errors; "" names them alone
	Name string // as reports name it; "": Path
}

func (f Folder) name() string {
	if f.Name != "" {
		return f.Name
	}
	return f.Path
}

// file is the path of a file in the folder, as the system writes it.
func (f Folder) file(name string) string {
	return filepath.Join(f.Path, filepath.FromSlash(name))
}

// LoadOnto reads a user's rules, and his settings of rules, on top of a set.
// They may refer to its rules, and one with the id of a built-in rule takes its
// place. The base stays as it is.
//
// A file with a mistake gives errors and nothing else: its rule is not in the
// set, and what it would have replaced still is. So the set can be used while
// the mistakes are shown.
func LoadOnto(base *Set, fsys fs.FS, at Folder) (*Set, []error) {
	u := &userLoader{base: base, set: base.clone(), at: at}
	u.read(fsys)
	u.check()
	u.settings(fsys)
	for i, err := range u.errs {
		var re *RuleError
		if errors.As(err, &re) {
			u.errs[i] = u.placed(fsys, re)
		}
	}
	if u.found && at.name() != "" {
		u.set.folders = append(u.set.folders, at.name())
	}
	return u.set, u.errs
}

// clone copies a set; the rules are shared.
func (s *Set) clone() *Set {
	n := &Set{rules: slices.Clone(s.rules), byID: map[string]*Rule{}, folders: slices.Clone(s.folders),
		off: map[string]string{}, severity: map[string]severitySetting{}, faulty: map[string]bool{}}
	maps.Copy(n.byID, s.byID)
	maps.Copy(n.off, s.off)
	maps.Copy(n.severity, s.severity)
	maps.Copy(n.faulty, s.faulty)
	return n
}

// userLoader reads one folder.
type userLoader struct {
	base, set *Set
	at        Folder
	added     []*Rule
	errs      []error
	found     bool
}

func (u *userLoader) read(fsys fs.FS) {
	err := walkRules(fsys, func(name string, text []byte, err error) {
		u.found = true
		if name == SettingsFile {
			return
		}
		id := strings.TrimSuffix(name, ".yaml")
		if err != nil {
			u.fail(id, err)
			return
		}
		r, errs := readRule(name, text, false)
		if r == nil {
			u.fail(id, errs...)
			return
		}
		u.add(r)
	})
	if err != nil {
		u.errs = append(u.errs, fmt.Errorf("read rules: %w", err))
	}
	u.set.sort()
}

func (u *userLoader) fail(id string, errs ...error) {
	u.set.faulty[id] = true
	u.errs = append(u.errs, errs...)
}

// add puts a rule into the set, in the place of a built-in one of its id.
func (u *userLoader) add(r *Rule) {
	if r.Folder = u.at.Path; r.Folder == "" {
		r.Folder = "."
	}
	if old := u.set.byID[r.ID]; old != nil {
		if old.Own() {
			u.fail(r.ID, &RuleError{File: r.src.file, Text: fmt.Sprintf("there are two rules '%s' of yours, this one and %s: rename or delete one of them",
				r.ID, Folder{Path: old.Folder}.file(old.src.file))})
			return
		}
		r.Replaces = true
		if r.Rank == 0 {
			r.Rank = old.Rank
		}
		u.set.rules = slices.DeleteFunc(u.set.rules, func(x *Rule) bool { return x == old })
	}
	if r.Rank == 0 {
		r.Rank = userRank + len(u.set.rules)
	}
	u.set.rules = append(u.set.rules, r)
	u.set.byID[r.ID] = r
	u.added = append(u.added, r)
}

// check checks what was added, and takes out what has a mistake.
func (u *userLoader) check() {
	edges := false
	for _, r := range u.added {
		errs := append(u.set.checkReferences(r), r.compile()...)
		if len(errs) > 0 {
			u.drop(r, errs...)
			continue
		}
		edges = edges || len(r.Silences)+len(r.SilencedBy)+len(r.SilencesIf) > 0
	}
	for edges { // without new edges there is no new circle, and looking for one reads every rule
		errs := u.set.checkCycles()
		if edges = len(errs) > 0; !edges {
			return
		}
		var re *RuleError
		errors.As(errs[0], &re)
		r := u.set.byID[strings.TrimSuffix(re.File, ".yaml")]
		if !slices.Contains(u.added, r) { // it is in the base, which is somebody else's
			u.errs = append(u.errs, errs...)
			return
		}
		u.drop(r, errs[0])
	}
}

// drop takes a rule out again, and puts back what it replaced.
func (u *userLoader) drop(r *Rule, errs ...error) {
	u.fail(r.ID, errs...)
	u.set.rules = slices.DeleteFunc(u.set.rules, func(x *Rule) bool { return x == r })
	delete(u.set.byID, r.ID)
	if old := u.base.byID[r.ID]; old != nil {
		u.set.rules = append(u.set.rules, old)
		u.set.byID[r.ID] = old
		u.set.sort()
	}
}

// placed names the file of a mistake by its path, and adds the line.
func (u *userLoader) placed(fsys fs.FS, e *RuleError) *RuleError {
	n := *e
	if text, err := fs.ReadFile(fsys, e.File); err == nil {
		if lines := strings.Split(string(text), "\n"); e.Line >= 1 && e.Line <= len(lines) {
			n.Source = strings.TrimRight(lines[e.Line-1], "\r")
		}
	}
	n.File = u.at.file(e.File)
	return &n
}
