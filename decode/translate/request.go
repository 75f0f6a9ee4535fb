package translate

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// RequestTo shows the request of a call as another version would send it.
func RequestTo(c *decode.Call, to spec.Version) (*Request, Reason) {
	c = c.Full()
	from := spoken(&c.Request)
	if why := can(c, from, to); why != NoReason {
		return nil, why
	}
	if c.RequestDoc != nil && c.RequestDoc.Err != nil || c.RequestDoc == nil && c.Binding != spec.HTTPJSON {
		return nil, Unreadable
	}
	rpc, ok := rpcOf(c.Operation)
	if !ok {
		return nil, NotACall
	}
	w, why := walkerOf(c, from, to, c.Params, c.ParamsAt)
	if w == nil {
		return nil, why
	}
	r := &Request{Message: Message{From: from, To: to, Binding: c.Binding}, Method: spec.NameIn(c.Operation, to, c.Binding)}
	h := c.Exchange.Request
	r.Verb, r.Target = h.Method, h.Target
	w.taskID = c.TaskID
	if c.Push != nil {
		w.configID = c.Push.ConfigID
	}
	switch c.Binding {
	case spec.JSONRPC:
		w.rpcRequest(r, c, rpc)
	case spec.HTTPJSON:
		w.restRequest(r, c, rpc)
	default:
		r.Target = r.Method
		if h.Path() != r.Method {
			w.note(Changed, Method, "path", on("request/line"), "")
		}
		r.Body = w.params(c.Operation, c.Params, rpc).write(nil)
	}
	if c.Operation == spec.SendMessage && w.from != w.to {
		w.waiting(c)
	}
	r.Fields = w.fields(c, to)
	r.Changes = w.list
	return r, NoReason
}

// params translates the parameters of an operation.
func (w *walker) params(op spec.Operation, n jsontree.Node, rpc spec.RPC) tree {
	t, ok := spec.TwinOf(spec.Dialect10, rpc.Request)
	switch {
	case op == spec.CreatePushConfig && w.from == w.to:
		return asIs(n) // every SDK of 0.3 writes another part of it
	case op == spec.CreatePushConfig:
		return w.create(n)
	case !ok:
		return asIs(n)
	case w.from == w.to:
		return w.repair(n, t.Name(w.from))
	}
	return w.object(n, t)
}

// rpcRequest writes the method and the parameters into the envelope.
func (w *walker) rpcRequest(r *Request, c *decode.Call, rpc spec.RPC) {
	at := strings.TrimSuffix(pointerIn(c.ParamsAt), "/params")
	env := c.RequestDoc.Root().Pointer(at)
	v := asIs(env.Get("params"))
	if c.Params.Exists() {
		w.enter("params")
		v = w.params(c.Operation, c.Params, rpc)
		w.leave()
	}
	r.Body = w.inEnvelope(env, "params", r.Method, v).write(nil)
	r.Target = w.query(r.Target, c, r.To)
}

// waiting: without a word about it 1.0 waits for the task, 0.3 leaves it open.
func (w *walker) waiting(c *decode.Call) {
	conf := c.Params.Get("configuration")
	if !c.Params.IsObject() || conf.IsObject() && (w.from == spec.DialectP || w.to == spec.DialectP) {
		return // see unsetWaiting
	}
	if conf.Get("blocking").Exists() || conf.Get("returnImmediately").Exists() || conf.Get("return_immediately").Exists() {
		return
	}
	to := "blocking"
	if w.to == spec.Dialect10 {
		to = "returnImmediately"
	}
	w.note(Differs, Waiting, to, on(c.ParamsAt.Below("/configuration")), "")
}
