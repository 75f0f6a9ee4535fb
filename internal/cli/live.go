package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/report"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

// liveFlags are those of every command that watches traffic as it happens.
type liveFlags struct {
	screenFlags
	headless, force, review      bool
	format, failOn, until, write string
	span                         time.Duration

	set   *diagnose.Set // after readRules
	wrong mistakes
	to    reporting // after readOutput
	ends  ui.Filter
}

// readRules comes first of all: nothing is opened, started or announced for a
// report that will not be.
func (f *liveFlags) readRules() (err error) {
	if f.set, f.wrong, err = f.rules.load(); err == nil && f.headless && len(f.wrong) > 0 {
		err = f.wrong.refuse()
	}
	return err
}

// readOutput reads what the flags say of the output and of when to end, before a
// port is opened or a program started.
func (f *liveFlags) readOutput(e *Env) (err error) {
	if f.to, err = e.reporting(f.format, f.failOn, f.lang); err != nil {
		return err
	}
	if f.until != "" {
		if f.ends, err = compileFilter(f.until); err != nil {
			return fmt.Errorf("--until: %w", err)
		}
	}
	if !f.headless && !isTerminal(e.Stdout) {
		return fmt.Errorf("the screen needs a terminal; without one add --headless")
	}
	return nil
}

func (f *liveFlags) register(cmd *cobra.Command) {
	f.screenFlags.register(cmd)
	f.rules.register(cmd)
	fl := cmd.Flags()
	f.memory.register(cmd)
	fl.BoolVar(&f.headless, "headless", false, "no screen: report on standard output")
	fl.StringVar(&f.format, "format", "jsonl", "headless output: jsonl (lines as they happen), or at the end "+strings.Join(report.FormatNames(), ", "))
	fl.StringVar(&f.failOn, "fail-on", "error", "headless: exit with 1 from this severity on: error, warning, info or never")
	fl.DurationVar(&f.span, "for", 0, "stop after this time, for example 30s")
	fl.StringVar(&f.until, "until", "", "headless: stop when an exchange that has ended matches this `expression`")
	fl.StringVarP(&f.write, "write", "w", "", "save the session to this `file`: .pcapng while it runs, .har when it ends")
	fl.BoolVar(&f.force, "force", false, "replace the file of -w if it is there")
	fl.BoolVar(&f.review, "review", false, "headless: add the whole review at the end: ladder, coverage of scenarios, migration")
	_ = cmd.RegisterFlagCompletionFunc("format", fixed(report.FormatNames()...))
	_ = cmd.RegisterFlagCompletionFunc("fail-on", fixed("error", "warning", "info", "never"))
}

func liveCommand(env *Env) *cobra.Command {
	var f liveFlags
	var iface string
	var ports []string
	cmd := &cobra.Command{
		Use:   "live",
		Short: "Listen on the wire (Linux; elsewhere from a pipe)",
		Long: `live captures packets and shows them as they come. Nothing of the traffic is
changed. It needs the right to capture; without it, it prints the lines that help.`,
		Example: `  a2ascope live -i lo -p 9999
  a2ascope live -i any -p 9999,50051 --headless --for 30s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.readRules(); err != nil {
				return err
			}
			o := pcap.Options{Interface: iface, Queue: f.memory.queue()}
			for _, list := range ports {
				for p := range strings.SplitSeq(list, ",") {
					n, err := strconv.ParseUint(strings.TrimSpace(p), 10, 16)
					if err != nil || n == 0 {
						return fmt.Errorf("-p %q: a port is a number from 1 to 65535", p)
					}
					o.Ports = append(o.Ports, uint16(n))
				}
			}
			if err := f.readOutput(env); err != nil {
				return err
			}
			src, err := pcap.Live(o)
			if err != nil {
				return exit{exitInput, err.Error()}
			}
			name := "live " + iface
			makeRoom(0)
			return env.watch(cmd.Context(), f, session.Input{Name: name, Live: true,
				Open: func() (capture.Source, error) { return src, nil }}, ui.Options{Title: name, Mode: "live"}, nil)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&iface, "interface", "i", "any", "the interface, or any")
	fl.StringArrayVarP(&ports, "port", "p", nil, "TCP `port`s to listen to, separated by commas (default: all)")
	f.register(cmd)
	if runtime.GOOS != "linux" {
		cmd.Short = "Listen on the wire (here: from a pipe, see --help)"
		cmd.Long += "\n\nLive capture is built in on Linux only. Here:\n  " + pcap.PipeLine(pcap.Options{}, runtime.GOOS)
	}
	return cmd
}

// watch runs a live input until it is told to end, on the screen or headless,
// and saves the session where that was asked for. o has what the screen is to
// be told of the input; wind, if any, is called when the session is told to end,
// while everything still runs.
func (e *Env) watch(ctx context.Context, f liveFlags, in session.Input, o ui.Options, wind func()) error {
	// The session ends a moment after the rest is told to: wind may need it.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	k := &keeper{to: e.Stderr, code: f.to.lang, plain: f.plain}
	rec, err := k.record(f.write, f.force)
	if err != nil {
		return err
	}
	if rec != nil {
		open := in.Open
		in.Open = func() (capture.Source, error) {
			src, err := open()
			if err != nil {
				return nil, err
			}
			return rec.Source(src), nil
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if f.span > 0 {
		ctx, stop = context.WithTimeout(ctx, f.span)
		defer stop()
	}
	leave := sync.OnceFunc(func() {
		stop()
		if wind != nil {
			wind()
		}
		cancel()
	})
	defer leave()
	e.garbage(liveGarbage)
	in.Endless = true
	s := session.New(e.bound(session.Options{NewEngine: engines(f.set), Workers: 1, Settle: makeWay, Pacer: newPacer, Now: e.Now}, f.memory, true))
	var owned sync.WaitGroup
	owned.Go(func() { _ = s.Run(running, []session.Input{in}) })
	owned.Go(func() {
		makeWay()
		giveBack(running, s, quietFor, heapActive)
	})
	opt := f.to.options(f.set)
	opt.Plain, opt.Review = f.plain, f.review
	if f.headless {
		told := make(chan error, 1)
		go func() {
			makeWay()
			told <- e.tell(ctx, s, f.to.format, opt, f.ends, leave, &owned)
		}()
		err = <-told
	} else {
		o.Lang, o.Theme, o.Live, o.Recording = f.to.lang, f.theme, true, f.write
		o.Now, o.Getenv, o.CompileFilter, o.ShowSecrets = e.Now, e.Getenv, compileFilter, f.plain
		o.OwnRules, o.RuleMistakes = !f.set.Changes().None(), len(f.wrong)
		k.screen(&o, e.Now())
		show := ui.Run
		if e.show != nil {
			show = e.show
		}
		if err = show(ctx, s, o); errors.Is(err, ui.ErrFault) {
			e.goOn(ctx, s, f.to.lang)
		}
		leave()
		owned.Wait()
	}
	v := s.View()
	kept := k.finish(f.write, rec, v) // also of a session that failed
	k.tell()
	e.tellMistakes(f.wrong)
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	for _, file := range v.Files {
		if file.Err != nil {
			return exit{exitInput, file.Err.Error()}
		}
	}
	if kept != nil {
		return kept
	}
	if f.headless && report.New(v, opt).Summary.Reaches(f.to.failOn) {
		return exit{code: exitFindings}
	}
	return nil
}

// goOn lets the traffic pass when the screen is gone: the peers are not to suffer
// from a fault of ours. The user is told and ends it.
func (e *Env) goOn(ctx context.Context, s *session.Session, code string) {
	fmt.Fprintln(e.Stderr, "a2ascope: "+lang.Get(code).WithoutScreen)
	for v := s.View(); !v.Done && ctx.Err() == nil; {
		v = s.Next(ctx, v.Rev)
	}
}

// tell is the headless output of a running session. It returns when the session has ended.
func (e *Env) tell(ctx context.Context, s *session.Session, format report.Format, o report.Options, until ui.Filter, stop func(), owned *sync.WaitGroup) error {
	stream := report.NewStream(e.Stdout, o)
	end := awaited{filter: until}
	var rev uint64
	var err error
	for err == nil {
		v := s.Next(ctx, rev)
		if rev = v.Rev; v.Done || ctx.Err() != nil {
			break
		}
		if format.Name == "jsonl" {
			err = stream.Update(v)
		}
		if until != nil && end.came(v) {
			break
		}
	}
	stop()
	owned.Wait()
	if err != nil {
		return err
	}
	if format.Name == "jsonl" {
		return stream.End(s.View())
	}
	return format.Write(e.Stdout, report.New(s.View(), o))
}

// awaited is the exchange that --until waits for. Only rows that changed since
// the view before are looked at.
type awaited struct {
	filter ui.Filter
	seen   session.Rows
}

// came reports whether it has ended.
func (a *awaited) came(v *session.View) bool {
	for _, r := range v.Rows.Since(a.seen) {
		if c := r.Call(); c != nil && c.Exchange.End != nil && a.filter.Match(r) {
			return true
		}
	}
	a.seen = v.Rows
	return false
}
