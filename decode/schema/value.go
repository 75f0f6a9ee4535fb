package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// value writes one value of a field.
func (w *walker) value(f *fieldType, r raw) {
	if f.kind == kindMessage {
		before := len(w.broken) + w.dropped
		w.message(f.msg, r, f)
		if before == len(w.broken)+w.dropped {
			w.score += scoreField
		}
		return
	}
	switch f.kind {
	case kindString:
		if r.typ != protowire.BytesType {
			w.wrongType(f, r, "a string")
			return
		}
		w.stringValue(f, r)
		return
	case kindBytes:
		if r.typ != protowire.BytesType {
			w.wrongType(f, r, "bytes")
			return
		}
		w.base64(r.b)
	case kindBool:
		if r.typ != protowire.VarintType {
			w.wrongType(f, r, "a bool")
			return
		}
		w.out = strconv.AppendBool(w.out, r.v != 0)
	case kindInt32:
		if r.typ != protowire.VarintType {
			w.wrongType(f, r, "a number")
			return
		}
		w.out = strconv.AppendInt(w.out, int64(int32(r.v)), 10)
	case kindInt64: // ProtoJSON writes 64 bits as a string
		if r.typ != protowire.VarintType {
			w.wrongType(f, r, "a number")
			return
		}
		w.out = append(w.out, '"')
		w.out = strconv.AppendInt(w.out, int64(r.v), 10)
		w.out = append(w.out, '"')
	case kindDouble:
		if r.typ != protowire.Fixed64Type {
			w.wrongType(f, r, "a double")
			return
		}
		w.double(f, r)
	case kindEnum:
		if r.typ != protowire.VarintType {
			w.wrongType(f, r, "an enum")
			return
		}
		w.enumValue(f, r)
	}
	w.score += scoreField
}

func (w *walker) enumValue(f *fieldType, r raw) {
	n := int32(r.v)
	if n >= 0 && int(n) < len(f.enum.values) {
		w.out = append(w.out, f.enum.values[n]...)
		return
	}
	w.report(&w.broken, Issue{Number: int(f.number), Wire: "varint", Size: r.size(),
		Text: fmt.Sprintf("the enum %s has no number %d", f.enum.name, n)}, scoreUnknown)
	w.out = strconv.AppendInt(w.out, int64(n), 10)
}

func (w *walker) stringValue(f *fieldType, r raw) {
	b := r.b
	if r.missing > 0 {
		b = wholeRunes(b)
	}
	at := len(w.out)
	if !w.text(b) {
		w.out = w.out[:at]
		w.breakage(f, r, "no UTF-8 where a string should be")
		w.bytesForm(r.b)
		return
	}
	w.score += scoreField
	// An escaped text is longer than its bytes: only then can control characters be in it.
	if len(w.out)-at > len(b)+2 && !readable(b) {
		w.score += scoreControl
	}
	switch f.hint {
	case resource:
		if bytes.HasPrefix(b, []byte("tasks/")) {
			w.score += scoreResource
		} else {
			w.score -= scoreResource
		}
	case plainID:
		if bytes.HasPrefix(b, []byte("tasks/")) {
			w.score -= scoreResource
		}
	}
}

// wholeRunes drops a rune that the end of a cut text falls into.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
