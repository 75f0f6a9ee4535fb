package wire

import (
	"fmt"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// facts are what the framing of HTTP/1 needs to know of a head.
type facts struct {
	length   int64 // Content-Length; -1: none that can be used
	chunked  bool
	closing  bool     // Transfer-Encoding without a final chunked: only the end of the connection ends it
	transfer []string // transfer codings under chunked
	conflict string   // what is wrong with the lengths
}

// faults collects what is wrong with a head: the first in words, the rest as a number.
type faults struct {
	first string
	n     int
}

func (f *faults) add(format string, args ...any) {
	if f.n++; f.n == 1 {
		f.first = fmt.Sprintf(format, args...)
	}
}

func (f *faults) String() string {
	if f.n > 1 {
		return fmt.Sprintf("%s (and %d more)", f.first, f.n-1)
	}
	return f.first
}

// parseHead reads a head. All its strings share one copy of raw. The first
// line was found to be a start line before. The faults are valid until the next call.
func (c *Conn) parseHead(raw []byte, from capture.Side) (*capture.Head, *faults) {
	text := string(raw)
	h := &capture.Head{Raw: raw}
	c.bad = faults{}
	bad := &c.bad
	line, rest, bare := cutLine(text)
	if from == capture.Client {
		requestLine(h, line, bad)
	} else {
		statusLine(h, line, bad)
	}
	if bare {
		bad.add("the first line ends with LF alone")
	}
	h.Fields = fieldLines(rest, c.lim.Fields, bad)
	if from == capture.Client {
		c.addressed(h)
	}
	return h, bad
}

// addressed fills scheme and authority of a request.
func (c *Conn) addressed(h *capture.Head) {
	h.Scheme = "http"
	if c.link.TLS != "" {
		h.Scheme = "https"
	}
	h.Authority = h.Fields.Get("host")
	if h.Method == "CONNECT" {
		h.Authority = h.Target
	} else if i := strings.Index(h.Target, "://"); i > 0 && h.Target[0] != '/' {
		// Absolute form, as sent to a proxy (RFC 9112 section 3.2.2).
		h.Scheme = strings.ToLower(h.Target[:i])
		if h.Authority == "" {
			h.Authority, _, _ = strings.Cut(h.Target[i+3:], "/")
		}
	}
}

// cutLine takes one line; bare says that it ended with LF alone.
func cutLine(s string) (line, rest string, bare bool) {
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return strings.TrimSuffix(s, "\r"), "", false
	}
	line, rest = s[:i], s[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1], rest, false
	}
	return line, rest, true
}

func requestLine(h *capture.Head, line string, bad *faults) {
	i, j := strings.IndexByte(line, ' '), strings.LastIndexByte(line, ' ')
	if i < 0 || j <= i {
		bad.add("the request line %.60q is not method, target and version", line)
		h.Method, h.Target, _ = strings.Cut(line, " ")
		return
	}
	h.Method, h.Target, h.Proto = line[:i], line[i+1:j], line[j+1:]
	if strings.IndexByte(h.Target, ' ') >= 0 {
		bad.add("the target of the request line contains spaces")
		h.Target = strings.Trim(h.Target, " ")
	}
}

func statusLine(h *capture.Head, line string, bad *faults) {
	var code string
	h.Proto, code, _ = strings.Cut(line, " ")
	code = strings.TrimLeft(code, " ")
	code, h.Reason, _ = strings.Cut(code, " ")
	h.Status, _ = strconv.Atoi(code)
	if h.Status < 100 || h.Status > 599 {
		bad.add("the status %q is not between 100 and 599", code)
		h.Status = max(h.Status, 1)
	}
}

// fieldLines reads field lines up to a blank line or the end (RFC 9112 section 5).
func fieldLines(text string, limit int, bad *faults) capture.Fields {
	n := strings.Count(text, "\n")
	if strings.HasSuffix(text, "\n\r\n") {
		n-- // the blank line
	}
	fields := make(capture.Fields, 0, min(n, limit))
	bare := false
	for text != "" {
		var line string
		var lf bool
		line, text, lf = cutLine(text)
		bare = bare || lf
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			bad.add("a field is folded over two lines (RFC 9112 section 5.2)")
			if k := len(fields) - 1; k >= 0 {
				fields[k].Value = strings.TrimSpace(fields[k].Value + " " + trimOWS(line))
			}
			continue
		}
		if len(fields) == limit {
			bad.add("only the first %d fields were kept", limit)
			break
		}
		i := strings.IndexByte(line, ':')
		if i < 0 {
			bad.add("the field line %.40q has no colon", line)
			fields = append(fields, capture.Field{Name: line})
			continue
		}
		name := line[:i]
		if i == 0 || !isToken(name) {
			bad.add("the field name %.40q has characters that are not allowed", name)
		}
		fields = append(fields, capture.Field{Name: name, Value: trimOWS(line[i+1:])})
	}
	if bare {
		bad.add("lines end with LF alone")
	}
	return fields
}

// parseFields reads a trailer block.
func parseFields(text string, limit int) (capture.Fields, *faults) {
	bad := &faults{}
	return fieldLines(text, limit, bad), bad
}

func trimOWS(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// tokenChars are those of a token (RFC 9110 section 5.6.2).
var tokenChars = func() (t [256]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		t[c] = true
	}
	return
}()

func isToken(s string) bool {
	for i := range len(s) {
		if !tokenChars[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

// framing reads the lengths of a head (RFC 9112 section 6.3).
func framingOf(fields capture.Fields) facts {
	f := facts{length: -1}
	te := false
	for i := range fields {
		switch name, v := fields[i].Name, fields[i].Value; {
		case len(name) == 14 && strings.EqualFold(name, "content-length"):
			f.contentLength(v)
		case len(name) == 17 && strings.EqualFold(name, "transfer-encoding"):
			te = true
			f.transfer = append(f.transfer, codingsOf(v)...)
		}
	}
	if !te {
		return f
	}
	if f.length >= 0 {
		f.conflict = fmt.Sprintf("both Transfer-Encoding and Content-Length %d are given (RFC 9112 section 6.3); the first counts", f.length)
		f.length = -1
	}
	if n := len(f.transfer); n > 0 && f.transfer[n-1] == "chunked" {
		f.chunked, f.transfer = true, f.transfer[:n-1]
	} else if n > 0 {
		f.closing = true
	}
	return f
}

func (f *facts) contentLength(v string) {
	for part := range strings.SplitSeq(v, ",") {
		part = trimOWS(part)
		n, err := strconv.ParseUint(part, 10, 62)
		switch {
		case err != nil:
			f.conflict = fmt.Sprintf("Content-Length %.40q is not a number", part)
		case f.length < 0:
			f.length = int64(n)
		case f.length == int64(n):
			f.conflict = fmt.Sprintf("Content-Length %d is given more than once", n)
		default:
			f.conflict = fmt.Sprintf("Content-Length is given as %d and as %d; the first counts", f.length, n)
		}
	}
}

// tokenIn reports whether a comma-separated field holds the token.
func tokenIn(fields capture.Fields, name, token string) bool {
	for i := range fields {
		if len(fields[i].Name) == len(name) && strings.EqualFold(fields[i].Name, name) {
			for part := range strings.SplitSeq(fields[i].Value, ",") {
				if strings.EqualFold(strings.TrimSpace(part), token) {
					return true
				}
			}
		}
	}
	return false
}
