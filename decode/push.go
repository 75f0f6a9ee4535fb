package decode

import (
	"a2ascope/decode/spec"
)

// pushDelivery reads a POST as an agent's delivery to a webhook: a
// StreamResponse with exactly one member (1.0 §4.3.3), or the bare task or
// event of 0.3. Whose webhook it is only the context knows, but the token
// header and the shape of an update belong to nothing else.
func (r *Reader) pushDelivery(m *marks) bool {
	c := r.c
	root := c.RequestDoc.Root()
	payload := root
	if env := readEnvelope(root); postedAnswer(&env, m) {
		payload = env.result
	}
	o := recognise(payload)
	switch o.kind {
	case objTask, objMessage, objStatus, objArtifact:
	default:
		if !m.a2aToken {
			return false
		}
	}
	bareOld := o.member == "" && payload.Get("kind").IsString()
	wrapped := o.member != "" && payload.Len() == 1
	// Several members, or an envelope around a sure object: no delivery as it has to be, yet nothing else.
	odd := o.sure && o.kind != objMessage && (o.member != "" && payload.Len() > 1 || payload != root)
	switch {
	case m.a2aToken:
		c.identify(HeaderPlace("request", m.tokenName), "", spec.A2A, Strong, "notification-token")
	case !wrapped && !bareOld && !odd:
		return false
	case o.kind == objMessage && o.inner.Get("role").Text() != "agent" && o.inner.Get("role").Text() != "ROLE_AGENT":
		return false // what a client sends, not what an agent delivers
	}
	at := FramePlace("request", r.requestFrame, "")
	sure := o.sure && (payload != root || !odd) && (o.kind == objStatus || o.kind == objArtifact || o.kind == objTask) || m.a2aToken
	weight := Medium
	if o.sure {
		weight = Strong
	}
	c.identify(at, o.kind, spec.A2A, weight, "delivery-body")
	c.Kind, c.Protocol, c.Method = spec.KindPush, spec.A2A, r.request.Method
	if !sure {
		c.Tentative, c.Fallback = true, spec.HTTPOther
	}
	c.Params, c.ParamsAt = root, at
	var f found
	if wrapped {
		r.body.addAs(evDelivery10, at, o.inner, o.member)
	} else if o.kind != objOther && !odd {
		r.body.addAs(evDelivery03, at, root, o.kind)
	}
	scanObject(&r.body, &o, at, true, &f)
	c.TaskID, c.ContextID = f.taskID, f.contextID
	r.snake = f.snake
	c.Push = &PushFact{TaskID: f.taskID, Token: m.a2aToken, Bare: o.member == "", Kind: o.kind}
	return true
}

// postedAnswer: a JSON-RPC answer sent as a request, with an A2A object for its
// result or to a webhook: an agent that posts to webhooks what it sends in streams.
func postedAnswer(env *envelope, m *marks) bool {
	if !env.two || env.method.Exists() || !env.result.IsObject() {
		return false
	}
	switch o := recognise(env.result); o.kind {
	case objTask, objStatus, objArtifact:
		return o.sure
	}
	return m.a2aToken
}
