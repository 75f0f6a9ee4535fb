package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/capture/script"
	"a2ascope/diagnose"
	"a2ascope/internal/save"
	"a2ascope/internal/session"
)

type exportFlags struct {
	filter       string
	rules        ruleFlags
	lang         string
	plain, force bool
}

func exportCommand(env *Env) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export IN OUT",
		Short: "Write a saved capture as HAR or pcapng, masked or cut",
		Long: `export reads a saved capture (- is standard input) and writes it as HAR (OUT.har)
or as packets (OUT.pcapng), secrets masked. What was found is in the file: the
member _a2ascope of an entry, comments of packets.

Packets are made of the messages that were read. With --no-redact and without
--filter, a capture of packets keeps the bytes as they were.`,
		Example: `  a2ascope export trace.pcap trace.har
  a2ascope export trace.har trace.pcapng
  a2ascope export --filter 'severity == "error"' trace.pcapng failures.har`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return env.export(cmd.Context(), &f, args[0], args[1]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.filter, "filter", "", "only the exchanges that this `expression` (or bare words) selects")
	f.rules.register(cmd)
	fl.BoolVar(&f.plain, "no-redact", false, "do not mask tokens, credentials and cookies")
	fl.BoolVar(&f.force, "force", false, "replace OUT if it is there")
	fl.StringVar(&f.lang, "lang", "", "language of the texts: en or zh (default: the locale)")
	_ = cmd.RegisterFlagCompletionFunc("lang", fixed("en", "zh"))
	return cmd
}

func (e *Env) export(ctx context.Context, f *exportFlags, in, out string) error {
	code, err := e.language(f.lang)
	if err != nil {
		return err
	}
	set, err := f.rules.set()
	if err != nil {
		return err
	}
	o := save.Options{Version: Version, Plain: f.plain, Replace: f.force}
	if f.filter != "" {
		filter, err := diagnose.CompileFilter(f.filter)
		if err != nil {
			return fmt.Errorf("--filter: %w", err)
		}
		o.Only = func(r *session.Row) bool { return r.HasCall() && filter.Match(r.Call(), r.Findings) }
	}
	if err := save.Known(out); err != nil {
		return err
	}
	if err := save.Check(out, f.force); err != nil {
		return exit{exitInput, err.Error()}
	}
	k := &keeper{to: e.Stderr, code: code, plain: f.plain}
	input := e.inputs([]string{in}, script.Options{})[0]
	src, err := input.Open()
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	_, packets := src.(*pcap.Source)
	var rec *save.Recording
	if packets && f.plain && f.filter == "" && strings.EqualFold(filepath.Ext(out), ".pcapng") {
		o.Whole = true
		if rec, err = save.Record(out, o); err != nil {
			return exit{exitInput, err.Error()}
		}
		src = rec.Source(src)
	}
	input.Open = func() (capture.Source, error) { return src, nil }
	s := session.New(session.Options{NewEngine: engines(set)})
	err = s.Run(ctx, []session.Input{input})
	v := s.View()
	file := &v.Files[0]
	switch {
	case err != nil:
		err = exit{exitInput, "stopped before the file was complete"}
	case file.Err != nil:
		err = exit{exitInput, file.Err.Error()}
	}
	if err != nil {
		if rec != nil {
			rec.Drop()
		}
		return err
	}
	for _, d := range file.Damage {
		fmt.Fprintf(e.Stderr, "a2ascope: %s: %s\n", in, d.Detail)
	}
	if rec != nil {
		err = k.finish(out, rec, v)
	} else {
		var n save.Count
		if n, err = save.Write(ctx, out, v, o); err == nil {
			k.saved(out, n)
		} else {
			err = exit{exitInput, err.Error()}
		}
	}
	k.tell()
	return err
}
