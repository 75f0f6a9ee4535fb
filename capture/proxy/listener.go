package proxy

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// listener is one port of the tap. The main one stands for the configured
// target and is a forward proxy as well; the others stand for the other origins
// of the target's card.
type listener struct {
	ln     *net.TCPListener
	addr   netip.AddrPort
	origin Origin
	has    bool // origin is set
	main   bool
	meant  func(*net.TCPConn) (netip.AddrPort, error) // a diverted listener: where a client wanted to go
	open   atomic.Int64
	total  atomic.Int64
}

func listen(addr string) (*listener, error) {
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w; write it as 127.0.0.1:4100, or :0 for any free port", addr, err)
	}
	if a.IP == nil {
		a.IP = net.IPv4(127, 0, 0, 1) // the tap is for this machine unless an address says otherwise
	}
	network := "tcp"
	if a.IP.To4() != nil {
		network = "tcp4" // 0.0.0.0 means IPv4 here, not every address there is
	}
	ln, err := net.ListenTCP(network, a)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen on %s: the port is taken; choose another one with --listen, or :0 for any", a)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", a, err)
	}
	got := ln.Addr().(*net.TCPAddr).AddrPort()
	return &listener{ln: ln, addr: netip.AddrPortFrom(got.Addr().Unmap(), got.Port())}, nil
}

// isOurs reports whether a client that writes this host means the tap itself.
// The port decides: the machine may have many names.
func (l *listener) isOurs(host string) bool {
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:i], host[i+1:]
	}
	if name == "" {
		return false
	}
	if port == "" {
		return l.addr.Port() == 80 || l.addr.Port() == 443
	}
	return port == strconv.Itoa(int(l.addr.Port()))
}

// baseOf names the host under which a client reaches the tap: on loopback its
// address, elsewhere what the client wrote, for only that is known to work.
func (p *Proxy) baseOf(l *listener, host string) string {
	ip := l.addr.Addr()
	if !ip.IsLoopback() {
		if name, _, err := net.SplitHostPort(host); err == nil && (isHostName(name) || strings.Contains(name, ":")) && l.isOurs(host) {
			return name
		}
		if ip.IsUnspecified() {
			return "127.0.0.1"
		}
	}
	return ip.String()
}

// Ports of origins are taken from here, so that a client that kept a card finds
// the same ports after a restart.
const (
	firstPort = 20000
	manyPorts = 10000
	tryPorts  = 64
)

// maxOrigins bounds the listeners opened for origins of a card.
const maxOrigins = 16

func stablePort(o Origin) int {
	h := fnv.New32a()
	_, _ = io.WriteString(h, o.Scheme+"|"+o.Host)
	return firstPort + int(h.Sum32()%manyPorts)
}

// mapped gives the tap's address for an address of the target's card. An empty
// result leaves it as it is; why says that it leads past the tap.
func (p *Proxy) mapped(at *listener, q asked, old string) (now, why string) {
	if old == "" || strings.ContainsAny(old[:1], "/.?#") {
		return "", "" // relative: the client stays where it is
	}
	a, ok := cutAddress(old)
	if !ok {
		return "", "the tap cannot read it as an address"
	}
	// Only the card of the configured agent opens ports; a well-known card at
	// another origin is that of another agent.
	mayOpen := at.main || q.card == rpcCard || q.card == grpcCard
	l, why := p.listenerFor(a.origin, mayOpen)
	if l == nil {
		return "", why
	}
	scheme, rest, cut := strings.Cut(a.before, "://")
	before := a.before
	if cut && !p.opt.LocalTLS {
		switch strings.ToLower(scheme) {
		case "https":
			before = "http://" + rest
		case "wss":
			before = "ws://" + rest
		}
	}
	return before + net.JoinHostPort(q.base, strconv.Itoa(int(l.addr.Port()))) + a.behind, ""
}

// listenerFor returns the listener of an origin and opens it where that is allowed.
func (p *Proxy) listenerFor(o Origin, mayOpen bool) (l *listener, why string) {
	p.mu.Lock()
	defer p.unlock()
	for _, l := range p.listeners {
		// A bare host:port at the place of a plain-text target is the target.
		if l.has && (l.origin == o || o.Scheme == "" && l.origin.Scheme == "http" && l.origin.Host == o.Host) {
			return l, ""
		}
	}
	switch {
	case p.stopping.Load():
		return nil, "the tap is ending"
	case !mayOpen:
		return nil, "it is not in the card of the agent that was given"
	case len(p.listeners) > p.opt.MaxOrigins:
		p.raiseLocked(Hint{Code: HintTooManyOrigins, Host: o.String()})
		return nil, fmt.Sprintf("the tap listens for at most %d origins", p.opt.MaxOrigins)
	}
	return p.openFor(o)
}

// openFor opens a port for an origin; mu is held.
func (p *Proxy) openFor(o Origin) (*listener, string) {
	var err error
	port := stablePort(o)
	ip := p.main.addr.Addr()
	for i := range tryPorts + 1 {
		n := firstPort + (port-firstPort+i)%manyPorts
		if i == tryPorts {
			n = 0 // any port is better than none
		}
		var l *listener
		if l, err = listen(netip.AddrPortFrom(ip, uint16(n)).String()); err != nil {
			continue
		}
		l.origin, l.has = o, true
		p.listeners = append(p.listeners, l)
		p.owned.Go(func() { p.accept(l) })
		p.tell(Notice{Kind: NoticeListening, Origin: o, Address: l.addr.String()})
		return l, ""
	}
	return nil, "no port could be opened for it: " + err.Error()
}

// own returns the listener at an address, for clients that take the tap for a
// proxy to the tap.
func (p *Proxy) own(o Origin) *listener {
	host, port, err := net.SplitHostPort(o.Host)
	if err != nil {
		return nil
	}
	ip, err := netip.ParseAddr(host)
	local := host == "localhost" || err == nil && ip.IsLoopback()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.listeners {
		if port == strconv.Itoa(int(l.addr.Port())) && (local || err == nil && ip == l.addr.Addr()) {
			return l
		}
	}
	return nil
}

// mapHash changes when a card would be rewritten in another way.
func (p *Proxy) mapHash(base string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	parts := []string{base, strconv.FormatBool(p.opt.LocalTLS), strconv.FormatBool(p.opt.StripSignatures)}
	for _, l := range p.listeners {
		parts = append(parts, l.origin.String()+"="+strconv.Itoa(int(l.addr.Port())))
	}
	slices.Sort(parts)
	return shortHash(parts)
}

// accept takes connections until the listener is closed.
func (p *Proxy) accept(l *listener) {
	for {
		c, err := l.ln.AcceptTCP()
		if err != nil {
			if p.stopping.Load() || errors.Is(err, net.ErrClosed) {
				return
			}
			// Out of files, most likely: the connections there are go on.
			p.raise(Hint{Code: HintAccept, Host: l.addr.String(), Detail: err.Error()})
			if !p.pause() {
				return
			}
			continue
		}
		l.open.Add(1)
		l.total.Add(1)
		p.owned.Go(func() {
			defer l.open.Add(-1)
			serve := p.serve
			if l.meant != nil {
				serve = p.serveDiverted
			}
			p.tend(c, l, serve)
		})
	}
}

// pause waits a moment; it returns false when the tap is ending.
func (p *Proxy) pause() bool {
	ctx, cancel := context.WithTimeout(p.ctx, acceptPause)
	defer cancel()
	<-ctx.Done()
	return p.ctx.Err() == nil
}
