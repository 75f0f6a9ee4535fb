package diagnose

import (
	"path"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// recovered returns the failed exchanges of the same client that this
// successful one makes good: the same operation at the same agent within 60 s,
// reached by a negotiation that A2A knows. A changed prefix, a changed header
// alone or a repaired body is a repair, not a negotiation. Each failure is
// returned once. To be called after learn, at the end of a call.
func (m *memory) recovered(c *decode.Call) []capture.ExchangeID {
	if c.Outcome != spec.OK || c.Kind != spec.KindCall && c.Kind != spec.KindCard {
		return nil
	}
	s := m.see(c)
	ses := m.sessionOf(s)
	if ses == nil || ses.failed == 0 {
		return nil
	}
	now := m.stepOf(c, s)
	if now == nil {
		return nil
	}
	var made []capture.ExchangeID
	for i := range ses.steps {
		o := &ses.steps[i]
		if !o.done || o.recovered || o.outcome == spec.OK || o.kind != c.Kind || now.at.Sub(o.at) > recoverSpan || o.at.After(now.at) || !sameClient(o, now) {
			continue
		}
		if negotiated(o, now, c) {
			o.recovered = true
			ses.failed--
			made = append(made, o.exchange)
		}
	}
	return made
}

// negotiated reports whether now is the answer of a client that knows what to
// do about the failure o.
func negotiated(o, now *step, c *decode.Call) bool {
	if o.op == spec.SendStreamingMessage && now.op == spec.SendMessage {
		return true
	}
	if o.op != now.op || o.task != now.task {
		return false
	}
	if o.status == 401 || o.unauthenticated {
		return now.credential != 0 && now.credential != o.credential
	}
	switch {
	case now.kind == spec.KindCard:
		return path.Base(o.path) != path.Base(now.path) && path.Dir(o.path) == path.Dir(now.path)
	case now.op == spec.SubscribeToTask && now.binding == spec.HTTPJSON && o.path == now.path && o.verb != now.verb:
		return true
	case o.listed && now.listed && o.peer != nil && now.peer != nil && o.peer.key != now.peer.key:
		return true
	}
	otherVersion := o.gen != "" && now.gen != "" && o.gen != now.gen
	return otherVersion && consistent(c)
}

// consistent: the request's parts agree, and the header with them or is missing.
func consistent(c *decode.Call) bool {
	if c.Request.Value == spec.Mixed {
		return false
	}
	return c.Declared.Presence != "set" || generation(majorOne(c.Declared.Version)) == generation(string(c.Request.Value))
}
