package diagnose

import (
	"net/netip"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// client is what is known of a caller.
type client struct {
	calls    int
	gens     [2]bool // generations it spoke (names and shapes)
	header   bool    // it sent a version header: a 0.3 client does not know of it
	bindings []string
	used     [2][]string // the same for each generation (0.3, 1.0)
	quick03  bool        // a 0.3 send without blocking came back before its task was done
}

// sessionKey is one client address with one agent. The User-Agent is compared
// step by step: one program names itself differently over gRPC.
type sessionKey struct {
	address netip.Addr
	agent   string
}

// session is the calls of a client to an agent, with gaps under ten minutes.
type session struct {
	last   time.Time
	total  int
	failed int    // failures among steps that nothing has made good
	steps  []step // the newest maxSteps
}

// step is one call of a session.
type step struct {
	exchange        capture.ExchangeID
	at              time.Time
	userAgent       string
	kind            spec.Kind
	op              spec.Operation
	method          string
	binding         spec.Binding
	verb            string
	path            string
	task            string
	peer            *peer
	gen             string
	sure            bool // of the generation
	declared        string
	credential      uint64
	hash            uint64
	message, words  uint64 // of a stream that failed: see messageHashes
	status          int
	outcome         spec.Outcome
	refusal         refusal
	streaming       bool
	done            bool
	recovered       bool
	listed          bool // it went to an entry of the card
	entry           int  // the place of that entry in the card
	finished        bool // a send that was refused because its task has ended
	unauthenticated bool
	unreachable     bool // nobody was there: the client may simply try again
}

// agentOf names the agent an exchange belongs to: where its card came from,
// or the authority itself.
func (m *memory) agentOf(s *seen) string {
	if s.match.card != nil {
		return s.match.card.authority
	}
	if o := m.origins.find(s.authority); o != nil && o.home != "" {
		return o.home
	}
	return s.authority
}

// ask takes the request of an exchange in: it opens its step.
func (m *memory) ask(c *decode.Call, s *seen) {
	if s.asked {
		return
	}
	s.asked = true
	x := c.Exchange
	key := sessionKey{s.client.address, m.agentOf(s)}
	ses, fresh := m.sessions.take(key)
	if !fresh && x.Started.Sub(ses.last) > sessionGap {
		*ses = session{}
	}
	if x.Started.After(ses.last) {
		ses.last = x.Started
	}
	ses.total++
	if s.hash == 0 {
		s.hash = m.requestHash(x)
	}
	n := step{exchange: x.ID, at: x.Started, userAgent: s.client.agent, kind: c.Kind, op: c.Operation, method: c.Method,
		binding: c.Binding, path: s.path, task: cut(c.TaskID), gen: generation(string(requestGeneration(c))), declared: declaredWord(&c.Declared),
		hash: s.hash, credential: m.credential(x), streaming: spec.Streams(c.Operation)}
	if x.Request != nil {
		n.verb = x.Request.Method
	}
	if c.Kind == spec.KindCall {
		n.peer = m.peerOf(c, s)
		m.meetAgain(c, s)
	}
	if len(ses.steps) >= 2*maxSteps {
		ses.steps = ses.steps[:copy(ses.steps, ses.steps[maxSteps:])]
	}
	ses.steps = append(ses.steps, n)
}

// answer closes the step of an exchange.
func (m *memory) answer(c *decode.Call, s *seen) {
	if st := m.stepOf(c, s); st != nil {
		st.outcome, st.refusal, st.done = c.Outcome, refusalOf(c), true
		if ses := m.sessionOf(s); c.Outcome != spec.OK && c.Outcome != "" {
			ses.failed++
			if c.Operation == spec.SendStreamingMessage {
				st.message, st.words = m.messageHashes(c)
			}
		}
		if st.listed = s.match.level == "exact"; st.listed {
			st.entry = s.match.group.index
		}
		st.finished = c.Outcome != spec.OK && toFinishedTask(c, s)
		st.unreachable = c.Exchange.End != nil && c.Exchange.End.Kind == capture.EndUnreachable
		st.unauthenticated = c.GRPC.Status == 16 || c.Fault != nil && c.Fault.Code == -31401
		st.op, st.method, st.kind = c.Operation, c.Method, c.Kind
		st.gen = generation(string(requestGeneration(c)))
		st.sure = sureEnough(c.Request.Sure)
		if c.Exchange.Response != nil {
			st.status = c.Exchange.Response.Status
		}
		if c.Kind == spec.KindCall {
			st.peer = m.peerOf(c, s)
		}
	}
}

func (m *memory) sessionOf(s *seen) *session {
	return m.sessions.find(sessionKey{s.client.address, m.agentOf(s)})
}

func (m *memory) stepOf(c *decode.Call, s *seen) *step {
	ses := m.sessionOf(s)
	if ses == nil {
		return nil
	}
	for i := len(ses.steps) - 1; i >= 0; i-- {
		if ses.steps[i].exchange == c.Exchange.ID {
			return &ses.steps[i]
		}
	}
	return nil
}

// sameClient: the same User-Agent, or a program that speaks gRPC with one and HTTP with another.
func sameClient(a, b *step) bool {
	return a.userAgent == b.userAgent || (a.binding == spec.GRPC) != (b.binding == spec.GRPC)
}

// credential hashes what a request authenticates itself with; 0 for nothing.
func (m *memory) credential(x *capture.Exchange) uint64 {
	if x.Request == nil {
		return 0
	}
	var h uint64
	for i := range x.Request.Fields {
		f := &x.Request.Fields[i]
		if credentialField(f.Name) {
			h ^= hashString(m.salt, lower(f.Name)+"\x00"+f.Value) | 1
		}
	}
	return h
}

// credentialField reports whether a header carries a credential.
func credentialField(name string) bool {
	switch len(name) {
	case 6:
		return isName(name, "cookie")
	case 9:
		return isName(name, "x-api-key")
	case 12:
		return isName(name, "x-auth-token")
	case 13:
		return isName(name, "authorization")
	case 19:
		return isName(name, "proxy-authorization")
	}
	return false
}

// learnClient takes the request side of a call in.
func (m *memory) learnClient(c *decode.Call, s *seen) {
	k, _ := m.clients.take(s.client)
	k.calls++
	if c.Kind == spec.KindCall {
		k.learnWaiting(c)
		if sureEnough(c.Request.Sure) || c.Request.Value == spec.Mixed {
			if i := genIndex(string(requestGeneration(c))); i >= 0 {
				k.gens[i] = true
			}
		}
		if c.Outcome == spec.OK {
			k.bindings = addOnce(k.bindings, string(c.Binding))
			if i := genIndex(string(requestGeneration(c))); i >= 0 {
				k.used[i] = addBounded(k.used[i], string(c.Binding))
			}
		}
	}
	if c.Declared.Presence == "set" && (c.Kind == spec.KindCall || c.Kind == spec.KindCard) {
		k.header = true
		if c.Kind == spec.KindCard && generation(majorOne(c.Declared.Version)) == "1.0" {
			k.gens[1] = true
		}
	}
}

func sureEnough(s decode.Sure) bool { return s == decode.Certain || s == decode.Likely }

// majorOne folds 1.x into 1.0.
func majorOne(v spec.Version) string {
	if len(v) > 2 && v[:2] == "1." {
		return "1.0"
	}
	return string(v)
}
