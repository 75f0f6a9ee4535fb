package audit

import (
	"slices"

	"a2ascope/decode"
	"a2ascope/decode/spec"
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
	if broken(c.RequestDoc) {
		w.slips = slices.DeleteFunc(w.slips, func(s Slip) bool { return s.Kind == Missing || s.Kind == OneOf })
	}
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
