package translate

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// AnswerTo shows the unary answer of a call as another version would give it.
func AnswerTo(c *decode.Call, to spec.Version) (*Message, Reason) {
	c = c.Full()
	from := answered(c, c.Response.Value)
	if why := can(c, from, to); why != NoReason {
		return nil, why
	}
	switch {
	case c.Fault != nil:
		return failure(c, c.Fault, c.ResponseDoc, from, to)
	case !c.Result.Exists() || broken(c.ResponseDoc):
		return nil, Unreadable
	}
	rpc, ok := rpcOf(c.Operation)
	if !ok {
		return nil, NotACall
	}
	w, why := walkerOf(c, from, to, c.Result, c.ResultAt)
	if w == nil {
		return nil, why
	}
	at := pointerIn(c.ResultAt)
	rpcAnswer := strings.HasSuffix(at, "/result")
	if rpcAnswer {
		w.enter("result")
	}
	v, ok := w.result(c.Result, rpc)
	if !ok {
		return nil, OtherObject
	}
	if rpcAnswer {
		w.leave()
		v = w.inEnvelope(c.ResponseDoc.Root().Pointer(strings.TrimSuffix(at, "/result")), "result", "", v)
	}
	return &Message{from, to, c.Binding, v.write(nil), w.list}, NoReason
}

// answered is the version of an answer; what has no form of its own, as an
// empty result, is of the version of the others, and of the request.
func answered(c *decode.Call, v spec.Version) spec.Version {
	if v == spec.NoVersion {
		v = c.Response.Value
	}
	if v == spec.NoVersion {
		return spoken(&c.Request)
	}
	return spoken(&decode.VersionFact{Value: v, Body: c.Response.Body})
}

// result translates what an operation answers; false for an agent card.
func (w *walker) result(n jsontree.Node, rpc spec.RPC) (tree, bool) {
	switch {
	case w.from == w.to:
		return asIs(n), true
	case rpc.Response == "AgentCard":
		return tree{}, false
	case rpc.Response == "TaskPushNotificationConfig":
		return w.pushConfig(n), true
	case rpc.Op == spec.ListPushConfigs:
		return w.configs(n), true
	case rpc.Op == spec.DeletePushConfig:
		return w.nothing(n), true
	case rpc.Response == "SendMessageResponse", rpc.Response == "StreamResponse":
		return w.payload(n)
	}
	t, ok := spec.TwinOf(spec.Dialect10, rpc.Response)
	if !ok {
		return tree{}, false
	}
	return w.object(n, t), true
}

// nothing: an empty answer is null in 0.3 JSON-RPC and an empty object in protobuf.
func (w *walker) nothing(n jsontree.Node) tree {
	if w.to == spec.DialectJ && n.IsObject() && n.Len() == 0 {
		return tree{}
	}
	return asIs(n)
}

// configs: 0.3 JSON-RPC answers with an array, all others with an object of pages.
func (w *walker) configs(n jsontree.Node) tree {
	switch {
	case n.IsArray(): // REST prose of 0.3 has the array too
		w.note(Changed, Wrapper, "configs", w.at(n), w.here("configs"))
		out := object()
		w.enter("configs")
		out.put("configs", w.each(n, w.pushConfig))
		w.leave()
		return out
	case w.to == spec.DialectJ:
		w.note(Changed, Wrapper, "configs", w.at(n), w.here(""))
		for c := range n.Children() {
			if c.Key() != "configs" {
				w.gone(c, spec.Field{JSON: c.Key()}, &spec.Twin{})
			}
		}
		list := n.Get("configs")
		if !list.Exists() || list.Kind() == jsontree.Null {
			return tree{kind: jsontree.Array}
		}
		return w.each(list, w.pushConfig)
	}
	t, _ := spec.TwinOf(spec.Dialect10, "ListTaskPushNotificationConfigsResponse")
	return w.object(n, t)
}

// payloads are the members of 1.0's wrappers and the types in them.
var payloads = []struct{ member, shape, kind string }{
	{"task", "Task", "task"}, {"message", "Message", "message"},
	{"statusUpdate", "TaskStatusUpdateEvent", "status-update"}, {"artifactUpdate", "TaskArtifactUpdateEvent", "artifact-update"},
}

// payload translates an answer that says what it is: by a member around it, or
// in 0.3 JSON-RPC by its kind. false when it is none of the four.
func (w *walker) payload(n jsontree.Node) (tree, bool) {
	for _, p := range payloads {
		t, _ := spec.TwinOf(spec.Dialect10, p.shape)
		inner := n.Get(p.member)
		bare := n.Get("kind").Str() == p.kind || !n.Has("kind") && p.member == "task" && n.Has("status") && n.Has("id") ||
			!n.Has("kind") && p.member == "message" && n.Has("messageId")
		switch {
		case bare:
			inner = n
		case !inner.IsObject() || n.Has("kind"):
			continue
		}
		return w.inPayload(n, inner, bare, p.member, t), true
	}
	return tree{}, false
}

func (w *walker) inPayload(n, inner jsontree.Node, bare bool, member string, t *spec.Twin) tree {
	if bare != (w.from == spec.DialectJ) {
		w.note(Differs, OtherVersion, member, w.at(inner), w.here(""))
	}
	if w.to == spec.DialectJ {
		if !bare {
			w.note(Changed, Wrapper, member, w.at(n), w.here(""))
			for c := range n.Children() {
				if c.Key() != inner.Key() {
					w.note(Lost, UnknownName, c.Key(), w.at(c), "")
				}
			}
		}
		return w.object(inner, t)
	}
	out := object()
	if bare {
		w.note(Changed, Wrapper, member, w.at(n), w.here(member))
		w.enter(member)
		out.put(member, w.object(inner, t))
		w.leave()
		return out
	}
	for c := range n.Children() {
		if c.Key() != inner.Key() {
			w.stranger(&out, c, shapeOf(w.to, "StreamResponse"))
			continue
		}
		w.enter(member)
		out.put(member, w.object(c, t))
		w.leave()
	}
	return out
}

// EventTo shows an event of a stream as another version would send it.
func EventTo(c *decode.Call, e *decode.StreamEvent, to spec.Version) (*Message, Reason) {
	from := answered(c, e.Version)
	if why := can(c, from, to); why != NoReason {
		return nil, why
	}
	switch {
	case e.Fault != nil:
		return failure(c, e.Fault, e.Doc, from, to)
	case broken(e.Doc) || !e.Node.IsObject():
		return nil, Unreadable
	}
	at := pointerIn(e.At)
	env := ""
	if e.Wrapped {
		env = "/result"
		if i := strings.Index(at, "/result"); i >= 0 {
			env = at[:i] + env
		}
	}
	n := e.Doc.Root().Pointer(env)
	w, why := walkerOf(c, from, to, n, e.At)
	if w == nil {
		return nil, why
	}
	if e.Wrapped {
		w.enter("result")
	}
	v, ok := asIs(n), true
	if w.from != w.to {
		v, ok = w.payload(n)
	}
	if !ok {
		return nil, OtherObject
	}
	if e.Wrapped {
		w.leave()
		v = w.inEnvelope(e.Doc.Root().Pointer(strings.TrimSuffix(env, "/result")), "result", "", v)
	}
	return &Message{from, to, c.Binding, v.write(nil), w.list}, NoReason
}
