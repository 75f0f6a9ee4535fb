package proxy

import (
	"crypto/tls"
	"errors"
	"net"
	"slices"

	"a2ascope/capture"
)

// replay is a connection whose first bytes were read already.
type replay struct {
	net.Conn
	early []byte
}

func (r *replay) Read(b []byte) (int, error) {
	if len(r.early) > 0 {
		n := copy(b, r.early)
		r.early = r.early[n:]
		return n, nil
	}
	return r.Conn.Read(b)
}

// terminate answers a client's TLS with a certificate of ours. choose says, once
// the client's hello is read, which name the certificate gets and which
// protocols are offered.
func (v *visit) terminate(choose func(*tls.ClientHelloInfo) (name string, alpn []string, err error)) error {
	ca, err := v.p.ca.get()
	if err != nil {
		v.p.raise(Hint{Code: HintNoAuthority, Host: v.at.addr.String(), Detail: err.Error()})
		return err
	}
	conf := &tls.Config{
		Time: v.p.opt.Now,
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name, alpn, err := choose(hello)
			if err != nil {
				return nil, err
			}
			leaf, err := ca.leaf(name)
			if err != nil {
				return nil, err
			}
			return &tls.Config{Certificates: []tls.Certificate{*leaf}, NextProtos: alpn, Time: v.p.opt.Now}, nil
		},
	}
	c := tls.Server(&replay{v.client.tcp, v.client.early}, conf)
	v.client.early = nil
	if err := c.HandshakeContext(v.p.ctx); err != nil {
		return err
	}
	v.client.secure(c)
	return nil
}

// secure opens the TLS of a client that came to one of our addresses. Where the
// agent speaks TLS too, it is asked first, so that both sides agree on the protocol.
func (v *visit) secure() bool {
	var failed error
	name := ""
	err := v.terminate(func(hello *tls.ClientHelloInfo) (string, []string, error) {
		if name = hello.ServerName; name == "" {
			name = addrOf(v.client.tcp.LocalAddr()).Addr().String()
		}
		o := v.at.origin
		if !v.at.has || o.Scheme == "http" {
			// In clear nothing is agreed with the agent: HTTP/1 where the client can.
			switch {
			case slices.Contains(hello.SupportedProtos, "http/1.1"):
				return name, []string{"http/1.1"}, nil
			case slices.Contains(hello.SupportedProtos, "h2"):
				return name, []string{"h2"}, nil
			}
			return name, nil, nil
		}
		alpn, err := v.agentFirst(o, o.Name(), hello.SupportedProtos)
		failed = err
		return name, alpn, err
	})
	switch {
	case err == nil:
		v.p.trusted(v.at.addr.String(), v.name)
		return true
	case v.p.stopping.Load(): // it was us who gave up
	case failed != nil:
		v.unreachable(v.at.origin, failed)()
	default:
		if v.at.has {
			name = v.at.origin.Host // with its port: nothing else says which agent was meant
		}
		v.untrusted(v.at.addr.String(), name, err, false)
	}
	return false
}

// untrusted records a client whose TLS with us came to nothing.
func (v *visit) untrusted(host, name string, err error, tunnel bool) {
	if v.p.left(host, v.name, err) {
		v.stillborn(name, "")
		return
	}
	why := err.Error()
	if !errors.Is(err, errNoAuthority) {
		why = v.p.distrusted(host, v.name, err, tunnel)
	}
	v.stillborn(name, capture.Unreachable+why)
}

// stillborn records a TLS connection of which there is nothing to read.
func (v *visit) stillborn(name, why string) {
	l := capture.Link{Client: addrOf(v.client.tcp.RemoteAddr()), ServerName: name, TLS: "yes"}
	if v.agent != nil {
		l.Server = addrOf(v.agent.tcp.RemoteAddr())
	}
	v.p.opened(l).closed(capture.Client, why)
}

// agentFirst connects to the agent over TLS with what the client offers, and
// returns what is to be offered to the client.
func (v *visit) agentFirst(o Origin, name string, offered []string) ([]string, error) {
	agent := v.agent
	if agent == nil {
		var err error
		if agent, err = v.p.dial(o); err != nil {
			return nil, err
		}
		v.agent = agent
	}
	s, err := v.p.secureAgent(agent, name, offered, o.Host)
	if err != nil {
		return nil, err
	}
	if s.NegotiatedProtocol == "" {
		return nil, nil
	}
	return []string{s.NegotiatedProtocol}, nil
}

// bridge opens the TLS a client speaks inside a CONNECT tunnel. It returns false
// when the tunnel is over.
func (v *visit) bridge(o Origin) bool {
	var failed error
	name := ""
	err := v.terminate(func(hello *tls.ClientHelloInfo) (string, []string, error) {
		if name = hello.ServerName; name == "" {
			name = o.Name()
		}
		alpn, err := v.agentFirst(o, name, hello.SupportedProtos)
		failed = err
		return name, alpn, err
	})
	if err == nil {
		v.p.trusted(o.Host, v.name)
		return true
	}
	switch {
	case v.p.stopping.Load(): // it was us who gave up
	case failed != nil:
		v.stillborn(name, capture.Unreachable+failed.Error())
	default:
		v.untrusted(o.Host, name, err, true)
	}
	return false
}
