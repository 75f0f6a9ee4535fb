package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/capture/script"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

type screenFlags struct {
	lang, theme string
	rules       ruleFlags
	memory      size // 0: no bound
	plain       bool // secrets as they are: on the screen, and in what is written
}

func (f *screenFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.lang, "lang", "", "language of the texts: en or zh (default: the locale)")
	fl.BoolVar(&f.plain, "no-redact", false, "do not mask tokens, credentials and cookies")
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
			set, wrong, err := f.rules.load()
			if err != nil {
				return err
			}
			inputs := env.inputs(names, script.Options{})
			for i, name := range names {
				inputs[i].Endless = isStream(name)
			}
			return env.screen(cmd.Context(), f, set, wrong, inputs, ui.Options{})
		},
	}
	f.register(cmd)
	f.rules.register(cmd)
	f.memory.register(cmd)
	return cmd
}

// screen runs a session and the screen over it. Mistakes in rules do not keep
// it from what the other rules say: it shows that there are some, and they are
// told when it is left. Leaving the screen ends the
// session; both have ended when screen returns, unless the session waits for a
// pipe that is silent.
func (e *Env) screen(ctx context.Context, f screenFlags, set *diagnose.Set, wrong mistakes, inputs []session.Input, o ui.Options) error {
	code, err := e.language(f.lang)
	if err != nil {
		return err
	}
	if !isTerminal(e.Stdout) {
		return fmt.Errorf("the screen needs a terminal; without one use: a2ascope check")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	endless := slices.ContainsFunc(inputs, func(in session.Input) bool { return in.Endless })
	s := session.New(e.bound(session.Options{NewEngine: engines(set)}, f.memory, endless))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Run(ctx, inputs)
	}()
	if endless {
		go giveBack(ctx, s, quietFor, heapGrows)
	}
	o.Lang, o.Theme = code, f.theme
	o.Now, o.Getenv = e.Now, e.Getenv
	o.CompileFilter, o.ShowSecrets = compileFilter, f.plain
	o.OwnRules, o.RuleMistakes = !set.Changes().None(), len(wrong)
	k := &keeper{to: e.Stderr, code: code, plain: f.plain}
	k.screen(&o, e.Now())
	err = ui.Run(ctx, s, o)
	k.tell()
	e.tellMistakes(wrong)
	cancel()
	select {
	case <-ended:
	case <-time.After(leaveAfter): // a read of a silent pipe cannot be ended; the process does it
	}
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	unread := 0
	files := s.View().Files
	for _, file := range files {
		if file.Err != nil {
			unread++
			fmt.Fprintln(e.Stderr, "a2ascope:", file.Err)
		}
	}
	if unread > 0 && unread == len(files) { // said above
		return exit{code: exitInput}
	}
	return nil
}

// tellMistakes says what is wrong in the user's rules, after the screen that went on without them.
func (e *Env) tellMistakes(wrong mistakes) {
	if len(wrong) > 0 {
		fmt.Fprintln(e.Stderr, "a2ascope: "+wrong.told("the other rules judged"))
	}
}

// leaveAfter is how long a source may take to notice that the user has left.
const leaveAfter = 300 * time.Millisecond

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
