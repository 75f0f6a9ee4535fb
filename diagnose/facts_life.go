package diagnose

import (
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// LifeFacts is what the capture shows of the life of the task that a call is
// about. All of it was so before the call began, unless it says otherwise.
type LifeFacts struct {
	Known        bool   `cel:"known"` // the agent had shown the task
	State        string `cel:"state"`
	Terminal     bool   `cel:"terminal"`
	Context      string `cel:"context"`
	Recent       bool   `cel:"recent"`        // this interface had shown it to this caller (address and credential) within ten minutes
	AgoS         int    `cel:"ago_s"`         // seconds since it was shown last
	Purged       bool   `cel:"purged"`        // the last look at it had found nothing
	Turns        int    `cel:"turns"`         // changes between found and not found for one caller at one interface, this answer included
	Back         bool   `cel:"back"`          // this answer finds the task, and the one before had not
	OtherOwner   bool   `cel:"other_owner"`   // it had been shown first to a call with another credential, and both have one
	Revived      bool   `cel:"revived"`       // its state was final, and this answer shows another that is not older
	OtherGen     string `cel:"other_gen"`     // generation of the call that showed it first, where this call is of the other
	Forbidden    bool   `cel:"forbidden"`     // the answer: this caller may not do it (403, PERMISSION_DENIED, -31403)
	ToldMissing  bool   `cel:"told_missing"`  // this interface had answered TaskNotFound for an id that nobody was shown
	ForbadeOther bool   `cel:"forbade_other"` // this interface had forbidden a task that another credential was shown
}

func (m *memory) lifeFacts(f *LifeFacts, c *decode.Call, s *seen, gives *GivesFacts) {
	if c.Kind != spec.KindCall {
		return
	}
	m.recall(c, s)
	f.Forbidden = forbidden(c)
	if s.peer != nil {
		f.ToldMissing, f.ForbadeOther = s.peer.toldMissing, s.peer.forbadeOther
	} else if p := m.peers.find(m.keyOf(c, s)); p != nil {
		f.ToldMissing, f.ForbadeOther = p.toldMissing, p.forbadeOther
	}
	b := &s.past
	if !b.known {
		return
	}
	f.Known, f.State, f.Terminal, f.Context, f.Recent = true, b.state, b.terminal, b.context, b.recent
	f.Purged = b.life.last < 0
	f.AgoS = int(c.Exchange.Started.Sub(b.life.shown) / time.Second)
	if !b.owned {
		f.OtherOwner = b.owner != 0 && m.credential(c.Exchange) != 0
	}
	if b.life.gen != "" {
		if g := spokenGen(c); g != "" && g != b.life.gen {
			f.OtherGen = b.life.gen
		}
	}
	f.Turns = b.life.turns
	mine := b.owned && b.recent
	switch {
	case c.Fault != nil && c.Fault.A2A == "TaskNotFoundError" && looksUp(c.Operation):
		if mine && b.life.last > 0 {
			f.Turns++
		}
	case c.Outcome == spec.OK && gives.TaskID == c.TaskID && gives.TaskID != "":
		if mine && b.life.last < 0 {
			f.Turns++
			f.Back = true
		}
		f.Revived = b.terminal && gives.State != "" && revived(b, gives.State, stampOf(c))
	}
}

// revived reports whether a state follows a final one: another one, and not an
// older snapshot by the agent's own clock.
func revived(b *past, state, stamp string) bool {
	was, _, ok1 := spec.StateByWord(b.state)
	is, _, ok2 := spec.StateByWord(state)
	if !ok1 || !ok2 || was.Number == is.Number || is.Number == 0 {
		return false
	}
	then, err1 := time.Parse(time.RFC3339Nano, b.stamp)
	now, err2 := time.Parse(time.RFC3339Nano, stamp)
	return err1 != nil || err2 != nil || !now.Before(then)
}

// stampOf is the timestamp of the state that an answer shows first.
func stampOf(c *decode.Call) string {
	for i := range c.Events {
		if e := &c.Events[i]; e.State != "" {
			return e.Node.Path("status", "timestamp").Str()
		}
	}
	n := c.Result
	if t := n.Get("task"); t.IsObject() {
		n = t
	}
	return n.Path("status", "timestamp").Str()
}
