package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/capture/script"
	"a2ascope/diagnose"
	"a2ascope/internal/explain"
	"a2ascope/internal/report"
	"a2ascope/internal/session"
)

type explainFlags struct {
	format, out, lang, rule string
	rules                   ruleFlags
	plain                   bool
}

func explainCommand(env *Env) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain FILE#N | --rule RULE [FILE#N]",
		Short: "Explain one exchange: what it is, its versions, why each finding",
		Long: `explain says what exchange number N of a saved capture is, also where nothing is
wrong with it: the operation and what it is called in every version and binding,
the headers that matter, which version each side speaks and from what that is
told, the same call as the other version would make it, and where the documents of
A2A disagree. Of every finding it says why, what
it rests on, what would refute it, and what to paste.

--rule explains a rule without traffic; with FILE#N only the finding of that rule.
Numbers are those of 'a2ascope check'.`,
		Example: `  a2ascope explain trace.har#3
  a2ascope explain --format markdown trace.pcap#12 > issue.md
  a2ascope explain --rule version-header-missing`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return env.explain(cmd.Context(), &f, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "output: text, jsonl or markdown")
	fl.StringVarP(&f.out, "output", "o", "", "write to this `file`")
	fl.StringVar(&f.rule, "rule", "", "explain this `rule`")
	f.rules.register(cmd)
	fl.StringVar(&f.lang, "lang", "", "language of the texts: en or zh (default: the locale)")
	fl.BoolVar(&f.plain, "no-redact", false, "do not mask tokens, credentials and cookies")
	_ = cmd.RegisterFlagCompletionFunc("format", fixed(report.ExplainFormatNames()...))
	_ = cmd.RegisterFlagCompletionFunc("lang", fixed("en", "zh"))
	return cmd
}

func (e *Env) explain(ctx context.Context, f *explainFlags, args []string) error {
	if len(args) == 0 && f.rule == "" {
		return fmt.Errorf("explain what? Name an exchange, such as trace.har#3, or a rule with --rule")
	}
	if err := report.FindExplainFormat(f.format); err != nil {
		return err
	}
	code, err := e.language(f.lang)
	if err != nil {
		return err
	}
	set, err := f.rules.set()
	if err != nil {
		return err
	}
	var rule *diagnose.Rule
	if f.rule != "" {
		if rule = findRule(set, f.rule); rule == nil {
			return fmt.Errorf("--rule %q: there is no such rule; 'a2ascope rules list' names them", f.rule)
		}
	}
	o := explain.Options{Lang: diagnose.Lang(code), Plain: f.plain, Set: set}
	var list []report.Explained
	if len(args) == 0 {
		list = []report.Explained{{Rule: rule.ID, Severity: string(rule.Severity), Explanation: explain.Rule(rule, o)}}
	} else {
		name, row, err := e.exchange(ctx, set, args[0])
		if err != nil {
			return err
		}
		if list = explainRow(name, row, rule, o); len(list) == 0 {
			return exit{exitInput, fmt.Sprintf("%s: %s found nothing there; without --rule the exchange itself is explained", args[0], rule.ID)}
		}
	}
	var b bytes.Buffer
	if err := report.WriteExplained(&b, f.format, code, list); err != nil {
		return err
	}
	if f.out != "" {
		if err := os.WriteFile(f.out, b.Bytes(), 0o600); err != nil {
			return exit{exitInput, err.Error()}
		}
		return nil
	}
	_, err = e.Stdout.Write(b.Bytes())
	return err
}

// explainRow explains an exchange and its findings, or only the finding of a rule.
func explainRow(name string, row *session.Row, rule *diagnose.Rule, o explain.Options) []report.Explained {
	var list []report.Explained
	if rule == nil {
		list = append(list, report.Explained{File: name, Exchange: row.Number, Explanation: explain.Exchange(row.Call(), row.Version, o)})
	}
	for _, fd := range row.Findings {
		if rule == nil || fd.Rule == rule {
			list = append(list, report.Explained{File: name, Exchange: row.Number, Rule: fd.Rule.ID, Severity: string(fd.Severity),
				Explanation: explain.Finding(fd, row.Call(), o)})
		}
	}
	return list
}

// exchange reads a capture and returns the exchange that FILE#N names.
func (e *Env) exchange(ctx context.Context, set *diagnose.Set, arg string) (file string, row *session.Row, err error) {
	file, _, row, err = e.exchangeAmong(ctx, set, arg)
	return file, row, err
}

// exchangeAmong also returns all exchanges of the capture.
func (e *Env) exchangeAmong(ctx context.Context, set *diagnose.Set, arg string) (file string, all session.Rows, row *session.Row, err error) {
	name, n, err := splitExchange(arg)
	if err != nil {
		return "", all, nil, err
	}
	s := session.New(session.Options{NewEngine: engines(set)})
	if err := s.Run(ctx, e.inputs([]string{name}, script.Options{})); err != nil {
		return "", all, nil, exit{exitInput, "stopped before the file was read"}
	}
	v := s.View()
	if err := v.Files[0].Err; err != nil {
		return "", all, nil, exit{exitInput, err.Error()}
	}
	count := 0
	for i := range v.Rows.Len() {
		r := v.Rows.At(i)
		if !r.HasCall() {
			continue
		}
		if count = max(count, r.Number); r.Number == n {
			return name, v.Rows, r, nil
		}
	}
	if count == 0 {
		return "", all, nil, exit{exitInput, name + " has no HTTP exchange; 'a2ascope check " + name + "' says what is in it"}
	}
	return "", all, nil, exit{exitInput, fmt.Sprintf("%s has no exchange #%d: its numbers are 1 to %d", name, n, count)}
}

// splitExchange reads FILE#N. The name of a file may hold '#' itself.
func splitExchange(arg string) (name string, n int, err error) {
	i := strings.LastIndexByte(arg, '#')
	if i > 0 {
		if n, err := strconv.Atoi(arg[i+1:]); err == nil && n > 0 {
			return arg[:i], n, nil
		}
	}
	return "", 0, fmt.Errorf("%q names no exchange: write FILE#N, such as trace.har#3; 'a2ascope check FILE' shows the numbers (a shell may want quotes around it)", arg)
}
