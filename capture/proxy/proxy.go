package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"a2ascope/capture"
)

// Options of a tap. Now is needed; every other member has a default.
type Options struct {
	Target string // the agent, "http://localhost:9999"; empty: forward proxy only
	Listen string // "127.0.0.1:4100"; ":0" takes any port of loopback
	Now    func() time.Time

	ConfigDir string // where the authority lives; empty: TLS of clients is not opened

	NoCardRewrite   bool
	StripSignatures bool     // take signatures out of rewritten cards
	LocalTLS        bool     // https addresses of a card stay https, with a certificate of ours
	CardPaths       []string // further paths at which the agent serves its card
	MaxOrigins      int      // listeners for origins of the card
	Mappings        []Origin // origins to listen for from the start, as a former run's State named them

	Passthrough        []string // hosts, or host:port, whose TLS is never opened
	UpstreamCA         []byte   // PEM; trusted beside the system's
	InsecureUpstream   bool
	ClientCertificates []tls.Certificate // for agents that ask for one

	// Dial connects to an agent; nil: the machine's own network. It is for clients
	// that see the network in another way than this process (Divert).
	Dial func(ctx context.Context, addr string) (net.Conn, error)

	Queue  capture.QueueOptions
	Notify func(Notice) // called for what changes in State; must not block; nil: nobody
	Log    *slog.Logger
}

const (
	// A connection to an agent that takes longer fails for the client as well.
	dialTimeout = 30 * time.Second
	acceptPause = 50 * time.Millisecond
)

// Proxy is the live tap. It is a capture.Source.
type Proxy struct {
	opt    Options
	queue  *capture.Queue
	roots  *x509.CertPool
	target Origin
	main   *listener
	ca     lazyAuthority

	conns    atomic.Uint64
	cards    atomic.Int64
	stopping atomic.Bool
	ctx      context.Context // of Run
	cancel   context.CancelFunc
	owned    sync.WaitGroup // every goroutine of the tap
	etags    tags
	loops    loops

	mu        sync.Mutex
	listeners []*listener // main first
	diverted  []*listener
	running   bool
	legs      map[*leg]struct{}
	hints     []Hint
	untold    []Notice
	distrust  map[string]int  // handshakes refused by clients, by host:port
	took      map[caller]bool // those who took our certificate
	passing   map[string]bool
}

// Listen opens the port of the tap. Nothing is accepted before Run.
func Listen(o Options) (*Proxy, error) {
	if o.Now == nil {
		return nil, errors.New("the tap needs a clock (Options.Now)")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Notify == nil {
		o.Notify = func(Notice) {}
	}
	if o.MaxOrigins <= 0 {
		o.MaxOrigins = maxOrigins
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	p := &Proxy{opt: o, queue: capture.NewQueue(o.Queue), legs: map[*leg]struct{}{}, distrust: map[string]int{}, took: map[caller]bool{}, passing: map[string]bool{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.ca = lazyAuthority{dir: o.ConfigDir, now: o.Now}
	for _, h := range o.Passthrough {
		p.passing[strings.ToLower(h)] = true
	}
	if err := p.trust(o.UpstreamCA); err != nil {
		return nil, err
	}
	if o.Target != "" {
		target, err := ParseTarget(o.Target)
		if err != nil {
			return nil, err
		}
		p.target = target
	}
	main, err := listen(o.Listen)
	if err != nil {
		return nil, err
	}
	main.main = true
	p.main, p.listeners = main, []*listener{main}
	if o.Target != "" {
		if p.own(p.target) != nil {
			_ = main.ln.Close()
			return nil, fmt.Errorf("the target %s is the tap itself; give the address of the agent", p.target)
		}
		main.origin, main.has = p.target, true
	}
	if !main.addr.Addr().IsLoopback() {
		p.raise(Hint{Code: HintExposed, Host: p.Addr()})
	}
	return p, nil
}

// trust prepares the roots for connections to agents.
func (p *Proxy) trust(pem []byte) error {
	if len(pem) == 0 {
		return nil // the system's
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return errors.New("the upstream CA holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)")
	}
	p.roots = roots
	return nil
}

// Addr is the address of the main listener, host:port.
func (p *Proxy) Addr() string { return p.main.addr.String() }

// Close frees the ports of a tap that was never run.
func (p *Proxy) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.diverted {
		_ = l.ln.Close()
	}
	return p.main.ln.Close()
}

// Run relays until ctx ends and hands what passes to the sink. When the sink
// goes away, or is stuck, the traffic goes on.
func (p *Proxy) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	p.loops = newLoops(p.opt.Log)
	p.mu.Lock()
	p.running = true
	for _, l := range append([]*listener{p.main}, p.diverted...) {
		p.owned.Go(func() { p.accept(l) })
	}
	p.mu.Unlock()
	for _, o := range p.opt.Mappings {
		if _, why := p.listenerFor(o, true); why != "" {
			p.opt.Log.Warn("no listener for an origin of a former run", "origin", o, "why", why)
		}
	}
	var over sync.WaitGroup
	over.Go(func() {
		<-ctx.Done()
		p.stop()
		p.owned.Wait()
		p.loops.stop()
		p.queue.Close()
	})
	err := p.queue.Drain(to)
	over.Wait()
	sum := capture.Summary{Format: "proxy", Connections: int64(p.conns.Load())}
	if s := p.queue.Stats(); s.LostBytes > 0 || s.LostConns > 0 {
		sum.Damage = append(sum.Damage, capture.Damage{What: "lost", Detail: fmt.Sprintf(
			"the reader was too slow for %d bytes, those of %d whole connections among them: they passed, and are not recorded", s.LostBytes, s.LostConns)})
	}
	return sum, err
}

// stop ends everything that is open.
func (p *Proxy) stop() {
	p.stopping.Store(true)
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range slices.Concat(p.listeners, p.diverted) {
		_ = l.ln.Close()
	}
	for l := range p.legs {
		l.abandon()
	}
}

// track keeps a connection in sight so that stop can end it. It returns false
// when the tap is ending.
func (p *Proxy) track(l *leg) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Load() {
		l.close()
		return false
	}
	p.legs[l] = struct{}{}
	return true
}

func (p *Proxy) untrack(l *leg) {
	p.mu.Lock()
	delete(p.legs, l)
	p.mu.Unlock()
	l.close()
}

// rescue keeps a fault of the tap to the hop it happened on.
func (p *Proxy) rescue(h *hop) {
	if v := recover(); v != nil {
		p.opt.Log.Error("the relay of a connection gave up", "panic", v)
		h.fail(capture.Client, fmt.Errorf("a fault of a2ascope: %v", v))
	}
}

// isReset reports whether a connection ended the hard way.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.ECONNABORTED) || resetBySystem(err)
}
