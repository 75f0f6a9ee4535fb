package wire

import (
	"bytes"

	"a2ascope/capture"
)

// sseParser cuts a text/event-stream into events (WHATWG HTML, section 9.2).
// Lines end with LF, CR or CRLF, also mixed. An event is out as soon as the
// line that ends it has ended, so after a CR it does not wait for a possible LF.
type sseParser struct {
	b       *body
	raw     store  // lines of the event so far, without what is in the piece being read
	lineOff int64  // where the unfinished line begins in raw; -1: none has begun
	pre     []byte // first bytes of the unfinished line
	skipLF  bool   // the last byte was a CR: a LF belongs to it
	began   bool   // the first line is over: no byte order mark any more
	fields  int    // fields of the event so far
	said    bool   // the breach is reported
	after   bool   // the capture missed bytes; the first line after them is not yet judged
	torn    bool   // the capture misses the beginning of this event
	lost    int64
}

const bom = "\xef\xbb\xbf"

func (s *sseParser) write(p []byte) {
	ev, ls, i := 0, 0, 0 // in p: begin of the event's bytes, of the line, of what is unread
	for i < len(p) {
		if s.skipLF {
			s.skipLF = false
			if p[i] == '\n' {
				if i++; s.raw.size == 0 && ev == i-1 {
					ev = i
				}
				ls = i
				continue
			}
		}
		j := lineEnd(p[i:])
		if j < 0 {
			break
		}
		e := i + j
		s.skipLF = p[e] == '\r'
		next := e + 1
		head := s.start(p[ls:e])
		switch s.kind(head) {
		case lineBlank:
			s.raw.add(p[ev:ls])
			s.dispatch(false)
			ev = next
		case lineField:
			s.fields++
		case lineOther:
			off := s.lineOff
			if off < 0 {
				off = s.raw.size + int64(ls-ev)
			}
			s.raw.add(p[ev:e])
			ev = e
			if s.own(head, off, false) {
				s.raw.take(s.limit())
				ev = next
			}
		}
		s.began = true
		ls, i, s.lineOff, s.pre = next, next, -1, s.pre[:0]
	}
	if ls < len(p) {
		if s.lineOff < 0 {
			s.lineOff = s.raw.size + int64(ls-ev)
		}
		s.pre = append(s.pre, p[ls:min(len(p), ls+lineHead-len(s.pre))]...)
	}
	s.raw.add(p[ev:])
}

func (s *sseParser) limit() int64 { return s.b.x.c.lim.Event }

// lineEnd returns the index of the first CR or LF, or -1.
func lineEnd(p []byte) int {
	n := bytes.IndexByte(p, '\n')
	if n < 0 {
		n = len(p)
	}
	if r := bytes.IndexByte(p[:n], '\r'); r >= 0 {
		return r
	}
	if n == len(p) {
		return -1
	}
	return n
}

// lineHead is enough of a line to know its field and whether an event may begin with it.
const lineHead = len(bom) + 8

// start returns the first bytes of the line whose last part is rest.
func (s *sseParser) start(rest []byte) []byte {
	rest = rest[:min(len(rest), lineHead-len(s.pre))]
	if len(s.pre) > 0 {
		s.pre = append(s.pre, rest...)
		rest = s.pre
	}
	if !s.began {
		rest = bytes.TrimPrefix(rest, []byte(bom))
	}
	return rest
}

type lineKind uint8

const (
	lineBlank lineKind = iota
	lineField
	lineOther // a comment, or what clients skip
	lineTorn  // part of an event whose beginning is missing
)

func (s *sseParser) kind(head []byte) lineKind {
	if len(head) == 0 {
		return lineBlank
	}
	if s.after {
		s.after = false
		s.torn = !eventStart(head)
	}
	switch {
	case s.torn:
		return lineTorn
	case knownField(head) != "":
		return lineField
	}
	return lineOther
}

// own handles a line that is no field; it begins at off in raw and ends where
// raw does. It reports whether the line was a unit of its own, between events.
func (s *sseParser) own(head []byte, off int64, cut bool) bool {
	size := s.raw.size - off
	kept := s.raw.bytes()
	line := kept[min(off, int64(len(kept))):len(kept):len(kept)]
	if !s.began && bytes.HasPrefix(line, []byte(bom)) {
		line = line[len(bom):]
		size -= int64(len(bom))
	}
	f := &capture.Frame{Form: capture.SSEComment, Data: line, Raw: line, Cut: cut, Size: size, WireSize: size}
	if head[0] == ':' {
		if len(line) > 0 {
			f.Data = trimSpace1(line[1:])
			f.Size -= int64(len(line) - len(f.Data))
		}
	} else {
		if !looseLine(line) {
			return false
		}
		f.Form, f.Raw = capture.LooseData, nil
		if !s.said {
			s.said = true
			s.b.x.breach(s.b.side, capture.BreachSSE,
				"a line of the event stream is not a field such as \"data: …\": clients skip it (%.60q)", line)
		}
	}
	s.emit(f)
	return s.fields == 0
}

// fieldNames are the fields of an event; their spelling is exact.
var fieldNames = [...]string{"data", "event", "id", "retry"}

func knownField(line []byte) string {
	for _, n := range fieldNames {
		if len(line) >= len(n) && string(line[:len(n)]) == n && (len(line) == len(n) || line[len(n)] == ':') {
			return n
		}
	}
	return ""
}

// looseLine tells what was meant as data from an unknown field, which clients ignore by rule.
func looseLine(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte{':'})
	if knownField(bytes.ToLower(name)) != "" {
		return true // "Data: …": not the field, and surely meant to be
	}
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return true
		}
	}
	return false
}

// eventStart judges the first line after missing bytes: does an event begin
// with it? Lost packets mostly hold whole events.
func eventStart(line []byte) bool {
	switch knownField(line) {
	case "id", "event", "retry":
		return true
	case "data":
		v := trimSpace1(line[min(len("data:"), len(line)):])
		return len(v) > 0 && (v[0] == '{' || v[0] == '[')
	}
	return string(line) == ":" || bytes.HasPrefix(line, []byte(": "))
}

func looksLikeSSE(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte(bom))
	for _, n := range fieldNames {
		if bytes.HasPrefix(b, []byte(n+":")) {
			return true
		}
	}
	return len(b) > 0 && b[0] == ':' || bytes.HasPrefix(b, []byte("retry")) && len(b) < 6
}

func trimSpace1(b []byte) []byte {
	if len(b) > 0 && b[0] == ' ' {
		return b[1:]
	}
	return b
}

// dispatch ends the event whose lines are in raw.
func (s *sseParser) dispatch(cut bool) {
	size, over, fields := s.raw.size, s.raw.cut(), s.fields
	raw := s.raw.take(s.limit())
	s.fields = 0
	if s.after || s.torn {
		s.after, s.torn = false, false
		if size > 0 {
			s.emit(&capture.Frame{Form: capture.LooseData, Data: raw, Size: size, WireSize: size, Lost: s.lost, Cut: true})
		}
		s.lost = 0
		return
	}
	if fields == 0 {
		return // blank lines, or lines that are out already
	}
	f := parseEvent(raw)
	f.WireSize, f.Cut = size, cut
	f.Size = int64(len(f.Data))
	if over {
		f.Size += size - int64(len(raw))
		s.b.x.breach(s.b.side, capture.BreachTooLarge, "%d of %d bytes of the event were kept", len(raw), size)
	}
	s.emit(f)
}

// parseEvent reads the lines of one event. An event without data, which
// clients do not deliver (a lone "retry:"), becomes a comment.
func parseEvent(raw []byte) *capture.Frame {
	f := &capture.Frame{Form: capture.SSEEvent, Raw: raw}
	rest := bytes.TrimPrefix(raw, []byte(bom))
	n, joined := 0, false
	for len(rest) > 0 {
		line := rest
		if e := lineEnd(rest); e >= 0 {
			line = rest[:e]
			if rest[e] == '\r' && e+1 < len(rest) && rest[e+1] == '\n' {
				e++
			}
			rest = rest[e+1:]
		} else {
			rest = nil
		}
		name := knownField(line)
		if name == "" {
			continue
		}
		v := trimSpace1(line[min(len(name)+1, len(line)):])
		switch name {
		case "event":
			f.Event = string(v)
		case "id":
			f.ID = string(v)
		case "data":
			switch n++; {
			case n == 1:
				f.Data = v[:len(v):len(v)]
			case !joined:
				joined = true
				f.Data = append(append(append(make([]byte, 0, len(raw)), f.Data...), '\n'), v...)
			default:
				f.Data = append(append(f.Data, '\n'), v...)
			}
		}
	}
	if n == 0 {
		f.Form = capture.SSEComment
		f.Data = bytes.TrimRight(raw, "\r\n")
	}
	return f
}

func (s *sseParser) emit(f *capture.Frame) {
	f.Seq = s.b.x.nextFrame(s.b.side)
	s.b.x.emit(s.b.side, f)
}

// gap loses only the events that the missing bytes touch.
func (s *sseParser) gap(n int64) {
	if s.lost < 0 || n < 0 {
		s.lost = -1
	} else {
		s.lost += n
	}
	if size := s.raw.size; size > 0 {
		s.emit(&capture.Frame{Form: capture.LooseData, Data: s.raw.take(s.limit()), Size: size, WireSize: size, Lost: s.lost, Cut: true})
		s.lost = 0
	}
	s.lineOff, s.pre, s.skipLF, s.fields = -1, nil, false, 0
	s.began, s.after, s.torn = true, true, false
}

// end ends the stream; the last event may lack its blank line.
func (s *sseParser) end(orderly bool) {
	if off := s.lineOff; off >= 0 {
		s.lineOff = -1
		switch head := s.start(nil); s.kind(head) {
		case lineField:
			s.fields++
		case lineOther:
			if s.own(head, off, !orderly) {
				s.raw.take(0)
			}
		}
	}
	s.dispatch(!orderly)
}
