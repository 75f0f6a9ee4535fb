package translate_test

import (
	"encoding/json"
	"testing"

	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
)

// Nothing that peers send makes it fail, and what it makes of JSON is JSON.
func FuzzTranslate(f *testing.F) {
	for _, s := range [][2]string{
		{rpc("message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"file","file":{"bytes":"AA=="}},{"kind":"data","data":{"a":1}}]},"configuration":{"blocking":false,"pushNotificationConfig":{"url":"u","authentication":{"schemes":["a","b"]}}}}`),
			`{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"unknown","timestamp":"2025-01-02T03:04:05+02:00"}}}`},
		{rpc("SendStreamingMessage", `{"tenant":"t","message":{"messageId":"m","role":2,"parts":[{"data":[null]},{"raw":"AA==","url":"x"}]},"configuration":{"taskPushNotificationConfig":{"url":"u"}}}`),
			`{"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","status":{"state":5}}}}`},
		{rpc("tasks/pushNotificationConfig/list", `{"id":"t"}`), `{"jsonrpc":"2.0","id":1,"result":[{"taskId":"t","pushNotificationConfig":{"id":"c"}},1]}`},
		{`POST /v1/tasks/t/pushNotificationConfigs {"parent":"tasks/t","configId":"c","config":{"name":"tasks/t/pushNotificationConfigs/c","push_notification_config":{"id":"c"}}}`, `{"configs":[{"name":"x"}]}`},
		{`POST /a2a.v1.A2AService/GetTask {"name":"tasks/t"}`, ""},
		{"GET /.well-known/agent-card.json", `{"name":"n","url":"u","protocolVersion":"0.3","skills":[{"security":[{"a":[]},1]}],"securitySchemes":{"a":{"type":"http"}},"capabilities":[]}`},
		{"GET /.well-known/agent-card.json", `{"name":"n","supportedInterfaces":[1,{"url":"u"}],"securitySchemes":{"a":{"mtlsSecurityScheme":{}}},"capabilities":{"extendedAgentCard":1}}`},
		{"GET /tasks?status=working&pageSize=1&=&%zz A2A-Version=0.3", `{"tasks":[]}`},
		{`POST /message:send {"message":{"message_id":"m","content":[{"data":{"data":{}}},{}],"parts":[]}}`, `{"task":{"kind":"task"},"message":{}}`},
		{`POST /hook Content-Type=application/json {"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}},"x":1}`, ""},
		{rpc("GetTask", `{"id":"t"}`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo"}]}}`},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, request, answer string) {
		c := call(request, answer)
		if c == nil {
			return
		}
		check := func(m *translate.Message) {
			if m.Body != nil && !json.Valid(m.Body) && json.Valid(c.RequestDoc.Root().Raw()) && json.Valid(c.ResponseDoc.Root().Raw()) {
				t.Errorf("no JSON: %q", m.Body)
			}
			for _, x := range m.Changes {
				if x.From == "" && x.To == "" {
					t.Errorf("%+v is nowhere", x)
				}
			}
		}
		for _, to := range []spec.Version{spec.V03, spec.V10} {
			if q, _ := translate.RequestTo(c, to); q != nil {
				check(&q.Message)
			}
			if m, _ := translate.CardTo(c, to); m != nil {
				check(m)
			}
			if m, _ := translate.DeliveryTo(c, to); m != nil {
				check(m)
			}
			if m, _ := translate.AnswerTo(c, to); m != nil {
				check(m)
			}
			for i := range c.Events {
				if m, _ := translate.EventTo(c, &c.Events[i], to); m != nil {
					check(m)
				}
			}
		}
	})
}
