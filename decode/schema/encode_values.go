package schema

import (
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"a2ascope/internal/jsontree"
)

// scalar reads a value of a field that is no message.
func scalar(f *fieldType, n jsontree.Node) (protoreflect.Value, error) {
	switch f.kind {
	case kindString:
		if n.IsString() {
			return protoreflect.ValueOfString(n.Str()), nil
		}
		return protoreflect.Value{}, at(n, "%s where a string should be", n.Kind())
	case kindBytes:
		b, err := decode64(n)
		return protoreflect.ValueOfBytes(b), err
	case kindBool:
		if n.Kind() == jsontree.Bool {
			return protoreflect.ValueOfBool(n.Bool()), nil
		}
		return protoreflect.Value{}, at(n, "%s where true or false should be", n.Kind())
	case kindInt32:
		v, err := whole(n, 32)
		return protoreflect.ValueOfInt32(int32(v)), err
	case kindInt64:
		v, err := whole(n, 64)
		return protoreflect.ValueOfInt64(v), err
	case kindDouble:
		v, err := strconv.ParseFloat(n.Text(), 64)
		if err != nil {
			return protoreflect.Value{}, at(n, "%s is no number", short(n))
		}
		return protoreflect.ValueOfFloat64(v), nil
	case kindEnum:
		return enumNumber(f, n)
	}
	return protoreflect.Value{}, at(n, "the field %s takes an object", f.json)
}

// whole reads a number, which ProtoJSON also takes as a string.
func whole(n jsontree.Node, bits int) (int64, error) {
	if n.Kind() == jsontree.Number || n.IsString() {
		if v, err := strconv.ParseInt(n.Text(), 10, bits); err == nil {
			return v, nil
		}
		if v, ok := n.Int(); ok && (bits == 64 || v == int64(int32(v))) {
			return v, nil
		}
	}
	return 0, at(n, "%s is no whole number of %d bits", short(n), bits)
}

func enumNumber(f *fieldType, n jsontree.Node) (protoreflect.Value, error) {
	if n.IsString() {
		want := n.Str()
		for i, v := range f.enum.values {
			if v[1:len(v)-1] == want {
				return protoreflect.ValueOfEnum(protoreflect.EnumNumber(i)), nil
			}
		}
		return protoreflect.Value{}, at(n, "%s has no value %q; it has %s", f.enum.name, want, strings.ReplaceAll(strings.Join(f.enum.values, ", "), `"`, ""))
	}
	v, err := whole(n, 32)
	return protoreflect.ValueOfEnum(protoreflect.EnumNumber(v)), err
}

func (e *encoder) timestamp(msg protoreflect.Message, n jsontree.Node) error {
	seconds, nanos := int64(0), int32(0)
	switch {
	case n.IsString():
		t, err := time.Parse(time.RFC3339Nano, n.Str())
		if err != nil {
			return at(n, "%s is no time as in \"2026-01-02T15:04:05Z\"", short(n))
		}
		seconds, nanos = t.Unix(), int32(t.Nanosecond())
	case n.IsObject(): // a time beyond the years 1 to 9999
		s, err := whole(n.Get("seconds"), 64)
		if err != nil {
			return at(n, "seconds: %w", err)
		}
		ns, err := whole(n.Get("nanos"), 32)
		if err != nil {
			return at(n, "nanos: %w", err)
		}
		seconds, nanos = s, int32(ns)
	default:
		return at(n, "%s where a time should be", n.Kind())
	}
	fields := msg.Descriptor().Fields()
	if seconds != 0 {
		msg.Set(fields.ByNumber(1), protoreflect.ValueOfInt64(seconds))
	}
	if nanos != 0 {
		msg.Set(fields.ByNumber(2), protoreflect.ValueOfInt32(nanos))
	}
	return nil
}

func (e *encoder) structValue(msg protoreflect.Message, n jsontree.Node) error {
	if !n.IsObject() {
		return at(n, "%s where an object should be", n.Kind())
	}
	m := msg.Mutable(msg.Descriptor().Fields().ByNumber(1)).Map()
	for c := range n.Children() {
		v := m.NewValue()
		if err := e.jsonValue(v.Message(), c); err != nil {
			return err
		}
		m.Set(protoreflect.ValueOfString(c.Key()).MapKey(), v)
	}
	return nil
}

func (e *encoder) listValue(msg protoreflect.Message, n jsontree.Node) error {
	if !n.IsArray() {
		return at(n, "%s where an array should be", n.Kind())
	}
	l := msg.Mutable(msg.Descriptor().Fields().ByNumber(1)).List()
	for c := range n.Children() {
		v := l.NewElement()
		if err := e.jsonValue(v.Message(), c); err != nil {
			return err
		}
		l.Append(v)
	}
	return nil
}

// jsonValue sets the one member of a Value that the JSON stands for.
func (e *encoder) jsonValue(msg protoreflect.Message, n jsontree.Node) error {
	fields := msg.Descriptor().Fields()
	switch n.Kind() {
	case jsontree.Null:
		msg.Set(fields.ByNumber(1), protoreflect.ValueOfEnum(0))
	case jsontree.Number:
		v, err := strconv.ParseFloat(string(n.Raw()), 64)
		if err != nil || math.IsInf(v, 0) {
			return at(n, "%s is beyond the range of a double", short(n))
		}
		msg.Set(fields.ByNumber(2), protoreflect.ValueOfFloat64(v))
	case jsontree.String:
		msg.Set(fields.ByNumber(3), protoreflect.ValueOfString(n.Str()))
	case jsontree.Bool:
		msg.Set(fields.ByNumber(4), protoreflect.ValueOfBool(n.Bool()))
	case jsontree.Object:
		return e.structValue(msg.Mutable(fields.ByNumber(5)).Message(), n)
	case jsontree.Array:
		return e.listValue(msg.Mutable(fields.ByNumber(6)).Message(), n)
	default:
		return at(n, "no value")
	}
	return nil
}

// any packs the members beside "@type" into the message that it names; of a
// type that is not ours, "value" holds the bytes as base64.
func (e *encoder) any(msg protoreflect.Message, n jsontree.Node) error {
	url := n.Get("@type")
	if !n.IsObject() || !url.IsString() {
		return at(n, "an object with \"@type\" should be here")
	}
	var content []byte
	t := e.set.byURL(url.Str())
	value := n.Get("value")
	switch {
	case t == nil && !value.Exists():
		if n.Len() > 1 {
			return at(n, "the type %q is not known, so its members cannot be packed; give the bytes as \"value\" in base64", url.Str())
		}
	case t == nil:
		b, err := decode64(value)
		if err != nil {
			return err
		}
		content = b
	default:
		d, err := e.files.message(t)
		if err != nil {
			return err
		}
		inside := dynamicpb.NewMessage(d)
		if t.special == plain {
			err = e.members(t, inside, n, "@type")
		} else {
			err = e.message(t, inside, value)
		}
		if err != nil {
			return err
		}
		if content, err = marshal(inside); err != nil {
			return at(n, "%w", err)
		}
	}
	fields := msg.Descriptor().Fields()
	msg.Set(fields.ByNumber(1), protoreflect.ValueOfString(url.Str()))
	if len(content) > 0 {
		msg.Set(fields.ByNumber(2), protoreflect.ValueOfBytes(content))
	}
	return nil
}
