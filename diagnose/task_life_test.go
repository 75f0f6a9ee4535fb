package diagnose

import (
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

func shown(state, stamp string) with {
	return func(c *decode.Call) {
		result(`{"id":"t1","contextId":"c1","status":{"state":"` + state + `","timestamp":"` + stamp + `"}}`)(c)
	}
}

func gone(c *decode.Call) {
	fails(spec.A2AError, decode.Fault{Code: -32001, A2A: "TaskNotFoundError"})(c)
}

func credential(value string) with {
	return func(c *decode.Call) {
		c.Exchange.Request.Fields = append(c.Exchange.Request.Fields, capture.Field{Name: "Authorization", Value: value})
	}
}

func (w *world) lookUp(opts ...with) *LifeFacts {
	return w.run(w.rpc("a.example", "/", "GetTask", append([]with{about("t1")}, opts...)...)).Call.Life
}

func TestTaskComesAndGoes(t *testing.T) {
	w := newWorld(t)
	const working = "TASK_STATE_WORKING"
	f := w.lookUp(shown(working, ""))
	check(t, "known at first sight", f.Known, false)
	for i, step := range []struct {
		opt    with
		turns  int
		back   bool
		purged bool
	}{
		{shown(working, ""), 0, false, false},
		{gone, 1, false, false},
		{gone, 1, false, true},
		{shown(working, ""), 2, true, true},
		{gone, 3, false, false},
	} {
		f := w.lookUp(step.opt)
		if f.Turns != step.turns || f.Back != step.back || f.Purged != step.purged || !f.Recent {
			t.Errorf("step %d: %+v", i, *f)
		}
	}
	// Subscriptions and other callers do not count.
	w.run(w.rpc("a.example", "/", "SubscribeToTask", about("t1"), gone))
	other := w.lookUp(gone, credential("other"))
	check(t, "of another caller", other.Turns, 3)
	check(t, "shown to another caller", other.Recent, false)
}

func TestTaskIsLostForTenMinutes(t *testing.T) {
	w := newWorld(t)
	w.lookUp(shown("TASK_STATE_COMPLETED", ""))
	w.now = w.now.Add(9 * time.Minute)
	check(t, "soon after", w.lookUp(gone).Recent, true)
	w.now = w.now.Add(2 * time.Minute)
	check(t, "later", w.lookUp(gone).Recent, false)
}

func TestTaskIsRevived(t *testing.T) {
	for _, c := range []struct {
		name, was, then, is, now string
		want                     bool
	}{
		{"works again", "TASK_STATE_COMPLETED", "", "TASK_STATE_WORKING", "", true},
		{"ends otherwise", "TASK_STATE_FAILED", "2026-01-01T10:00:00Z", "TASK_STATE_COMPLETED", "2026-01-01T10:00:00.5Z", true},
		{"older snapshot", "TASK_STATE_COMPLETED", "2026-01-01T10:00:00Z", "TASK_STATE_WORKING", "2026-01-01T09:59:59Z", false},
		{"other words", "TASK_STATE_CANCELED", "", "canceled", "", false},
		{"unknown word", "TASK_STATE_CANCELED", "", "stopped", "", false},
		{"had not ended", "TASK_STATE_WORKING", "", "TASK_STATE_SUBMITTED", "", false},
	} {
		w := newWorld(t)
		w.lookUp(shown(c.was, c.then))
		check(t, c.name, w.lookUp(shown(c.is, c.now)).Revived, c.want)
	}
}

// What a call was told of its task counts as it was when the call began.
func TestPastIsOfTheBeginning(t *testing.T) {
	w := newWorld(t)
	w.lookUp(shown("TASK_STATE_WORKING", ""))
	early := w.rpc("a.example", "/", "GetTask", about("t1"), shown("TASK_STATE_WORKING", ""))
	asked := *early
	asked.Outcome = ""
	w.m.learn(w.m.resolve(&asked), decode.AtRequest)
	w.lookUp(shown("TASK_STATE_COMPLETED", ""))
	w.m.facts(w.m.resolve(early), decode.AtResponse, w.f)
	check(t, "state", w.f.Call.Life.State, "TASK_STATE_WORKING")
	check(t, "revived", w.f.Call.Life.Revived, false)
}

func TestExistenceIsTold(t *testing.T) {
	w := newWorld(t)
	w.lookUp(shown("TASK_STATE_WORKING", ""), credential("one"))
	w.run(w.rpc("a.example", "/", "GetTask", about("t9"), gone, credential("two")))
	f := w.lookUp(fails(spec.StdError, decode.Fault{Code: -31403}), credential("two"))
	if !f.Forbidden || !f.OtherOwner || !f.ToldMissing || f.ForbadeOther {
		t.Errorf("%+v", *f)
	}
	f = w.run(w.rpc("a.example", "/", "GetTask", about("t8"), gone, credential("two"))).Call.Life
	check(t, "forbade before", f.ForbadeOther, true)
}

// A client that begins a new task after the refusal has understood it.
func TestRefusalByAFinishedTaskIsRecovered(t *testing.T) {
	w := newWorld(t)
	w.lookUp(shown("TASK_STATE_COMPLETED", ""))
	refused := w.rpc("a.example", "/", "SendMessage", about("t1"), params(`{"message":{"taskId":"t1"}}`), fails(spec.A2AError, decode.Fault{Code: -32004, A2A: "UnsupportedOperationError"}))
	w.run(refused)
	again := w.rpc("a.example", "/", "SendMessage", about("t1"), params(`{"message":{"taskId":"t1"}}`))
	w.run(again)
	if made := w.m.recovered(again); len(made) != 0 {
		t.Errorf("the same task recovers %v", made)
	}
	fresh := w.rpc("a.example", "/", "SendMessage", params(`{"message":{}}`))
	w.run(fresh)
	if made := w.m.recovered(fresh); len(made) != 1 || made[0] != refused.Exchange.ID {
		t.Errorf("recovered: %v", made)
	}
}
