package diagnose

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SettingsFile, at the top of a folder of rules, says which rules are off and
// which have another severity:
//
//	disable: [teach/*, error/unexplained-failure]
//	severity: {version/version-header-missing: info}
//
// It may name the rules of its own folder, of those read before it, and the
// built-in ones. What a later folder says of a rule's severity counts; off is
// off.
const SettingsFile = "settings.yaml"

type severitySetting struct {
	severity Severity
	at       string // the place that says so
}

// settings reads the folder's settings. A file with a mistake changes nothing.
func (u *userLoader) settings(fsys fs.FS) {
	text, err := fs.ReadFile(fsys, SettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		u.errs = append(u.errs, unread(SettingsFile, err))
		return
	}
	s := &settingsLoader{set: u.set, at: u.at, off: map[string]string{}, severity: map[string]severitySetting{}}
	s.r = &Rule{src: &ruleSource{file: SettingsFile, lines: strings.Split(string(text), "\n")}}
	s.read(text)
	if len(s.errs) > 0 {
		u.errs = append(u.errs, s.errs...)
		return
	}
	maps.Copy(u.set.off, s.off)
	maps.Copy(u.set.severity, s.severity)
}

type settingsLoader struct {
	loader
	set      *Set
	at       Folder
	off      map[string]string
	severity map[string]severitySetting
}

func (s *settingsLoader) read(text []byte) {
	root := s.document(text, "the settings are one document, and here a second one begins: write all of them into the first")
	if root == nil {
		return
	}
	var later *yaml.Node
	s.fields(root, "settings", func(k, v *yaml.Node) bool {
		switch k.Value {
		case "disable":
			if !empty(v) {
				s.readDisable(v)
			}
		case "severity":
			later = v // it looks at what is disabled, wherever that stands
		default:
			return false
		}
		return true
	}, "disable", "severity")
	if later != nil && !empty(later) {
		s.readSeverity(later)
	}
}

// empty is a value that was left out: every line below the key is a comment.
func empty(v *yaml.Node) bool { return v.Kind == yaml.ScalarNode && v.Tag == "!!null" }

func (s *settingsLoader) place(n *yaml.Node) string {
	return s.at.file(SettingsFile) + ":" + strconv.Itoa(n.Line)
}

func (s *settingsLoader) readDisable(v *yaml.Node) {
	for _, n := range s.seq(v) {
		name := s.str(n)
		family, all := strings.CutSuffix(name, "/*")
		switch {
		case name == "":
		case !all && s.known(name):
			s.off[name] = s.place(n)
		case !all:
			s.errf(n, "there is no rule '%s'%s", name, s.meant(name))
		default:
			some := false
			for _, r := range s.set.rules {
				if r.Family == family {
					s.off[r.ID], some = s.place(n), true
				}
			}
			if !some {
				s.errf(n, "there is no family '%s'%s", family, didYouMean(family, s.families()))
			}
		}
	}
}

func (s *settingsLoader) readSeverity(v *yaml.Node) {
	s.fields(v, "severity", func(k, val *yaml.Node) bool {
		id := k.Value
		switch {
		case strings.HasSuffix(id, "/*"):
			s.errf(k, "a severity is that of one rule: write each of '%s' on a line of its own", id)
		case !s.known(id):
			s.errf(k, "there is no rule '%s'%s", id, s.meant(id))
		case s.off[id] != "":
			s.errf(k, "'%s' is disabled in this file: a severity changes nothing", id)
		case val.Value == "off" || val.Value == "none" || val.Value == "ignore":
			s.errf(val, "'%s' is not a severity (%s): to switch the rule off, name it under 'disable'", val.Value, strings.Join(severityWords, ", "))
		default:
			if w := s.word(val, "a severity", severityWords); w != "" {
				s.severity[id] = severitySetting{Severity(w), s.place(k)}
			}
		}
		return true
	})
}

// known also takes the rule of a file with a mistake: that is reported already.
func (s *settingsLoader) known(id string) bool { return s.set.byID[id] != nil || s.set.faulty[id] }

// meant suggests an id, first of all for one without its family.
func (s *settingsLoader) meant(name string) string {
	for _, r := range s.set.rules {
		if strings.HasSuffix(r.ID, "/"+name) {
			return fmt.Sprintf(" — did you mean '%s'?", r.ID)
		}
	}
	return didYouMean(name, s.set.IDs())
}

func (s *settingsLoader) families() []string {
	var names []string
	for _, r := range s.set.rules {
		if !slices.Contains(names, r.Family) {
			names = append(names, r.Family)
		}
	}
	return names
}

// Disabled returns the place of the settings that switches a rule off, "" while it is on.
func (s *Set) Disabled(id string) string { return s.off[id] }

// Changed returns the severity that the settings give a rule, and their place; "" where they do not.
func (s *Set) Changed(id string) (now Severity, place string) {
	x := s.severity[id]
	return x.severity, x.at
}

// weighed is the severity of a finding after the settings.
func (s *Set) weighed(r *Rule, own Severity) Severity {
	if x, ok := s.severity[r.ID]; ok {
		return x.severity
	}
	return own
}

// judging are the rules that are on, by rank.
func (s *Set) judging() []*Rule {
	if len(s.off) == 0 {
		return s.rules
	}
	return slices.DeleteFunc(slices.Clone(s.rules), func(r *Rule) bool { return s.off[r.ID] != "" })
}

// Changes says in what a set is not the built-in one.
type Changes struct {
	BuiltIn  int      // built-in rules that are there
	Own      int      // rules of users,
	Replaced int      // and how many of them are in the place of a built-in one
	Disabled int      // rules that are off
	Severity int      // rules that are on and have another severity than their own
	Folders  []string // where all this comes from
}

// None reports whether the set is the built-in one.
func (c Changes) None() bool { return c.Own+c.Disabled+c.Severity == 0 }

// Changes counts them.
func (s *Set) Changes() Changes {
	c := Changes{Folders: slices.Clone(s.folders)}
	for _, r := range s.rules {
		if r.Own() {
			c.Own++
		} else {
			c.BuiltIn++
		}
		if r.Replaces {
			c.Replaced++
		}
		switch _, set := s.severity[r.ID]; {
		case s.off[r.ID] != "":
			c.Disabled++
		case set:
			c.Severity++
		}
	}
	return c
}
