package redact

import (
	"strconv"
	"strings"
)

// Style says what stands for a secret. Both styles leave alone what either of
// Words has masked before, and Stars what Stars has: masked again, a text is
// the same.
type Style struct {
	off   bool
	stars bool
	known *known
}

// The styles.
var (
	Words = Style{}            // "[masked 812 bytes]": for people
	Stars = Style{stars: true} // as many '*' as there were bytes: where lengths must stay true
	Off   = Style{off: true}   // nothing is masked: for who asked to see it
)

// InPlace is the style with stars, for bytes whose lengths must stay true.
func (y Style) InPlace() Style {
	y.stars = true
	return y
}

// On reports whether the style masks.
func (y Style) On() bool { return !y.off }

// Mask is what stands for a secret of n bytes in running text.
func Mask(n int) string { return Words.mask(n) }

// maskStart begins every mask of Words.
const maskStart = "[masked "

func (y Style) mask(n int) string {
	if y.stars {
		return strings.Repeat("*", n)
	}
	if n == 1 {
		return maskStart + "1 byte]"
	}
	return maskStart + strconv.Itoa(n) + " bytes]"
}

// Secret masks a value that is a secret as a whole.
func (y Style) Secret(v string) string {
	if y.off || isMask(v) {
		return v
	}
	return y.mask(len(v))
}

// number is the JSON value that stands for a secret number of n bytes.
func (y Style) number(n int) string {
	switch {
	case !y.stars:
		return `"` + y.mask(n) + `"`
	case n < 2:
		return "0"
	}
	return `"` + y.mask(n-2) + `"`
}

// isMask reports whether v is a mask of Words.
func isMask(v string) bool {
	n, ok := strings.CutPrefix(v, maskStart)
	if !ok {
		return false
	}
	n, unit, _ := strings.Cut(n, " ")
	if unit != "byte]" && unit != "bytes]" || n == "" || len(n) > 12 {
		return false
	}
	return strings.Trim(n, "0123456789") == ""
}
