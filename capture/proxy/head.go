package proxy

import (
	"bytes"
	"slices"
	"strings"
)

// field is one line of a head, as offsets into it.
type field struct {
	start, colon   int // the name
	value, end     int // without white space around it
	next           int // behind the line end
	folded, spaced bool
	bare           bool // no colon: it is no field
}

// head is the head of an HTTP/1 message. The slices are reused from head to head.
type head struct {
	raw    []byte
	line   int // behind the start line
	words  [3]span
	fields []field

	length  int64 // -1: none
	chunked bool
	coded   bool   // Transfer-Encoding is there
	doubt   string // why two readers may disagree about where the message ends
}

type span struct{ from, to int }

func (h *head) word(i int) []byte { return h.raw[h.words[i].from:h.words[i].to] }

func (h *head) name(f field) []byte { return h.raw[f.start:f.colon] }
func (h *head) val(f field) []byte  { return h.raw[f.value:f.end] }

// read cuts a head into its lines. It is tolerant; what matters for framing is judged in doubt.
func (h *head) read(raw []byte) {
	*h = head{raw: raw, fields: h.fields[:0], length: -1}
	h.line = bytes.IndexByte(raw, '\n') + 1
	line := bytes.TrimRight(raw[:h.line], "\r\n")
	// Method and version are what is before the first and behind the last space.
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		j := bytes.LastIndexByte(line, ' ')
		h.words[0] = span{0, i}
		if j > i {
			h.words[1], h.words[2] = span{i + 1, j}, span{j + 1, len(line)}
		} else {
			h.words[1] = span{i + 1, len(line)}
		}
	}
	for at := h.line; at < len(raw); {
		n := bytes.IndexByte(raw[at:], '\n')
		if n < 0 {
			n = len(raw) - at - 1
		}
		next := at + n + 1
		end := next - 1
		if end > at && raw[end-1] == '\r' {
			end--
		}
		if end > at {
			h.add(at, end, next)
		}
		at = next
	}
	h.judge()
}

func (h *head) add(at, end, next int) {
	if c := h.raw[at]; c == ' ' || c == '\t' {
		if n := len(h.fields); n > 0 {
			h.fields[n-1].folded = true
			h.fields[n-1].next = next
		}
		return
	}
	f := field{start: at, colon: end, value: end, end: end, next: next, bare: true}
	if i := bytes.IndexByte(h.raw[at:end], ':'); i >= 0 {
		f.colon, f.value, f.bare = at+i, at+i+1, false
		for f.value < f.end && isBlank(h.raw[f.value]) {
			f.value++
		}
		for f.end > f.value && isBlank(h.raw[f.end-1]) {
			f.end--
		}
		for f.colon > f.start && isBlank(h.raw[f.colon-1]) {
			f.colon, f.spaced = f.colon-1, true
		}
	}
	h.fields = append(h.fields, f)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// is compares a field's name without case; name is in lower case.
func (h *head) is(f field, name string) bool {
	if f.colon-f.start != len(name) || f.bare {
		return false
	}
	for i := range len(name) {
		c := h.raw[f.start+i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// get returns the value of the first field of that name.
func (h *head) get(name string) string {
	for _, f := range h.fields {
		if h.is(f, name) {
			return string(h.val(f))
		}
	}
	return ""
}

// judge reads what says where the message ends (RFC 9112 section 6.3), and
// names the shapes of request smuggling.
func (h *head) judge() {
	codings, hosts := 0, 0
	for _, f := range h.fields {
		switch f.colon - f.start {
		case len("content-length"):
			if !h.is(f, "content-length") {
				continue
			}
			n, ok := parseLength(h.val(f))
			switch {
			case !ok:
				h.doubtful("a Content-Length that is no number")
			case h.length >= 0 && n != h.length:
				h.doubtful("two Content-Lengths that differ")
			}
			h.length = n
		case len("transfer-encoding"):
			if !h.is(f, "transfer-encoding") {
				continue
			}
			codings++
			h.coded = true
			v := h.val(f)
			if i := bytes.LastIndexByte(v, ','); i >= 0 {
				v = bytes.TrimLeft(v[i+1:], " \t")
			}
			h.chunked = len(v) == len("chunked") && bytes.EqualFold(v, []byte("chunked"))
		case len("host"):
			if !h.is(f, "host") {
				continue
			}
			if hosts++; hosts > 1 {
				h.doubtful("two Host lines")
			}
		default:
			continue
		}
		if f.folded {
			h.doubtful("a folded " + string(h.name(f)) + " line")
		}
		if f.spaced {
			h.doubtful("white space before the colon of " + string(h.name(f)))
		}
	}
	if codings > 1 {
		h.doubtful("two Transfer-Encoding lines")
	}
	if h.coded && h.length >= 0 {
		h.doubtful("both Content-Length and Transfer-Encoding")
	}
	for i := 0; ; {
		j := bytes.IndexByte(h.raw[i:], '\r')
		if j < 0 {
			break
		}
		if i += j + 1; i >= len(h.raw) || h.raw[i] != '\n' {
			h.doubtful("a carriage return inside a line")
			break
		}
	}
	if bytes.IndexByte(h.raw, 0) >= 0 {
		h.doubtful("a zero byte in the head")
	}
}

func (h *head) doubtful(why string) {
	if h.doubt == "" {
		h.doubt = why
	}
}

// parseLength takes digits only: "+5", "0x5" and "5, 5" are read in different ways.
func parseLength(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return -1, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// requestBody says what follows a request head.
func (h *head) requestBody() following {
	switch {
	case h.doubt != "", h.coded && !h.chunked:
		return following{state: cutRaw}
	case h.chunked:
		return following{state: cutSize}
	case h.length > 0:
		return following{state: cutLength, length: h.length}
	}
	return following{state: cutHead}
}

// responseBody says what follows a final response head. A response with both
// lengths is chunked (RFC 9112 section 6.3 rule 3); other doubts end in raw bytes.
func (h *head) responseBody(status int, toHEAD bool) following {
	switch {
	case toHEAD, status == 204, status == 304:
		return following{state: cutHead}
	case h.chunked:
		return following{state: cutSize}
	case h.doubt != "":
		return following{state: cutRaw}
	case h.coded:
		return following{state: cutUntilEnd}
	case h.length >= 0:
		return following{state: cutLength, length: h.length}
	}
	return following{state: cutUntilEnd}
}

// status returns the code of a status line, 0 when there is none.
func (h *head) status() int {
	v := h.raw[:h.line]
	if !bytes.HasPrefix(v, []byte("HTTP/")) {
		return 0
	}
	i := bytes.IndexByte(v, ' ')
	if i < 0 {
		return 0
	}
	for i < len(v) && v[i] == ' ' {
		i++
	}
	if i+3 > len(v) {
		return 0
	}
	n, ok := parseLength(v[i : i+3])
	if !ok {
		return 0
	}
	return int(n)
}

// edit is a replacement inside a head.
type edit struct {
	from, to int
	text     string
}

// apply appends b with the edits made; they are in order and do not overlap.
func apply(out, b []byte, edits []edit) []byte {
	at := 0
	for _, e := range edits {
		out = append(out, b[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	return append(out, b[at:]...)
}

// names returns the fields for the rules that know nothing of lines.
func (h *head) names() []nameValue {
	out := make([]nameValue, len(h.fields))
	for i, f := range h.fields {
		out[i] = nameValue{strings.ToLower(string(h.name(f))), string(h.val(f))}
	}
	return out
}

// editLines adds edits of fields to edits of the text, in order of place.
func (h *head) editLines(out []edit, edits []fieldEdit) []edit {
	for _, e := range edits {
		f := h.fields[e.field]
		if e.drop {
			out = append(out, edit{f.start, f.next, ""})
		} else {
			out = append(out, edit{f.value, f.end, e.value})
		}
	}
	slices.SortFunc(out, func(a, b edit) int { return a.from - b.from })
	return out
}
