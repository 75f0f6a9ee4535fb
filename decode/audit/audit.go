package audit

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Request returns the slips of what was asked. Nothing when the version of the
// call is not known: there is no table to compare with.
func Request(c *decode.Call) []Slip {
	d := dialectOf(c)
	if d == none || c.Kind != spec.KindCall || !c.Params.Exists() {
		return nil
	}
	s := tables()[d][requestShape(d, c.Operation)]
	if s == nil {
		return nil
	}
	w := walker{d: d, side: "request", rest: c.Binding == spec.HTTPJSON, grpc: c.Binding == spec.GRPC}
	w.object(c.Params, s, true, 0)
	return w.slips
}

// Answer returns the slips of a unary answer.
func Answer(c *decode.Call) []Slip {
	d := dialectOf(c)
	if d == none || c.Kind != spec.KindCall || !c.Result.Exists() || c.Outcome != spec.OK {
		return nil
	}
	s, n := answerShape(d, c)
	if s == nil {
		return nil
	}
	w := walker{d: d, side: "response", grpc: c.Binding == spec.GRPC}
	w.object(n, s, true, 0)
	return w.slips
}

// Notable reports whether an event of a stream has slips.
func Notable(c *decode.Call, e *decode.StreamEvent) bool { return len(Event(c, e)) > 0 }

// Event returns the slips of one event of a stream.
func Event(c *decode.Call, e *decode.StreamEvent) []Slip {
	d := dialectOf(c)
	if d == none {
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

// dialectOf is the table that the peers have to keep to: that of the version
// the operation was named in, which the answer has to follow (1.0 §3.6.2).
func dialectOf(c *decode.Call) dialect {
	v := c.CallVersion.Value
	if v == spec.NoVersion {
		v = c.Request.Value
	}
	switch v {
	case spec.V10:
		return young
	case spec.V10Draft:
		return draft
	case spec.V02, spec.V03:
		if c.Binding == spec.JSONRPC {
			return old
		}
		return oldP
	}
	return none
}

// requestShape names the shape of the parameters of an operation.
func requestShape(d dialect, op spec.Operation) string {
	if d == old {
		switch op {
		case spec.SendMessage, spec.SendStreamingMessage:
			return "MessageSendParams"
		case spec.GetTask:
			return "TaskQueryParams"
		case spec.CancelTask, spec.SubscribeToTask:
			return "TaskIdParams"
		case spec.CreatePushConfig:
			return "TaskPushNotificationConfig"
		case spec.GetPushConfig:
			return "GetTaskPushNotificationConfigParams"
		case spec.ListPushConfigs:
			return "ListTaskPushNotificationConfigParams"
		case spec.DeletePushConfig:
			return "DeleteTaskPushNotificationConfigParams"
		}
		return ""
	}
	r, ok := rpcOf(d, op)
	if !ok {
		return ""
	}
	return r.Request
}

// rpcOf finds the gRPC method of an operation, whose messages the other
// bindings write as JSON.
func rpcOf(d dialect, op spec.Operation) (spec.RPC, bool) {
	v := spec.V10
	switch d {
	case oldP:
		v = spec.V03
	case draft:
		v = spec.V10Draft
	}
	_, _, method, ok := spec.SplitRPCPath(spec.NameIn(op, v, spec.GRPC))
	if !ok {
		return spec.RPC{}, false
	}
	return spec.RPCByName(v, method)
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
		case spec.ListPushConfigs:
			return nil, n // an array; its items are read by the facts of push
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
