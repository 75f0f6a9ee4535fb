package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
	"a2ascope/internal/report"
	"a2ascope/internal/session"
	"a2ascope/samples"
	"a2ascope/ui"
)

// firstDemo is what `a2ascope demo` plays: a conversation that fails, recovers and streams.
const firstDemo = "00"

// sample is a lesson of the samples folder.
type sample struct {
	slug string // "01-method-not-found"
	file map[string][]byte
}

func loadSamples() ([]sample, error) {
	names, err := fs.Glob(samples.FS, "*.txtar")
	if err != nil {
		return nil, err
	}
	var all []sample
	for _, name := range names {
		text, err := samples.FS.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s := sample{slug: strings.TrimSuffix(path.Base(name), ".txtar"), file: map[string][]byte{}}
		for _, f := range txtar.Parse(text).Files {
			s.file[f.Name] = f.Data
		}
		all = append(all, s)
	}
	return all, nil
}

// lesson returns the text in a language; title is its first heading.
func (s sample) lesson(code string) (title, text string) {
	text = string(s.file["lesson."+code+".md"])
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimLeft(line, "# ")), text
}

type demoFlags struct {
	screenFlags
	list, headless, fast bool
}

func demoCommand(env *Env) *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo [LESSON]",
		Short: "Play a conversation that fails, recovers and streams; or a lesson",
		Long: `demo plays a conversation of two agents at its own pace, with nothing else
installed. Each lesson shows one way in which two agents miss each other. Rules
of your configuration folder are left out: a lesson is the same for everybody.`,
		Example: `  a2ascope demo
  a2ascope demo --list
  a2ascope demo 04`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := loadSamples()
			if err != nil {
				return exit{exitInput, err.Error()}
			}
			code, err := env.language(f.lang)
			if err != nil {
				return err
			}
			if f.list {
				for _, s := range all {
					title, _ := s.lesson(code)
					fmt.Fprintf(env.Stdout, "%s %s\n", pad(s.slug, 34), title)
				}
				return nil
			}
			name := firstDemo
			if len(args) == 1 {
				name = args[0]
			}
			s, err := findSample(all, name)
			if err != nil {
				return err
			}
			return env.demo(cmd, &f, s, code)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			all, err := loadSamples()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var names []string
			for _, s := range all {
				names = append(names, s.slug)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f.register(cmd)
	registerRules(cmd, &f.rules.dirs)
	fl := cmd.Flags()
	fl.BoolVar(&f.list, "list", false, "list the lessons")
	fl.BoolVar(&f.headless, "headless", false, "print the report instead of opening the screen")
	fl.BoolVar(&f.fast, "fast", false, "do not wait between the messages")
	return cmd
}

func findSample(all []sample, name string) (sample, error) {
	for _, s := range all {
		if s.slug == name || strings.HasPrefix(s.slug, name+"-") || strings.HasSuffix(s.slug, "-"+name) {
			return s, nil
		}
	}
	return sample{}, fmt.Errorf("there is no lesson %q; 'a2ascope demo --list' names them", name)
}

func (e *Env) demo(cmd *cobra.Command, f *demoFlags, s sample, code string) error {
	set, err := ruleSet(f.rules.dirs)
	if err != nil {
		return err
	}
	// Without a terminal (a pipe, CI) the demo is its report: the same findings, at once.
	onScreen := !f.headless && isTerminal(e.Stdout)
	o := script.Options{Pace: onScreen && !f.fast, Sleep: e.Sleep, Start: e.Now(), EncodeGRPC: schema.EncodeGRPC}
	title, _ := s.lesson(code)
	inputs := []session.Input{{Name: s.slug, Open: func() (capture.Source, error) {
		return playSource(s.slug+"/traffic.play", s.file["traffic.play"], o)
	}}}
	if onScreen {
		lessons := map[string]string{}
		for _, l := range []string{"en", "zh"} {
			_, lessons[l] = s.lesson(l)
		}
		return e.screen(cmd.Context(), f.screenFlags, set, nil, inputs, ui.Options{Title: title, Lessons: lessons})
	}
	ses := session.New(session.Options{NewEngine: engines(set)})
	if err := ses.Run(cmd.Context(), inputs); err != nil {
		return exit{exitInput, "stopped before the end"}
	}
	format, err := report.FindFormat("text")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := format.Write(&b, report.New(ses.View(), report.Options{Lang: diagnose.Lang(code), Plain: f.plain, Rules: set.Changes()})); err != nil {
		return exit{exitInput, err.Error()}
	}
	_, err = b.WriteTo(e.Stdout)
	return err
}
