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

func fillWaiting(w *WaitingFacts, c *decode.Call) {
	if c.Kind != spec.KindCall || c.Operation != spec.SendMessage || !c.Params.IsObject() {
		return
	}
	conf := c.Params.Get("configuration")
	w.Unsaid = !conf.Has("blocking") && !conf.Has("returnImmediately") && !conf.Has("return_immediately")
	if s, ok := sentState(c); ok {
		w.Done = s.Terminal || s.Interrupted
	}
}

// sentState is the state of the task that a send was answered with.
func sentState(c *decode.Call) (spec.State, bool) {
	if c.Outcome != spec.OK || !c.Result.IsObject() {
		return spec.State{}, false
	}
	word := c.Result.Path("status", "state")
	if t := c.Result.Get("task"); t.IsObject() {
		word = t.Path("status", "state")
	}
	if word.Kind() != jsontree.String {
		return spec.State{}, false
	}
	s, _, ok := spec.StateByWord(word.Str())
	return s, ok
}

// learnWaiting notes that a 0.3 send came back before its task was done.
func (k *client) learnWaiting(c *decode.Call) {
	if k.quick03 || c.Operation != spec.SendMessage || generation(string(requestGeneration(c))) != "0.3" {
		return
	}
	var w WaitingFacts
	if fillWaiting(&w, c); w.Unsaid && !w.Done {
		_, known := sentState(c)
		k.quick03 = known
	}
}
