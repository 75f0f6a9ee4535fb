package kit

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the cells that clean text takes. It counts as the renderer does.
func Width(s string) int {
	w := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return w + wideWidth(s[i:])
		}
		w++
	}
	return w
}

func wideWidth(s string) int {
	w := 0
	for _, r := range s {
		w += RuneWidth(r)
	}
	return w
}

// RuneWidth returns the cells of one character.
func RuneWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa,
		r >= 0xff01 && r <= 0xff60, r >= 0x3000 && r <= 0x3020:
		return 2
	case r >= 0x2500 && r <= 0x257f, r >= 0x2400 && r <= 0x2426, r == '…', r == '→', r == '·', r == '•', r == '—':
		return 1
	}
	return ansi.StringWidthWc(string(r))
}

// Cut returns the longest head of s that fits into w cells, and its width.
func Cut(s string, w int) (string, int) {
	if len(s) <= w && isASCII(s) {
		return s, len(s)
	}
	used := 0
	for i, r := range s {
		n := RuneWidth(r)
		if used+n > w {
			return s[:i], used
		}
		used += n
	}
	return s, used
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Fit returns s in exactly w cells: cut with an ellipsis, or padded with spaces.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if n := Width(s); n <= w {
		return s + Spaces(w-n)
	}
	head, n := Cut(s, w-1)
	return head + "…" + Spaces(w-1-n)
}

// FitRight is Fit with the text at the right end.
func FitRight(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if n := Width(s); n <= w {
		return Spaces(w-n) + s
	}
	return Fit(s, w)
}

// FitMiddle is Fit that cuts in the middle, for names whose ends tell them apart.
func FitMiddle(s string, w int) string {
	n := Width(s)
	if n <= w || w < 8 {
		return Fit(s, w)
	}
	tailW := (w - 1) / 2
	head, hn := Cut(s, w-1-tailW)
	skip, at := n-tailW, 0
	tail := ""
	for i, r := range s {
		if at >= skip {
			tail = s[i:]
			break
		}
		at += RuneWidth(r)
	}
	out := head + "…" + tail
	return out + Spaces(w-hn-1-Width(tail))
}

const blanks = "                                                                                                                                "

// Spaces returns n spaces.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Wrap breaks clean text into lines of at most w cells: at spaces where it
// can, between any two wide characters, inside a word only where it must. Line
// breaks in the text stay.
func Wrap(s string, w int) []string {
	if w < 1 {
		w = 1
	}
	var out []string
	for para := range strings.SplitSeq(s, "\n") {
		out = wrapLine(out, para, w)
	}
	return out
}

func wrapLine(out []string, s string, w int) []string {
	for {
		if Width(s) <= w {
			return append(out, strings.TrimRight(s, " "))
		}
		used, brk, i := 0, 0, 0
		var last rune
		for j, r := range s {
			n := RuneWidth(r)
			if j > 0 && (last == ' ' && r != ' ' || breakBetween(last, r)) {
				brk = j
			}
			if used+n > w {
				i = j
				if r == ' ' { // a space at the edge is a break
					brk = j
				}
				break
			}
			used += n
			last = r
		}
		if brk == 0 {
			brk = HardBreak(s, 0, i, w)
		}
		if brk == 0 { // one character wider than the line
			_, n := utf8.DecodeRuneInString(s)
			brk = n
		}
		out = append(out, strings.TrimRight(s[:brk], " "))
		s = strings.TrimLeft(s[brk:], " ")
		if s == "" {
			return out
		}
	}
}

// Marks that do not begin a line, and those that do not end one, in text with
// wide characters. Chinese typesetting forbids both.
const (
	noStart = "，。；：！？、）】》〉」』〕”’…—·～％%,.;:!?)]}"
	noEnd   = "（【《〈「『〔“‘([{"
)

// HardBreak moves a break at i, inside a word of the line that begins at from,
// back to where no such mark is torn off. It stays where what is moved to the
// next line would not fit there.
func HardBreak(s string, from, i, room int) int {
	torn := func(at int) bool {
		b, _ := utf8.DecodeRuneInString(s[at:])
		a, _ := utf8.DecodeLastRuneInString(s[:at])
		return b >= 0x80 && strings.ContainsRune(noStart, b) || a >= 0x80 && strings.ContainsRune(noEnd, a)
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	for at := i; at > from; {
		if !torn(at) {
			if Width(s[at:i])+RuneWidth(r) > room {
				return i
			}
			return at
		}
		_, n := utf8.DecodeLastRuneInString(s[:at])
		at -= n
	}
	return i
}

// MayBreak reports whether a line of text may be broken between two characters
// of which one is wide. Between two narrow ones it says no.
func MayBreak(a, b rune) bool {
	if a < 0x2e80 && b < 0x2e80 || strings.ContainsRune(noStart, b) || strings.ContainsRune(noEnd, a) {
		return false
	}
	return RuneWidth(a) == 2 || RuneWidth(b) == 2
}

func breakBetween(a, b rune) bool {
	if a < 0x80 && b < 0x80 {
		return a == '/' && b != '/' || a == '&' || a == '?'
	}
	return MayBreak(a, b)
}
