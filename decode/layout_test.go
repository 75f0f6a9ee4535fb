package decode

import (
	"testing"

	"a2ascope/capture"
	"a2ascope/decode/spec"
)

// TestOtherLayout: bytes that the path's schema does not explain, or explains as
// what no client writes, are told by the schema that does.
func TestOtherLayout(t *testing.T) {
	for _, c := range []struct {
		name, path string
		wire       []byte
		fits       spec.Version
	}{
		{"message as field 1 in 1.0", "/lf.a2a.v1.A2AService/SendMessage", []byte("\x0a\x0c\x0a\x02m1\x20\x01\x2a\x04\x0a\x02hi"), spec.V03},
		{"a resource name as the tenant of 1.0", "/lf.a2a.v1.A2AService/GetTask", []byte("\x0a\x08tasks/t1"), spec.V03},
		{"id of 1.0 where 0.3 counts history", "/a2a.v1.A2AService/GetTask", []byte("\x12\x02t1"), spec.V10},
		{"1.0 in 1.0", "/lf.a2a.v1.A2AService/GetTask", []byte("\x0a\x04acme\x12\x02t1"), ""},
		{"unknown number", "/lf.a2a.v1.A2AService/GetTask", []byte("\x12\x02t1\x98\x06\x01"), ""},
		{"fits nothing", "/lf.a2a.v1.A2AService/GetTask", []byte("\x0d\x01\x02\x03\x04"), ""},
		{"no protobuf", "/lf.a2a.v1.A2AService/GetTask", []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), ""},
		{"0.3 in 0.3", "/a2a.v1.A2AService/GetTask", []byte("\x0a\x08tasks/t1"), ""},
	} {
		x := &capture.Exchange{SentDone: true, Request: &capture.Head{Method: "POST", Target: c.path, Proto: "HTTP/2",
			Fields: capture.Fields{{Name: "content-type", Value: "application/grpc"}}},
			Sent: []capture.Timed[*capture.Frame]{{V: &capture.Frame{Form: capture.GRPCMessage, Data: c.wire, Size: int64(len(c.wire))}}}}
		call, _ := NewReader().Read(x, &capture.Event{From: capture.Client, Body: &capture.BodyEnd{}})
		if call.GRPC.Fits != c.fits {
			t.Errorf("%s: fits %q, want %q", c.name, call.GRPC.Fits, c.fits)
		}
		if (call.GRPC.FitsAt != "") != (c.fits != "") {
			t.Errorf("%s: at %q", c.name, call.GRPC.FitsAt)
		}
	}
}
