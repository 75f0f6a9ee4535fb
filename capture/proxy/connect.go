package proxy

import (
	"strings"

	"a2ascope/capture"
)

// connect serves a client that asks for a tunnel. The agent is called before
// the answer: a client that is told "established" first would report nonsense
// about what follows.
func (v *visit) connect(h *head) {
	v.name = h.get("user-agent")
	o, ok := originOf("", string(h.word(1)))
	rest := strings.TrimLeft(string(v.client.early), "\r\n")[len(h.raw):]
	switch {
	case !ok:
		v.refuse("400 Bad Request", "CONNECT needs host:port, not "+string(h.word(1)))
		return
	case !v.mayForward():
		v.refuse("403 Forbidden", "the tap forwards for clients of this machine only")
		return
	}
	if l := v.p.own(o); l != nil {
		// The client takes us for its proxy on the way to ourselves.
		if v.established(rest) {
			v.at = l
			v.relay()
		}
		return
	}
	agent, err := v.p.dial(o)
	if err != nil {
		end := v.unreachable(o, err)
		v.refuse("502 Bad Gateway", "cannot reach "+o.Host+": "+err.Error())
		end()
		return
	}
	v.agent = agent
	if v.established(rest) {
		v.tunnel(o)
	}
}

// established grants the tunnel; rest is what the client sent ahead.
func (v *visit) established(rest string) bool {
	v.client.early = []byte(rest)
	_, err := v.client.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n"))
	return err == nil
}

// tunnel finds out what is spoken inside: whoever speaks first decides, and
// nobody is hurried. Only TLS has to be told from the rest.
func (v *visit) tunnel(o Origin) {
	blind := false
	switch v.first() {
	case capture.Server:
		blind = true // mail and databases greet first
	case capture.Client:
		for firstWord(v.client.early) == wordUnknown && v.client.fault == nil {
			if v.client.more() != nil {
				break
			}
		}
		if firstWord(v.client.early) == wordTLS {
			_, err := v.p.ca.get()
			if err != nil {
				v.p.raise(Hint{Code: HintNoAuthority, Host: o.Host, Detail: err.Error()})
			}
			if blind = err != nil || v.passes(o); !blind && !v.bridge(o) {
				return
			}
		}
	}
	hop := v.hop(v.agent, o)
	if blind {
		hop.tap.limit = blindLimit
	}
	hop.run(verbatim{}, verbatim{})
}

// first waits until one of the two peers says something, or ends.
func (v *visit) first() capture.Side {
	if len(v.client.early) > 0 {
		return capture.Client
	}
	heard := make(chan capture.Side, 2)
	legs := [2]*leg{v.client, v.agent}
	for s, l := range legs {
		v.p.owned.Go(func() {
			_ = l.more()
			heard <- capture.Side(s)
		})
	}
	side := <-heard
	// The loser is stopped and waited for: what it read stays in its early bytes.
	other := legs[side.Other()]
	other.interrupt()
	<-heard
	other.resume()
	return side
}
