package proxy

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"a2ascope/capture"
)

// Divert adds a listener whose clients know nothing of a tap: the system led
// their connections here, and meant says where each of them wanted to go. What
// they say is passed on as it is, TLS is opened as in a tunnel. It may be called
// at any time; the listener is closed when the tap ends.
func (p *Proxy) Divert(ln *net.TCPListener, meant func(*net.TCPConn) (netip.AddrPort, error)) error {
	got := ln.Addr().(*net.TCPAddr).AddrPort()
	l := &listener{ln: ln, addr: netip.AddrPortFrom(got.Addr().Unmap(), got.Port()), meant: meant}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Load() {
		_ = ln.Close()
		return net.ErrClosed
	}
	p.diverted = append(p.diverted, l)
	if p.running {
		p.owned.Go(func() { p.accept(l) })
	}
	return nil
}

// Undivert closes a listener of Divert; its connections go on.
func (p *Proxy) Undivert(ln *net.TCPListener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range p.diverted {
		if l.ln == ln {
			p.diverted = append(p.diverted[:i:i], p.diverted[i+1:]...)
			break
		}
	}
	_ = ln.Close()
}

// saidWait is how long the client of an agent that cannot be reached may take
// to say what it wanted.
const saidWait = 200 * time.Millisecond

// serveDiverted takes a client that did not ask for the tap to its end.
func (p *Proxy) serveDiverted(client *leg, at *listener) {
	to, err := at.meant(client.tcp)
	if err != nil {
		p.opt.Log.Warn("where a connection was meant to go is not known", "error", err)
		client.reset()
		return
	}
	o := Origin{Host: to.String()}
	v := &visit{p: p, client: client, at: at}
	if v.agent, err = p.dial(o); err != nil {
		// The client believes to be connected. A reset is the nearest to a refusal;
		// what it wanted to say is worth a look first.
		end := v.unreachable(o, err)
		client.expire(saidWait)
		if b, _ := client.next(); len(b) > 0 {
			v.lost.bytes(capture.Client, b)
		}
		client.free()
		end()
		client.reset()
		return
	}
	v.tunnel(o)
	p.untrack(v.agent)
}

// passes reports whether the TLS a client begins is left alone. Where only an
// address is known, the name in the client's hello is asked as well.
func (v *visit) passes(o Origin) bool {
	if v.p.passes(o.Host) {
		return true
	}
	if v.at.meant == nil || len(v.p.opt.Passthrough) == 0 {
		return false
	}
	name := v.serverName()
	return name != "" && v.p.passes(name)
}

// maxHello is more than a hello takes: 64 KiB in records of 16.
const maxHello = 80 << 10

var errSeen = errors.New("seen")

// serverName reads the name that a client asks for in its hello, "" when there is none.
func (v *visit) serverName() (name string) {
	for {
		var c peeked
		c.r.Reset(v.client.early)
		s := tls.Server(&c, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name = h.ServerName
			return nil, errSeen
		}})
		err := s.HandshakeContext(v.p.ctx)
		short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if !short || len(v.client.early) > maxHello || v.client.more() != nil {
			return name
		}
	}
}

// peeked lets a hello be read without answering it.
type peeked struct {
	net.Conn
	r bytes.Reader
}

func (p *peeked) Read(b []byte) (int, error)  { return p.r.Read(b) }
func (p *peeked) Write(b []byte) (int, error) { return len(b), nil }
func (p *peeked) Close() error                { return nil }
