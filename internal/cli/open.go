package cli

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"a2ascope/capture/script"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

type screenFlags struct {
	lang, theme string
	rules       []string
}

func (f *screenFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.rules, "rules", nil, "add the rules of this `folder` (may be repeated)")
	fl.StringVar(&f.lang, "lang", "", "language of the texts: en or zh (default: the locale)")
	fl.StringVar(&f.theme, "theme", "auto", "colours: auto, dark, light, 16 or none")
	_ = cmd.RegisterFlagCompletionFunc("theme", fixed("auto", "dark", "light", "16", "none"))
	_ = cmd.RegisterFlagCompletionFunc("lang", fixed("en", "zh"))
}

func openCommand(env *Env) *cobra.Command {
	var f screenFlags
	cmd := &cobra.Command{
		Use:   "open FILE...",
		Short: "Open saved captures on the screen",
		Long: `open reads saved captures (.har, .pcap, .pcapng, each also gzipped; .play; - is
standard input, which may be a growing pipe) and shows every exchange as A2A,
with what is wrong and the bytes that prove it.`,
		Example: `  a2ascope open trace.pcap
  tcpdump -i lo -U -w - port 9999 | a2ascope open -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			set, err := ruleSet(f.rules)
			if err != nil {
				return err
			}
			return env.screen(cmd.Context(), f, set, env.inputs(names, script.Options{}), ui.Options{})
		},
	}
	f.register(cmd)
	return cmd
}

// screen runs a session and the screen over it. Leaving the screen ends the
// session; both have ended when screen returns.
func (e *Env) screen(ctx context.Context, f screenFlags, set *diagnose.Set, inputs []session.Input, o ui.Options) error {
	code, err := e.language(f.lang)
	if err != nil {
		return err
	}
	if !isTerminal(e.Stdout) {
		return fmt.Errorf("the screen needs a terminal; without one use: a2ascope check")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := session.New(session.Options{NewEngine: engines(set)})
	var owned sync.WaitGroup
	owned.Go(func() { _ = s.Run(ctx, inputs) })
	o.Lang, o.Theme = code, f.theme
	o.Now, o.Getenv = e.Now, e.Getenv
	o.CompileFilter = compileFilter
	err = ui.Run(ctx, s, o)
	cancel()
	owned.Wait()
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	for _, file := range s.View().Files {
		if file.Err != nil {
			fmt.Fprintln(e.Stderr, "a2ascope:", file.Err)
		}
	}
	return nil
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
