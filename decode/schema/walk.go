package schema

import (
	"fmt"
	"math/bits"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// What a fact adds to the score. Wrong-schema bytes give unknown numbers, wrong
// wire types and texts with control characters (the tags of what was a message).
const (
	scoreField    = 2
	scoreUnknown  = -10
	scoreBroken   = -20
	scoreControl  = -8
	scoreResource = 10
	scoreMissing  = -3
)

// walker writes the JSON of one Decode while it reads the bytes.
type walker struct {
	out   []byte
	set   *set
	path  []step
	depth int

	unknown, broken []Issue
	dropped, score  int
}

// step is one element of the path to what is being written.
type step struct {
	key   []byte // member name
	index int    // array element when >= 0
}

// root reads the outermost message, which may be cut.
func (w *walker) root(t *messageType, b []byte) {
	w.set = setOf(t.version)
	if t.special != plain { // only by the caller's wish
		w.message(t, raw{typ: protowire.BytesType, b: b}, nil)
		return
	}
	o := scan(t, b)
	w.out = append(w.out, '{')
	w.members(t, b, o, true, len(b) > o.end)
	w.out = append(w.out, '}')
}

// message writes the value of a message field. f is nil for the root and for map values.
func (w *walker) message(t *messageType, r raw, f *fieldType) {
	if r.typ != protowire.BytesType {
		w.wrongType(f, r, "a message")
		return
	}
	if w.depth >= maxDepth {
		w.breakage(f, r, "nested too deeply to be shown")
		w.form(r)
		return
	}
	if t == nil {
		t = noFields
	}
	w.depth++
	switch t.special {
	case specialTimestamp:
		w.timestamp(t, r, f)
	case specialAny:
		w.any(t, r, f)
	case specialValue:
		w.jsonValue(t, r, f)
	case specialStruct:
		w.structValue(t, r, f)
	case specialList:
		w.listValue(t, r, f)
	default:
		o := scan(t, r.b)
		if o.end < len(r.b) && r.missing == 0 {
			// Tags are the same in every schema: bytes that stop being tags are no message.
			w.breakage(f, r, "no protobuf message")
			w.form(r)
			break
		}
		w.out = append(w.out, '{')
		w.members(t, r.b, o, true, r.missing > 0)
		w.out = append(w.out, '}')
	}
	w.depth--
}

// members writes the fields of a message; first says that nothing is before
// them in the object, cut that the end of b may be missing.
func (w *walker) members(t *messageType, b []byte, o outline, first, cut bool) {
	if o.twoOf != "" {
		w.report(&w.broken, Issue{Text: "more than one member of the oneof " + o.twoOf + " is set"}, scoreBroken)
	}
	whole := b[:o.end]
	var done uint32
	var tail raw
	tailOf, cutInside := int32(0), false
	if cut {
		tailOf, tail, cutInside = cutField(b[o.end:])
	}
	for len(whole) > 0 {
		num, r, n := next(whole)
		rest := whole[n:]
		f := t.field(num)
		if f == nil {
			first = w.comma(first)
			w.unknownField(num, r)
			whole = rest
			continue
		}
		bit := uint32(1) << num
		cutHere := cutInside && tailOf == num && !f.isMap
		switch {
		case done&bit != 0: // written where it was first seen
		case f.repeated || f.isMap || o.twice&bit != 0 || cutHere:
			done |= bit
			first = w.comma(first)
			last := (*raw)(nil)
			if cutHere {
				last, cut = &tail, false
			}
			rest = w.elements(f, whole, o.scattered || o.twice != 0, last)
		default:
			first = w.comma(first)
			w.out = append(w.out, f.key...)
			w.push(step{key: f.member, index: -1})
			w.value(f, r)
			w.pop()
		}
		whole = rest
	}
	if missing := t.required &^ o.seen; missing != 0 {
		w.score += scoreMissing * bits.OnesCount32(missing)
	}
	switch f := t.field(tailOf); {
	case !cut || o.end == len(b):
	case cutInside && f != nil && !f.isMap:
		w.comma(first)
		if f.repeated {
			w.elements(f, nil, false, &tail)
			break
		}
		w.out = append(w.out, f.key...)
		w.push(step{key: f.member, index: -1})
		w.cutValue(f, tail)
		w.pop()
	default:
		w.comma(first)
		w.rest(b[o.end:])
	}
}

// elements writes all values of a repeated field or map, or of a plain field
// that is there twice, and returns what follows the run it began with.
// Scattered elements are collected from behind it; tail is a last element that
// the end of the input cut.
func (w *walker) elements(f *fieldType, b []byte, scattered bool, tail *raw) (rest []byte) {
	w.out = append(w.out, f.key...)
	w.push(step{key: f.member, index: -1})
	opening, closing, inside := "[", "]", len(w.path)
	switch {
	case f.isMap:
		opening, closing = "{", "}"
	case !f.repeated:
		w.report(&w.broken, Issue{Number: int(f.number), Text: "the field is there more than once; readers take the last or merge them"}, scoreBroken)
		w.push(step{key: []byte("?twice"), index: -1})
		opening, closing = `{"?twice":[`, "]}"
	}
	w.out = append(w.out, opening...)
	i, run := 0, true
	for len(b) > 0 {
		num, r, n := next(b)
		if num != f.number {
			if run {
				rest, run = b, false
			}
			if !scattered {
				break
			}
			b = b[n:]
			continue
		}
		b = b[n:]
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if f.isMap {
			w.entry(f, r)
		} else {
			w.push(step{index: i})
			w.value(f, r)
			w.pop()
		}
		i++
	}
	if tail != nil {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.push(step{index: i})
		w.cutValue(f, *tail)
		w.pop()
	}
	w.path = w.path[:inside-1]
	w.out = append(w.out, closing...)
	return rest
}

// entry writes one entry of a map: key 1, value 2.
func (w *walker) entry(f *fieldType, r raw) {
	var key []byte
	var value raw
	sent := false
	bad := r.typ != protowire.BytesType
	if !bad {
		for b := r.b; len(b) > 0; {
			num, x, n := next(b)
			if n < 0 {
				bad = true
				break
			}
			switch {
			case num == 1 && x.typ == protowire.BytesType && key == nil:
				key = x.b
			case num == 2 && !sent:
				value, sent = x, true
			default:
				bad = true
			}
			b = b[n:]
		}
	}
	at := len(w.out)
	if w.text(key) {
		w.push(step{key: key, index: -1})
	} else {
		w.out = append(w.out[:at], `"?"`...)
		w.push(step{key: []byte("?"), index: -1})
		bad = true
	}
	w.out = append(w.out, ':')
	switch {
	case bad:
		w.breakage(f, r, "no entry of a map")
		w.form(r)
	case !sent: // the default
		w.zero(f)
	default:
		w.value(f, value)
	}
	w.pop()
}

// zero writes the default of a map value that was not sent.
func (w *walker) zero(f *fieldType) {
	switch {
	case f.kind == kindMessage && f.msg != nil && f.msg.special == specialValue:
		w.out = append(w.out, "null"...)
	case f.kind == kindMessage:
		w.out = append(w.out, "{}"...)
	case f.kind == kindBool:
		w.out = append(w.out, "false"...)
	case f.kind == kindString || f.kind == kindBytes:
		w.out = append(w.out, `""`...)
	default:
		w.out = append(w.out, '0')
	}
}

// cutValue writes what is there of a value that the end of the input cut.
func (w *walker) cutValue(f *fieldType, r raw) {
	w.report(&w.broken, Issue{Number: int(f.number), Wire: "len", Size: len(r.b),
		Text: fmt.Sprintf("cut: %d of %d bytes are here", len(r.b), len(r.b)+r.missing)}, scoreBroken)
	w.value(f, r)
}

// rest writes the bytes behind the last whole field.
func (w *walker) rest(b []byte) {
	w.out = append(w.out, `"?rest":`...)
	w.push(step{key: []byte("?rest"), index: -1})
	w.report(&w.broken, Issue{Size: len(b), Text: fmt.Sprintf("%d bytes are no protobuf fields", len(b))}, scoreBroken)
	w.bytesForm(b)
	w.pop()
}

func (w *walker) comma(first bool) bool {
	if !first {
		w.out = append(w.out, ',')
	}
	return false
}

func (w *walker) unknownField(num int32, r raw) {
	w.out = append(w.out, `"?`...)
	at := len(w.out)
	w.out = strconv.AppendInt(w.out, int64(num), 10)
	w.push(step{key: w.out[at-1 : len(w.out) : len(w.out)], index: -1})
	w.report(&w.unknown, Issue{Number: int(num), Wire: wireName(r.typ), Size: r.size(), Text: "the schema has no field " + string(w.out[at:])}, scoreUnknown)
	w.pop()
	w.out = append(w.out, `":`...)
	switch r.typ {
	case protowire.VarintType:
		w.out = strconv.AppendUint(w.out, r.v, 10)
	case protowire.BytesType:
		if readable(r.b) {
			w.text(r.b)
		} else {
			w.bytesForm(r.b)
		}
	default:
		w.form(r)
	}
}

func (w *walker) push(s step) { w.path = append(w.path, s) }
func (w *walker) pop()        { w.path = w.path[:len(w.path)-1] }
