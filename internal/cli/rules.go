package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/internal/lang"
)

func rulesCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, show, begin and test rules",
		Long: `Beside the built-in rules, every command that judges uses those of your
configuration folder, if it is there, and those of --rules DIR:

  Linux    ~/.config/a2ascope/rules ($XDG_CONFIG_HOME/a2ascope/rules)
  macOS    ~/Library/Application Support/a2ascope/rules
  Windows  %AppData%\a2ascope\rules

A rule with the id of a built-in one takes its place. ` + diagnose.SettingsFile + ` in such a
folder switches rules off and changes severities:

  disable: [teach/*, error/unexplained-failure]
  severity: {version/version-header-missing: info}`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(rulesList(env), rulesShow(env), rulesNew(env), rulesTest(env))
	return cmd
}

func rulesList(env *Env) *cobra.Command {
	var f ruleFlags
	var code string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every rule with its severity, the table row and the symptom",
		Long: `list names every rule with its severity, the row of the failure table and the
symptom. Where the rules are not just the built-in ones, it says of each whether
it is built in, yours, yours in place of a built-in one, switched off, or of
another severity.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			lang, err := env.language(code)
			if err != nil {
				return err
			}
			set, wrong, err := f.load()
			if err != nil {
				return err
			}
			listRules(env.Stdout, set, lang)
			if len(wrong) > 0 {
				return exit{exitUsage, wrong.told("these are not in the list")}
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&code, "lang", "", "language of the texts: en or zh (default: the locale)")
	_ = cmd.RegisterFlagCompletionFunc("lang", fixed("en", "zh"))
	return cmd
}

func listRules(w io.Writer, set *diagnose.Set, code string) {
	words, wide := lang.RulesWords(code), 0
	from := map[*diagnose.Rule]string{}
	if !set.Changes().None() {
		for _, r := range set.Rules() {
			if from[r] = marked(set, r, words); from[r] == "" {
				from[r] = words.BuiltIn
			}
			wide = max(wide, runewidth.StringWidth(from[r])+1)
		}
	}
	for _, r := range set.Rules() {
		severity, row := string(r.Severity), ""
		if now, _ := set.Changed(r.ID); now != "" {
			severity = string(now)
		}
		if set.Disabled(r.ID) != "" {
			severity = words.Off
		}
		if len(r.Table) > 0 {
			row = "row " + strings.Trim(fmt.Sprint(r.Table), "[]")
		}
		fmt.Fprintf(w, "%s %s %s%s %s\n", pad(r.ID, 42), pad(severity, 8), pad(from[r], wide), pad(row, 10), r.Symptom.In(diagnose.Lang(code)))
	}
}

// marked says in what a rule is not a built-in one as it is.
func marked(set *diagnose.Set, r *diagnose.Rule, words lang.Rules) string {
	was := ""
	if now, _ := set.Changed(r.ID); now != "" && now != r.Severity {
		was = string(r.Severity)
	}
	return words.Mark(r.Own(), r.Replaces, was)
}

func pad(s string, w int) string { return runewidth.FillRight(s, w) }

func rulesShow(env *Env) *cobra.Command {
	var f ruleFlags
	var code string
	var source bool
	cmd := &cobra.Command{
		Use:   "show RULE",
		Short: "Show one rule: condition, texts, sources",
		Example: `  a2ascope rules show version-header-missing
  a2ascope rules show --yaml call/method-unknown > my-rules/call/method-unknown.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			code, err := env.language(code)
			if err != nil {
				return err
			}
			// A mistake elsewhere does not matter here. And whoever writes this over
			// the file of a rule has emptied that file before we read it.
			set, wrong, err := f.load()
			if err != nil {
				return err
			}
			r := findRule(set, args[0])
			if r == nil && len(wrong) > 0 {
				return exit{exitUsage, wrong.told("it may be among them")}
			}
			if r == nil {
				return fmt.Errorf("there is no rule %q; 'a2ascope rules list' names them", args[0])
			}
			if source {
				_, err := env.Stdout.Write(r.YAML())
				return err
			}
			showRule(env.Stdout, set, r, code)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			set, _, err := f.load()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return set.IDs(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&code, "lang", "", "language of the texts: en or zh (default: the locale)")
	cmd.Flags().BoolVar(&source, "yaml", false, "print its file, to begin a rule that takes its place")
	_ = cmd.RegisterFlagCompletionFunc("lang", fixed("en", "zh"))
	return cmd
}

func showRule(w io.Writer, set *diagnose.Set, r *diagnose.Rule, code string) {
	words, l := lang.RulesWords(code), diagnose.Lang(code)
	section := func(label, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(w, "%s\n  %s\n", label, strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	severity, note := r.Severity, ""
	if now, at := set.Changed(r.ID); now != "" && now != r.Severity {
		severity, note = now, "  "+fmt.Sprintf(words.WasBy, r.Severity, at)+"\n"
	}
	fmt.Fprintf(w, "%s  (%s, %s)\n%s", r.ID, severity, r.Blame, note)
	if at := set.Disabled(r.ID); at != "" {
		fmt.Fprintf(w, "  %s\n", fmt.Sprintf(words.OffBy, at))
	}
	if m := words.Mark(r.Own(), r.Replaces, ""); m != "" {
		fmt.Fprintf(w, "  %s\n", m)
		section(words.File, filepath.Join(r.Folder, filepath.FromSlash(r.ID)+".yaml"))
	}
	section("symptom", r.Symptom.In(l))
	section("cause", r.Cause.In(l))
	section("fix (client)", r.Fix.Client.In(l))
	section("fix (agent)", r.Fix.Server.In(l))
	section("if", r.If)
	section("check", r.Check)
	section("evidence", strings.Join(r.Evidence, "\n"))
	section("silences", strings.Join(r.Silences, ", "))
	if len(r.Table) > 0 {
		section("failure table", "row "+strings.Trim(fmt.Sprint(r.Table), "[]"))
	}
	section("specification", strings.Join(r.Spec, ", "))
}

func rulesTest(env *Env) *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "test DIR",
		Short: "Run the examples beside the rules of a folder",
		Long: `test loads the rules of DIR on top of the built-in ones and runs every example
beside them (<rule>.txtar: hit/<name>.play with .want, miss/<name>.play) through
the whole pipeline with all rules on. The settings of DIR count; your
configuration folder is left out, so that it says the same for everybody.

Exit codes: 0 all is as it should be, 1 failures, 2 usage or a mistake in a rule.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runRulesTest(env, args[0], update)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "write what the examples give beside them (.want); read it afterwards")
	return cmd
}

func runRulesTest(env *Env, dir string, update bool) error {
	set, err := ruleSet([]string{dir})
	if err != nil {
		return err
	}
	o := ruletest.Options{}
	if update {
		o.Update = wantWriter(dir)
	}
	rep, err := ruletest.Run(set, os.DirFS(dir), o)
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	for _, f := range rep.Failures {
		fmt.Fprintln(env.Stdout, f)
	}
	for _, off := range rep.Off {
		fmt.Fprintf(env.Stdout, "%s: switched off, not tested\n", off)
	}
	fmt.Fprintf(env.Stdout, "%d rules, %d examples, %d failures\n", rep.Rules, rep.Plays, len(rep.Failures))
	if len(rep.Failures) > 0 {
		return exit{code: exitFindings}
	}
	return nil
}

// wantWriter writes archives of examples.
func wantWriter(dir string) func(name string, text []byte) error {
	return func(name string, text []byte) error {
		return os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), text, 0o600)
	}
}
