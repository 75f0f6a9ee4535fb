package text

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"a2ascope/internal/jsontree"
	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
)

// JSON shows a JSON text with one member a line. It reads the text once and
// only as far as somebody looks: the index holds the spans of the lines, the
// tokens of a line are read again when it is drawn. Text that is no JSON (any
// more) is shown all the same, token by token.
type JSON struct {
	text  []byte
	lines []jsonLine
	off   int // what is indexed
	open  []int32
	mask  redact.Style
	marks []mark // evidence
	long  string // words for a value that was cut: "… %s more"
}

type jsonLine struct {
	start, end int32
	parent     int32 // line that opened the container, -1 outside
	depth      uint16
}

type span struct{ from, to int }

// mark is evidence: a scalar is highlighted whole, of an object or array only
// the name, and the gutter runs down its lines.
type mark struct {
	span
	whole bool
}

// maxShown bounds what is drawn of one value; the raw tab shows the rest.
const maxShown = 32 << 10

// NewJSON starts a block over a text. mask is how secrets are shown; cut is the remark
// behind a value that is not shown whole.
func NewJSON(body []byte, mask redact.Style, cut string) *JSON {
	return &JSON{text: body, mask: mask, long: cut}
}

// Mark highlights a value of the document as evidence.
func (j *JSON) Mark(n jsontree.Node) {
	from, to := n.Span()
	if k, end := n.KeySpan(); end > 0 {
		from = k
	}
	if n.Exists() && to <= len(j.text) {
		j.marks = append(j.marks, mark{span{from, to}, !n.IsObject() && !n.IsArray()})
	}
}

// LineOf returns the line on which the value begins.
func (j *JSON) LineOf(n jsontree.Node) int {
	from, _ := n.Span()
	if k, end := n.KeySpan(); end > 0 {
		from = k
	}
	return j.lineAt(from)
}

func (j *JSON) lineAt(off int) int {
	for j.off <= off && j.off < len(j.text) {
		j.index(len(j.lines) + 4096)
	}
	i := sort.Search(len(j.lines), func(i int) bool { return int(j.lines[i].start) > off })
	return max(0, i-1)
}

// Grow indexes up to n lines.
func (j *JSON) Grow(n int) {
	if n > len(j.lines) && j.off < len(j.text) {
		j.index(n + 64)
	}
}

// Len returns the number of lines indexed so far.
func (j *JSON) Len() (int, bool) { return len(j.lines), j.off >= len(j.text) }

func (j *JSON) source(i int) []byte { return j.text[j.lines[i].start:j.lines[i].end] }

// index reads on until it knows n lines. Every turn of the loop reads one line.
func (j *JSON) index(n int) {
	s := j.text
	for len(j.lines) < n {
		i := skipSpace(s, j.off)
		if i >= len(s) {
			j.off = len(s)
			return
		}
		start, end := i, i
		push := false
		if s[i] == '}' || s[i] == ']' {
			if len(j.open) > 0 {
				j.open = j.open[:len(j.open)-1]
			}
			end = i + 1
			if k := skipSpace(s, end); k < len(s) && s[k] == ',' {
				end = k + 1
			}
		} else {
			end, push = scanLine(s, i)
		}
		l := jsonLine{start: int32(start), end: int32(end), parent: -1, depth: uint16(min(len(j.open), 1<<15))}
		if len(j.open) > 0 {
			l.parent = j.open[len(j.open)-1]
		}
		j.lines = append(j.lines, l)
		if push {
			j.open = append(j.open, int32(len(j.lines)-1))
		}
		j.off = end
	}
}

// scanLine returns where the line that begins at i ends: behind a comma,
// behind an opening bracket that is not closed at once (push), or before a
// closing one.
func scanLine(s []byte, i int) (end int, push bool) {
	end = i
	for i < len(s) {
		switch c := s[i]; c {
		case '{', '[':
			k := skipSpace(s, i+1)
			if k < len(s) && s[k] == c+2 { // '{'+2 == '}', '['+2 == ']'
				i, end = k+1, k+1
				continue
			}
			return i + 1, true
		case '}', ']':
			return end, false
		case ',':
			return i + 1, false
		case '"':
			i = stringEnd(s, i)
			end = i
		case ' ', '\t', '\n', '\r':
			k := skipSpace(s, i)
			// Two values with nothing but space between them: lines of JSON.
			if k < len(s) && !delimiter(s[k]) && s[k] != ':' && end > 0 && s[end-1] != ':' {
				return end, false
			}
			i = k
		case ':':
			i++
			end = i
		default:
			for i < len(s) && !delimiter(s[i]) && s[i] != '"' && s[i] != ':' {
				i++
			}
			end = i
		}
		// A value may be followed by another one only after a delimiter.
		if k := i; k < len(s) && (s[k] == '{' || s[k] == '[') && end > 0 && s[end-1] != ':' {
			return end, false
		}
	}
	return max(end, i), false
}

func delimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', '{', '}', '[', ']':
		return true
	}
	return false
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the offset behind the string that begins at i; the end of
// the text where it is not closed.
func stringEnd(s []byte, i int) int {
	for k := i + 1; k < len(s); {
		q := bytes.IndexByte(s[k:], '"')
		if q < 0 {
			return len(s)
		}
		q += k
		back := q
		for back > k && s[back-1] == '\\' {
			back--
		}
		if (q-back)%2 == 0 {
			return q + 1
		}
		k = q + 1
	}
	return len(s)
}

// Line draws a line.
func (j *JSON) Line(i int) Line {
	l := j.lines[i]
	indent := 2 * int(min(l.depth, 60))
	out := Line{Hang: indent + 2}
	segs := make([]Seg, 0, 6)
	if indent > 0 {
		segs = append(segs, Seg{Text: kit.Spaces(indent)})
	}
	secret := j.mask.On() && j.secretAbove(l.parent)
	s := j.text
	for k := int(l.start); k < int(l.end); {
		c := s[k]
		tok, role := k+1, kit.SynPunct
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			k++
			continue
		case c == '"':
			tok, role = min(stringEnd(s, k), int(l.end)), kit.SynString
			if m := skipSpace(s, tok); m < int(l.end) && s[m] == ':' {
				role = kit.SynKey
				if j.mask.On() && redact.IsSecretMember(plainKey(s[k:tok])) {
					secret = true
				}
			}
		case c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':':
		default:
			for tok < int(l.end) && !delimiter(s[tok]) && s[tok] != ':' && s[tok] != '"' {
				tok++
			}
			role = scalarRole(s[k:tok])
		}
		text, cut := j.show(s[k:tok], role, secret)
		if role != kit.SynPunct && j.lit(k, tok) {
			role = kit.Evidence
		}
		segs = append(segs, Seg{Text: text, Role: role})
		if cut != "" {
			segs = append(segs, Seg{Text: cut, Role: kit.Mark})
		}
		if c == ':' {
			segs = append(segs, Seg{Text: " "})
		}
		k = tok
	}
	out.Gutter = j.marked(int(l.start), int(l.end))
	out.Segs = segs
	return out
}

// show returns a token as it may be seen, and the remark where it was cut.
func (j *JSON) show(tok []byte, role kit.Role, secret bool) (text, cut string) {
	shown := tok
	if len(tok) > maxShown {
		shown = tok[:maxShown]
		for len(shown) > 0 && !utf8.RuneStart(tok[len(shown)]) {
			shown = shown[:len(shown)-1]
		}
		cut = j.long + kit.Bytes(int64(len(tok)-len(shown)))
	}
	if j.mask.On() {
		switch {
		case secret && role == kit.SynString && len(tok) > 2:
			return `"` + redact.Mask(len(tok)-2) + `"`, ""
		case secret && role == kit.SynNumber:
			return `"` + redact.Mask(len(tok)) + `"`, ""
		case role == kit.SynString:
			return kit.Clean(j.mask.Text(string(shown))), cut
		}
	}
	return kit.Clean(string(shown)), cut
}

// secretAbove reports whether the line or one around it has a secret member's name.
func (j *JSON) secretAbove(line int32) bool {
	for n := 0; line >= 0 && n < 64; n++ {
		l := j.lines[line]
		if j.text[l.start] == '"' {
			end := min(stringEnd(j.text, int(l.start)), int(l.end))
			if redact.IsSecretMember(plainKey(j.text[l.start:end])) {
				return true
			}
		}
		line = l.parent
	}
	return false
}

func plainKey(quoted []byte) string {
	if len(quoted) < 2 || len(quoted) > 64 {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}

func (j *JSON) marked(from, to int) bool {
	for _, m := range j.marks {
		if from < m.to && to > m.from {
			return true
		}
	}
	return false
}

// lit reports whether a token is highlighted as evidence.
func (j *JSON) lit(from, to int) bool {
	for _, m := range j.marks {
		if from < m.to && to > m.from && (m.whole || from == m.from) {
			return true
		}
	}
	return false
}

func scalarRole(tok []byte) kit.Role {
	switch string(tok) {
	case "true", "false", "null":
		return kit.SynConst
	}
	if c := tok[0]; c == '-' || c >= '0' && c <= '9' {
		return kit.SynNumber
	}
	return kit.SynError
}
