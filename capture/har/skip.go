package har

import (
	"encoding/binary"
	"math/bits"
)

// verdict says how passing a value went.
type verdict uint8

const (
	whole  verdict = iota
	cutOff         // the text ends inside the value
	broken         // brackets that do not match, or no value at all
)

// maxDepth bounds nesting. Entries of real producers nest under 20 levels.
const maxDepth = 512

const (
	ones       = 0x0101010101010101
	lows       = 0x7f7f7f7f7f7f7f7f
	highs      = 0x8080808080808080
	quotes     = ones * '"'
	backslash  = ones * '\\'
	spaces     = ones * ' '
	gatherBits = 0x0102040810204080 // multiplies the flag of each byte into the top byte
)

// zeroes flags (0x80) every byte of w that is zero. No carry crosses a byte,
// so that every flag can be trusted, not only the lowest.
func zeroes(w uint64) uint64 { return ^((w&lows + lows) | w | lows) }

// stringEnd returns the index after the quote that closes the string whose
// first byte is s[i] (the opening quote is before it), or -1; escaped says that
// a backslash was seen. It looks at eight bytes at a time: JSON inside a
// JSON string has an escape in nearly every word, so a search that stops at
// each of them would be the slowest part of reading a HAR.
func stringEnd(s []byte, i int) (end int, escaped bool) {
	var seen, carry uint64 // carry: 0x80 when the last byte was a backslash that escapes
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		q, b := w^quotes, w^backslash
		if carry == 0 && ((q-ones)&^q|(b-ones)&^b)&highs == 0 {
			continue // neither is there, which is cheaper to know than where
		}
		q, b = zeroes(q), zeroes(b)
		if b|carry != 0 {
			seen |= b
			after := b<<8 | carry
			if b&after == 0 { // no two backslashes in a row: each escapes what follows
				q &^= after
				carry = b >> 56
			} else {
				e := escapedBytes[carry>>7][byte(b>>7*gatherBits>>56)]
				carry = uint64(e>>8) << 7
				q &^= spread[byte(e)]
			}
		}
		if q != 0 {
			return i + bits.TrailingZeros64(q)/8 + 1, seen != 0
		}
	}
	esc := carry != 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case esc:
			esc = false
		case c == '"':
			return i + 1, seen != 0
		case c == '\\':
			esc, seen = true, 1
		}
	}
	return -1, seen != 0
}

// escapedBytes[carry][mask] holds, for eight bytes of which mask are
// backslashes, which bytes are escaped (bits 0..7) and whether the byte after
// them is (bit 8).
var escapedBytes = func() (t [2][256]uint16) {
	for carry := range 2 {
		for mask := range 256 {
			esc := carry == 1
			for k := range 8 {
				if esc {
					t[carry][mask] |= 1 << k
					esc = false
				} else {
					esc = mask>>k&1 == 1
				}
			}
			if esc {
				t[carry][mask] |= 1 << 8
			}
		}
	}
	return t
}()

// spread turns eight bits into the flags of eight bytes.
var spread = func() (t [256]uint64) {
	for mask := range 256 {
		for k := range 8 {
			t[mask] |= uint64(mask>>k&1) << (8*k + 7)
		}
	}
	return t
}()

// skipSpace returns the index of the first byte from i that is no white space.
// A file that is indented is a third blanks, so a row of them is one step.
func skipSpace(s []byte, i int) int {
	for i < len(s) {
		switch s[i] {
		case '\n', ' ':
			i++
			for i+8 <= len(s) {
				x := binary.LittleEndian.Uint64(s[i:]) ^ spaces
				if x != 0 {
					i += bits.TrailingZeros64(x) / 8
					break
				}
				i += 8
			}
		case '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// skipValue passes the value that starts at s[i] and returns the index after
// it, or where passing it stopped. Inside objects and arrays only strings and
// brackets are looked at: what is passed need not be correct, its end must be
// found.
func skipValue(s []byte, i int) (int, verdict) {
	if i >= len(s) {
		return i, cutOff
	}
	switch c := s[i]; c {
	case '"':
		end, _ := stringEnd(s, i+1)
		if end < 0 {
			return len(s), cutOff
		}
		return end, whole
	case '{', '[':
		return skipNested(s, i)
	case '}', ']', ',', ':':
		return i, broken
	}
	for start := i; i < len(s); i++ {
		switch s[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i, whole
		case '"', '{', '[', ':':
			return i, broken
		}
		if i-start > 64 { // no number of a HAR is that long
			return i, broken
		}
	}
	return i, cutOff
}

func skipNested(s []byte, i int) (int, verdict) {
	var stack [maxDepth / 64]uint64 // one bit a level: set for an object
	depth := 0
	for i < len(s) {
		switch c := s[i]; c {
		case '"':
			end, _ := stringEnd(s, i+1)
			if end < 0 {
				return len(s), cutOff
			}
			i = end
			continue
		case '{', '[':
			if depth == maxDepth {
				return i, broken
			}
			bit := uint64(1) << (depth & 63)
			if c == '{' {
				stack[depth>>6] |= bit
			} else {
				stack[depth>>6] &^= bit
			}
			depth++
		case '}', ']':
			depth--
			if stack[depth>>6]>>(depth&63)&1 == 1 != (c == '}') {
				return i, broken
			}
			if depth == 0 {
				return i + 1, whole
			}
		case '\n':
			i = skipSpace(s, i)
			continue
		}
		i++
	}
	return i, cutOff
}
