package proxy

import (
	"bytes"
	"strings"

	"a2ascope/internal/jsontree"
)

// dest is where a request goes, and how: forward means that the client took us for its proxy.
type dest struct {
	origin  Origin
	forward bool
	from    *listener // whose origin it is, when not forward
}

// requests is the passer of the client's direction of an HTTP/1 hop. It
// changes the Host line and the lines that would keep a card from passing, and
// nothing else.
type requests struct {
	p    *Proxy
	at   *listener // where the client came in
	to   dest
	pair *pairing
	cut  cutter
	head head
	out  []byte
	tidy []edit // of the current head

	host []byte // the Host that came last, and what was made of it
	ours bool
	base string
	own  string

	scan  bool   // the body may name the method that asks for a card
	body  []byte // of it so far
	away  bool   // the next request goes elsewhere
	rest  []byte // from there on
	plain bool   // everything passes as it is
}

// maxScan bounds the bodies that are looked at: a request for a card has no parameters.
const maxScan = 8 << 10

func (r *requests) pass(in []byte) []byte {
	if up := r.pair.upgraded(); up != nil {
		return up.pass(in)
	}
	if r.plain {
		return in
	}
	s := splice{in: in, out: r.out[:0]}
	for len(s.in) > s.at {
		p, n := r.cut.next(in[s.at:])
		switch p.kind {
		case pieceNone:
			s.drop(n)
		case pieceHead:
			if !r.request(&s, p.data, n) {
				r.out = s.out[:0]
				return s.take()
			}
		case pieceContent:
			r.content(p)
			s.keep(n)
		case pieceTrailer:
			if p.last {
				r.contentEnd(r.body)
			}
			s.keep(n)
		case pieceRaw:
			r.plain = true
			r.pair.lose()
			s.keepAs(p.data, n)
		default:
			s.keep(n)
		}
	}
	out := s.take()
	if s.own {
		r.out = out[:0]
		if cap(r.out) > 2*bufferSize {
			r.out = nil
		}
	}
	return out
}

func (r *requests) waits() bool { return false } // the client's credit is the agent's business

func (r *requests) end() []byte {
	if up := r.pair.upgraded(); up != nil {
		return up.end()
	}
	return r.cut.end()
}

// request handles a head that ends n bytes further in the input. It returns
// false when the request goes elsewhere.
func (r *requests) request(s *splice, raw []byte, n int) bool {
	h := &r.head
	h.read(raw)
	to, err := r.p.destination(r.at, h)
	if err != nil || to != r.to {
		r.away = true
		r.rest = append(append([]byte(nil), raw...), s.in[s.at+n:]...)
		s.stop()
		return false
	}
	a := asked{toHEAD: bytes.Equal(h.word(0), []byte("HEAD"))}
	follow := h.requestBody()
	if h.doubt != "" || follow.state == cutRaw {
		// Two readers may cut this in different ways: whatever the agent makes
		// of it, it is to see what the client sent.
		r.p.raise(Hint{Code: HintAmbiguous, Host: to.origin.Host, Detail: h.doubt})
		r.plain = true
		r.pair.push(a)
		r.pair.lose()
		r.cut.lose()
		s.keepAs(raw, n)
		return true
	}
	r.tidy = r.tidy[:0]
	if to.forward {
		r.toOriginForm()
	} else {
		if h.raw[h.words[1].from] != '/' {
			r.toOriginForm() // a client that takes the tap for its proxy to the tap
		}
		r.reverse(&a)
	}
	r.scan = !to.forward && !r.p.opt.NoCardRewrite && mayScan(h, follow)
	r.body = r.body[:0]
	r.pair.push(a)
	if len(r.tidy) > 0 {
		s.replace(raw, n, r.tidy)
	} else {
		s.keepAs(raw, n)
	}
	r.cut.body(follow)
	return true
}

// toOriginForm makes a request to a proxy one to an origin (RFC 9112 section
// 3.2.2): the path alone, and not what was meant for the proxy.
func (r *requests) toOriginForm() {
	h := &r.head
	if target := h.words[1]; len(h.word(1)) > 0 && h.raw[target.from] != '/' && h.raw[target.from] != '*' {
		if _, rest, ok := strings.Cut(string(h.word(1)), "://"); ok {
			path := "/"
			if j := strings.IndexAny(rest, "/?"); j >= 0 {
				if path = rest[j:]; path[0] == '?' {
					path = "/" + path
				}
			} else if bytes.Equal(h.word(0), []byte("OPTIONS")) {
				path = "*"
			}
			r.tidy = append(r.tidy, edit{target.from, target.to, path})
		}
	}
	for _, f := range h.fields {
		if h.is(f, "proxy-connection") || h.is(f, "proxy-authorization") {
			r.tidy = append(r.tidy, edit{f.start, f.next, ""})
		}
	}
}

// reverse edits a request to our own address: the agent is to see its own name.
func (r *requests) reverse(a *asked) {
	h := &r.head
	for _, f := range h.fields {
		if !h.is(f, "host") {
			continue
		}
		if v := h.val(f); r.own == "" || !bytes.Equal(v, r.host) {
			r.host = append(r.host[:0], v...)
			r.own = r.to.origin.Authority()
			r.ours = r.at.isOurs(string(v)) && r.own != string(v)
			r.base = r.p.baseOf(r.at, string(v))
		}
		if r.ours {
			r.tidy = append(r.tidy, edit{f.value, f.end, r.own})
		}
	}
	if !r.p.opt.NoCardRewrite {
		if a.base = r.base; a.base == "" {
			a.base = r.p.baseOf(r.at, "")
		}
		r.cardRequest(a)
	}
	var edits []fieldEdit
	if a.card == plainCard {
		edits, a.edits = r.p.cardRequestEdits(h.names(), a.base)
	}
	if len(edits) > 0 || len(r.tidy) > 1 {
		r.tidy = h.editLines(r.tidy, edits)
	}
}

// cardRequest finds out whether the request asks for a card.
func (r *requests) cardRequest(a *asked) {
	h := &r.head
	switch string(h.word(0)) {
	case "GET":
		path := pathOf(string(h.word(1)))
		if a.card = r.p.cardPath(path); a.card != noCard {
			a.path = path
		}
	case "POST":
		if path := pathOf(string(h.word(1))); isGRPCCard(path) {
			a.card, a.path = grpcCard, path
		}
	}
}

func pathOf(target string) string {
	if i := strings.Index(target, "://"); i > 0 && target[0] != '/' {
		if j := strings.IndexByte(target[i+3:], '/'); j >= 0 {
			target = target[i+3+j:]
		} else {
			target = "/"
		}
	}
	p, _, _ := strings.Cut(target, "?")
	return p
}

// mayScan reports whether a request may be a JSON-RPC call for a card.
func mayScan(h *head, f following) bool {
	if !bytes.Equal(h.word(0), []byte("POST")) || f.state == cutHead || f.length > maxScan {
		return false
	}
	return !strings.Contains(h.get("content-type"), "grpc")
}

// content looks at a piece of a body before it is sent.
func (r *requests) content(p piece) {
	if !r.scan {
		return
	}
	if p.last && len(r.body) == 0 {
		r.contentEnd(p.data)
		return
	}
	if len(r.body)+len(p.data) > maxScan {
		r.scan, r.body = false, r.body[:0]
		return
	}
	r.body = append(r.body, p.data...)
	if p.last {
		r.contentEnd(r.body)
	}
}

func (r *requests) contentEnd(body []byte) {
	if r.scan && asksForCard(body) {
		r.pair.mark(rpcCard)
	}
	r.scan = false
}

// rpcCardMethods are the JSON-RPC names of GetExtendedAgentCard in the versions that have it.
var rpcCardMethods = []string{"GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", "agent/authenticatedExtendedCard"}

// asksForCard reports whether a JSON-RPC request asks for the extended card.
func asksForCard(body []byte) bool {
	if !bytes.Contains(body, []byte("Extended")) {
		return false
	}
	method := jsontree.Parse(body).Root().Get("method").Str()
	for _, m := range rpcCardMethods {
		if method == m {
			return true
		}
	}
	return false
}

func (r *requests) mid() bool {
	if up := r.pair.upgraded(); up != nil {
		return up.mid()
	}
	return false
}
