package audit

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Answer returns the slips of a unary answer.
func Answer(c *decode.Call) []Slip {
	d := dialectOf(c)
	if d == none || c.Kind != spec.KindCall || !c.Result.Exists() || c.Outcome != spec.OK || broken(c.ResponseDoc) {
		return nil
	}
	w := walker{d: d, side: "response", grpc: c.Binding == spec.GRPC}
	if d == old && c.Operation == spec.ListPushConfigs {
		w.items(c.Result, tables()[d]["TaskPushNotificationConfig"])
		return w.slips
	}
	s, n := answerShape(d, c)
	if s == nil {
		return nil
	}
	w.object(n, s, true, 0)
	return w.slips
}

// Notable reports whether an event of a stream has slips.
func Notable(c *decode.Call, e *decode.StreamEvent) bool { return len(Event(c, e)) > 0 }

// Event returns the slips of one event of a stream.
func Event(c *decode.Call, e *decode.StreamEvent) []Slip {
	d := dialectOf(c)
	if d == none || broken(e.Doc) {
		return nil
	}
	s := tables()[d][eventShape(e.Kind)]
	if s == nil || !e.Node.IsObject() {
		return nil
	}
	w := walker{d: d, side: "response", frame: e.Frame, grpc: c.Binding == spec.GRPC}
	w.object(e.Node, s, false, 0)
	return w.slips
}

// broken reports whether a document ends before its end: what it lacks may only be cut off.
func broken(d *jsontree.Doc) bool { return d != nil && d.Err != nil }

// items compares the objects of an array that is the whole answer: 0.3 JSON-RPC
// lists push configurations so.
func (w *walker) items(list jsontree.Node, s *shape) {
	if !list.IsArray() {
		return
	}
	i := 0
	for item := range list.Children() {
		if i == maxItems {
			return
		}
		w.object(item, s, false, 0)
		i++
	}
}

// answerShape names the shape of a result and where it stands. A task or a
// message without the wrapper that 1.0 wants is compared as what it is.
func answerShape(d dialect, c *decode.Call) (*shape, jsontree.Node) {
	t, n := tables()[d], c.Result
	if c.Operation == spec.GetExtendedAgentCard {
		return nil, n
	}
	if d == old {
		switch c.Operation {
		case spec.SendMessage, spec.GetTask, spec.CancelTask:
			return t[bare(n)], n
		case spec.CreatePushConfig, spec.GetPushConfig:
			return t["TaskPushNotificationConfig"], n
		}
		return nil, n
	}
	r, ok := rpcOf(d, c.Operation)
	if !ok {
		return nil, n
	}
	if r.Response == "SendMessageResponse" {
		if b := bare(n); b != "" && !n.Has("task") && !n.Has("message") && !n.Has("msg") {
			return t[b], n
		}
	}
	return t[r.Response], n
}

// bare tells a task from a message.
func bare(n jsontree.Node) string {
	switch n.Get("kind").Str() {
	case "task":
		return "Task"
	case "message":
		return "Message"
	}
	switch {
	case n.Has("status"):
		return "Task"
	case n.Has("messageId"), n.Has("parts"), n.Has("content"):
		return "Message"
	}
	return ""
}

func eventShape(kind string) string {
	switch kind {
	case "task":
		return "Task"
	case "message":
		return "Message"
	case "statusUpdate":
		return "TaskStatusUpdateEvent"
	case "artifactUpdate":
		return "TaskArtifactUpdateEvent"
	}
	return ""
}
