package audit

import (
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func answered(v spec.Version, op spec.Operation, result string) *decode.Call {
	doc := jsontree.Parse([]byte(result))
	return &decode.Call{Kind: spec.KindCall, Binding: spec.JSONRPC, Operation: op, Outcome: spec.OK, ResponseDoc: doc,
		CallVersion: decode.VersionFact{Value: v, Sure: decode.Certain}, Result: doc.Root()}
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		name    string
		version spec.Version
		op      spec.Operation
		result  string
		code    string // "" for none at all
		want    string
	}{
		{"in order", spec.V10, spec.SendMessage, `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-09-26T15:00:00Z"}}}`, "", ""},
		{"no payload", spec.V10, spec.SendMessage, `{"x":1}`, "oneof/SendMessageResponse.*", "task, message"},
		{"two payloads", spec.V10, spec.SendMessage, `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}},"message":{}}`, "oneof/SendMessageResponse.*", "task, message"},
		{"bare, as what it is", spec.V10, spec.SendMessage, `{"id":"t","status":{"state":"working"}}`, "enum-other/TaskStatus.state", "TASK_STATE_WORKING"},
		{"list", spec.V10, spec.ListTasks, `{"tasks":null}`, "missing/ListTasksResponse.tasks", "tasks"},
		{"array of configs in 0.3", spec.V03, spec.ListPushConfigs, `[{"taskId":"t","pushNotificationConfig":{"url":"u"}},{"taskId":"t","url":"u"}]`, "other/TaskPushNotificationConfig.url", "1.0"},
		{"array in order", spec.V03, spec.ListPushConfigs, `[{"taskId":"t","pushNotificationConfig":{"url":"u"}}]`, "", ""},
		{"offset", spec.V03, spec.GetTask, `{"kind":"task","id":"t","contextId":"c","status":{"state":"working","timestamp":"2026-09-26T15:00:00.123+00:00"}}`, "form/TaskStatus.timestamp", "2026-09-26T15:00:00.123Z"},
		{"number for a time", spec.V10, spec.GetTask, `{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":17}}`, "type/TaskStatus.timestamp", "string"},
		{"cut", spec.V10, spec.GetTask, `{"id":"t","contex`, "", ""},
	} {
		slips := Answer(answered(c.version, c.op, c.result))
		s := Find(slips, c.code)
		switch {
		case c.code == "" && len(slips) > 0:
			t.Errorf("%s: %+v", c.name, slips)
		case c.code != "" && (s == nil || s.Want != c.want):
			t.Errorf("%s: no %s that wants %q in %+v", c.name, c.code, c.want, slips)
		}
	}
	c := answered(spec.V10, spec.SendMessage, `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-09-26T15:00:00Z"}}}`)
	if n := testing.AllocsPerRun(100, func() { Answer(c) }); n > 0 {
		t.Errorf("an answer without slips allocates %v times", n)
	}
}

func TestStamp(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-09-26T15:00:00Z": true, "2026-09-26T15:00:00.1Z": true, "2026-09-26T15:00:00.123456789Z": true,
		"2026-09-26T15:00:00": false, "2026-09-26T15:00:00+00:00": false, "2026-09-26T15:00:00.5+02:00": false, "2026-09-26 15:00:00Z": false,
		"2026-09-26T15:00:00.Z": false, "2026-09-26T15:00:00z": false, "2026-9-26T15:00:00.00Z": false, "Sat, 26 Sep 2026 15:00:00 GMT": false,
		"": false, "1790000000": false, "2026-09-26T15:00Z": false, "2026-09-26T15:00:00.123": false,
	} {
		if got := stampIn([]byte(text)) == ""; got != want {
			t.Errorf("%q: well written %v, not %v", text, got, want)
		}
	}
	if want := stampIn([]byte("2026-09-26T15:00:00.5+00:00")); want != "2026-09-26T15:00:00.5Z" {
		t.Errorf("the same moment is %q", want)
	}
}
