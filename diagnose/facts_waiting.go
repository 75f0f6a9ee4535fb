package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// WaitingFacts is whether a send waits for its task. Unset, 0.3 leaves that to
// the agent, and 1.0 waits for a terminal or interrupted state (1.0 §3.2.2).
type WaitingFacts struct {
	Unsaid   bool `cel:"unsaid"`    // a send that says neither blocking nor returnImmediately
	Done     bool `cel:"done"`      // the answer's task is in a terminal or interrupted state
	QuickV03 bool `cel:"quick_v03"` // before, this client sent in 0.3 without blocking, and got a task that was still at work
}

// fillWaiting takes the state of the answer's task from the facts of the result.
func fillWaiting(w *WaitingFacts, c *decode.Call, conf jsontree.Node, state string) {
	if c.Operation != spec.SendMessage || !c.Params.IsObject() {
		return
	}
	w.Unsaid = !conf.Has("blocking") && !conf.Has("returnImmediately") && !conf.Has("return_immediately")
	if s, _, ok := spec.StateByWord(state); ok && c.Outcome == spec.OK {
		w.Done = s.Terminal || s.Interrupted
	}
}

// learnWaiting notes that a 0.3 send came back before its task was done.
func (k *client) learnWaiting(c *decode.Call) {
	if k.quick03 || c.Operation != spec.SendMessage || c.Outcome != spec.OK || generation(string(requestGeneration(c))) != "0.3" {
		return
	}
	_, _, state := resultKind(c)
	var w WaitingFacts
	fillWaiting(&w, c, c.Params.Get("configuration"), state)
	_, _, known := spec.StateByWord(state)
	k.quick03 = w.Unsaid && !w.Done && known
}
