package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"a2ascope/diagnose"
	"a2ascope/rules"
)

// ruleFlags say which rules judge beside the built-in ones.
type ruleFlags struct {
	dirs []string
	none bool // --no-user-rules
}

func (f *ruleFlags) register(cmd *cobra.Command) {
	registerRules(cmd, &f.dirs)
	cmd.Flags().BoolVar(&f.none, "no-user-rules", false, "leave out the rules of your configuration folder")
}

// registerRules is for commands that do not read the configuration folder.
func registerRules(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVar(dirs, "rules", nil, "add the rules and settings of this `folder` (may be repeated)")
	_ = cmd.MarkFlagDirname("rules")
}

// userRules is the folder that every command that judges reads; "" where the
// system has none for this user.
func userRules() string {
	dir, err := configDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "rules")
}

// folders are the folders to read, in their order: the user's own, then those
// of --rules. One that is named twice is read once.
func (f ruleFlags) folders() ([]diagnose.Folder, error) {
	var list []diagnose.Folder
	var seen []os.FileInfo
	add := func(dir string) error {
		st, err := os.Stat(dir)
		switch {
		case err != nil:
			return exit{exitUsage, "the rules in " + plainError(dir, err)}
		case !st.IsDir():
			return exit{exitUsage, fmt.Sprintf("%s is a file: rules lie in a folder, as <family>/<rule>.yaml", dir)}
		}
		for _, s := range seen {
			if os.SameFile(s, st) {
				return nil
			}
		}
		seen = append(seen, st)
		list = append(list, diagnose.Folder{Path: filepath.Clean(dir), Name: shortPath(filepath.Clean(dir))})
		return nil
	}
	if own := userRules(); own != "" && !f.none {
		if _, err := os.Stat(own); !errors.Is(err, fs.ErrNotExist) {
			if err := add(own); err != nil {
				return nil, err
			}
		}
	}
	for _, dir := range f.dirs {
		if err := add(dir); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func plainError(name string, err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return name + ": " + err.Error()
}

// shortPath names a folder in reports, which travel: without the name of who is at home there.
func shortPath(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return dir
	}
	rest, ok := strings.CutPrefix(dir, filepath.Clean(home)+string(filepath.Separator))
	if !ok {
		return dir
	}
	return filepath.Join("~", rest)
}

// mistakes are what is wrong with the rules of a user.
type mistakes []error

// maxMistakes bounds what is printed of them: a wrong folder has thousands.
const maxMistakes = 20

func (m mistakes) Error() string {
	var b strings.Builder
	for i, err := range m {
		if i == maxMistakes {
			fmt.Fprintf(&b, "… and %d more\n", len(m)-i)
			break
		}
		fmt.Fprintln(&b, pointed(err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// load reads the built-in rules and what the flags add. Mistakes in files of
// users are returned beside the set: it holds everything else.
func (f ruleFlags) load() (*diagnose.Set, mistakes, error) {
	folders, err := f.folders()
	if err != nil {
		return nil, nil, err
	}
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		return nil, nil, exit{exitInput, "the built-in rules could not be loaded:\n" + errors.Join(errs...).Error()}
	}
	var wrong mistakes
	for _, at := range folders {
		before := len(set.Changes().Folders)
		set, errs = diagnose.LoadOnto(set, os.DirFS(at.Path), at)
		wrong = append(wrong, errs...)
		if len(errs) == 0 && len(set.Changes().Folders) == before && at.Path != userRules() {
			return nil, nil, exit{exitUsage, fmt.Sprintf("there is no rule in %s: name the folder that holds <family>/<rule>.yaml or %s", at.Path, diagnose.SettingsFile)}
		}
	}
	return set, wrong, nil
}

// set reads the rules for a command that reports: a mistake ends it, for a
// report by other rules than those that were wanted would be believed.
func (f ruleFlags) set() (*diagnose.Set, error) {
	set, wrong, err := f.load()
	if err == nil && len(wrong) > 0 {
		err = wrong.refuse()
	}
	if err != nil {
		return nil, err
	}
	return set, nil
}

// refuse is the end of a command that cannot do without the rules.
func (m mistakes) refuse() error {
	return exit{exitUsage, m.told("nothing was judged")}
}

// told says how many there are, what that means, and then each of them.
func (m mistakes) told(so string) string {
	if len(m) == 1 {
		return fmt.Sprintf("1 mistake in your rules; %s\n%s", so, m)
	}
	return fmt.Sprintf("%d mistakes in your rules; %s\n%s", len(m), so, m)
}

// ruleSet loads the built-in rules and those of folders, without the user's own
// folder: lessons and examples do not depend on who runs them.
func ruleSet(dirs []string) (*diagnose.Set, error) {
	return ruleFlags{dirs: dirs, none: true}.set()
}

// pointed adds the line of the file and a caret to a mistake in a rule, as
// compilers do.
func pointed(err error) string {
	var e *diagnose.RuleError
	if !errors.As(err, &e) || e.Line < 1 || e.Source == "" {
		return err.Error()
	}
	src := []rune(strings.Map(visible, e.Source))
	before := src[:min(max(e.Col-1, 0), len(src))]
	blank := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	if w := runewidth.StringWidth(string(before)); !strings.Contains(blank, "\t") {
		blank = strings.Repeat(" ", w) // Chinese is two cells wide
	}
	return fmt.Sprintf("%s\n    %s\n    %s^", e, string(src), blank)
}

// visible keeps a file that somebody else wrote from steering the terminal.
func visible(r rune) rune {
	if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
		return '\uFFFD'
	}
	return r
}
