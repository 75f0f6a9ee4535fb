package remake

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
)

// writeHead writes the head; length, when not negative, is what its
// Content-Length has to say.
func (s *message) writeHead(length int64, ends bool) {
	if s.h == nil {
		return
	}
	if h2 := s.x.conn.h2; h2 != nil && isHTTP2(s.h.Proto) {
		h2.head(s, length, ends)
		return
	}
	raw := s.h.Raw
	if len(raw) == 0 {
		raw = headLines(s.h)
	}
	if length >= 0 && (s.length || length > 0) {
		raw = withContentLength(raw, length)
	}
	s.x.conn.say(s.from, raw, s.headAt)
}

// headLines makes a head of its parts, for those that were read from messages.
func headLines(h *capture.Head) []byte {
	proto := h.Proto
	if !strings.HasPrefix(proto, "HTTP/1.") {
		proto = "HTTP/1.1"
	}
	var b []byte
	if h.IsRequest() {
		target := h.Target
		if target == "" {
			target = "/"
		}
		method := h.Method
		if method == "" {
			method = "UNKNOWN"
		}
		b = fmt.Appendf(b, "%s %s %s\r\n", method, oneWord(target), proto)
		if _, ok := h.Fields.Lookup("host"); !ok && h.Authority != "" {
			b = append(b, "Host: "+oneLine(h.Authority)+"\r\n"...)
		}
	} else {
		b = fmt.Appendf(b, "%s %03d %s\r\n", proto, h.Status, oneLine(h.Reason))
	}
	for _, f := range h.Fields {
		b = append(b, oneLine(f.Name)+": "+oneLine(f.Value)+"\r\n"...)
	}
	return append(b, "\r\n"...)
}

// oneLine keeps a text from being more than a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, s)
}

// oneWord writes a target without spaces, which a mask may have put there.
func oneWord(s string) string { return strings.ReplaceAll(oneLine(s), " ", "+") }

// withContentLength corrects the field, or adds it.
func withContentLength(raw []byte, n int64) []byte {
	const name = "content-length"
	var out []byte
	found := false
	for line := range bytes.Lines(raw) {
		key, _, ok := bytes.Cut(line, []byte{':'})
		switch {
		case ok && len(key) == len(name) && strings.EqualFold(string(key), name):
			found = true
			out = append(append(out, key...), ": "+strconv.FormatInt(n, 10)...)
			out = append(out, line[len(bytes.TrimRight(line, "\r\n")):]...)
			continue
		case len(bytes.TrimRight(line, "\r\n")) == 0 && !found && len(out) > 0:
			out = append(out, "Content-Length: "+strconv.FormatInt(n, 10)+"\r\n"...)
		}
		out = append(out, line...)
	}
	return out
}

// http1 writes a piece of the body.
func (s *message) http1(it item) {
	c := s.x.conn
	if s.framing != chunked {
		if s.framing == noBody && s.h != nil {
			return
		}
		c.say(s.from, it.data, it.at)
		if it.lost != 0 {
			c.gap(s.from, it.lost, it.at)
		}
		return
	}
	n := it.size()
	if n == 0 && it.lost == 0 {
		return // an empty chunk would be the last
	}
	if it.lost < 0 {
		n++ // where the chunk ends is not known
	}
	b := append(strconv.AppendInt(nil, n, 16), "\r\n"...)
	b = append(b, it.data...)
	if it.lost == 0 {
		c.say(s.from, append(b, "\r\n"...), it.at)
		return
	}
	c.say(s.from, b, it.at)
	c.gap(s.from, it.lost, it.at)
	c.say(s.from, []byte("\r\n"), it.at)
}

// endHTTP1 writes what ends the body.
func (s *message) endHTTP1(at time.Time) {
	c := s.x.conn
	switch s.framing {
	case chunked:
		b := []byte("0\r\n")
		if s.trailers != nil {
			for _, f := range s.trailers.Fields {
				b = append(b, oneLine(f.Name)+": "+oneLine(f.Value)+"\r\n"...)
			}
		}
		c.say(s.from, append(b, "\r\n"...), at)
	case untilEnd:
		if s.from == capture.Server {
			c.close(s.from, "", at)
		}
	}
}
