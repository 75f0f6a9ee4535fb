package kit

import (
	"unicode"
	"unicode/utf8"
)

// Clean makes text safe to draw: every control, escape, format and
// direction-changing character and every byte that is no UTF-8 becomes a
// visible mark. A terminal never gets anything else of a capture.
//
//	C0 controls and DEL   their picture: ␛ ␊ ␀ ␡
//	C1, format, bidi, …   their number: <U+202E>
//	bytes that are no UTF-8   <0xFF>
//
// Variation selectors are dropped: terminals disagree on the width they make.
func Clean(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return string(AppendClean(make([]byte, 0, len(s)+16), s))
		}
	}
	return s
}

// AppendClean appends the clean form of s.
func AppendClean(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f {
			dst = append(dst, c)
			i++
			continue
		}
		if c < 0x20 {
			dst = utf8.AppendRune(dst, 0x2400+rune(c))
			i++
			continue
		}
		if c == 0x7f {
			dst = utf8.AppendRune(dst, 0x2421)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			dst = append(dst, '<', '0', 'x', hexDigits[c>>4], hexDigits[c&15], '>')
			n = 1
		case r >= 0xfe00 && r <= 0xfe0f:
		case r >= 0x4e00 && r <= 0x9fff: // the common case beyond ASCII, ahead of the tables
			dst = append(dst, s[i:i+n]...)
		case hidden(r):
			dst = append(dst, "<U+"...)
			dst = appendHex(dst, r)
			dst = append(dst, '>')
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// hidden reports characters that draw nothing or change how others are drawn.
func hidden(r rune) bool {
	if r < 0xa0 || r == 0x2028 || r == 0x2029 {
		return true
	}
	if r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 {
		return true // fillers and tags
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co)
}

const hexDigits = "0123456789ABCDEF"

func appendHex(dst []byte, r rune) []byte {
	shift := 12
	for shift < 28 && r>>(shift+4) != 0 {
		shift += 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return dst
}

// OneLine is Clean for text that must stay on one line and short: line breaks
// become spaces, at most max bytes are read.
func OneLine(s string, max int) string {
	cut := false
	if len(s) > max {
		s, cut = s[:max], true
		for i := 0; i < 3 && len(s) > 0; i++ { // not inside a character
			if r, n := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || n != 1 {
				break
			}
			s = s[:len(s)-1]
		}
	}
	b := []byte(s)
	for i, c := range b {
		if c == '\n' || c == '\r' || c == '\t' {
			b[i] = ' '
		}
	}
	out := Clean(string(b))
	if cut {
		out += "…"
	}
	return out
}
