package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// ChangeFacts is how this client changed the version within its session.
type ChangeFacts struct {
	Downgraded   bool   `cel:"downgraded"`    // this 0.3 call follows a 1.0 call of the same operation that failed because the agent does not serve it
	FailedMethod string `cel:"failed_method"` // that call, as on the wire
	FailedAs     string `cel:"failed_as"`     // version (VersionNotSupported), name (method, service or route not known)
	OtherMethod  string `cel:"other_method"`  // a call of the other generation that this address answered ok to the same client before, "" for none
}

// changeFacts looks back where the session holds a failure, or the address
// served both generations; a session of one version costs nothing.
func (m *memory) changeFacts(f *ChangeFacts, c *decode.Call, s *seen, k *CallFacts) {
	if c.Kind != spec.KindCall || k.Request.Asked == "" || k.Outcome == "" {
		return
	}
	ses := m.sessionOf(s)
	if ses == nil {
		return
	}
	down := k.OK && k.Request.Asked == "0.3" && ses.failed > 0
	p := m.peers.find(m.keyOf(c, s))
	both := p != nil && p.ok[0] && p.ok[1] || p != nil && p.ok[1-genIndex(k.Request.Asked)]
	if !down && !both {
		return
	}
	me := step{userAgent: s.client.agent, binding: c.Binding}
	for i := len(ses.steps) - 1; i >= 0; i-- {
		o := &ses.steps[i]
		if o.exchange == c.Exchange.ID || !o.done || o.gen == "" || o.gen == k.Request.Asked || !sameClient(o, &me) || o.at.After(c.Exchange.Started) {
			continue
		}
		switch {
		case o.outcome == spec.OK && o.sure && both && o.peer == p && f.OtherMethod == "":
			f.OtherMethod = o.method
		case down && o.op == c.Operation && !f.Downgraded && (o.refusal == asVersion || o.refusal == asUnseen || o.refusal == asName):
			f.Downgraded, f.FailedMethod, f.FailedAs = true, o.method, "name"
			if o.refusal != asName {
				f.FailedAs = "version"
			}
		}
	}
}
