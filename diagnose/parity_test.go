package diagnose

import (
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func asked(b spec.Binding, op spec.Operation, params string, query map[string]string) *decode.Call {
	return &decode.Call{Exchange: &capture.Exchange{ID: 1}, Kind: spec.KindCall, Binding: b, Operation: op,
		Request: decode.VersionFact{Value: spec.V10}, Params: jsontree.Parse([]byte(params)).Root(), Path: decode.PathFact{Query: query}}
}

// The same question has one hash whatever the binding, and another input has another.
func TestQuestionsAreAlikeOverBindings(t *testing.T) {
	m := newMemory()
	list := asked(spec.JSONRPC, spec.ListTasks, `{"status":"TASK_STATE_WORKING","pageSize":10}`, nil)
	over := asked(spec.HTTPJSON, spec.ListTasks, `null`, map[string]string{"status": "TASK_STATE_WORKING", "pageSize": "10"})
	grpc := asked(spec.GRPC, spec.ListTasks, `{"status":"TASK_STATE_WORKING","pageSize":10,"pageToken":""}`, nil)
	other := asked(spec.HTTPJSON, spec.ListTasks, `null`, map[string]string{"status": "TASK_STATE_FAILED", "pageSize": "10"})
	if a, b, c := m.questionHash(list), m.questionHash(over), m.questionHash(grpc); a == 0 || a != b || a != c {
		t.Errorf("one question, three hashes: %x %x %x", a, b, c)
	}
	if m.questionHash(list) == m.questionHash(other) {
		t.Error("another filter is the same question")
	}
	if got := filterNames(list); got != "status" {
		t.Errorf("filters: %q", got)
	}

	send := asked(spec.JSONRPC, spec.SendMessage, `{"message":{"messageId":"m1","parts":[{"text":"hi"}]}}`, nil)
	again := asked(spec.HTTPJSON, spec.SendMessage, `{"message":{"messageId":"m2","parts":[{"text":"hi"}]}}`, nil)
	words := asked(spec.HTTPJSON, spec.SendMessage, `{"message":{"messageId":"m1","parts":[{"text":"bye"}]}}`, nil)
	task := asked(spec.HTTPJSON, spec.SendMessage, `{"message":{"messageId":"m1","taskId":"t1","parts":[{"text":"hi"}]}}`, nil)
	if m.questionHash(send) != m.questionHash(again) {
		t.Error("the id of a message makes another question")
	}
	if m.questionHash(send) == m.questionHash(words) || m.questionHash(send) == m.questionHash(task) {
		t.Error("other words or another task are the same question")
	}
	tenant := *send
	tenant.Tenant = "acme"
	if m.questionHash(send) == m.questionHash(&tenant) {
		t.Error("another tenant is the same question")
	}
	if h := m.questionHash(asked(spec.JSONRPC, spec.GetTask, `{}`, nil)); h != 0 {
		t.Errorf("a call without a task is a question: %x", h)
	}
}

// What is remembered of questions is bounded.
func TestQuestionsAreForgotten(t *testing.T) {
	m := newMemory()
	for i := range 2 * maxAlike {
		m.alike.take(alikeKey{"agent", uint64(i) | 1<<40})
	}
	if n := m.alike.len(); n != maxAlike {
		t.Errorf("%d questions are kept, want %d", n, maxAlike)
	}
}
