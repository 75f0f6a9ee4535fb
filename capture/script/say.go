package script

import (
	"bytes"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// begin starts a message with its first line.
func (p *parser) begin(l *lane, from capture.Side, form byte, pc piece) {
	if form == 't' {
		p.fail(0, "a trailer belongs behind a body; nothing is being said here")
		return
	}
	m := &message{from: from, line: p.line, conn: l.conn, inHead: true}
	if from == capture.Client {
		p.beginRequest(l, m, pc)
	} else {
		p.beginResponse(l, m, form, pc)
	}
	if p.err == nil && l.said == nil {
		l.said = m
	}
}

const howToAsk = "a request begins with 'METHOD TARGET', 'h2 METHOD TARGET' or 'grpc /package.Service/Method'"

func (p *parser) beginRequest(l *lane, m *message, pc piece) {
	text := string(pc.text)
	words := strings.Fields(text)
	c := l.conn
	m.ex = &exchange{line: p.line}
	switch {
	case pc.raw: // not even a request line, if one likes
		if !p.speak(c, speaksHTTP1, "") {
			return
		}
		m.head = append(m.head, pc)
	case len(words) > 0 && words[0] == "grpc":
		if len(words) != 2 || !strings.HasPrefix(words[1], "/") {
			p.fail(2, "'grpc /package.Service/Method' expected")
			return
		}
		if !p.speak(c, speaksHTTP2, "") {
			return
		}
		m.grpc = true
		m.ex.grpc, m.ex.method, m.ex.path = true, "POST", words[1]
	case len(words) > 0 && words[0] == "h2":
		if len(words) != 3 {
			p.fail(2, "'h2 METHOD TARGET' expected")
			return
		}
		if !p.speak(c, speaksHTTP2, "") {
			return
		}
		m.ex.method, m.ex.path = words[1], words[2]
	case len(words) < 2 || strings.ContainsAny(words[0], ":{}\"[]"):
		why := howToAsk + "; '>.' begins with any other text"
		if x := l.ex; x != nil {
			why = "the request of line " + itoa(x.line) + " is finished; " + why
		}
		p.fail(2, why)
		return
	default:
		if !p.speak(c, speaksHTTP1, "; a request on it begins with 'h2' or 'grpc'") {
			return
		}
		if len(words) == 2 && text == words[0]+" "+words[1] {
			pc.text = append(pc.text, " HTTP/1.1"...)
		}
		m.ex.method, m.ex.path = words[0], words[1]
		m.head = append(m.head, pc)
	}
	if c.proto == speaksHTTP2 {
		m.ex.n = c.exchanges
		c.exchanges++
	}
	l.ex = m.ex
}

// speak notes what a connection speaks; it cannot change.
func (p *parser) speak(c *conn, proto protocol, how string) bool {
	names := map[protocol]string{speaksHTTP1: "HTTP/1", speaksHTTP2: "HTTP/2"}
	if c.proto != silent && c.proto != proto {
		p.fail(2, "connection "+c.label()+" speaks "+names[c.proto]+how)
		return false
	}
	if proto == speaksHTTP1 && len(c.lanes) > 1 {
		p.fail(2, "connection "+c.label()+" has lanes, which only HTTP/2 can have")
		return false
	}
	c.proto = proto
	return true
}

func (p *parser) beginResponse(l *lane, m *message, form byte, pc piece) {
	c := l.conn
	if c.proto == silent {
		c.proto = speaksHTTP1 // the request was not seen
	}
	m.ex = l.ex
	if c.proto == speaksHTTP2 && m.ex == nil {
		p.fail(0, "nothing was asked on this lane")
		return
	}
	var before *message
	if m.ex != nil {
		before = m.ex.response
		if r := before; r != nil && c.proto == speaksHTTP2 && r.status >= 200 {
			p.fail(0, "the response to line "+itoa(m.ex.line)+" ended at line "+itoa(r.ended))
			return
		}
		m.ex.response = m
	}
	line, status := statusLine(string(pc.text))
	if m.ex != nil && m.ex.grpc && (pc.raw || form == 't' || status == 0) {
		m.grpc, m.status = true, 200
		l.said = m
		p.grpcLine(l, m, form, pc)
		return
	}
	if pc.raw {
		if c.proto == speaksHTTP2 {
			p.fail(2, "an HTTP/2 response begins with a status such as 200")
			return
		}
		m.head = append(m.head, pc)
		return
	}
	if status == 0 {
		why := "a response begins with a status such as '200' or 'HTTP/1.1 200 OK'; '<.' begins with any other text"
		if before != nil {
			why = "the response before is finished; " + why
		}
		p.fail(2, why)
		return
	}
	m.status = status
	m.head = append(m.head, piece{line: p.line, text: []byte(line)})
}

// statusLine completes '200' and '200 OK' to a status line.
func statusLine(text string) (line string, status int) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "", 0
	}
	code := words[0]
	full := strings.HasPrefix(code, "HTTP/")
	if full && len(words) > 1 {
		code = words[1]
	}
	n, err := strconv.Atoi(code)
	if err != nil || n < 100 || n > 999 {
		return "", 0
	}
	switch {
	case full:
		return text, n
	case len(words) == 1:
		return strings.TrimSpace("HTTP/1.1 " + code + " " + reasons[n]), n
	}
	return "HTTP/1.1 " + text, n
}

var reasons = map[int]string{
	100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
	200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
	301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
	400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
	408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
	421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
	500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
}

// headLine takes a line of an HTTP head; an empty one ends it.
func (p *parser) headLine(l *lane, m *message, pc piece) {
	if len(pc.text) == 0 && !pc.raw {
		p.endHead(l, m)
		return
	}
	m.head = append(m.head, pc)
	name, value, ok := cutField(string(pc.text))
	if ok {
		m.fields = append(m.fields, field{name, value})
	} else if m.conn.proto == speaksHTTP2 {
		p.fail(2, "'name: value' expected; '"+p.text[:1]+"' alone ends the head")
	}
}

// cutField splits 'name: value'; the colon of a pseudo-field belongs to its name.
func cutField(s string) (name, value string, ok bool) {
	i := strings.IndexByte(strings.TrimPrefix(s, ":"), ':')
	if i < 0 {
		return "", "", false
	}
	i += len(s) - len(strings.TrimPrefix(s, ":"))
	return s[:i], strings.TrimSpace(s[i+1:]), i > 0
}

// bodyLine takes a line of a body. In an event stream an empty line ends an
// event, and each event is sent by itself.
func (p *parser) bodyLine(m *message, pc piece) {
	m.open = append(m.open, pc)
	if m.isStream() && len(pc.text) == 0 && !pc.raw {
		m.parts = append(m.parts, m.open)
		m.open = nil
		m.last = p.act(act{kind: actBody, conn: m.conn, from: m.from, msg: m, ex: m.ex, n: int64(len(m.parts) - 1)})
	}
}

func (p *parser) trailer(m *message, text string) {
	name, value, ok := cutField(text)
	switch {
	case !ok:
		p.fail(3, "'name: value' expected")
	case m.grpc && m.verdict == nil:
		p.fail(0, "the trailers of a call come after its 'status'")
	case m.grpc:
		m.verdict.extra = append(m.verdict.extra, field{name, value})
	case m.inHead:
		p.fail(0, "a trailer belongs behind a body; '"+p.text[:1]+"' alone ends the head")
	default:
		if _, written := m.get("content-length"); written && m.conn.proto == speaksHTTP1 {
			p.fail(0, "a body with Content-Length has no trailer (RFC 9112 section 7.1.2)")
			return
		}
		m.trailers = append(m.trailers, field{name, value})
	}
}

// get returns the first field of the head with the name.
func (m *message) get(name string) (string, bool) {
	for _, f := range m.fields {
		if strings.EqualFold(f.name, name) {
			return f.value, true
		}
	}
	return "", false
}

// isStream reports whether the body is a text/event-stream.
func (m *message) isStream() bool {
	v, _ := m.get("content-type")
	v, _, _ = strings.Cut(v, ";")
	return strings.EqualFold(strings.TrimSpace(v), "text/event-stream")
}

// groupBytes returns the text of a group: lines are joined with LF; in an event
// stream every line ends with one.
func groupBytes(g []piece, stream bool) []byte {
	var b bytes.Buffer
	for i, pc := range g {
		if !stream && i > 0 && !pc.raw && !g[i-1].raw {
			b.WriteByte('\n')
		}
		b.Write(pc.text)
		if stream && !pc.raw {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
