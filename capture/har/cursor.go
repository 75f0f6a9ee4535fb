package har

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text is a JSON string as it stands between its quotes.
type text struct {
	raw     []byte
	escaped bool
}

func (t text) empty() bool { return len(t.raw) == 0 }

// cursor reads the members of one entry in order, without building anything of
// what it passes. After fail every method answers "no more".
type cursor struct {
	s   []byte
	i   int
	err string // what is wrong, in words that follow "entry 17: "
	at  int    // where
}

func (c *cursor) fail(what string) {
	if c.err == "" {
		c.err, c.at = what, c.i
	}
	c.i = len(c.s)
}

// peek returns the first byte of what follows, 0 at the end.
func (c *cursor) peek() byte {
	if c.i < len(c.s) && c.s[c.i] > ' ' {
		return c.s[c.i]
	}
	if c.i = skipSpace(c.s, c.i); c.i < len(c.s) {
		return c.s[c.i]
	}
	return 0
}

// enter steps into an object or array; false (and the value is skipped) when it is another kind.
func (c *cursor) enter(bracket byte) bool {
	if c.peek() != bracket {
		c.skip()
		return false
	}
	c.i++
	return true
}

// more reports whether another member or element follows, and steps over the
// comma before it; at the closing bracket it steps out. first is true once.
func (c *cursor) more(closing byte, first bool) bool {
	switch b := c.peek(); {
	case b == closing && c.err == "":
		c.i++
		return false
	case first:
		return c.err == ""
	case b == ',':
		c.i++
		if c.peek() == closing { // a trailing comma
			c.i++
			return false
		}
		return true
	}
	c.fail("',' or '" + string(rune(closing)) + "' expected")
	return false
}

// member returns the next member's name and stops before its value.
func (c *cursor) member(first bool) (name []byte, ok bool) {
	if !c.more('}', first) {
		return nil, false
	}
	if c.peek() != '"' {
		c.fail("a member name expected")
		return nil, false
	}
	end, escaped := stringEnd(c.s, c.i+1)
	if end < 0 {
		c.fail("a member name without end")
		return nil, false
	}
	name = c.s[c.i+1 : end-1]
	if escaped {
		name = unescape(nil, name)
	}
	c.i = end
	if c.peek() != ':' {
		c.fail("':' expected after the member name")
		return nil, false
	}
	c.i++
	return name, true
}

// skip passes one value.
func (c *cursor) skip() {
	c.peek()
	end, v := skipValue(c.s, c.i)
	if v != whole {
		c.fail("a value that is no JSON")
		return
	}
	c.i = end
}

// str reads a string. A number or a word is taken as its own spelling; null,
// objects and arrays are passed and give the empty text.
func (c *cursor) str() text {
	switch c.peek() {
	case '"':
		start := c.i + 1
		end, escaped := stringEnd(c.s, start)
		if end < 0 {
			c.fail("a string without end")
			return text{}
		}
		c.i = end
		return text{c.s[start : end-1], escaped}
	case '{', '[':
		c.skip()
		return text{}
	}
	start := c.i
	c.skip()
	if c.err != "" || string(c.s[start:c.i]) == "null" {
		return text{}
	}
	return text{raw: c.s[start:c.i]}
}

// num reads a number, also one inside a string; ok is false for everything else.
func (c *cursor) num() (v float64, ok bool) {
	t := c.str()
	if len(t.raw) == 0 || len(t.raw) > 40 {
		return 0, false
	}
	if n, ok := smallInt(t.raw); ok {
		return float64(n), true
	}
	v, err := strconv.ParseFloat(string(t.raw), 64)
	return v, err == nil
}

func smallInt(s []byte) (n int, ok bool) {
	if len(s) > 9 {
		return 0, false
	}
	for _, d := range s {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

// unescape appends what the JSON string says. The result is never longer than
// s. Unknown escapes stay as they stand, half of a surrogate pair becomes
// U+FFFD, with one exception: a lone U+DC80..DCFF is how Python's
// "surrogateescape" writes the byte 0x80..0xFF, so the byte is put back and a
// body that was no UTF-8 is what it was on the wire.
func unescape(dst, s []byte) []byte {
	i := 0
	for i+8 <= len(s) {
		w := binary.LittleEndian.Uint64(s[i:])
		b := zeroes(w ^ backslash)
		if b == 0 {
			dst = binary.LittleEndian.AppendUint64(dst, w)
			i += 8
			continue
		}
		n := bits.TrailingZeros64(b) / 8
		if cap(dst)-len(dst) >= 8 { // write all eight, count the good ones
			binary.LittleEndian.PutUint64(dst[len(dst):len(dst)+8], w)
			dst = dst[:len(dst)+n]
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		dst, i = escape(dst, s, i+n)
	}
	for i < len(s) {
		if s[i] == '\\' {
			dst, i = escape(dst, s, i)
			continue
		}
		dst = append(dst, s[i])
		i++
	}
	return dst
}

var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape decodes the escape whose backslash is s[i].
func escape(dst, s []byte, i int) ([]byte, int) {
	i++
	if i >= len(s) {
		return append(dst, '\\'), i
	}
	if c := simple[s[i]]; c != 0 {
		return append(dst, c), i + 1
	}
	r, ok := rune(0), s[i] == 'u'
	if ok {
		r, ok = hex4(s, i+1)
	}
	if !ok {
		return append(dst, '\\', s[i]), i + 1
	}
	i += 5
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), i
	}
	if i+1 < len(s) && s[i] == '\\' && s[i+1] == 'u' {
		if low, ok := hex4(s, i+2); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return utf8.AppendRune(dst, pair), i + 6
			}
		}
	}
	if r >= 0xdc80 && r <= 0xdcff {
		return append(dst, byte(r-0xdc00)), i
	}
	return utf8.AppendRune(dst, utf8.RuneError), i
}

func hex4(s []byte, i int) (r rune, ok bool) {
	if i+4 > len(s) {
		return 0, false
	}
	for _, c := range s[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
