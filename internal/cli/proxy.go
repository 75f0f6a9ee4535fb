package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/capture/proxy"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

// configDir is where the authority lives.
func configDir() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for the settings of this user: %w", err)
	}
	return filepath.Join(dir, "a2ascope"), nil
}

type proxyFlags struct {
	liveFlags
	listen, upstreamCA, cert, key string
	noRewrite, strip, insecure    bool
	passthrough                   []string
	localTLS                      bool
	cardPaths, mappings           []string
	maxOrigins                    int
}

func proxyCommand(env *Env) *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy TARGET",
		Short: "Stand between the client and the agent at TARGET",
		Long: `proxy listens on loopback and passes everything on to TARGET. Point the client at
the address it prints. HTTP/1.1, HTTP/2 without TLS (gRPC) and TLS come in on the
same port. The addresses in the agent card are changed so that later calls of
every binding pass here too; nothing else of the traffic is changed but Host.

The same port is a forward proxy: set HTTP_PROXY and HTTPS_PROXY to it. TLS is
opened only for clients that trust our authority: a2ascope ca install-help.`,
		Example: `  a2ascope proxy http://localhost:9999
  a2ascope proxy http://localhost:9999 --headless --until 'severity == "error"'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return env.runProxy(cmd.Context(), &f, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:4100", "the `address` to listen on; :0 takes any free port of loopback")
	fl.BoolVar(&f.noRewrite, "no-card-rewrite", false, "leave the addresses in the agent card as they are")
	fl.BoolVar(&f.strip, "strip-card-signatures", false, "take signatures out of cards whose addresses were changed")
	f.registerAgents(cmd)
	fl.BoolVar(&f.localTLS, "local-tls", false, "keep https addresses of the card https, with a certificate of ours (clients must trust it: a2ascope ca install-help)")
	fl.StringArrayVar(&f.cardPaths, "card-path", nil, "a further `path` at which the agent serves its card, for example /agents/a/card.json (may be repeated)")
	fl.IntVar(&f.maxOrigins, "max-origins", 16, "open ports for at most this many origins of the card")
	fl.StringArrayVar(&f.mappings, "map", nil, "open a port for this `origin` from the start, for example https://api.example:8443, or host:port for gRPC (may be repeated)")
	f.register(cmd)
	for _, name := range []string{"card-path", "map", "max-origins", "passthrough"} {
		_ = cmd.RegisterFlagCompletionFunc(name, fixed())
	}
	_ = cmd.RegisterFlagCompletionFunc("listen", fixed("127.0.0.1:4100", ":0"))
	return cmd
}

// registerAgents adds the flags of connections to agents.
func (f *proxyFlags) registerAgents(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.passthrough, "passthrough", nil, "never open the TLS of this `host` (may be repeated)")
	fl.StringVar(&f.upstreamCA, "upstream-ca", "", "trust this PEM `file` for agents, beside the system's")
	fl.BoolVar(&f.insecure, "insecure-upstream", false, "do not check the certificates of agents")
	fl.StringVar(&f.cert, "client-cert", "", "PEM `file` of the certificate to show to agents that ask for one")
	fl.StringVar(&f.key, "client-key", "", "PEM `file` of its key")
}

func (f *proxyFlags) options(env *Env, target string) (proxy.Options, error) {
	o := proxy.Options{Target: target, Listen: f.listen, Now: env.Now, NoCardRewrite: f.noRewrite, StripSignatures: f.strip,
		Passthrough: f.passthrough, InsecureUpstream: f.insecure, LocalTLS: f.localTLS, MaxOrigins: f.maxOrigins, Queue: f.memory.queue()}
	var err error
	if err = f.origins(&o); err != nil {
		return o, err
	}
	if o.ConfigDir, err = configDir(); err != nil {
		return o, exit{exitInput, err.Error()}
	}
	if f.upstreamCA != "" {
		if o.UpstreamCA, err = os.ReadFile(f.upstreamCA); err != nil {
			return o, exit{exitInput, "--upstream-ca: " + err.Error()}
		}
	}
	if (f.cert == "") != (f.key == "") {
		return o, fmt.Errorf("--client-cert and --client-key go together")
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return o, exit{exitInput, "--client-cert: " + err.Error()}
		}
		o.ClientCertificates = []tls.Certificate{pair}
	}
	return o, nil
}

// origins reads the flags about the addresses in cards.
func (f *proxyFlags) origins(o *proxy.Options) error {
	if f.maxOrigins < 1 {
		return fmt.Errorf("--max-origins %d: at least 1; --no-card-rewrite opens no ports at all", f.maxOrigins)
	}
	if len(f.mappings) > f.maxOrigins {
		return fmt.Errorf("--map is given %d times, and --max-origins allows %d ports: raise it", len(f.mappings), f.maxOrigins)
	}
	for _, p := range f.cardPaths {
		if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "?# ") {
			return fmt.Errorf("--card-path %q: write the path alone, beginning with /, as in /agents/a/card.json", p)
		}
	}
	o.CardPaths = f.cardPaths
	for _, m := range f.mappings {
		origin, err := proxy.ParseOrigin(m)
		if err != nil {
			return fmt.Errorf("--map: %w", err)
		}
		o.Mappings = append(o.Mappings, origin)
	}
	return nil
}

func (e *Env) runProxy(ctx context.Context, f *proxyFlags, target string) error {
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
	o, err := f.options(e, target)
	if err != nil {
		return err
	}
	told := &notices{to: e.Stderr, lang: code, quiet: !f.headless}
	o.Notify = told.notice
	p, err := proxy.Listen(o)
	if err != nil {
		return exit{exitInput, err.Error()}
	}
	makeRoom(proxy.Loops())
	fmt.Fprintf(e.Stderr, "a2ascope: point the client at %s (it leads to %s)\n", reachable(p.Addr()), target)
	// The name is what the screen shows all the time: where to point the client.
	name := p.Addr() + " → " + host(target)
	err = e.watch(ctx, f.liveFlags, session.Input{Name: name, Live: true,
		Open: func() (capture.Source, error) { return p, nil }}, ui.Options{Title: name, Mode: "proxy", Address: reachable(p.Addr())}, nil)
	told.flush()
	return err
}

// reachable is the URL of the tap as a client on this machine writes it.
func reachable(addr string) string {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", a.Port())
	}
	return "http://" + addr
}

// host is a target without its scheme and path.
func host(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest
	}
	target, _, _ = strings.Cut(target, "/")
	return target
}

// notices says what the tap wants people to know: at once without a screen,
// after it with one.
type notices struct {
	mu    sync.Mutex
	to    io.Writer
	lang  string
	quiet bool
	kept  []string
	more  int // that came when no more were kept
	owned sync.WaitGroup
	busy  bool     // somebody writes what is kept
	said  []string // by once
}

func (n *notices) notice(x proxy.Notice) {
	n.say(x.Text(n.lang))
}

// say is for what is not a notice of the tap.
func (n *notices) say(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.kept) < maxNotices {
		n.kept = append(n.kept, text)
	} else {
		n.more++
	}
	if !n.quiet && !n.busy {
		n.busy = true
		n.owned.Go(n.write)
	}
}

// write tells what is kept. The tap does not wait for it: nobody may read.
func (n *notices) write() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.kept) > 0 {
		texts := n.kept
		if n.more > 0 {
			texts = append(texts, lang.Get(n.lang).NoticesMissed(n.more))
		}
		n.kept, n.more = nil, 0
		n.mu.Unlock()
		for _, text := range texts {
			fmt.Fprintln(n.to, "a2ascope: "+text)
		}
		n.mu.Lock()
	}
	n.busy = false
}

// once says a text the first time only.
func (n *notices) once(text string) {
	n.mu.Lock()
	known := slices.Contains(n.said, text) || len(n.said) >= maxNotices
	if !known {
		n.said = append(n.said, text)
	}
	n.mu.Unlock()
	if !known {
		n.say(text)
	}
}

// maxNotices bounds what is kept while a screen is shown, or nobody reads.
const maxNotices = 200

func (n *notices) flush() {
	n.owned.Wait()
	n.write()
}

func caCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ca",
		Short: "The authority that opens TLS for the proxy",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	with := func(use, short string, run func(a *proxy.Authority) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
			dir, err := configDir()
			if err != nil {
				return exit{exitInput, err.Error()}
			}
			a, err := proxy.OpenAuthority(dir, env.Now)
			if err != nil {
				return exit{exitInput, err.Error()}
			}
			return run(a)
		}}
	}
	var code string
	help := with("install-help", "Print the lines that make clients trust it, per system and runtime", func(a *proxy.Authority) error {
		lang, err := env.language(code)
		if err != nil {
			return err
		}
		for _, x := range proxy.TrustHelp(lang, runtime.GOOS, a) {
			fmt.Fprintf(env.Stdout, "%s\n  %s\n", x.For, strings.Join(x.Lines, "\n  "))
			if x.Note != "" {
				fmt.Fprintf(env.Stdout, "  (%s)\n", x.Note)
			}
		}
		return nil
	})
	help.Flags().StringVar(&code, "lang", "", "language of the texts: en or zh (default: the locale)")
	cmd.AddCommand(
		with("path", "Print the file of its certificate", func(a *proxy.Authority) error {
			fmt.Fprintln(env.Stdout, a.CertFile())
			return nil
		}),
		with("show", "Print its name, validity and fingerprint", func(a *proxy.Authority) error {
			c := a.Certificate()
			fmt.Fprintf(env.Stdout, "%s\nvalid until %s\nserial %x\n", c.Subject, c.NotAfter.UTC().Format("2006-01-02"), c.SerialNumber)
			return nil
		}),
		help,
	)
	return cmd
}
