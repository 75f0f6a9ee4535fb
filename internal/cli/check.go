package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/capture/script"
	"a2ascope/diagnose"
	"a2ascope/internal/report"
	"a2ascope/internal/session"
)

type checkFlags struct {
	format, out, failOn, only, lang string
	ignore                          []string
	rules                           ruleFlags
	plain, review                   bool
	memory                          size
}

func checkCommand(env *Env) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Read saved captures and report what is wrong",
		Long: `check reads saved captures (.har, .pcap, .pcapng, each also gzipped; .play; - is
standard input) and reports. A damaged file is read as far as it goes.

Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage or a mistake in
your own rules, 3 a file could not be read at all.`,
		Example: `  a2ascope check trace.pcap
  a2ascope check --format jsonl --fail-on warning *.har > report.jsonl
  a2ascope check --only 'call.binding == "GRPC"' trace.pcapng`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error { return runCheck(cmd, env, &f, names) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "output: "+strings.Join(report.FormatNames(), ", "))
	fl.StringVarP(&f.out, "output", "o", "", "write the report to this `file`")
	fl.StringVar(&f.failOn, "fail-on", "error", "exit with 1 from this severity on: error, warning, info or never")
	fl.StringVar(&f.only, "only", "", "report only the exchanges that this `expression` (or bare words) selects")
	fl.StringArrayVar(&f.ignore, "ignore", nil, "leave out the findings of this `rule` (may be repeated)")
	f.rules.register(cmd)
	fl.StringVar(&f.lang, "lang", "", "language of the texts: en or zh (default: the locale)")
	fl.BoolVar(&f.plain, "no-redact", false, "do not mask tokens, credentials and cookies")
	fl.BoolVar(&f.review, "review", false, "add the whole review: the ladder of each pair, coverage of scenarios, migration")
	f.memory.register(cmd)
	_ = cmd.RegisterFlagCompletionFunc("format", fixed(report.FormatNames()...))
	_ = cmd.RegisterFlagCompletionFunc("fail-on", fixed("error", "warning", "info", "never"))
	_ = cmd.RegisterFlagCompletionFunc("lang", fixed("en", "zh"))
	return cmd
}

func fixed(words ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

func runCheck(cmd *cobra.Command, env *Env, f *checkFlags, names []string) error {
	to, err := env.reporting(f.format, f.failOn, f.lang)
	if err != nil {
		return err
	}
	set, err := f.rules.set()
	if err != nil {
		return err
	}
	if err := knownRules(set, f.ignore); err != nil {
		return err
	}
	opt := to.options(set)
	opt.Plain, opt.Ignore, opt.Review = f.plain, f.ignore, f.review
	if f.only != "" {
		filter, err := diagnose.CompileFilter(f.only)
		if err != nil {
			return fmt.Errorf("--only: %w", err)
		}
		opt.Only = func(r *session.Row) bool { return r.HasCall() && filter.Match(r.Call(), r.Findings) }
	}
	env.garbage(fileGarbage)
	s := session.New(env.bound(session.Options{NewEngine: engines(set, f.ignore...)}, f.memory, false))
	if err := s.Run(cmd.Context(), env.inputs(names, script.Options{})); err != nil {
		return exit{exitInput, "stopped before the report was complete"}
	}
	r := report.New(s.View(), opt)
	if err := writeReport(env.Stdout, f.out, to.format, r); err != nil {
		return exit{exitInput, err.Error()}
	}
	for i := range r.Files {
		if err := r.Files[i].Err; err != nil {
			fmt.Fprintf(env.Stderr, "a2ascope: %s\n", err)
		}
	}
	switch {
	case r.Summary.Unreadable > 0:
		return exit{code: exitInput}
	case r.Summary.Reaches(to.failOn):
		return exit{code: exitFindings}
	}
	return nil
}

// reporting is what the flags of every reporting command come to.
type reporting struct {
	format report.Format
	failOn diagnose.Severity
	lang   string
}

func (e *Env) reporting(format, failOn, lang string) (r reporting, err error) {
	if r.format, err = report.FindFormat(format); err != nil {
		return r, err
	}
	if r.failOn, err = severityFlag(failOn); err != nil {
		return r, err
	}
	r.lang, err = e.language(lang)
	return r, err
}

// options are those that do not depend on further flags.
func (r reporting) options(set *diagnose.Set) report.Options {
	return report.Options{Lang: diagnose.Lang(r.lang), Rules: set.Changes(), Version: Version, FailOn: r.failOn}
}

// writeReport writes to the file only when the report is whole, so that a failed run leaves no half report.
func writeReport(stdout io.Writer, file string, format report.Format, r *report.Report) error {
	if file == "" {
		return format.Write(stdout, r)
	}
	var b bytes.Buffer
	if err := format.Write(&b, r); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

func severityFlag(s string) (diagnose.Severity, error) {
	switch s {
	case "error", "warning", "info":
		return diagnose.Severity(s), nil
	case "never":
		return "", nil
	}
	return "", fmt.Errorf("--fail-on %q: choose error, warning, info or never", s)
}
