package har

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"a2ascope/internal/jsontree"
)

// builder writes JSON in the order in which it is told. An own writer, because
// the bytes must be the same for the same exchange, and because encoding/json
// replaces what is no UTF-8.
type builder struct {
	b     []byte
	comma bool // the next member or element needs one
}

func (b *builder) raw(s string) { b.b, b.comma = append(b.b, s...), true }

func (b *builder) open(bracket byte) { b.b, b.comma = append(b.b, bracket), false }

func (b *builder) close(bracket byte) { b.b, b.comma = append(b.b, bracket), true }

// item begins an element.
func (b *builder) item() {
	if b.comma {
		b.b = append(b.b, ',')
	}
	b.comma = false
}

// key begins a member; names need no escapes.
func (b *builder) key(name string) {
	b.item()
	b.b = append(append(append(b.b, '"'), name...), `":`...)
}

func (b *builder) str(name, value string) {
	b.key(name)
	b.b, b.comma = quoted(b.b, value), true
}

// some writes a member that is left out when it is empty.
func (b *builder) some(name, value string) {
	if value != "" {
		b.str(name, value)
	}
}

func (b *builder) num(name, value string) {
	b.key(name)
	b.raw(value)
}

// number writes a member that is left out when it is 0.
func (b *builder) number(name string, v int64) {
	if v != 0 {
		b.num(name, strconv.FormatInt(v, 10))
	}
}

func (b *builder) flag(name string, v bool) {
	if v {
		b.num(name, "true")
	}
}

// quoted appends a JSON string. A byte that is no UTF-8 becomes a lone
// surrogate, from which unescape makes the byte again.
func quoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for n := 0; s != ""; s = s[n:] {
		n = validUTF8(s)
		if dst = jsontree.AppendEscaped(dst, s[:n]); n < len(s) {
			dst = fmt.Appendf(dst, `\udc%02x`, s[n])
			n++
		}
	}
	return append(dst, '"')
}

// validUTF8 is how many bytes of s are UTF-8 before one that is not.
func validUTF8(s string) int {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
			return i
		}
	}
	return len(s)
}

// millis writes microseconds as milliseconds.
func millis(us int64) string { return decimal(us, 3) }

// decimal writes v divided by a power of ten, exactly, without idle zeros.
func decimal(v int64, digits int) string {
	s := strconv.FormatInt(v, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if len(s) <= digits {
		s = strings.Repeat("0", digits+1-len(s)) + s
	}
	whole, frac := s[:len(s)-digits], strings.TrimRight(s[len(s)-digits:], "0")
	if frac != "" {
		frac = "." + frac
	}
	return sign + whole + frac
}
