package proxy

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
)

// visit is one client connection on its way through the tap.
type visit struct {
	p      *Proxy
	client *leg
	at     *listener
	agent  *leg   // to the listener's origin, when TLS had to reach it first
	name   string // User-Agent of a CONNECT, for hints
	lost   *tap   // records what the client says to nobody
}

// word is what a connection begins with.
type word uint8

const (
	wordUnknown word = iota // not enough was said
	wordTLS
	wordHTTP2
	wordHTTP1
	wordOther
)

// firstWord tells by the first bytes of a client what it speaks.
func firstWord(b []byte) word {
	for len(b) > 0 && (b[0] == '\r' || b[0] == '\n') {
		b = b[1:]
	}
	if len(b) == 0 {
		return wordUnknown
	}
	if b[0] == 0x16 {
		switch {
		case len(b) < 3:
			return wordUnknown
		case b[1] == 3 && b[2] <= 4:
			return wordTLS
		}
		return wordOther
	}
	if yes, maybe := isHTTP2(b); yes {
		return wordHTTP2
	} else if maybe {
		if len(b) < len("PRI * HTTP/2") {
			return wordUnknown
		}
		return wordHTTP2
	}
	if i := bytes.IndexByte(b[:min(len(b), 32)], ' '); i > 0 {
		return wordHTTP1
	}
	if likeHead(b) && len(b) < 32 {
		return wordUnknown
	}
	return wordOther
}

// tend keeps a client connection while it is served. A panic costs that
// connection alone.
func (p *Proxy) tend(c *net.TCPConn, at *listener, serve func(*leg, *listener)) {
	client := newLeg(c)
	if !p.track(client) {
		return
	}
	defer p.untrack(client)
	defer func() {
		if v := recover(); v != nil {
			p.opt.Log.Error("a connection gave up", "panic", v)
			client.reset()
		}
	}()
	serve(client, at)
}

// serve takes a client to its end.
func (p *Proxy) serve(client *leg, at *listener) {
	v := &visit{p: p, client: client, at: at}
	v.relay()
	if v.agent != nil {
		p.untrack(v.agent)
	}
}

// relay finds out what the client speaks, and relays it.
func (v *visit) relay() {
	for {
		for firstWord(v.client.early) == wordUnknown {
			if err := v.client.more(); err != nil {
				return // it never said anything one could pass on
			}
		}
		switch firstWord(v.client.early) {
		case wordTLS:
			if !v.client.secured() {
				if !v.secure() {
					return
				}
				continue
			}
			v.other()
		case wordHTTP2:
			v.http2()
		case wordHTTP1:
			v.http1()
		default:
			v.other()
		}
		return
	}
}

var (
	errElsewhere = errors.New("not for this hop")
	errNoTarget  = errors.New("the tap was started without an agent's address: it is a forward proxy only")
)

// destination says where a request goes: the path alone to the listener's
// origin, a whole URL to where it names, unless that is the tap itself.
func (p *Proxy) destination(at *listener, h *head) (dest, error) {
	target := h.word(1)
	if bytes.Equal(h.word(0), []byte("CONNECT")) {
		return dest{}, errElsewhere
	}
	if len(target) > 0 && target[0] != '/' && target[0] != '*' && bytes.Contains(target, []byte("://")) {
		if a, ok := cutAddress(string(target)); ok && a.scheme != "" {
			if l := p.own(a.origin); l == nil {
				return dest{origin: a.origin, forward: true}, nil
			} else if l.has {
				return dest{origin: l.origin, from: l}, nil
			}
		}
	}
	if !at.has {
		return dest{}, errNoTarget
	}
	return dest{origin: at.origin, from: at}, nil
}

// peek reads as much of the next request as says where it goes.
func (v *visit) peek() (h head, whole bool, err error) {
	for {
		b := bytes.TrimLeft(v.client.early, "\r\n")
		if i := bytes.IndexByte(b, ' '); i > 0 && i+1 < len(b) && (b[i+1] == '/' || b[i+1] == '*') {
			h.raw = b[:i+2]
			h.words = [3]span{{0, i}, {i + 1, i + 2}}
			return h, false, nil
		}
		if end := headEnd(b, 0); end > 0 {
			h.read(b[:end])
			return h, true, nil
		}
		if len(b) > maxHead || len(b) > 0 && !likeHead(b) {
			return h, false, errElsewhere
		}
		if err := v.client.more(); err != nil {
			return h, false, err
		}
	}
}

// http1 relays a connection that speaks HTTP/1, one hop for each origin in turn.
func (v *visit) http1() {
	for {
		h, whole, err := v.peek()
		if err == errElsewhere {
			v.other()
			return
		}
		if err != nil {
			return
		}
		if whole && bytes.Equal(h.word(0), []byte("CONNECT")) {
			v.connect(&h)
			return
		}
		to, err := v.p.destination(v.at, &h)
		if err == nil && to.forward && !v.mayForward() {
			err = errors.New("the tap forwards for clients of this machine only")
		}
		if err != nil {
			v.refuse("400 Bad Request", err.Error())
			return
		}
		at := v.at
		if to.from != nil {
			at = to.from
		}
		agent, err := v.reach(to.origin, []string{"http/1.1"})
		if err != nil {
			end := v.unreachable(to.origin, err)
			v.refuse("502 Bad Gateway", "cannot reach "+to.origin.String()+": "+err.Error())
			end()
			return
		}
		hop := v.hop(agent, to.origin)
		pair := newPairing()
		up := &requests{p: v.p, at: at, to: to, pair: pair}
		down := &answers{p: v.p, hop: hop, at: at, to: to, pair: pair}
		again := hop.run(up, down)
		v.p.untrack(agent)
		if !again {
			return
		}
	}
}

// http2 relays a connection that speaks HTTP/2 from its first byte.
func (v *visit) http2() {
	if !v.at.has {
		v.p.raise(Hint{Code: HintNoTarget, Host: v.at.addr.String()})
		v.goaway(errNoTarget.Error())
		return
	}
	agent, err := v.reach(v.at.origin, []string{"h2"})
	if err != nil {
		end := v.unreachable(v.at.origin, err)
		v.goaway("cannot reach " + v.at.origin.String() + ": " + err.Error())
		end()
		return
	}
	defer v.p.untrack(agent)
	hop := v.hop(agent, v.at.origin)
	up, down := newFrames(v.p, hop, v.at, dest{origin: v.at.origin, from: v.at})
	hop.run(up, down)
}

// other relays what is no HTTP to the target as it is.
func (v *visit) other() {
	if !v.at.has {
		return
	}
	agent, err := v.reach(v.at.origin, nil)
	if err != nil {
		v.unreachable(v.at.origin, err)()
		return
	}
	defer v.p.untrack(agent)
	v.hop(agent, v.at.origin).run(verbatim{}, verbatim{})
}

// reach connects to an origin, or takes the connection that is there already.
func (v *visit) reach(o Origin, alpn []string) (*leg, error) {
	if a := v.agent; a != nil && v.at.has && o == v.at.origin {
		v.agent = nil
		return a, nil
	}
	secure := o.Scheme == "https" || o.Scheme == "" && v.client.secured()
	agent, err := v.p.dial(o)
	if err != nil || !secure {
		return agent, err
	}
	if _, err := v.p.secureAgent(agent, o.Name(), alpn, o.Host); err != nil {
		v.p.untrack(agent)
		return nil, err
	}
	return agent, nil
}

// hop joins the client with an agent and begins the recording.
func (v *visit) hop(agent *leg, o Origin) *hop {
	l := capture.Link{Client: addrOf(v.client.tcp.RemoteAddr()), Server: addrOf(agent.tcp.RemoteAddr()), ServerName: o.Name()}
	agent.describe(&l)
	return &hop{p: v.p, client: v.client, agent: agent, tap: v.p.opened(l), moved: make(chan struct{}, 1)}
}

// unreachable records what the client says to an agent nobody could reach,
// until the function it returns is called.
func (v *visit) unreachable(o Origin, err error) (end func()) {
	t := v.p.opened(capture.Link{Client: addrOf(v.client.tcp.RemoteAddr()), ServerName: o.Name()})
	t.bytes(capture.Client, v.client.early)
	v.lost = t
	v.p.raise(Hint{Code: HintUnreachable, Host: o.Host, Detail: err.Error()})
	return func() {
		v.lost = nil
		t.closed(capture.Server, capture.Unreachable+err.Error())
	}
}

// refuse answers an HTTP/1 client in the tap's own name.
func (v *visit) refuse(status, why string) {
	body := "a2ascope: " + why + "\n"
	var b strings.Builder
	b.WriteString("HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: ")
	b.WriteString(strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	_, _ = v.client.Write([]byte(b.String()))
	v.client.closeWrite(false)
	v.drain()
}

// goaway answers an HTTP/2 client in the tap's own name: SETTINGS, and GOAWAY
// with INTERNAL_ERROR and the reason.
func (v *visit) goaway(why string) {
	b := appendFrame(nil, frameSettings, 0, 0, 0)
	b = appendFrame(b, 7, 0, 0, 8+len(why))
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 2)
	b = append(b, why...)
	_, _ = v.client.Write(b)
	v.client.closeWrite(false)
	v.drain()
}

// drain reads what the client still says, so that the answer is not lost to a
// reset; the client closes when it has read it.
func (v *visit) drain() {
	v.client.early = nil
	v.client.expire(refuseWait)
	for range 64 {
		b, err := v.client.next()
		if v.lost != nil {
			v.lost.bytes(capture.Client, b)
		}
		if err != nil {
			break
		}
	}
	v.client.free()
}

// mayForward reports whether the client may use the tap as its proxy.
func (v *visit) mayForward() bool { return addrOf(v.client.tcp.RemoteAddr()).Addr().IsLoopback() }

func addrOf(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := t.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// refuseWait is how long a client may take to read the tap's own answer.
const refuseWait = 2 * time.Second
