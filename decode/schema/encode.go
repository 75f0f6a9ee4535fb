package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Encode turns ProtoJSON into wire bytes. Members may carry the JSON name or
// the proto name; enums are names or numbers; null is unset. A member the
// message does not have is an error that names its pointer, and so is a value
// that does not fit. The forms of doc.go write what a schema would not allow.
func Encode(m Message, json []byte) ([]byte, error) {
	if m.t == nil {
		return nil, errors.New("no message type to encode")
	}
	doc := jsontree.Parse(json)
	if doc.Err != nil {
		return nil, fmt.Errorf("%s: not JSON: %w", m.t.name, doc.Err)
	}
	files := setOf(m.t.version).files()
	d, err := files.message(m.t)
	if err != nil {
		return nil, err
	}
	e := encoder{set: setOf(m.t.version), files: files}
	msg := dynamicpb.NewMessage(d)
	if err := e.message(m.t, msg, doc.Root()); err != nil {
		return nil, fmt.Errorf("%s: %w", m.t.name, err)
	}
	return marshal(msg)
}

// EncodeGRPC encodes a request or response of a gRPC path. A name that 0.3 and
// the draft share is read as 0.3, and as the draft when only that fits.
func EncodeGRPC(path string, response bool, json []byte) ([]byte, error) {
	pkg, service, method, ok := spec.SplitRPCPath(path)
	if !ok {
		return nil, fmt.Errorf("%q is no gRPC path; it should look like %s", path, spec.NameIn(spec.GetTask, spec.V10, spec.GRPC))
	}
	rpc, ok := spec.RPCByPath(pkg, service, method)
	if !ok {
		if near, isNear := spec.NearRPC(method); isNear {
			return nil, fmt.Errorf("%s: no such A2A method; did you mean %s", path, spec.NameIn(near.Op, near.Version, spec.GRPC))
		}
		return nil, fmt.Errorf("%s: no such A2A method; services are %s.%s and %s.%s", path, spec.Package10, spec.A2AServiceName, spec.Package03, spec.A2AServiceName)
	}
	name := rpc.Request
	if response {
		name = rpc.Response
	}
	m, _ := Named(rpc.Version, name)
	out, err := Encode(m, json)
	if err == nil || !rpc.Shared {
		return out, err
	}
	draft, _ := Named(spec.V10Draft, name)
	if out, draftErr := Encode(draft, json); draftErr == nil {
		return out, nil
	}
	return nil, err
}

// marshal writes fields in the order of their numbers, so that the same play gives the same bytes.
func marshal(m proto.Message) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
}

type encoder struct {
	set   *set
	files *files
}

// at names a place in an error.
func at(n jsontree.Node, format string, args ...any) error {
	p := n.PointerTo()
	if p == "" {
		p = "the whole value"
	}
	return fmt.Errorf("%s: "+format, append([]any{p}, args...)...)
}

// message fills msg with the members of n.
func (e *encoder) message(t *messageType, msg protoreflect.Message, n jsontree.Node) error {
	switch t.special {
	case specialStruct:
		return e.structValue(msg, n)
	case specialValue:
		return e.jsonValue(msg, n)
	case specialList:
		return e.listValue(msg, n)
	case specialTimestamp:
		return e.timestamp(msg, n)
	case specialAny:
		return e.any(msg, n)
	}
	return e.members(t, msg, n, "")
}

// members fills msg with the members of an object but skip.
func (e *encoder) members(t *messageType, msg protoreflect.Message, n jsontree.Node, skip string) error {
	if !n.IsObject() {
		return at(n, "%s where an object (%s) should be", n.Kind(), t.name)
	}
	for c := range n.Children() {
		key := c.Key()
		if skip != "" && key == skip {
			continue
		}
		if number, ok := unknownKey(key); ok {
			if err := appendRaw(msg, number, c); err != nil {
				return err
			}
			continue
		}
		f := t.byKey(key)
		if f == nil {
			return at(c, "%s has no field %q; it has %s", t.name, key, t.keys())
		}
		if c.Kind() == jsontree.Null && (f.msg == nil || f.msg.special != specialValue) {
			continue
		}
		if err := e.field(f, msg, c); err != nil {
			return err
		}
	}
	return nil
}

// keys lists the members of a message for error texts.
func (m *messageType) keys() string {
	if len(m.fields) == 0 {
		return "none"
	}
	names := make([]string, len(m.fields))
	for i := range m.fields {
		names[i] = m.fields[i].json
	}
	return strings.Join(names, ", ")
}

func (e *encoder) field(f *fieldType, msg protoreflect.Message, n jsontree.Node) error {
	d := msg.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(f.number))
	if o := d.ContainingOneof(); o != nil && !o.IsSynthetic() {
		if other := msg.WhichOneof(o); other != nil && other != d {
			return at(n, "%s and %s are members of the same oneof: only one can be set", other.JSONName(), f.json)
		}
	}
	switch {
	case f.isMap:
		return e.mapField(f, d, msg, n)
	case f.repeated:
		return e.list(f, d, msg, n)
	case isForm(f, n):
		return appendRaw(msg, f.number, n)
	case f.kind == kindMessage:
		return e.message(f.msg, msg.Mutable(d).Message(), n)
	}
	v, err := scalar(f, n)
	if err != nil {
		return err
	}
	msg.Set(d, v)
	return nil
}

func (e *encoder) list(f *fieldType, d protoreflect.FieldDescriptor, msg protoreflect.Message, n jsontree.Node) error {
	if !n.IsArray() {
		return at(n, "%s where an array should be", n.Kind())
	}
	l := msg.Mutable(d).List()
	for c := range n.Children() {
		switch {
		case isForm(f, c): // these stand behind the others: unknown bytes are written last
			if err := appendRaw(msg, f.number, c); err != nil {
				return err
			}
		case f.kind == kindMessage:
			v := l.NewElement()
			if err := e.message(f.msg, v.Message(), c); err != nil {
				return err
			}
			l.Append(v)
		default:
			v, err := scalar(f, c)
			if err != nil {
				return err
			}
			l.Append(v)
		}
	}
	return nil
}

func (e *encoder) mapField(f *fieldType, d protoreflect.FieldDescriptor, msg protoreflect.Message, n jsontree.Node) error {
	if !n.IsObject() {
		return at(n, "%s where an object should be", n.Kind())
	}
	m := msg.Mutable(d).Map()
	for c := range n.Children() {
		key := protoreflect.ValueOfString(c.Key()).MapKey()
		if f.kind == kindMessage {
			v := m.NewValue()
			if err := e.message(f.msg, v.Message(), c); err != nil {
				return err
			}
			m.Set(key, v)
			continue
		}
		v, err := scalar(f, c)
		if err != nil {
			return err
		}
		m.Set(key, v)
	}
	return nil
}

// unknownKey reads a member name such as "?12".
func unknownKey(key string) (int32, bool) {
	digits, ok := strings.CutPrefix(key, "?")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n > int64(protowire.MaxValidNumber) {
		return 0, false
	}
	return int32(n), true
}
