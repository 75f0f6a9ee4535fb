package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"a2ascope/decode/spec"
)

// Random messages of every type read the same as protojson writes them, and
// Encode of that text gives the same bytes again.
func TestReadsAsProtojsonDoes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, v := range []spec.Version{spec.V03, spec.V10Draft, spec.V10} {
		set := setOf(v)
		for _, mt := range set.types {
			d, err := set.files().message(mt)
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				msg := dynamicpb.NewMessage(d)
				fill(rnd, msg, 0)
				wire, err := marshal(msg)
				if err != nil {
					t.Fatal(err)
				}
				want, err := protojson.Marshal(msg)
				if err != nil {
					t.Fatal(err)
				}
				got := Decode(Message{mt}, wire)
				if iss := issues(got); iss != "" {
					t.Fatalf("%s %s: %s", v, mt.name, iss)
				}
				if diff := differ(want, got.JSON); diff != "" {
					t.Fatalf("%s %s: %s", v, mt.name, diff)
				}
				check(t, got, wire)
				for _, text := range [][]byte{want, got.JSON} {
					again, err := Encode(Message{mt}, text)
					if err != nil {
						t.Fatalf("%s %s: %v in %s", v, mt.name, err, text)
					}
					if string(again) != string(wire) {
						t.Fatalf("%s %s: %x became %x", v, mt.name, wire, again)
					}
				}
			}
		}
	}
}

// differ compares two JSON texts without regard to order of members.
func differ(want, got []byte) string {
	var a, b any
	if err := json.Unmarshal(want, &a); err != nil {
		return err.Error()
	}
	if err := json.Unmarshal(got, &b); err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("\ngot  %s\nwant %s", got, want)
	}
	return ""
}

// fill sets fields of msg to values that are not their default.
func fill(rnd *rand.Rand, msg protoreflect.Message, depth int) {
	switch msg.Descriptor().FullName() {
	case "google.protobuf.Timestamp":
		msg.Set(msg.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfInt64(1+rnd.Int64N(4e9)))
		msg.Set(msg.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfInt32([]int32{1, 1000, 1e6, 123456789}[rnd.IntN(4)]))
		return
	case "google.protobuf.Value":
		if depth > 4 {
			msg.Set(msg.Descriptor().Fields().ByNumber(3), protoreflect.ValueOfString("end"))
			return
		}
		fields := msg.Descriptor().Fields()
		setField(rnd, msg, fields.Get(rnd.IntN(fields.Len())), depth)
		return
	}
	used := map[string]bool{}
	for i := range msg.Descriptor().Fields().Len() {
		f := msg.Descriptor().Fields().Get(i)
		if rnd.IntN(3) == 0 || depth > 4 && f.Message() != nil {
			continue
		}
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
			if used[string(o.Name())] {
				continue
			}
			used[string(o.Name())] = true
		}
		setField(rnd, msg, f, depth)
	}
}

func setField(rnd *rand.Rand, msg protoreflect.Message, f protoreflect.FieldDescriptor, depth int) {
	switch {
	case f.IsMap():
		m := msg.Mutable(f).Map()
		for range 1 + rnd.IntN(3) {
			v := m.NewValue()
			if f.MapValue().Message() != nil {
				fill(rnd, v.Message(), depth+1)
			} else {
				v = scalarOf(rnd, f.MapValue())
			}
			m.Set(scalarOf(rnd, f.MapKey()).MapKey(), v)
		}
	case f.IsList():
		l := msg.Mutable(f).List()
		for range 1 + rnd.IntN(3) {
			v := l.NewElement()
			if f.Message() != nil {
				fill(rnd, v.Message(), depth+1)
			} else {
				v = scalarOf(rnd, f)
			}
			l.Append(v)
		}
	case f.Message() != nil:
		fill(rnd, msg.Mutable(f).Message(), depth+1)
	default:
		msg.Set(f, scalarOf(rnd, f))
	}
}

func scalarOf(rnd *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		texts := []string{"tasks/t1", "a", "longer than eight bytes", "quote\" back\\slash", "line\nbreak\ttab", "\x00\x1f\x7f", "héllo 世界 😀", "<html>&\u2028"}
		return protoreflect.ValueOfString(texts[rnd.IntN(len(texts))])
	case protoreflect.BytesKind:
		b := make([]byte, 1+rnd.IntN(20))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return protoreflect.ValueOfBytes(b)
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(rnd.Uint32()) | 1)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(rnd.Uint64()) | 1)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64([]float64{1, -2.5, 1e22, 1e-9, 123456789012345678, 0.1, -1e21, 5e-7}[rnd.IntN(8)])
	case protoreflect.EnumKind:
		n := f.Enum().Values().Len()
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(min(n-1, 1+rnd.IntN(n))))
	}
	panic("kind " + f.Kind().String())
}

func TestFillReachesEveryScalar(t *testing.T) { // else the oracle proves little
	rnd := rand.New(rand.NewPCG(1, 2))
	d, err := set10().files().message(set10().byName("Task"))
	if err != nil {
		t.Fatal(err)
	}
	msg := dynamicpb.NewMessage(d)
	for range 200 {
		fill(rnd, msg, 0)
	}
	b, err := proto.Marshal(msg)
	if err != nil || len(b) < 1000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
