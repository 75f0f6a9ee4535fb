package diagnose

import (
	"net/netip"
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// lostSpan is how long after it was shown a task that is gone counts as lost:
// whoever asks later may meet an agent that has tidied up.
const lostSpan = 10 * time.Minute

// life is what is remembered of a task to tell a lost one from one that never was.
type life struct {
	stamp   string // timestamp of the state, as the agent wrote it
	carrier string // how the call that showed it first named its tenant: path, field, "" where it named none
	gen     string // generation of the call that showed the task first, see spokenGen
	shown   time.Time
	address netip.Addr // who was shown it last
	peer    *peer      // where
	owner   uint64     // with which credential
	turns   int        // changes between found and not found, for the caller that was shown it first
	last    int8       // 1 found, -1 not found
}

// past is what was known of a call's task when the call began: what a stream
// shows of its own task later is no news about the past.
type past struct {
	taken    bool
	known    bool
	terminal bool
	recent   bool // shown to this caller at this interface within lostSpan
	state    string
	context  string
	stamp    string
	life     life
	owned    bool // the credential is that of the call that showed it first
	owner    uint64
}

// looksUp reports whether an operation answers TaskNotFound only where the task
// is not there. (Servers also answer it to a subscription of a task that does
// not run, and for a push configuration that is not there.)
func looksUp(op spec.Operation) bool {
	return op == spec.GetTask || op == spec.CancelTask
}

// recall notes once for each exchange what is known of its task before it.
func (m *memory) recall(c *decode.Call, s *seen) {
	if s.past.taken {
		return
	}
	b := &s.past
	b.taken = true
	if c.TaskID == "" {
		return
	}
	t := m.tasks.find(m.taskOf(c, s))
	if t == nil {
		return
	}
	b.life = t.life
	if t.found == 0 {
		return
	}
	b.known, b.state, b.terminal, b.context, b.stamp = true, t.state, t.terminal, t.context, t.life.stamp
	cred := m.credential(c.Exchange)
	b.owner, b.owned = t.owner, t.owner == cred
	b.recent = t.life.address == s.client.address && t.life.owner == cred && t.life.peer == m.peerOf(c, s) &&
		c.Exchange.Started.Sub(t.life.shown) <= lostSpan
}

// lifeShown notes that the agent showed a task.
func (m *memory) lifeShown(t *task, c *decode.Call, s *seen, stamp string) {
	l := &t.life
	p, cred := m.peerOf(c, s), m.credential(c.Exchange)
	if t.found == 1 {
		l.gen, l.carrier = spokenGen(c), tenantCarrier(c)
	}
	l.shown, l.address, l.peer, l.owner = m.now, s.client.address, p, cred
	if stamp != "" {
		l.stamp = cut(stamp)
	}
	if t.peer == p && t.owner == cred {
		l.turn(1)
	}
}

// spokenGen is the generation of a call where its name tells it. A route alone
// does not: some SDKs speak 0.3 without /v1. Of gRPC the package tells it, but
// for the draft, which kept that of 0.3.
func spokenGen(c *decode.Call) string {
	if c.Request.Sure == decode.Certain || c.Binding == spec.GRPC || c.Binding == spec.JSONRPC && c.Request.Sure == decode.Likely {
		return generation(string(requestGeneration(c)))
	}
	return ""
}

// lifeMissed notes that the agent did not find a task.
func (m *memory) lifeMissed(t *task, c *decode.Call, s *seen) {
	if !looksUp(c.Operation) {
		return
	}
	p := m.peerOf(c, s)
	if t.found == 0 {
		p.toldMissing = true
		return
	}
	if t.peer == p && t.owner == m.credential(c.Exchange) {
		t.life.turn(-1)
	}
}

func (l *life) turn(to int8) {
	if l.last != 0 && l.last != to {
		l.turns++
	}
	l.last = to
}

// learnForbidden notes that an interface forbade a task that another caller was shown.
func (m *memory) learnForbidden(c *decode.Call, s *seen) {
	if b := &s.past; b.known && !b.owned && b.owner != 0 && forbidden(c) && m.credential(c.Exchange) != 0 {
		m.peerOf(c, s).forbadeOther = true
	}
}

// forbidden reports whether the answer is that this caller may not do it.
func forbidden(c *decode.Call) bool {
	if c.GRPC.Status == 7 {
		return true
	}
	f := c.Fault
	return f != nil && (f.Code == -31403 || f.HTTP == 403 || f.GRPC == 7)
}

// toFinishedTask reports whether a call is a message to a task that had ended.
// A client that then begins a new task has understood the refusal.
func toFinishedTask(c *decode.Call, s *seen) bool {
	return sends(c.Operation) && c.TaskID != "" && (s.past.terminal || c.Fault != nil && c.Fault.A2A == "UnsupportedOperationError")
}

func sends(op spec.Operation) bool {
	return op == spec.SendMessage || op == spec.SendStreamingMessage
}
