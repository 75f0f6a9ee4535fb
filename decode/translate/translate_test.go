package translate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
)

// call makes a call of a request ("POST /x A2A-Version=1.0 body") and an answer.
func call(line, answer string) *decode.Call {
	r := newReader()
	at := time.Unix(1000, 0).UTC()
	n := uint64(0)
	send := func(from capture.Side, b capture.EventBody) {
		n++
		_ = r.Events([]capture.Event{{Exchange: capture.NewExchangeID(1, 1), Conn: 1, Seq: n, At: at, From: from, Body: b, Link: &capture.Link{}}})
	}
	h := &capture.Head{Proto: "HTTP/1.1", Authority: "agent.example"}
	body := ""
	if i := strings.IndexByte(line, '{'); i >= 0 {
		line, body = line[:i], line[i:]
	}
	for i, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case i == 0:
			h.Method = word
		case i == 1:
			h.Target = word
		default:
			h.Fields = append(h.Fields, capture.Field{Name: name, Value: value})
		}
	}
	data, form := []byte(body), capture.WholeBody
	if strings.Contains(h.Target, "A2AService/") {
		h.Fields = append(h.Fields, capture.Field{Name: "content-type", Value: "application/grpc"})
		data, _ = schema.EncodeGRPC(h.Target, false, data)
		h.Proto, form = "HTTP/2", capture.GRPCMessage
	}
	send(capture.Client, h)
	if body != "" {
		send(capture.Client, &capture.Frame{Form: form, Data: data, Size: int64(len(data))})
	}
	send(capture.Client, &capture.BodyEnd{})
	if answer != "" {
		send(capture.Server, &capture.Head{Proto: "HTTP/1.1", Status: 200, Fields: capture.Fields{{Name: "Content-Type", Value: "application/json"}}})
		send(capture.Server, &capture.Frame{Data: []byte(answer), Size: int64(len(answer))})
		send(capture.Server, &capture.BodyEnd{})
	}
	send(capture.Server, &capture.End{})
	return r.calls[capture.NewExchangeID(1, 1)]
}

func rpc(method, params string) string {
	return `POST / {"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// tells compares changes with what is to be said of them, as effect/code/member;
// "!" begins what is not to be there.
func tells(t *testing.T, list []translate.Change, want string) {
	t.Helper()
	var out []string
	for _, c := range list {
		out = append(out, fmt.Sprintf("%s/%s/%s", c.Effect, c.Code, c.Member))
	}
	got := strings.Join(out, " ")
	for _, s := range strings.Fields(want) {
		if no, absent := strings.CutPrefix(s, "!"); absent == strings.Contains(got, no) {
			t.Errorf("%s in %s", s, got)
		}
	}
}

func TestRequests(t *testing.T) {
	const msg03 = `{"message":{"kind":"message","messageId":"m","role":"user","parts":%s}}`
	for _, c := range []struct {
		name, request string
		to            spec.Version
		line          string // verb and target
		body          string
		say           string // changes that must be there; with "!" that must not
	}{
		{"a send", rpc("message/send", fmt.Sprintf(msg03, `[{"kind":"text","text":"hi"}]`)), spec.V10, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`,
			"dropped/kind/kind changed/role/role changed/method/method added/version-header/A2A-Version differs/wait-default/returnImmediately !lost !unsaid"},
		{"files", rpc("message/send", fmt.Sprintf(msg03, `[{"kind":"file","file":{"name":"a.txt","bytes":"AA==","mimeType":"text/plain"},"metadata":{"k":1}},{"kind":"file","file":{"uri":"https://x/y"}}]`)), spec.V10, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"filename":"a.txt","raw":"AA==","mediaType":"text/plain","metadata":{"k":1}},{"url":"https://x/y"}]}}}`,
			"renamed/flat/bytes renamed/flat/uri !lost"},
		{"parts to 0.3", rpc("SendMessage", `{"tenant":"t","message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":[1]},{"url":"https://x","mediaType":"a/b"},{"text":"x","mediaType":"text/markdown"},{"strange":1}]}}`), spec.V03, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":{"value":[1]}},{"kind":"file","file":{"uri":"https://x","mimeType":"a/b"}},{"kind":"text","text":"x"},{"strange":1}]}}}`,
			"lost/tenant/tenant lost/data-object/data lost/no-place/mediaType unsaid/part-content/parts kept/unknown/strange"},
		{"two contents", rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","url":"y"}]}}`), spec.V03, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}}}`,
			"lost/part-content/url"},
		{"configuration", rpc("message/send", `{"message":{"kind":"message","messageId":"m","role":"agent","parts":[]},"configuration":{"blocking":false,"historyLength":0,"pushNotificationConfig":{"url":"https://h","token":"s","authentication":{"schemes":["Bearer","Basic"],"credentials":"c"}}},"metadata":{"a":1}}`), spec.V10, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[]},"configuration":{"returnImmediately":true,"historyLength":0,"taskPushNotificationConfig":{"url":"https://h","token":"s","authentication":{"scheme":"Bearer","credentials":"c"}}},"metadata":{"a":1}}}`,
			"changed/inverted/blocking lost/history-zero/historyLength lost/schemes-many/schemes renamed/name/pushNotificationConfig !wait-default"},
		{"unset is false in protobuf", `POST /v1/message:send {"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"a"}]},"configuration":{}}`, spec.V10, "POST /message:send",
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"returnImmediately":true}}`,
			"added/wait-default/returnImmediately changed/route/POST"},
		{"REST of 0.3 nests", `POST /base/v1/message:send {"message":{"messageId":"m","role":1,"content":[{"data":{"data":{"a":1}}},{"file":{"fileWithBytes":"AA==","mimeType":"a/b","name":"n"}}]}}`, spec.V10, "POST /base/message:send",
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"a":1}},{"raw":"AA==","mediaType":"a/b","filename":"n"}]}}`,
			"differs/twice-base64/fileWithBytes changed/role/role renamed/name/content !lost"},
		{"ids", rpc("tasks/pushNotificationConfig/get", `{"id":"t1","pushNotificationConfigId":"c1","metadata":{"a":1}}`), spec.V10, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"GetTaskPushNotificationConfig","params":{"taskId":"t1","id":"c1"}}`,
			"renamed/name/id renamed/name/pushNotificationConfigId lost/metadata/metadata"},
		{"no config named", rpc("tasks/pushNotificationConfig/get", `{"id":"t1"}`), spec.V10, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"GetTaskPushNotificationConfig","params":{"taskId":"t1"}}`, "unsaid/required/id"},
		{"a name to ids", `POST /a2a.v1.A2AService/DeleteTaskPushNotificationConfig {"name":"tasks/t1/pushNotificationConfigs/c1"}`, spec.V10,
			"POST /lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig", `{"taskId":"t1","id":"c1"}`, "changed/resource-name/name !unsaid added/version-header/a2a-version"},
		{"ids to a name", `POST /lf.a2a.v1.A2AService/GetTask a2a-version=1.0 {"id":"t1","historyLength":3}`, spec.V03,
			"POST /a2a.v1.A2AService/GetTask", `{"name":"tasks/t1","historyLength":3}`, "changed/resource-name/id dropped/version-header/a2a-version !lost"},
		{"what is no name", `POST /a2a.v1.A2AService/GetTask {"name":"tasks/t1/x"}`, spec.V10, "POST /lf.a2a.v1.A2AService/GetTask", `{"name":"tasks/t1/x"}`, "unsaid/resource-name/name unsaid/required/id"},
		{"wrapping a config", rpc("CreateTaskPushNotificationConfig", `{"taskId":"t","id":"c","url":"https://h","authentication":{"scheme":"Bearer"}}`), spec.V03, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"t","pushNotificationConfig":{"id":"c","url":"https://h","authentication":{"schemes":["Bearer"]}}}}`,
			"renamed/flat/pushNotificationConfig changed/schemes/scheme !unsaid"},
		{"a body that SDKs do not agree on", `POST /tasks/t%2F1/pushNotificationConfigs {"id":"c","url":"https://h"}`, spec.V03, "POST /v1/tasks/t%2F1/pushNotificationConfigs",
			`{"parent":"tasks/t/1","configId":"c","config":{"name":"tasks/t/1/pushNotificationConfigs/c","pushNotificationConfig":{"id":"c","url":"https://h"}}}`, "differs/create-body/config"},
		{"a query", "GET /tasks/t1?historyLength=5&A2A-Version=1.0&x=%20 a2a-extensions=https://e", spec.V03, "GET /v1/tasks/t1?historyLength=5&x=%20", "",
			"dropped/version-header/A2A-Version kept/unknown/x renamed/extensions/a2a-extensions"},
		{"a page", "GET /tasks/t1/pushNotificationConfigs?pageSize=5 A2A-Version=1.0", spec.V03, "GET /v1/tasks/t1/pushNotificationConfigs", "", "lost/query/pageSize"},
		{"a verb", "GET /v1/tasks/t1:subscribe Accept=text/event-stream", spec.V10, "POST /tasks/t1:subscribe", "{}", "changed/subscribe-verb/GET"},
		{"a media type", `POST /message:send Content-Type=application/a2a+json A2A-Version=1.0 {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`, spec.V03, "POST /v1/message:send",
			`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"a"}]}}`, "changed/media-type/Content-Type"},
		{"written as the other already", rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"returnImmediately":true,"blocking":true}}`), spec.V03, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"a"}]},"configuration":{"blocking":false}}}`,
			"differs/other-version/blocking"},
		{"a name of 1.0 and a body of 0.3", rpc("SendMessage", fmt.Sprintf(msg03, `[{"kind":"text","text":"hi"}]`)), spec.V10, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`, "!method changed/role/role"},
		{"only the name is of 1.0", rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"kind":"file","file":{"uri":"https://x"}},{"text":"hi","k":1}]},"configuration":{"blocking":true}}`), spec.V03, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"file","file":{"uri":"https://x"}},{"text":"hi","k":1,"kind":"text"}],"kind":"message"},"configuration":{"blocking":true}}}`,
			"changed/role/role added/kind/kind kept/unknown/k changed/method/method !lost !unsaid !differs"},
		{"a tenant in the path", "GET /base/acme/tasks/t1 A2A-Version=1.0", spec.V03, "GET /base/acme/v1/tasks/t1", "", "differs/base-tenant//base/acme"},
		{"an address that ends in /v1", "GET /base/v1/tasks/t1 A2A-Version=1.0", spec.V03, "GET /base/v1/tasks/t1", "", "differs/base-v1//v1"},
		{"not an object", rpc("SendMessage", `{"message":[1],"configuration":"x"}`), spec.V03, "POST /",
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":[1],"configuration":"x"}}`, "unsaid/type/Message unsaid/type/SendMessageConfiguration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, why := translate.RequestTo(call(c.request, ""), c.to)
			if q == nil {
				t.Fatalf("no translation: %s", why)
			}
			if got := q.Verb + " " + q.Target; got != c.line {
				t.Errorf("sent to %s, want %s", got, c.line)
			}
			if string(q.Body) != c.body {
				t.Errorf("body\n%s\nwant\n%s", q.Body, c.body)
			}
			tells(t, q.Changes, c.say)
		})
	}
}

func TestAnswers(t *testing.T) {
	get := rpc("tasks/get", `{"id":"t"}`)
	for _, c := range []struct {
		name, request, answer string
		to                    spec.Version
		result, say           string
	}{
		{"a task", get, `{"kind":"task","id":"t","contextId":"c","status":{"state":"canceled","timestamp":"2025-01-02T03:04:05+02:00"},"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"x"}]}]}`, spec.V10,
			`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELED","timestamp":"2025-01-02T01:04:05Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}`,
			"changed/state/state changed/timestamp/timestamp !lost !unsaid"},
		{"what is unclear", get, `{"kind":"task","id":"t","status":{"state":"unknown","timestamp":"yesterday"}}`, spec.V10,
			`{"id":"t","status":{"state":"TASK_STATE_UNSPECIFIED","timestamp":"yesterday"}}`, "changed/state-unknown/state unsaid/timestamp-form/timestamp"},
		{"no context", rpc("GetTask", `{"id":"t"}`), `{"id":"t","status":{"state":"TASK_STATE_PAUSED"},"artifacts":[]}`, spec.V03,
			`{"kind":"task","id":"t","status":{"state":"TASK_STATE_PAUSED"},"artifacts":[]}`, "unsaid/required/contextId unsaid/enum-unknown/state"},
		{"wrapped", rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`), `{"message":{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":"b"}]}}`, spec.V03,
			`{"kind":"message","messageId":"m2","role":"agent","parts":[{"kind":"text","text":"b"}]}`, "changed/wrapper/message !lost"},
		{"configs", rpc("ListTaskPushNotificationConfigs", `{"taskId":"t"}`), `{"configs":[{"taskId":"t","id":"c","url":"https://h"}],"nextPageToken":"x"}`, spec.V03,
			`[{"taskId":"t","pushNotificationConfig":{"id":"c","url":"https://h"}}]`, "lost/page-token/nextPageToken changed/wrapper/configs"},
		{"a list of them", rpc("tasks/pushNotificationConfig/list", `{"id":"t"}`), `[{"taskId":"t","pushNotificationConfig":{"id":"c","url":"https://h"}}]`, spec.V10,
			`{"configs":[{"taskId":"t","id":"c","url":"https://h"}]}`, "!lost"},
		{"nothing", rpc("tasks/pushNotificationConfig/delete", `{"id":"t","pushNotificationConfigId":"c"}`), `null`, spec.V10, `null`, "!lost"},
		{"an empty object", rpc("DeleteTaskPushNotificationConfig", `{"taskId":"t","id":"c"}`), `{}`, spec.V03, `null`, "!lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, why := translate.AnswerTo(call(c.request, `{"jsonrpc":"2.0","id":1,"result":`+c.answer+`}`), c.to)
			if m == nil {
				t.Fatalf("no translation: %s", why)
			}
			if want := `{"jsonrpc":"2.0","id":1,"result":` + c.result + `}`; string(m.Body) != want {
				t.Errorf("answer\n%s\nwant\n%s", m.Body, want)
			}
			tells(t, m.Changes, c.say)
		})
	}
}

func TestWhyNot(t *testing.T) {
	for _, c := range []struct {
		name, request, answer string
		to                    spec.Version
		asked, answered       translate.Reason
	}{
		{"no operation of 0.3", rpc("ListTasks", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"tasks":[]}}`, spec.V03, translate.NoOperation, translate.NoOperation},
		{"an error of REST", "GET /tasks/t", `{"error":{"code":404,"status":"NOT_FOUND","message":"no"}}`, spec.V03, "", translate.NoSuccess},
		{"a card", "GET /.well-known/agent-card.json", `{"name":"x"}`, spec.V03, translate.NotACall, translate.NotACall},
		{"an extended card", rpc("GetExtendedAgentCard", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"name":"x","supportedInterfaces":[]}}`, spec.V03, "", translate.OtherObject},
		{"too old", rpc("tasks/send", `{"id":"t","message":{"role":"user","parts":[]}}`), "", spec.V10, translate.NoVersion, translate.NoVersion},
		{"no answer", rpc("GetTask", `{"id":"t"}`), "", spec.V03, "", translate.Unreadable},
		{"cut off", rpc("GetTask", `{"id":"t"}`) + ",", "", spec.V03, translate.Unreadable, translate.Unreadable},
		{"something else", rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`), `{"jsonrpc":"2.0","id":1,"result":{"taskStatusUpdate":{}}}`, spec.V03, "", translate.OtherObject},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := call(c.request, c.answer)
			if _, why := translate.RequestTo(x, c.to); why != c.asked {
				t.Errorf("the request: %q, want %q", why, c.asked)
			}
			if _, why := translate.AnswerTo(x, c.to); why != c.answered {
				t.Errorf("the answer: %q, want %q", why, c.answered)
			}
		})
	}
}

// TestErrors: the codes are the same in both versions, what stands in data is not.
func TestErrors(t *testing.T) {
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}`
	const other = `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[]}`
	old, now := rpc("tasks/get", `{"id":"t"}`), rpc("GetTask", `{"id":"t"}`)
	for _, c := range []struct {
		name, request, err, want string
		say                      []string
		back                     bool // and back again it is the same
	}{
		{"code alone", old, `"code":-32001,"message":"no"`, `"code":-32001,"message":"no","data":[` + info + `]`,
			[]string{"added error-detail data → /error/data"}, true},
		{"free data", old, `"code":-32001,"data":{"a":1},"message":"no"`,
			`"code":-32001,"data":[` + info + `,{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":1}}],"message":"no"`,
			[]string{"added error-detail data → /error/data", "changed error-data data response/frame/0#/error/data → /error/data"}, true},
		{"data of a standard error", old, `"code":-32602,"message":"no","data":"x"`, `"code":-32602,"message":"no","data":[{"@type":"type.googleapis.com/google.protobuf.Value","value":"x"}]`,
			[]string{"changed error-data data response/frame/0#/error/data → /error/data"}, true},
		{"an empty list", old, `"code":-32001,"message":"no","data":[]`, `"code":-32001,"message":"no","data":[` + info + `,{"@type":"type.googleapis.com/google.protobuf.Value","value":[]}]`,
			[]string{"added error-detail data → /error/data", "changed error-data data response/frame/0#/error/data → /error/data"}, true},
		{"nothing to say", old, `"code":-32603,"message":"no"`, `"code":-32603,"message":"no"`, nil, true},
		{"typed without a name", old, `"code":-32001,"message":"no","data":[` + other + `]`, `"code":-32001,"message":"no","data":[` + other + `]`,
			[]string{"unsaid error-detail data response/frame/0#/error/data → /error/data"}, false},

		{"named", now, `"code":-32001,"message":"no","data":[` + info + `]`, `"code":-32001,"message":"no"`,
			[]string{"dropped error-detail data response/frame/0#/error/data"}, true},
		{"named, with more", now, `"code":-32001,"message":"no","data":[` + info + `,` + other + `]`, `"code":-32001,"message":"no","data":[` + info + `,` + other + `]`, nil, true},
		{"details of a standard error", now, `"code":-32602,"message":"no","data":[` + other + `]`, `"code":-32602,"message":"no","data":[` + other + `]`, nil, true},
		{"not in 0.3", now, `"code":-32009,"message":"no","data":[` + strings.Replace(info, "TASK_NOT_FOUND", "VERSION_NOT_SUPPORTED", 1) + `]`, `"code":-32009,"message":"no"`,
			[]string{"lost error-code code response/frame/0#/error/code → /error/code", "dropped error-detail data response/frame/0#/error/data"}, false},
		{"not named", now, `"code":-32001,"message":"no"`, `"code":-32001,"message":"no"`, []string{"differs other-version error response/frame/0#/error → /error"}, false},
		{"not typed", now, `"code":-32602,"message":"no","data":{"a":1}`, `"code":-32602,"message":"no","data":{"a":1}`,
			[]string{"differs other-version data response/frame/0#/error/data → /error/data"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			envelope := func(e string) string { return `{"jsonrpc":"2.0","id":1,"error":{` + e + `}}` }
			to, other := spec.V10, now
			if c.request == now {
				to, other = spec.V03, old
			}
			m, why := translate.AnswerTo(call(c.request, envelope(c.err)), to)
			if m == nil {
				t.Fatalf("no translation: %s", why)
			}
			if string(m.Body) != envelope(c.want) {
				t.Errorf("got\n%s\nwant\n%s", m.Body, envelope(c.want))
			}
			var say []string
			for _, x := range m.Changes {
				said := fmt.Sprintf("%s %s %s", x.Effect, x.Code, x.Member)
				if x.From != "" {
					said += " " + string(x.From)
				}
				if x.To != "" {
					said += " → " + x.To
				}
				say = append(say, said)
			}
			if !slices.Equal(say, c.say) {
				t.Errorf("changes %q, want %q", say, c.say)
			}
			if m.Lossless() != c.back {
				t.Errorf("lossless: %v", m.Lossless())
			}
			again, why := translate.AnswerTo(call(other, string(m.Body)), m.From)
			if again == nil {
				t.Fatalf("not back: %s", why)
			}
			if same := string(again.Body) == envelope(c.err); c.back && !same {
				t.Errorf("back again it is %s", again.Body)
			}
		})
	}
}

// TestDeliveries: 0.3 posts a task, 1.0 what it would send in a stream.
func TestDeliveries(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
		to               spec.Version
		say              string
		why              translate.Reason
	}{
		{"a task of 0.3", `{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}`, `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`,
			spec.V10, "dropped/kind/kind changed/wrapper/task changed/state/state", ""},
		{"an event of a 0.3 SDK", `{"kind":"status-update","taskId":"t","contextId":"c","final":true,"status":{"state":"completed"}}`,
			`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`, spec.V10, "changed/wrapper/statusUpdate", ""},
		{"a task of 1.0", `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`, `{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}`,
			spec.V03, "added/kind/kind changed/wrapper/task changed/media-type/Content-Type", ""},
		{"an update of 1.0", `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`, "", spec.V03, "", translate.NoTask},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, why := translate.DeliveryTo(call("POST /hook Content-Type=application/a2a+json X-A2A-Notification-Token=abc "+c.body, ""), c.to)
			if why != c.why {
				t.Fatalf("why %q, want %q", why, c.why)
			}
			if m == nil {
				return
			}
			if string(m.Body) != c.want {
				t.Errorf("got\n%s\nwant\n%s", m.Body, c.want)
			}
			tells(t, m.Changes, c.say)
		})
	}
	if _, why := translate.DeliveryTo(call(rpc("GetTask", `{"id":"t"}`), ""), spec.V03); why != translate.NotACall {
		t.Errorf("a call: %q", why)
	}
}
