package diagnose

import (
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func TestFormOf(t *testing.T) {
	for _, c := range []struct {
		op                    spec.Operation
		body, object, wrapper string
	}{
		{spec.SendMessage, `{"task":{"id":"t","status":{}}}`, "task", "task"},
		{spec.SendMessage, `{"msg":{"messageId":"m"}}`, "message", "msg"},
		{spec.SendMessage, `{"status_update":{"taskId":"t"}}`, "statusUpdate", "status_update"},
		{spec.SendMessage, `{"id":"t","status":{"state":"completed"}}`, "task", ""},
		{spec.SendMessage, `{"id":"t","status":{"state":"failed","message":{"parts":[]}},"message":{"role":"agent"}}`, "task", ""},
		{spec.SendMessage, `{"kind":"message","parts":[]}`, "message", ""},
		{spec.SendMessage, `{"role":"agent","content":[]}`, "message", ""},
		{spec.SendMessage, `{"taskId":"t","status":{}}`, "statusUpdate", ""},
		{spec.SendMessage, `{"taskId":"t","artifact":{}}`, "artifactUpdate", ""},
		{spec.SendMessage, `{}`, "empty", ""},
		{spec.SendMessage, `null`, "null", ""},
		{spec.SendMessage, `"done"`, "text", ""},
		{spec.SendMessage, `[{}]`, "array", ""},
		{spec.SendMessage, `{"id":"t","artifacts":[{"type":"text","content":"x"}]}`, "other", ""},
		{spec.GetTask, `{"id":"t","artifacts":[{"artifactId":"a","parts":[]}]}`, "task", ""},
		{spec.GetTask, `{"id":"t"}`, "task", ""},
		{spec.GetTask, `{"id":"t","title":"x"}`, "other", ""},
		{spec.GetTask, `{"id":"t","context_id":"c"}`, "task", ""},
		{spec.ListTasks, `{"tasks":[]}`, "tasks", ""},
		{spec.ListTasks, `{"total_size":1}`, "tasks", ""},
		{spec.ListTasks, `{"items":[]}`, "other", ""},
		{spec.GetPushConfig, `{"config":{"url":"u"}}`, "config", "config"},
		{spec.GetPushConfig, `{"taskId":"t","config":{}}`, "config", ""},
		{spec.GetPushConfig, `{"taskId":"t","pushNotificationConfig":{}}`, "config", ""},
		{spec.DeletePushConfig, `{"ok":true}`, "other", ""},
	} {
		object, wrapper, inner := formOf(jsontree.Parse([]byte(c.body)).Root(), c.op)
		if object != c.object || wrapper != c.wrapper || !inner.Exists() {
			t.Errorf("%s %s: %q in %q, not %q in %q", c.op, c.body, object, wrapper, c.object, c.wrapper)
		}
	}
}

// TestAnswerCostsNothing: what an answer in order is built like is told without
// making anything.
func TestAnswerCostsNothing(t *testing.T) {
	doc := jsontree.Parse([]byte(`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"artifacts":[]}`))
	c := &decode.Call{Kind: spec.KindCall, Operation: spec.GetTask, Outcome: spec.OK, ResponseDoc: doc, Result: doc.Root(), ResultAt: "response/frame/0#"}
	var a AnswerFacts
	if n := testing.AllocsPerRun(100, func() { fillAnswer(&a, c, nil) }); n > 0 {
		t.Errorf("it allocates %v times", n)
	}
	if a.Object != "task" || a.HistoryAsked != -1 {
		t.Errorf("read as %+v", a)
	}
}
