package decode

import (
	"slices"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode/spec"
)

// torn makes what a reader gets that did not see the header tables grow: of the
// fields of a side neither names nor values are known.
func torn(es []capture.Event, from capture.Side) []capture.Event {
	hide := func(fs capture.Fields) {
		for i := range fs {
			fs[i] = capture.Field{Name: "<before gap 1 #" + itoa(i) + ">", Unknown: true}
		}
	}
	for i := range es {
		if es[i].From != from {
			continue
		}
		switch b := es[i].Body.(type) {
		case *capture.Head:
			hide(b.Fields)
			b.Torn = true
		case *capture.Trailer:
			hide(b.Fields)
		}
	}
	return es
}

const unary = `grpc /lf.a2a.v1.A2AService/SendMessage
a2a-version: 1.0

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/grpc

{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
===
grpc-status: 0`

// TestTorn: what is not known to be there is not taken as missing.
func TestTorn(t *testing.T) {
	last := func(es []capture.Event) *Call { cs := readAll(es); return cs[len(cs)-1].call }

	c := last(torn(events(t, unary), capture.Client))
	if c.Declared.Presence != "unknown" || c.Declared.Missing() || c.Declared.Semantic() != spec.NoVersion {
		t.Errorf("of a head that is not known the version is %+v", c.Declared)
	}
	c = last(torn(events(t, unary), capture.Server))
	if c.Outcome != spec.OK || c.Fault != nil || c.GRPC.Status != -1 {
		t.Errorf("an answer with a message and a status that is not known is %s, fault %v", c.Outcome, c.Fault)
	}
	c = last(torn(events(t, `grpc /lf.a2a.v1.A2AService/SendMessage

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/grpc
grpc-status: 5`), capture.Server))
	if c.Outcome != spec.Truncated || c.Fault != nil {
		t.Errorf("an answer of which nothing is known but its head is %s, fault %v", c.Outcome, c.Fault)
	}
}

// TestAnswerBeforeGRPCRequest: a request that comes late, since the reader had to
// find its place, does not cost the first events of the answer, nor double one.
func TestAnswerBeforeGRPCRequest(t *testing.T) {
	es := events(t, `grpc /lf.a2a.v1.A2AService/SendStreamingMessage

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/grpc

{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}
===
grpc-status: 0`)
	var asked, answered []capture.Event
	for _, e := range es {
		if e.From == capture.Client {
			asked = append(asked, e)
		} else {
			answered = append(answered, e)
		}
	}
	for before := range 5 { // frames and the head of the answer in front of the request
		cs := readAll(slices.Concat(answered[:before], asked, answered[before:]))
		c := cs[len(cs)-1].call
		var kinds []string
		for i := range c.Events {
			kinds = append(kinds, string(c.Events[i].Kind))
		}
		if len(kinds) != 3 || c.Events[0].Frame != 0 || c.TaskID != "t" {
			t.Errorf("%d events of the answer before the request: %v", before, kinds)
		}
	}
}
