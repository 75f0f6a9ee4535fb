package jsontree

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth bounds nesting; deeper text ends in an error. A2A messages nest under 20.
const MaxDepth = 512

// maxText bounds a document to what the 32-bit offsets of a node hold.
const maxText = 1<<31 - 1

// Doc is a parsed text.
type Doc struct {
	Text  []byte
	Err   *SyntaxError // nil when Text is exactly one JSON value
	nodes []node
}

// SyntaxError says where text stops being JSON.
type SyntaxError struct {
	Offset int
	Text   string
	EOF    bool // the text ended inside the value: it may have been cut
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Text) }

type node struct {
	start, end  int32
	key, keyEnd int32
	next        int32 // index after the last descendant
	count       int32
	kind        Kind
	keyEscaped  bool
}

// Root returns the outermost value, absent when there is none.
func (d *Doc) Root() Node {
	if d == nil || len(d.nodes) == 0 {
		return Node{}
	}
	return Node{d, 0}
}

// Parse reads text. The document refers to text; do not change it afterwards.
func Parse(text []byte) *Doc {
	d := &Doc{}
	d.Reparse(text)
	return d
}

// Reparse reads another text into the document, using its memory again: only
// for one whose nodes nobody holds any more.
func (d *Doc) Reparse(text []byte) {
	d.Text, d.Err = text, nil
	if len(text) > maxText {
		d.nodes, d.Err = nil, &SyntaxError{Text: "text of more than 2 GiB is not read"}
		return
	}
	p := parser{d: d, s: text}
	if d.nodes == nil {
		d.nodes = make([]node, 0, 8+len(text)/48) // A2A messages have a node every 30 to 80 bytes
	}
	d.nodes = d.nodes[:0]
	p.space()
	if p.value(0, 0, false, 0) {
		p.space()
		if p.i < len(text) {
			p.fail("more text after the value", false)
		}
	}
	d.Err = p.err
}

type parser struct {
	d   *Doc
	s   []byte
	i   int
	err *SyntaxError
}

func (p *parser) fail(what string, eof bool) bool {
	if p.err == nil {
		p.err = &SyntaxError{Offset: p.i, Text: what, EOF: eof}
	}
	return false
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// value reads one value into a node; on failure the nodes opened so far are closed where reading stopped.
func (p *parser) value(key, keyEnd int, esc bool, depth int) bool {
	if p.i >= len(p.s) {
		return p.fail("text ends where a value should be", true)
	}
	at := len(p.d.nodes)
	p.d.nodes = append(p.d.nodes, node{start: int32(p.i), key: int32(key), keyEnd: int32(keyEnd), keyEscaped: esc})
	ok, kind, count := true, Absent, 0
	switch c := p.s[p.i]; {
	case c == '{':
		kind = Object
		count, ok = p.object(depth)
	case c == '[':
		kind = Array
		count, ok = p.array(depth)
	case c == '"':
		kind = String
		_, ok = p.str()
	case c == '-' || c >= '0' && c <= '9':
		kind = Number
		ok = p.number()
	case c == 't':
		kind, ok = Bool, p.word("true")
	case c == 'f':
		kind, ok = Bool, p.word("false")
	case c == 'n':
		kind, ok = Null, p.word("null")
	default:
		ok = p.fail(fmt.Sprintf("unexpected %q where a value should be", rune(c)), false)
	}
	if !ok && kind != Object && kind != Array {
		p.d.nodes = p.d.nodes[:at] // a half scalar says nothing
		return false
	}
	n := &p.d.nodes[at]
	n.kind, n.count, n.end, n.next = kind, int32(count), int32(p.i), int32(len(p.d.nodes))
	return ok
}

func (p *parser) object(depth int) (count int, ok bool) {
	if depth >= MaxDepth {
		return 0, p.fail("nested too deeply", false)
	}
	p.i++
	p.space()
	if p.i < len(p.s) && p.s[p.i] == '}' {
		p.i++
		return 0, true
	}
	for {
		if p.i >= len(p.s) {
			return count, p.fail("text ends inside an object", true)
		}
		if p.s[p.i] != '"' {
			return count, p.fail(fmt.Sprintf("unexpected %q where a member name should be", rune(p.s[p.i])), false)
		}
		key := p.i
		esc, ok := p.str()
		if !ok {
			return count, false
		}
		keyEnd := p.i
		p.space()
		if p.i >= len(p.s) {
			return count, p.fail("text ends inside an object", true)
		}
		if p.s[p.i] != ':' {
			return count, p.fail("':' expected after the member name", false)
		}
		p.i++
		p.space()
		before := len(p.d.nodes)
		ok = p.value(key, keyEnd, esc, depth+1)
		if len(p.d.nodes) > before {
			count++
		}
		if !ok {
			return count, false
		}
		more, ok := p.separator('}', "object")
		if !ok || !more {
			return count, ok
		}
	}
}

func (p *parser) array(depth int) (count int, ok bool) {
	if depth >= MaxDepth {
		return 0, p.fail("nested too deeply", false)
	}
	p.i++
	p.space()
	if p.i < len(p.s) && p.s[p.i] == ']' {
		p.i++
		return 0, true
	}
	for {
		before := len(p.d.nodes)
		ok := p.value(0, 0, false, depth+1)
		if len(p.d.nodes) > before {
			count++
		}
		if !ok {
			return count, false
		}
		more, ok := p.separator(']', "array")
		if !ok || !more {
			return count, ok
		}
	}
}

func (p *parser) separator(closing byte, in string) (more, ok bool) {
	p.space()
	if p.i >= len(p.s) {
		return false, p.fail("text ends inside an "+in, true)
	}
	switch p.s[p.i] {
	case ',':
		p.i++
		p.space()
		return true, true
	case closing:
		p.i++
		return false, true
	}
	return false, p.fail(fmt.Sprintf("',' or '%c' expected in the %s", closing, in), false)
}

func (p *parser) str() (escaped, ok bool) {
	s := p.s
	for i := p.i + 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			p.i = i + 1
			return escaped, true
		case c == '\\':
			escaped = true
			if i++; i < len(s) && !goodEscape(s, i) {
				p.i = i
				return escaped, p.fail("unknown escape inside a string", false)
			}
		case c < 0x20:
			p.i = i
			return escaped, p.fail("control character inside a string", false)
		}
	}
	p.i = len(s)
	return escaped, p.fail("text ends inside a string", true)
}

// goodEscape reports whether s[i:] goes on an escape; one cut by the end of the text is for the caller to see.
func goodEscape(s []byte, i int) bool {
	switch s[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for _, c := range s[i+1 : min(i+5, len(s))] {
			if !isHex(c) {
				return false
			}
		}
		return true
	}
	return false
}

// number reads the grammar of RFC 8259 section 6.
func (p *parser) number() bool {
	start := p.i
	if p.s[p.i] == '-' {
		p.i++
	}
	zero := p.i < len(p.s) && p.s[p.i] == '0'
	n := p.digits()
	ok := n == 1 || n > 1 && !zero
	if ok && p.i < len(p.s) && p.s[p.i] == '.' {
		p.i++
		ok = p.digits() > 0
	}
	if ok && p.i < len(p.s) && (p.s[p.i] == 'e' || p.s[p.i] == 'E') {
		p.i++
		if p.i < len(p.s) && (p.s[p.i] == '+' || p.s[p.i] == '-') {
			p.i++
		}
		ok = p.digits() > 0
	}
	if !ok {
		eof := p.i >= len(p.s)
		p.i = start
		return p.fail("malformed number", eof)
	}
	return true
}

func (p *parser) digits() int {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		p.i++
	}
	return p.i - start
}

func (p *parser) word(w string) bool {
	if len(p.s)-p.i < len(w) {
		if string(p.s[p.i:]) == w[:len(p.s)-p.i] {
			p.i = len(p.s)
			return p.fail("text ends inside a value", true)
		}
	} else if string(p.s[p.i:p.i+len(w)]) == w {
		p.i += len(w)
		return true
	}
	return p.fail("unknown word where a value should be", false)
}

// unquote decodes a quoted JSON string; malformed escapes become U+FFFD.
func unquote(q []byte) string {
	s := q[1 : len(q)-1]
	if plain(s) {
		return string(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' {
			r, n := utf8.DecodeRune(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
		if i >= len(s) {
			break
		}
		c = s[i]
		i++
		switch c {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case '"', '\\', '/':
			b = append(b, c)
		case 'u':
			r, ok := hex4(s, i)
			if !ok {
				b = utf8.AppendRune(b, utf8.RuneError)
				continue
			}
			i += 4
			if utf16.IsSurrogate(r) {
				lo, ok := rune(0), false
				if i+1 < len(s) && s[i] == '\\' && s[i+1] == 'u' {
					lo, ok = hex4(s, i+2)
				}
				if r2 := utf16.DecodeRune(r, lo); ok && r2 != utf8.RuneError {
					r = r2
					i += 6
				} else {
					r = utf8.RuneError
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			b = utf8.AppendRune(b, utf8.RuneError)
		}
	}
	return string(b)
}

// plain reports whether a string's value is what stands between its quotes.
func plain(s []byte) bool { return bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hex4(s []byte, i int) (rune, bool) {
	if i+4 > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range s[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
