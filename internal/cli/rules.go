package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
)

func rulesCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, show, begin and test rules",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(rulesList(env), rulesShow(env), rulesNew(env), rulesTest(env))
	return cmd
}

func rulesList(env *Env) *cobra.Command {
	var dirs []string
	var code string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every rule with its severity, the table row and the symptom",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			set, err := ruleSet(dirs)
			if err != nil {
				return err
			}
			lang, err := env.language(code)
			if err != nil {
				return err
			}
			for _, r := range set.Rules() {
				row := ""
				if len(r.Table) > 0 {
					row = "row " + strings.Trim(fmt.Sprint(r.Table), "[]")
				}
				fmt.Fprintf(env.Stdout, "%s %s %s %s\n", pad(r.ID, 42), pad(string(r.Severity), 8), pad(row, 10), r.Symptom.In(diagnose.Lang(lang)))
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "add the rules of this `folder` (may be repeated)")
	cmd.Flags().StringVar(&code, "lang", "", "language of the texts: en or zh (default: the locale)")
	return cmd
}

func pad(s string, w int) string { return runewidth.FillRight(s, w) }

func rulesShow(env *Env) *cobra.Command {
	var dirs []string
	var code string
	cmd := &cobra.Command{
		Use:   "show RULE",
		Short: "Show one rule: condition, texts, sources",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := ruleSet(dirs)
			if err != nil {
				return err
			}
			lang, err := env.language(code)
			if err != nil {
				return err
			}
			r := findRule(set, args[0])
			if r == nil {
				return fmt.Errorf("there is no rule %q; 'a2ascope rules list' names them", args[0])
			}
			showRule(env.Stdout, r, diagnose.Lang(lang))
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			set, err := ruleSet(dirs)
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var ids []string
			for _, r := range set.Rules() {
				ids = append(ids, r.ID)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "add the rules of this `folder` (may be repeated)")
	cmd.Flags().StringVar(&code, "lang", "", "language of the texts: en or zh (default: the locale)")
	return cmd
}

func showRule(w io.Writer, r *diagnose.Rule, l diagnose.Lang) {
	section := func(label, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(w, "%s\n  %s\n", label, strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	fmt.Fprintf(w, "%s  (%s, %s)\n", r.ID, r.Severity, r.Blame)
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
	return &cobra.Command{
		Use:   "test DIR",
		Short: "Run the examples beside the rules of a folder",
		Long: `test loads the rules of DIR on top of the built-in ones and runs every example
beside them (<rule>.txtar: hit/<name>.play with .want, miss/<name>.play) through
the whole pipeline with all rules on.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runRulesTest(env, args[0])
		},
	}
}

func runRulesTest(env *Env, dir string) error {
	set, err := ruleSet([]string{dir})
	if err != nil {
		return err
	}
	rep, err := ruletest.Run(set, os.DirFS(dir), ruletest.Options{})
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	for _, f := range rep.Failures {
		fmt.Fprintln(env.Stdout, f)
	}
	fmt.Fprintf(env.Stdout, "%d rules, %d examples, %d failures\n", rep.Rules, rep.Plays, len(rep.Failures))
	if len(rep.Failures) > 0 {
		return exit{code: exitFindings}
	}
	return nil
}
