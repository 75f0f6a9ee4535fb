package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/capture/proxy"
	"a2ascope/internal/child"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

const (
	// stopGrace is how long a program may take to end when it is asked to.
	stopGrace = 10 * time.Second
	// settleFor is how long answers to a program that has ended are waited for.
	settleFor = 500 * time.Millisecond
)

type runFlags struct {
	proxyFlags
	isolate bool
	output  string
}

func runCommand(env *Env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD [ARG...]",
		Short: "Run a program with its traffic led through the tap",
		Long: `run starts CMD with the variables that make it use a2ascope as its proxy and trust
its authority (HTTP_PROXY, SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, JAVA_TOOL_OPTIONS
and their kin; NO_PROXY is emptied). Some runtimes pay no heed: Go reaches
localhost directly, Node before 22.21 knows no proxy. When the program ends and
nothing was seen, run says why and what will work.

--isolate (Linux, no root needed) gives CMD a network of its own, in which every
TCP connection leads to the tap, whatever the program is written in, localhost
too. DNS is answered; ports that CMD listens on are open on this machine as well.
What does not cross: UDP but DNS, and abstract Unix sockets. UDP is refused at once
("port unreachable") and said, so that clients of HTTP/3 fall back to TCP; one that
does not listen for refusals waits for its own timeout. A connection that this
machine refuses is reset a moment later instead of refused at once.

The output of CMD is a pane of the screen (O). With --headless it goes to standard
error, never into the report; --output FILE writes it to a file in both cases. CMD
reads standard input unless that is a terminal.

The exit code is that of CMD (128 + n when signal n ended it, 127 not found, 126
cannot be run). Where CMD ends with 0, --fail-on decides as elsewhere; where
--for, --until or leaving the screen ended CMD, it alone decides. What is in the
process group of CMD ends with it.`,
		Example: `  a2ascope run -- npm start
  a2ascope run --isolate -- go test ./integration
  a2ascope run --headless --fail-on never -w session.har -- python client.py`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return env.runRun(cmd.Context(), &f, args) },
	}
	fl := cmd.Flags()
	fl.SetInterspersed(false) // what follows the program is its own
	fl.BoolVar(&f.isolate, "isolate", false, "give the program a network of its own (Linux)")
	fl.StringVar(&f.output, "output", "", "write the output of the program to this `file`")
	f.registerAgents(cmd)
	f.register(cmd)
	f.listen, f.maxOrigins = "127.0.0.1:0", 1 // no card is rewritten
	return cmd
}

// insideCommand is how run --isolate enters the namespace it has made.
func insideCommand(*Env) *cobra.Command {
	return &cobra.Command{
		Use: insideName, Hidden: true, DisableFlagParsing: true, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return exit{code: child.Inside(args)} },
	}
}

const insideName = "run-inside"

// run is one program beside the tap.
type run struct {
	env   *Env
	f     *runFlags
	args  []string
	told  *notices
	lang  string
	child *child.Child
	tap   *proxy.Proxy
	ring  *child.Ring
	file  *os.File // --output; nil: none
	kind  child.Runtime
	end   context.CancelFunc

	begun    error       // why the program could not be started
	stopped  atomic.Bool // we asked it to end,
	signaled atomic.Bool // and somebody else did: its code is what he wants to know
}

func (e *Env) runRun(ctx context.Context, f *runFlags, args []string) error {
	code, err := e.language(f.lang)
	if err != nil {
		return err
	}
	if err := f.readRules(); err != nil {
		return err
	}
	if err := f.readOutput(e); err != nil {
		return err
	}
	r := &run{env: e, f: f, args: args, lang: code, told: &notices{to: e.Stderr, lang: code, quiet: !f.headless}}
	defer r.told.flush()
	// Signals are the program's first: what ends us is its end.
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	defer r.end()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, child.Signals()...)
	defer signal.Stop(signals)
	// A reader of our output that goes away must not end us before the program
	// and what was made for it are gone: writing fails instead.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	trust, err := r.prepare()
	defer trust.Remove()
	defer func() { _ = r.file.Close() }() // after the program
	if err != nil {
		return err
	}
	defer r.child.Close()
	defer r.tap.Close()
	makeRoom(proxy.Loops())
	over := make(chan struct{})
	defer close(over)
	go r.pass(signals, over)

	name := "run " + filepath.Base(args[0])
	err = e.watch(ctx, f.liveFlags, session.Input{Name: name, Live: true, Open: r.open}, ui.Options{Title: name, Mode: "run",
		Program: filepath.Base(args[0]), ProgramOutput: shown{r.ring, r.child}}, r.leave)
	return r.result(err)
}

// prepare makes everything that the program needs before it runs.
func (r *run) prepare() (*child.Trust, error) {
	dir, err := configDir()
	if err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	ca, err := proxy.OpenAuthority(dir, r.env.Now)
	if err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	environ := os.Environ()
	trust, err := child.NewTrust(ca.Certificate(), ca.BundleFile(), environ)
	if err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	o, err := r.f.options(r.env, "")
	if err != nil {
		return trust, err
	}
	o.Notify = r.told.notice
	// What the program trusted, the tap has to trust in its place.
	o.UpstreamCA = append(append(o.UpstreamCA, '\n'), trust.Own...)
	if len(o.UpstreamCA) == 1 {
		o.UpstreamCA = nil
	}
	if r.f.isolate {
		o.Dial = func(ctx context.Context, addr string) (net.Conn, error) { return r.child.Dial(ctx, addr) }
	}
	if r.tap, err = proxy.Listen(o); err != nil {
		return trust, exit{exitInput, err.Error()}
	}
	about := child.Surroundings{Trust: trust}
	if !r.f.isolate {
		about.Proxy = r.tap.Addr()
	}
	if err := r.find(child.Environment(environ, about)); err != nil {
		_ = r.tap.Close()
		return trust, err
	}
	r.kind = child.RuntimeOf(r.child.Path(), r.args)
	r.introduce(environ)
	return trust, nil
}

// find prepares the program.
func (r *run) find(environ []string) error {
	o := child.Options{Args: r.args, Env: environ, Isolate: r.f.isolate, Published: r.published, Instead: r.instead, Refused: r.refused}
	if !isTerminal(r.env.Stdin) {
		o.Stdin = r.env.Stdin
	}
	if r.f.isolate {
		self, err := os.Executable()
		if err != nil {
			return exit{exitInput, "the file of this program is not known: " + err.Error()}
		}
		o.Inside = []string{self, insideName}
	}
	var err error
	if o.Stdout, o.Stderr, err = r.outputs(); err != nil {
		return err
	}
	r.child, err = child.Prepare(o)
	var start *child.StartError
	if errors.As(err, &start) {
		return exit{start.Code, start.Error()}
	}
	if err != nil {
		return exit{exitInput, err.Error() + "\n  " + r.say(
			"Without --isolate, a2ascope run leads programs through a proxy; a2ascope proxy works with every program.",
			"不加 --isolate 时，a2ascope run 通过代理引导程序；a2ascope proxy 则适用于任何程序。") + "\n  " + r.proxyLine()}
	}
	return nil
}

// outputs says where the output of the program goes.
func (r *run) outputs() (stdout, stderr io.Writer, err error) {
	if r.f.output != "" {
		if r.file, err = os.OpenFile(r.f.output, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
			return nil, nil, exit{exitInput, "--output: " + err.Error()}
		}
	}
	switch {
	case r.f.headless && r.file != nil:
		return r.file, r.file, nil
	case r.f.headless:
		return r.env.Stderr, r.env.Stderr, nil
	}
	r.ring = &child.Ring{}
	stdout, stderr = r.ring.Writer(), r.ring.Writer()
	if r.file != nil {
		stdout, stderr = io.MultiWriter(stdout, r.file), io.MultiWriter(stderr, r.file)
	}
	return stdout, stderr, nil
}

// open starts the program: the tap is about to run.
func (r *run) open() (capture.Source, error) {
	for _, ln := range r.child.Listeners() {
		if err := r.tap.Divert(ln, r.child.Origin); err != nil {
			return nil, err
		}
	}
	if err := r.child.Start(); err != nil {
		r.begun = err
		return nil, err
	}
	go func() {
		<-r.child.Done()
		if r.ring != nil {
			r.ring.Note("")
			return // the screen stays until the user leaves
		}
		r.settle()
		r.end()
	}()
	return r.tap, nil
}

// settle gives answers that are under way the time to be seen.
func (r *run) settle() {
	ctx, cancel := context.WithTimeout(context.Background(), settleFor)
	defer cancel()
	for r.tap.State().Open > 0 && r.env.Sleep(ctx, 10*time.Millisecond) == nil {
	}
}

// leave ends the program before the tap ends.
func (r *run) leave() {
	select {
	case <-r.child.Done():
		return
	default:
	}
	if !r.f.headless {
		fmt.Fprintln(r.env.Stderr, "a2ascope: "+r.say("waiting for the program to end", "正在等待程序结束"))
	}
	if r.signaled.Load() && r.child.Running() {
		<-r.child.Done() // it was told, and is killed when it does not listen
	} else if r.child.Stop(stopGrace) {
		r.stopped.Store(true)
	}
}

// pass gives signals to the program. The second one, or a while after the
// first, ends it.
func (r *run) pass(signals <-chan os.Signal, over <-chan struct{}) {
	var late <-chan time.Time
	for {
		select {
		case s := <-signals:
			r.signaled.Store(true)
			if late != nil {
				r.child.Kill()
			}
			r.child.Signal(s)
			late = time.After(stopGrace)
			if !r.f.headless || !r.child.Running() {
				r.end()
			}
		case <-late:
			r.child.Kill()
		case <-over:
			return
		}
	}
}

// result is the exit code of the command.
func (r *run) result(err error) error {
	var start *child.StartError
	if errors.As(r.begun, &start) {
		return exit{start.Code, start.Error()}
	}
	var e exit
	ours := err != nil && (!errors.As(err, &e) || e.code != exitFindings)
	select {
	case <-r.child.Done():
	default:
		return err // it was never started
	}
	if s := r.tap.State(); s.Connections == 0 && s.Listeners[0].Total == 0 && s.Diverted == 0 {
		r.told.say(r.nothingSeen())
	}
	code := r.child.Code()
	stopped := r.stopped.Load() && !r.signaled.Load()
	if !r.f.headless && !stopped {
		r.told.say(fmt.Sprintf(r.say("%s ended with code %d", "%s 已结束，退出码 %d"), r.args[0], code))
	}
	if ours || stopped || code == 0 {
		return err
	}
	return exit{code: code}
}

// published leads clients of a server of the program through the tap as well.
func (r *run) published(p child.Port) {
	switch {
	case p.Gone:
		if p.Listener != nil {
			r.tap.Undivert(p.Listener)
		}
	case p.Err != nil:
		r.told.say(fmt.Sprintf(r.say("the program listens on %s, which this machine cannot open for it as well (%v): only the program itself reaches it.",
			"程序监听 %s，但本机无法同时打开该端口（%v）：只有程序自身能访问它。"), p.Addr, p.Err))
	default:
		to := p.Addr
		switch to.Addr() {
		case netip.IPv4Unspecified():
			to = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), to.Port())
		case netip.IPv6Unspecified():
			to = netip.AddrPortFrom(netip.IPv6Loopback(), to.Port())
		}
		_ = r.tap.Divert(p.Listener, func(*net.TCPConn) (netip.AddrPort, error) { return to, nil })
	}
}

func (r *run) instead(asked, reached netip.AddrPort) {
	r.told.once(fmt.Sprintf(r.say("nobody listens on %s: as a client of localhost would, the tap took %s.",
		"%s 无人监听：代理改用了 %s，与 localhost 客户端的做法相同。"), asked, reached))
}

// refused tells of datagrams: no tap reads them.
func (r *run) refused(to netip.AddrPort) {
	r.told.once(fmt.Sprintf(r.say("UDP to %s was refused: in a network of its own TCP and DNS alone lead out. A client of HTTP/3 (QUIC) falls back to TCP, or has to be told to.",
		"发往 %s 的 UDP 被拒绝：独立网络中只有 TCP 和 DNS 能通往外部。HTTP/3（QUIC）客户端会退回到 TCP，否则需要关闭它的 HTTP/3。"), to))
}

func (r *run) say(en, zh string) string {
	if r.lang == "zh" {
		return zh
	}
	return en
}

// shown is the output of a program as the screen wants it.
type shown struct {
	ring  *child.Ring
	child *child.Child
}

// Next waits for something newer than rev.
func (s shown) Next(ctx context.Context, rev uint64) ui.ProgramText {
	t := s.ring.Next(ctx, rev)
	out := ui.ProgramText{Lines: t.Lines, Lost: t.Lost, Rev: t.Rev}
	select {
	case <-s.child.Done():
		out.Ended, out.Code = true, s.child.Code()
	default:
	}
	return out
}
