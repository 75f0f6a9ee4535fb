package schema

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"a2ascope/decode/spec"
)

// anyMessage picks a message type by number.
func anyMessage(n uint16) Message {
	all := [][]*messageType{set03().types, setDraft().types, set10().types, common().types}
	list := all[int(n)%len(all)]
	return Message{list[int(n)/len(all)%len(list)]}
}

func seeds(f *testing.F) {
	task := wireOf{}.len(1, "t1").len(3, string(wireOf{}.num(1, 3).len(3, string(wireOf{}.num(1, 1767323045))))).
		len(4, string(wireOf{}.len(1, "a").len(4, string(wireOf{}.len(1, "text"))))).
		len(6, string(wireOf{}.len(1, string(wireOf{}.len(1, "k").len(2, string(wireOf{}.num(4, 1)))))))
	for n := range uint16(40) {
		f.Add(n, []byte(task))
	}
	f.Add(uint16(3), []byte(wireOf{}.len(3, string(wireOf{}.len(1, "x/google.rpc.ErrorInfo").len(2, string(wireOf{}.len(1, "R")))))))
	f.Add(uint16(2), []byte{0x0b, 0x08, 0x01, 0x0c, 0x7a, 0xff, 0x01})
}

// Any bytes give one JSON value of bounded size; what protobuf reads without
// a complaint reads as protojson writes it.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, n uint16, wire []byte) {
		m := anyMessage(n)
		d := Decode(m, wire)
		check(t, d, wire)
		if len(d.Broken)+len(d.Unknown)+d.Dropped > 0 || strings.Contains(string(wire), "google.") {
			return
		}
		desc, err := setOf(m.t.version).files().message(m.t)
		if err != nil {
			t.Fatal(err)
		}
		msg := dynamicpb.NewMessage(desc)
		if err := proto.Unmarshal(wire, msg); err != nil {
			t.Fatalf("%s: no issue, but %v\n%s", m.Name(), err, d.JSON)
		}
		// Defaults that were sent are shown and not kept by protojson: compare after Encode.
		again, err := Encode(m, d.JSON)
		if err != nil {
			t.Fatalf("%s: %v\n%s", m.Name(), err, d.JSON)
		}
		want, err := protojson.MarshalOptions{}.Marshal(msg)
		if err != nil {
			return
		}
		other := dynamicpb.NewMessage(desc)
		if err := proto.Unmarshal(again, other); err != nil {
			t.Fatal(err)
		}
		got, err := protojson.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		if diff := differ(want, got); diff != "" {
			t.Fatalf("%s: %s", m.Name(), diff)
		}
	})
}

// What Encode writes Decode reads, and Encode writes it again.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{`{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05.6Z"}}`, `{"metadata":{"a":[1,null,{"b":"c"}]}}`,
		`{"?12":5,"?13":{"?bytes":"AA"}}`, `{"details":[{"@type":"x/google.rpc.ErrorInfo","reason":"R"}]}`, `{"parts":[{"text":"x"},{"raw":"AAE="},{"?text":"y"}]}`} {
		for n := range uint16(40) {
			f.Add(n, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, text []byte) {
		m := anyMessage(n)
		wire, err := Encode(m, text)
		if err != nil {
			return
		}
		d := Decode(m, wire)
		check(t, d, wire)
		if len(d.Broken)+d.Dropped > 0 { // written on purpose
			return
		}
		again, err := Encode(m, d.JSON)
		if err != nil {
			t.Fatalf("%s: %v\n%s", m.Name(), err, d.JSON)
		}
		// A default that a form sent is shown, and not written again: from the second round on nothing changes.
		d2 := Decode(m, again)
		third, err := Encode(m, d2.JSON)
		if err != nil || string(third) != string(again) {
			t.Fatalf("%s: %v\n%x\n%x\n%s", m.Name(), err, again, third, d2.JSON)
		}
	})
}

func benchTask(b *testing.B) (Message, []byte) {
	m, _ := Named(spec.V10, "Task")
	wire, err := Encode(m, []byte(`{"id":"0192f3a4-5b6c-7d8e-9f00-112233445566","contextId":"ctx-0192f3a4-5b6c-7d8e-9f00-112233445566",
		"status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z","message":{"messageId":"m-3","role":"ROLE_AGENT","parts":[{"text":"All done, see the artifact."}]}},
		"artifacts":[{"artifactId":"art-1","name":"report.md","parts":[{"text":"`+strings.Repeat("The quick brown fox jumps over the lazy dog. ", 8)+`"},{"url":"https://files.example.com/report.pdf","filename":"report.pdf","mediaType":"application/pdf"}]}],
		"history":[{"messageId":"m-1","role":"ROLE_USER","contextId":"ctx-0192f3a4","parts":[{"text":"Please write the report about foxes and dogs."}]},{"messageId":"m-2","role":"ROLE_AGENT","parts":[{"data":{"progress":0.5,"stage":"drafting"}}]}],
		"metadata":{"trace":"4bf92f3577b34da6a3ce929d0e0e4736","attempt":2}}`))
	if err != nil {
		b.Fatal(err)
	}
	return m, wire
}

// BenchmarkDecode compares with what dynamicpb and protojson take for the same; the goal is a fifth.
func BenchmarkDecode(b *testing.B) {
	m, wire := benchTask(b)
	b.Run("walker", func(b *testing.B) {
		b.SetBytes(int64(len(wire)))
		b.ReportAllocs()
		for b.Loop() {
			Decode(m, wire)
		}
	})
	desc, err := set10().files().message(m.t)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("dynamicpb-protojson", func(b *testing.B) {
		b.SetBytes(int64(len(wire)))
		b.ReportAllocs()
		for b.Loop() {
			msg := dynamicpb.NewMessage(desc)
			if err := proto.Unmarshal(wire, msg); err != nil {
				b.Fatal(err)
			}
			if _, err := protojson.Marshal(msg); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	m, wire := benchTask(b)
	text := Decode(m, wire).JSON
	for b.Loop() {
		if _, err := Encode(m, text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstUse is what the first message of a session costs.
func BenchmarkFirstUse(b *testing.B) {
	shapes := spec.Shapes(spec.V10)
	b.Run("types", func(b *testing.B) {
		for b.Loop() {
			newSet(spec.V10, spec.Package10, shapes, common())
		}
	})
	b.Run("descriptors", func(b *testing.B) {
		s := set10()
		for b.Loop() {
			if f := buildFiles(s); f.err != nil {
				b.Fatal(f.err)
			}
		}
	})
}
