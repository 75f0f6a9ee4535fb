package diagnose

import (
	"hash/maphash"
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
		if negotiated(o, now, c) || m.sentAgain(ses.steps[i:], now, c) || o.finished && sends(now.op) && now.task != o.task {
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
	if o.op != now.op || o.task != now.task {
		return false
	}
	if o.status == 401 || o.unauthenticated {
		return now.credential != 0 && now.credential != o.credential
	}
	switch {
	case o.unreachable:
		return true
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

// sentAgain reports whether now sends without a stream what was refused as a
// stream, the first of steps: the same message, or whatever the client sent
// next. A message it sent later says nothing of that one.
func (m *memory) sentAgain(steps []step, now *step, c *decode.Call) bool {
	o := &steps[0]
	if o.op != spec.SendStreamingMessage || now.op != spec.SendMessage {
		return false
	}
	if id, words := m.messageHashes(c); id != 0 && id == o.message || words != 0 && words == o.words {
		return true
	}
	for i := range steps[1:] {
		s := &steps[1+i]
		if s.exchange == now.exchange {
			return true
		}
		if (s.op == spec.SendMessage || s.op == spec.SendStreamingMessage) && sameClient(s, now) {
			return false
		}
	}
	return false
}

// messageHashes tells whether two sends carry one message: hashes of its id and
// of the words of its parts, 0 where there are none.
func (m *memory) messageHashes(c *decode.Call) (id, words uint64) {
	msg := c.Params.Get("message")
	if !msg.Exists() {
		msg = c.Params.Get("request") // the name of the member in the proto of 0.3
	}
	if s := firstOf(msg.Get("messageId").Str(), msg.Get("message_id").Str()); s != "" {
		id = hashString(m.salt, s) | 1
	}
	parts := msg.Get("parts")
	if !parts.Exists() {
		parts = msg.Get("content")
	}
	var h maphash.Hash
	h.SetSeed(m.salt)
	for p := range parts.Children() {
		if text := p.Get("text").StrBytes(); len(text) > 0 {
			h.Write(text)
		} else {
			h.Write(p.Raw())
		}
		h.WriteByte(0)
		words = 1
	}
	if words != 0 {
		words = h.Sum64() | 1
	}
	return id, words
}

// consistent: the request's parts agree, and the header with them or is missing.
func consistent(c *decode.Call) bool {
	if c.Request.Value == spec.Mixed {
		return false
	}
	return c.Declared.Presence != "set" || generation(majorOne(c.Declared.Version)) == generation(string(c.Request.Value))
}
