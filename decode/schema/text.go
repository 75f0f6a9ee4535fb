package schema

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"a2ascope/internal/jsontree"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainText returns the length of the longest beginning of b that JSON takes
// as it is, eight bytes at a time.
func plainText(b []byte) int {
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		control := (x - ones*0x20) &^ x
		if (x|control|(quote-ones)&^quote|(slash-ones)&^slash)&highs != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return i
}

// text writes b as a JSON string; false when b is no UTF-8, and then what was
// written is to be dropped by the caller.
func (w *walker) text(b []byte) bool {
	w.out = append(w.out, '"')
	n := plainText(b)
	w.out = append(w.out, b[:n]...)
	if n < len(b) {
		b = b[n:]
		if !utf8.Valid(b) {
			return false
		}
		w.out = jsontree.AppendEscaped(w.out, b)
	}
	w.out = append(w.out, '"')
	return true
}

// readable reports text without control characters other than line breaks and tabs.
func readable(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(b)
}

func (w *walker) base64(b []byte) {
	w.out = append(w.out, '"')
	w.out = base64.StdEncoding.AppendEncode(w.out, b)
	w.out = append(w.out, '"')
}

// double writes a number as ProtoJSON does: NaN and infinities as words.
func (w *walker) double(f *fieldType, r raw) {
	v := math.Float64frombits(r.v)
	switch {
	case math.IsNaN(v):
		w.out = append(w.out, `"NaN"`...)
	case math.IsInf(v, 1):
		w.out = append(w.out, `"Infinity"`...)
	case math.IsInf(v, -1):
		w.out = append(w.out, `"-Infinity"`...)
	default:
		if i := int64(v); v == float64(i) && i > -1e15 && i < 1e15 && (i != 0 || !math.Signbit(v)) {
			w.out = strconv.AppendInt(w.out, i, 10)
			return
		}
		format := byte('f')
		if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			format = 'e'
		}
		w.out = strconv.AppendFloat(w.out, v, format, -1, 64)
		if n := len(w.out); format == 'e' && w.out[n-2] == '0' && w.out[n-3] == '-' { // e-07 is written e-7
			w.out = append(w.out[:n-2], w.out[n-1])
		}
		return
	}
	w.breakage(f, r, "a number that JSON does not have")
}

// The range of a Timestamp: years 1 to 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// instant writes an RFC 3339 time with as many digits as ProtoJSON writes: 0, 3, 6 or 9.
func (w *walker) instant(seconds int64, nanos int32) bool {
	if seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999999999 {
		return false
	}
	w.out = append(w.out, '"')
	w.out = time.Unix(seconds, 0).UTC().AppendFormat(w.out, time.RFC3339)
	if nanos != 0 {
		w.out[len(w.out)-1] = '.' // was Z
		digits := 9
		for _, d := range []int{6, 3} {
			if nanos%1000 != 0 {
				break
			}
			nanos /= 1000
			digits = d
		}
		at := len(w.out)
		w.out = append(w.out, "000000000"[:digits]...)
		for i := at + digits - 1; i >= at; i-- {
			w.out[i] = byte('0' + nanos%10)
			nanos /= 10
		}
		w.out = append(w.out, 'Z')
	}
	w.out = append(w.out, '"')
	return true
}
