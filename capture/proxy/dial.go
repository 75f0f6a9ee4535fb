package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"a2ascope/capture"
)

// dial connects to an origin in clear.
func (p *Proxy) dial(o Origin) (*leg, error) {
	if p.own(o) != nil {
		return nil, errors.New(o.Host + " is the tap itself")
	}
	ctx, cancel := context.WithTimeout(p.ctx, dialTimeout)
	defer cancel()
	dial := p.opt.Dial
	if dial == nil {
		var d net.Dialer
		dial = func(ctx context.Context, addr string) (net.Conn, error) { return d.DialContext(ctx, "tcp", addr) }
	}
	c, err := dial(ctx, o.Host)
	if err != nil {
		return nil, err
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		_ = c.Close()
		return nil, errors.New(o.Host + " was not reached over TCP")
	}
	l := newLeg(tcp)
	if !p.track(l) {
		return nil, net.ErrClosed
	}
	return l, nil
}

// secureAgent goes on over TLS with an agent, offering the protocols the client
// speaks. It returns what the agent chose.
func (p *Proxy) secureAgent(l *leg, name string, alpn []string, host string) (tls.ConnectionState, error) {
	wantsCert := false
	conf := &tls.Config{
		ServerName: name, NextProtos: alpn, RootCAs: p.roots,
		InsecureSkipVerify: p.opt.InsecureUpstream, // only where the user asked for it
		Time:               p.opt.Now,
		GetClientCertificate: func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			for i := range p.opt.ClientCertificates {
				if r.SupportsCertificate(&p.opt.ClientCertificates[i]) == nil {
					return &p.opt.ClientCertificates[i], nil
				}
			}
			if len(p.opt.ClientCertificates) == 1 {
				return &p.opt.ClientCertificates[0], nil // let the agent say what it dislikes
			}
			wantsCert = len(p.opt.ClientCertificates) == 0
			return &tls.Certificate{}, nil
		},
	}
	c := tls.Client(l.tcp, conf)
	ctx, cancel := context.WithTimeout(p.ctx, dialTimeout)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		if p.stopping.Load() {
			return tls.ConnectionState{}, err
		}
		code := HintAgentTLS
		if wantsCert {
			code = HintAgentWantsCert
		}
		p.raise(Hint{Code: code, Host: host, Detail: err.Error()})
		return tls.ConnectionState{}, err
	}
	if wantsCert {
		// TLS 1.3 refuses a missing certificate only after the handshake.
		p.raise(Hint{Code: HintAgentWantsCert, Host: host})
	}
	l.secure(c)
	return c.ConnectionState(), nil
}

// describe adds what TLS says of a connection.
func (l *leg) describe(to *capture.Link) {
	c, ok := l.Conn.(*tls.Conn)
	if !ok {
		return
	}
	s := c.ConnectionState()
	to.ALPN = s.NegotiatedProtocol
	if s.ServerName != "" {
		to.ServerName = s.ServerName
	}
	switch s.Version {
	case tls.VersionTLS12:
		to.TLS = "1.2"
	case tls.VersionTLS13:
		to.TLS = "1.3"
	default:
		to.TLS = "yes"
	}
}
