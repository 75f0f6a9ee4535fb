package schema

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// inner reads the fields of a well-known type in order and calls do for each
// known one whose wire type fits. It reports everything else; false says that
// the bytes are no message, and then nothing was called.
func (w *walker) inner(t *messageType, r raw, f *fieldType, do func(x *fieldType, v raw)) bool {
	o := scan(t, r.b)
	if o.end < len(r.b) {
		text := "no protobuf message"
		if r.missing > 0 {
			text = "cut"
		}
		w.breakage(f, r, text)
		return false
	}
	if o.twoOf != "" {
		w.report(&w.broken, Issue{Text: "more than one member of the oneof " + o.twoOf + " is set"}, scoreBroken)
	}
	if o.twice != 0 {
		w.report(&w.broken, Issue{Text: "a field of " + t.name + " is there more than once; the last one is shown"}, scoreBroken)
	}
	for b := r.b; len(b) > 0; {
		num, v, n := next(b)
		b = b[n:]
		x := t.field(num)
		switch {
		case x == nil:
			w.report(&w.unknown, Issue{Number: int(num), Wire: wireName(v.typ), Size: v.size(),
				Text: fmt.Sprintf("%s has no field %d", t.name, num)}, scoreUnknown)
		case v.typ != x.wireType():
			w.report(&w.broken, Issue{Number: int(num), Wire: wireName(v.typ), Size: v.size(),
				Text: "wire type " + wireName(v.typ) + " in " + t.name + "." + x.name}, scoreBroken)
		default:
			do(x, v)
		}
	}
	return true
}

func (f *fieldType) wireType() protowire.Type {
	if f.isMap {
		return protowire.BytesType
	}
	switch f.kind {
	case kindBool, kindInt32, kindInt64, kindEnum:
		return protowire.VarintType
	case kindDouble:
		return protowire.Fixed64Type
	}
	return protowire.BytesType
}

func (w *walker) timestamp(t *messageType, r raw, f *fieldType) {
	var seconds int64
	var nanos int32
	ok := w.inner(t, r, f, func(x *fieldType, v raw) {
		if x.number == 1 {
			seconds = int64(v.v)
		} else {
			nanos = int32(v.v)
		}
	})
	if !ok {
		w.form(r)
		return
	}
	if !w.instant(seconds, nanos) {
		w.breakage(f, r, "no time between the years 1 and 9999")
		w.out = append(w.out, `{"seconds":"`...)
		w.out = strconv.AppendInt(w.out, seconds, 10)
		w.out = append(w.out, `","nanos":`...)
		w.out = strconv.AppendInt(w.out, int64(nanos), 10)
		w.out = append(w.out, '}')
	}
}

// structValue writes a Struct as a JSON object. Entries keep their order on the wire.
func (w *walker) structValue(t *messageType, r raw, f *fieldType) {
	at := len(w.out)
	w.out = append(w.out, '{')
	first := true
	ok := w.inner(t, r, f, func(x *fieldType, v raw) {
		first = w.comma(first)
		w.entry(x, v)
	})
	if !ok {
		w.out = w.out[:at]
		w.form(r)
		return
	}
	w.out = append(w.out, '}')
}

// jsonValue writes a Value as the JSON it stands for; of two members the last one counts.
func (w *walker) jsonValue(t *messageType, r raw, f *fieldType) {
	var member *fieldType
	var value raw
	ok := w.inner(t, r, f, func(x *fieldType, v raw) { member, value = x, v })
	switch {
	case !ok:
		w.form(r)
	case member == nil || member.kind == kindEnum:
		w.out = append(w.out, "null"...)
	default:
		w.value(member, value)
	}
}

func (w *walker) listValue(t *messageType, r raw, f *fieldType) {
	at := len(w.out)
	w.out = append(w.out, '[')
	i := 0
	ok := w.inner(t, r, f, func(x *fieldType, v raw) {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.push(step{index: i})
		w.value(x, v)
		w.pop()
		i++
	})
	if !ok {
		w.out = w.out[:at]
		w.form(r)
		return
	}
	w.out = append(w.out, ']')
}

// any writes an Any: the members of the message inside beside "@type", or its
// bytes as "value" when the type is not one of ours.
func (w *walker) any(t *messageType, r raw, f *fieldType) {
	var url, content raw
	content.typ = protowire.BytesType
	ok := w.inner(t, r, f, func(x *fieldType, v raw) {
		if x.number == 1 {
			url = v
		} else {
			content = v
		}
	})
	if !ok {
		w.form(r)
		return
	}
	at := len(w.out)
	w.out = append(w.out, `{"@type":`...)
	if !w.text(url.b) {
		w.out = w.out[:at]
		w.breakage(f, r, "the type of an Any is no UTF-8")
		w.form(r)
		return
	}
	inside := w.set.byURL(string(url.b))
	switch {
	case inside != nil && inside.special == plain:
		if o := scan(inside, content.b); o.end == len(content.b) {
			w.members(inside, content.b, o, false, false)
			break
		}
		w.breakage(f, content, "no protobuf message of the type that @type names")
		w.anyValue(func() { w.form(content) })
	case inside != nil:
		w.anyValue(func() { w.message(inside, content, f) })
	case len(content.b) > 0:
		w.anyValue(func() { w.base64(content.b) })
	}
	w.out = append(w.out, '}')
}

func (w *walker) anyValue(write func()) {
	w.out = append(w.out, `,"value":`...)
	w.push(step{key: []byte("value"), index: -1})
	write()
	w.pop()
}
