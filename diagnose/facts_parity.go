package diagnose

import (
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// ParityFacts is how the same agent treated the same over another binding, or
// over another entry of its card, before this call.
type ParityFacts struct {
	// The same question (operation, input, tenant, credential and version) was put
	// to another binding within a minute; the last such call.
	Binding      string `cel:"binding"` // "" where there is none
	Exchange     int    `cel:"exchange"`
	OK           bool   `cel:"ok"`            // it was answered ok
	Error        string `cel:"error"`         // the error it ended in: the A2A name, else its code or status
	A2A          bool   `cel:"a2a"`           // that error names itself as one of A2A
	Mine         string `cel:"mine"`          // the error of this call, in the same words
	ErrorDiffers bool   `cel:"error_differs"` // both failed with an error that an agent wrote, and not with the same
	InfoDiffers  bool   `cel:"info_differs"`  // both failed with the same A2A error, and of two answers that need an ErrorInfo one has none
	HasInfo      bool   `cel:"has_info"`      // that answer has one
	Kind         string `cel:"kind"`          // what was answered: task, message, …
	KindDiffers  bool   `cel:"kind_differs"`  // both were answered ok, one with a task and one with a message
	State        string `cel:"state"`         // of the task
	StateDiffers bool   `cel:"state_differs"` // GetTask: the state had been final
	Artifacts    int    `cel:"artifacts"`     // of the task
	MyArtifacts  int    `cel:"my_artifacts"`  //
	CountDiffers bool   `cel:"count_differs"` // GetTask: the state is final in both, and the number of artifacts is not the same
	Listed       int    `cel:"listed"`        // ListTasks: tasks in that answer, and in this one
	MyListed     int    `cel:"my_listed"`     //
	SetDiffers   bool   `cel:"set_differs"`   // a filter was given, no task was seen to change meanwhile, and other tasks were listed
	Filter       string `cel:"filter"`        // the names of the filters
	Unknown      string `cel:"unknown"`       // a member that no version has, which both requests carry

	Framing      string   `cel:"framing"`            // this stream's lines are framed the wrong way for its binding, and those of the other binding are framed alike: wrapped, bare
	Tenant       string   `cel:"tenant"`             // how the call that made the task named the tenant, where this one names the same tenant the other way: path, field
	Dropped      []string `cel:"dropped"`            // extensions of a longer list that were not confirmed, and had been where they were asked for alone
	Capability   string   `cel:"capability"`         // streaming, pushNotifications: served to one binding and refused to the other
	CapBinding   string   `cel:"capability_binding"` // the other binding
	FellFrom     string   `cel:"fell_from"`          // binding of an earlier entry of the card that this client tried in vain within a minute
	FellURL      string   `cel:"fell_url"`
	FellExchange int      `cel:"fell_exchange"`
	FellToOlder  bool     `cel:"fell_to_older"` // and it spoke 1.0 there, and does not here
	FellOutcome  string   `cel:"fell_outcome"`  // how that call ended
}

const (
	alikeSpan = time.Minute
	listSpan  = 10 * time.Second
)

func (m *memory) parityFacts(f *ParityFacts, c *decode.Call, s *seen, k *CallFacts) {
	if c.Kind != spec.KindCall || c.Outcome == "" {
		return
	}
	m.compareAlike(f, c, s)
	m.framingFacts(f, c, s)
	if c.Fault != nil && c.Fault.A2A == "TaskNotFoundError" && s.past.known && s.past.owned {
		if by, was := tenantCarrier(c), s.past.life.carrier; by != "" && was != "" && by != was {
			f.Tenant = was
		}
	}
	if len(k.HTTP.Extensions) > 1 {
		m.droppedFacts(f, c, s, k)
	}
	m.capabilityFacts(f, c, s)
	m.fallbackFacts(f, c, s)
}

// compareAlike holds the call against the same question over another binding.
func (m *memory) compareAlike(f *ParityFacts, c *decode.Call, s *seen) {
	l := m.likenessOf(c, s)
	if l.key.hash == 0 {
		return
	}
	a := m.alike.find(l.key)
	if a == nil {
		return
	}
	var o *like
	for i := range a.calls {
		n := &a.calls[i]
		if n.binding == c.Binding || n.binding == "" || n.exchange == c.Exchange.ID || c.Exchange.Started.Sub(n.at) > alikeSpan {
			continue
		}
		if o == nil || n.at.After(o.at) {
			o = n
		}
	}
	if o == nil {
		return
	}
	me := &l.call
	f.Binding, f.Exchange, f.OK = string(o.binding), int(o.exchange), o.ok
	f.Error, f.A2A, f.Mine, f.HasInfo = o.err, o.a2a, me.err, o.info
	switch {
	case !o.ok && !me.ok:
		f.ErrorDiffers = !o.foreign && !me.foreign && o.err != me.err && (o.a2a || me.a2a)
		f.InfoDiffers = o.err == me.err && o.a2a && o.info != me.info && !(o.binding == spec.JSONRPC && !o.info) && !(me.binding == spec.JSONRPC && !me.info)
	case o.ok && me.ok:
		f.compareResults(o, me, c, m.origins.find(l.key.agent))
	}
	for _, u := range me.unknown {
		if contains(o.unknown, u) {
			f.Unknown = u
			break
		}
	}
}

func (f *ParityFacts) compareResults(o, me *like, c *decode.Call, agent *origin) {
	f.Kind, f.State, f.Artifacts, f.MyArtifacts, f.Listed, f.MyListed = o.kind, o.state, o.artifacts, me.artifacts, o.listed, me.listed
	one := func(k string) bool { return k == "task" || k == "message" }
	f.KindDiffers = o.kind != me.kind && one(o.kind) && one(me.kind)
	if c.Operation == spec.GetTask && o.kind == "task" && me.kind == "task" {
		was, _, ok1 := spec.StateByWord(o.state)
		is, _, ok2 := spec.StateByWord(me.state)
		f.StateDiffers = ok1 && ok2 && was.Terminal && was.Number != is.Number
		f.CountDiffers = ok1 && ok2 && was.Terminal && was.Number == is.Number && o.artifacts != me.artifacts
	}
	if c.Operation == spec.ListTasks && me.filter != "" {
		f.Filter = me.filter
		f.SetDiffers = o.set != me.set && c.Exchange.Started.Sub(o.at) <= listSpan && (agent == nil || !agent.moved.After(o.began))
	}
}

// framingFacts: a stream whose lines are framed for the other binding, while
// the other binding's own are framed just so.
func (m *memory) framingFacts(f *ParityFacts, c *decode.Call, s *seen) {
	k := &s.sum.facts
	other, wrapped := "", false
	switch {
	case c.Binding == spec.HTTPJSON && k.Wrapped > 0:
		other, wrapped = string(spec.JSONRPC), true
	case c.Binding == spec.JSONRPC && k.Bare > 0:
		other = string(spec.HTTPJSON)
	default:
		return
	}
	m.siblings(c, s, func(p *peer) bool {
		switch {
		case p.key.binding != other:
		case wrapped && p.wrapped:
			f.Framing = "wrapped"
		case !wrapped && p.bare:
			f.Framing = "bare"
		}
		return f.Framing == ""
	})
}

// droppedFacts: extensions of a list that had no effect, and had one alone.
func (m *memory) droppedFacts(f *ParityFacts, c *decode.Call, s *seen, k *CallFacts) {
	p := m.peers.find(m.keyOf(c, s))
	if p == nil || c.Outcome != spec.OK && k.Fault.A2A != "ExtensionSupportRequiredError" {
		return
	}
	for _, uri := range k.Caps.Unconfirmed {
		if contains(p.alone, uri) {
			f.Dropped = addOnce(f.Dropped, uri)
		}
	}
	if len(f.Dropped) == len(k.HTTP.Extensions) && c.Outcome == spec.OK {
		f.Dropped = nil // nothing was confirmed: the server may not confirm every time
	}
}

// capabilityFacts: what one binding serves and another refuses.
func (m *memory) capabilityFacts(f *ParityFacts, c *decode.Call, s *seen) {
	i := capabilityOf(c)
	if i < 0 || s.match.card == nil || c.Outcome != spec.OK && !lacksCapability(c) {
		return
	}
	m.siblings(c, s, func(p *peer) bool {
		if p.key.binding != string(c.Binding) && (c.Outcome == spec.OK && p.lacks[i] || c.Outcome != spec.OK && p.did[i]) {
			f.Capability, f.CapBinding = capabilities[i], p.key.binding
		}
		return f.Capability == ""
	})
}

// fallbackFacts: the client tried an earlier entry of the card in vain.
func (m *memory) fallbackFacts(f *ParityFacts, c *decode.Call, s *seen) {
	if c.Outcome != spec.OK || s.match.level != "exact" {
		return
	}
	ses := m.sessionOf(s)
	if ses == nil || ses.failed == 0 {
		return
	}
	me := step{userAgent: s.client.agent, binding: c.Binding}
	for i := len(ses.steps) - 1; i >= 0; i-- {
		o := &ses.steps[i]
		if c.Exchange.Started.Sub(o.at) > recoverSpan {
			return
		}
		if !o.done || o.recovered || o.outcome == spec.OK || !o.listed || o.entry >= s.match.group.index || o.op != c.Operation || !sameClient(o, &me) || o.peer == nil || o.at.After(c.Exchange.Started) {
			continue
		}
		f.FellFrom, f.FellURL, f.FellExchange, f.FellOutcome = string(o.binding), o.peer.key.authority+o.peer.key.base, int(o.exchange), string(o.outcome)
		f.FellToOlder = o.gen == "1.0" && generation(string(requestGeneration(c))) != "1.0"
		return
	}
}
