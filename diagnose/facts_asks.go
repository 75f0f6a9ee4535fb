package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// AsksFacts is what a call asks, by its own words alone. (Where the request
// names no task or context, task_id and context_id of the call are the answer's.)
type AsksFacts struct {
	TaskID    string `cel:"task_id"`    // of a send: message.taskId
	ContextID string `cel:"context_id"` // of a send: message.contextId
	At        string `cel:"at"`         // place of the message that has one of the two
	Now       bool   `cel:"now"`        // of a send: returnImmediately is true
	NoWait    bool   `cel:"no_wait"`    // now, or blocking: false, by which 0.3 and the draft say it
}

// GivesFacts is which task and context an answer shows: the object of a unary
// answer, the first events of a stream.
type GivesFacts struct {
	TaskID      string `cel:"task_id"`
	ContextID   string `cel:"context_id"`
	State       string `cel:"state"`
	At          string `cel:"at"`            // place of the object that shows the task
	History     int    `cel:"history"`       // messages in the history of the task, 0 where there is none
	NoContext   string `cel:"no_context"`    // the kind of the first object that has a task but no contextId: task, statusUpdate, artifactUpdate
	NoContextAt string `cel:"no_context_at"` // where it stands
}

// fillAsks reads a send.
func fillAsks(a *AsksFacts, c *decode.Call) {
	if !sends(c.Operation) || !c.Params.IsObject() {
		return
	}
	msg, member := messageOf(c)
	a.TaskID = either(msg, "taskId", "task_id").StrLike(c.TaskID)
	a.ContextID = either(msg, "contextId", "context_id").StrLike(c.ContextID)
	if a.TaskID != "" || a.ContextID != "" {
		a.At = string(c.ParamsAt.Below("/" + member))
	}
	conf := c.Params.Get("configuration")
	if !conf.IsObject() {
		return
	}
	a.Now = either(conf, "returnImmediately", "return_immediately").Bool()
	blocking := conf.Get("blocking")
	a.NoWait = a.Now || blocking.Kind() == jsontree.Bool && !blocking.Bool()
}

// messageOf finds the message of a send: "request" is its name in the proto of 0.3.
func messageOf(c *decode.Call) (msg jsontree.Node, member string) {
	if m := c.Params.Get("message"); m.IsObject() {
		return m, "message"
	}
	return c.Params.Get("request"), "request"
}

// either returns a member by the first of two names it has.
func either(n jsontree.Node, name, other string) jsontree.Node {
	if m := n.Get(name); m.Exists() {
		return m
	}
	return n.Get(other)
}

// givesSum is what the events of a stream add up to; it grows with them.
type givesSum struct {
	facts  GivesFacts
	events int
}

// take takes in the events that are new since the last time.
func (s *givesSum) take(c *decode.Call) {
	f := &s.facts
	for ; s.events < len(c.Events); s.events++ {
		e := &c.Events[s.events]
		if f.At == "" && (e.TaskID != "" || e.ContextID != "") {
			f.At = string(e.At)
		}
		f.TaskID, f.ContextID, f.State = firstOf(f.TaskID, e.TaskID), firstOf(f.ContextID, e.ContextID), firstOf(f.State, e.State)
		switch e.Kind {
		case "task", "statusUpdate", "artifactUpdate":
			if f.NoContextAt == "" && e.TaskID != "" && e.ContextID == "" {
				f.NoContext, f.NoContextAt = e.Kind, string(e.At)
			}
		}
	}
}

// fillGives fills what the answer shows. state is the one that was read of it already.
func fillGives(f *GivesFacts, c *decode.Call, sum *givesSum, state string) {
	switch c.Operation {
	case spec.SendMessage, spec.SendStreamingMessage, spec.GetTask, spec.CancelTask, spec.SubscribeToTask:
	default:
		return
	}
	if len(c.Events) > 0 || sum.events > 0 {
		*f = sum.facts
		return
	}
	if c.Outcome != spec.OK || !c.Result.IsObject() {
		return
	}
	n, at := c.Result, c.ResultAt
	for _, name := range [...]string{"task", "message", "statusUpdate"} {
		if in := n.Get(name); in.IsObject() && !n.Has("id") {
			n, at = in, at.Below("/"+name)
			break
		}
	}
	f.At = string(at)
	f.ContextID = either(n, "contextId", "context_id").StrLike(c.ContextID)
	st := n.Get("status")
	if !st.IsObject() {
		return
	}
	f.TaskID = n.Get("id").StrLike(c.TaskID)
	if s := st.Get("state"); s.IsString() {
		f.State = s.StrLike(state)
	} else {
		f.State = s.Text()
	}
	f.History = n.Get("history").Len()
	if f.TaskID != "" && f.ContextID == "" && !n.Has("sessionId") { // 0.1 called it sessionId
		f.NoContext, f.NoContextAt = "task", f.At
	}
}
