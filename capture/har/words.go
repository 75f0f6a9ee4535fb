package har

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// words gathers the short texts of one exchange, so that all of them share one
// string: a HAR entry has some fifty header texts, and an allocation for each
// would cost more than reading the entry.
type words struct{ buf []byte }

// word is a piece of words.buf.
type word struct{ from, to int }

func (w *words) add(t text) word {
	from := len(w.buf)
	if t.escaped {
		w.buf = unescape(w.buf, t.raw)
	} else {
		w.buf = append(w.buf, t.raw...)
	}
	return word{from, len(w.buf)}
}

func (w *words) bytes(x word) []byte { return w.buf[x.from:x.to] }

func (x word) of(all string) string { return all[x.from:x.to] }

// sub returns a part of x.
func (x word) sub(from, to int) word { return word{x.from + from, x.from + to} }

// field is a header whose texts are still in words.
type field struct{ name, value word }

// fields adds headers, without HTTP/2 pseudo-fields, which go to pseudo.
func (w *words) fields(dst []field, hs []header, pseudo func(name []byte, value word)) []field {
	for _, h := range hs {
		f := field{w.add(h.name), w.add(h.value)}
		if name := w.bytes(f.name); len(name) > 1 && name[0] == ':' {
			pseudo(name, f.value)
			continue
		}
		dst = append(dst, f)
	}
	return dst
}

// address is a URL in parts.
type address struct{ scheme, authority, target word }

// address splits a URL that was added. User names and the fragment are left
// out, they are not sent in a request line.
func (w *words) address(url word) address {
	s := w.bytes(url)
	if i := bytes.IndexByte(s, '#'); i >= 0 {
		s = s[:i]
	}
	a := address{target: url.sub(0, len(s))}
	i := bytes.Index(s, []byte("://"))
	if i < 0 || s[0] == '/' {
		return a
	}
	a.scheme = url.sub(0, i)
	for k := range i { // in place: the text is our own copy
		if c := s[k]; c >= 'A' && c <= 'Z' {
			s[k] = c | 0x20
		}
	}
	from, to := i+3, len(s)
	if j := bytes.IndexAny(s[from:], "/?"); j >= 0 {
		to = from + j
	}
	if j := bytes.LastIndexByte(s[from:to], '@'); j >= 0 {
		from += j + 1
	}
	a.authority = url.sub(from, to)
	a.target = url.sub(to, len(s))
	return a
}

// heads fills both heads and the link from the entry.
func (w *worker) heads(p *parts) {
	e, ws := &w.entry, &w.words
	ws.buf = ws.buf[:0]
	url := ws.add(e.request.url)
	addr := ws.address(url)
	urlHost := addr.authority
	method, reason := ws.add(e.request.method), ws.add(e.response.statusText)
	server := ws.add(e.server)
	pseudo := false
	fs := ws.fields(w.fields[:0], e.request.headers, func(name []byte, v word) {
		pseudo = true
		switch string(name) {
		case ":authority":
			addr.authority = v
		case ":path":
			addr.target = v
		case ":method":
			method = v
		case ":scheme":
			addr.scheme = v
		}
	})
	nRequest := len(fs)
	other := func([]byte, word) { pseudo = true }
	fs = ws.fields(fs, e.response.headers, other)
	nResponse := len(fs)
	fs = ws.fields(fs, e.request.trailers, other)
	nSent := len(fs)
	fs = ws.fields(fs, e.response.trailers, other)
	w.fields = fs

	all := string(ws.buf)
	fields := make(capture.Fields, len(fs))
	for i, f := range fs {
		fields[i] = capture.Field{Name: f.name.of(all), Value: f.value.of(all)}
	}
	rq, rs := &p.request, &p.response
	*rq = capture.Head{Proto: proto(e.request.version.raw), Method: method.of(all), Scheme: addr.scheme.of(all),
		Authority: addr.authority.of(all), Target: addr.target.of(all), Fields: fields[:nRequest:nRequest]}
	*rs = capture.Head{Proto: proto(e.response.version.raw), Status: status(e.response.status), Reason: reason.of(all),
		Fields: fields[nRequest:nResponse:nResponse]}
	w.sentTrailer, w.trailer = fields[nResponse:nSent:nSent], fields[nSent:len(fields):len(fields)]

	if rq.Target == "" {
		rq.Target = "/"
	} else if rq.Target[0] == '?' {
		rq.Target = "/" + rq.Target
	}
	if !pseudo {
		if host, ok := rq.Fields.Lookup("host"); ok && host != "" {
			rq.Authority = host // what was sent, which a proxy's URL is not
		}
	}
	if rq.Proto == "" {
		rq.Proto = rs.Proto
	}
	if rq.Proto == "" && (pseudo || isGRPC(rq.MediaType())) {
		rq.Proto = "HTTP/2"
	}
	if rs.Proto == "" {
		rs.Proto = rq.Proto
	}
	if rs.Proto != "HTTP/1.1" && rs.Proto != "HTTP/1.0" {
		rs.Reason = "" // only HTTP/1 sends one; producers put "OK" or an error here
	}
	p.link = w.linked(link(rq, urlHost.of(all), server.of(all)))
}

// linked keeps a link, for all neighbouring entries that say the same.
func (w *worker) linked(l capture.Link) *capture.Link {
	if w.link == nil || *w.link != l {
		l.ServerName = strings.Clone(l.ServerName) // it is a part of the heads
		w.link = &l
	}
	return w.link
}

// link says what is known of the connection.
func link(rq *capture.Head, authority, server string) capture.Link {
	l := capture.Link{Source: "har"}
	host, port := splitHost(authority)
	l.ServerName = host
	if rq.Scheme == "https" {
		l.TLS = "yes"
		switch rq.Proto {
		case "HTTP/2":
			l.ALPN = "h2"
		case "HTTP/3":
			l.ALPN = "h3"
		}
	}
	if server == "" {
		server = host // says something only when it is an address
	}
	ip, err := netip.ParseAddr(strings.Trim(server, "[]"))
	if err != nil {
		return l
	}
	n := uint16(80)
	if rq.Scheme == "https" {
		n = 443
	}
	if v, err := strconv.ParseUint(port, 10, 16); err == nil {
		n = uint16(v)
	}
	l.Server = netip.AddrPortFrom(ip, n)
	return l
}

// splitHost splits "host:port", "[::1]:port" and "host".
func splitHost(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || i < strings.IndexByte(authority, ']') {
		return strings.Trim(authority, "[]"), ""
	}
	return strings.Trim(authority[:i], "[]"), authority[i+1:]
}

func status(v float64) int {
	if v >= 100 && v < 1000 {
		return int(v)
	}
	return 0
}

// proto turns the spellings of httpVersion into the one of capture.Head; ""
// when the producer did not know.
func proto(v []byte) string {
	if len(v) > 20 {
		return ""
	}
	switch s := strings.ToLower(strings.TrimSpace(string(v))); s {
	case "http/1.1", "1.1":
		return "HTTP/1.1"
	case "h2", "h2c", "http/2", "http/2.0", "2", "2.0":
		return "HTTP/2"
	case "http/1.0", "1.0":
		return "HTTP/1.0"
	case "http/3", "http/3.0", "3", "3.0", "quic":
		return "HTTP/3"
	default:
		if strings.HasPrefix(s, "h3") || strings.HasPrefix(s, "http/3") || strings.Contains(s, "quic") {
			return "HTTP/3"
		}
		return ""
	}
}
