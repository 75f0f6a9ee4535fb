package text

import (
	"strings"

	"a2ascope/ui/kit"
)

// breaks returns the byte offsets at which the rows of a line begin. The first
// is 0; rows after it are indented by hang cells.
func breaks(dst []int, s string, w, hang int) []int {
	dst = append(dst[:0], 0)
	if len(s) <= w {
		return dst // fewer bytes than cells: it fits whatever it holds
	}
	if hang > w/2 {
		hang = w / 2
	}
	room, used := w, 0
	soft, softUsed := -1, 0 // the last good place to break in this row
	var last rune
	for i, r := range s {
		n := 1
		if r >= 0x80 {
			n = kit.RuneWidth(r)
		}
		if used > 0 && good(last, r) {
			soft, softUsed = i, used
		}
		if used+n > room && used > 0 {
			at := soft
			if soft <= 0 || softUsed <= room/2 {
				at = kit.HardBreak(s, dst[len(dst)-1], i, w-hang)
			}
			dst = append(dst, at)
			room = w - hang
			used = kit.Width(s[at:i])
			soft = -1
		}
		used += n
		last = r
	}
	return dst
}

func good(a, b rune) bool {
	if a < 0x80 && b < 0x80 {
		return a == ' ' && b != ' ' || (a == ',' || a == ';') && b != ' '
	}
	return kit.MayBreak(a, b)
}

// plain joins the text of a line.
func plain(l Line) string {
	if len(l.Segs) == 1 {
		return l.Segs[0].Text
	}
	n := 0
	for _, s := range l.Segs {
		n += len(s.Text)
	}
	var b strings.Builder
	b.Grow(n)
	for _, s := range l.Segs {
		b.WriteString(s.Text)
	}
	return b.String()
}

// contains is a search without case for ASCII letters; needle is lower case.
func contains(hay []byte, needle string) bool { return indexFold(hay, needle) >= 0 }

func indexFold(hay []byte, needle string) int {
	if needle == "" {
		return -1
	}
	first := needle[0]
	upper := first
	if first >= 'a' && first <= 'z' {
		upper = first - 32
	}
	for i := 0; i+len(needle) <= len(hay); i++ {
		if c := hay[i]; c != first && c != upper {
			continue
		}
		k := 1
		for k < len(needle) && lower(hay[i+k]) == needle[k] {
			k++
		}
		if k == len(needle) {
			return i
		}
	}
	return -1
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 32
	}
	return c
}

// lowerASCII is the form in which needles are kept.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

// trimLeftSpace returns the offset of the first character that is no space.
func trimLeftSpace(s string) int {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// Contains reports whether bytes hold a text, without case for ASCII letters.
func Contains(hay []byte, text string) bool { return contains(hay, lowerASCII(text)) }
