package schema

import (
	"encoding/base64"
	"strings"
	"testing"

	"a2ascope/decode/spec"
)

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name, msg string
		v         spec.Version
		in        string
		want      []byte
	}{
		{"both names of a field", "GetTaskRequest", spec.V10, `{"history_length":3,"id":"t"}`, wireOf{}.len(2, "t").num(3, 3)},
		{"json_name of 0.3", "SendMessageRequest", spec.V03, `{"message":{"messageId":"m"}}`, wireOf{}.len(1, string(wireOf{}.len(1, "m")))},
		{"proto name of 0.3", "SendMessageRequest", spec.V03, `{"request":{"messageId":"m"}}`, wireOf{}.len(1, string(wireOf{}.len(1, "m")))},
		{"alias", "Message", spec.V03, `{"parts":[{"text":"x"}]}`, wireOf{}.len(5, string(wireOf{}.len(1, "x")))},
		{"optional zero is sent", "GetTaskRequest", spec.V10, `{"historyLength":0}`, wireOf{}.num(3, 0)},
		{"plain zero is not", "GetTaskRequest", spec.V03, `{"historyLength":0}`, nil},
		{"null is unset", "GetTaskRequest", spec.V10, `{"id":null}`, nil},
		{"numbers as strings", "GetTaskRequest", spec.V10, `{"historyLength":"7"}`, wireOf{}.num(3, 7)},
		{"enum by number", "TaskStatus", spec.V10, `{"state":42}`, wireOf{}.num(1, 42)},
		{"enum by name", "TaskStatus", spec.V03, `{"state":"TASK_STATE_CANCELLED"}`, wireOf{}.num(1, 5)},
		{"time with offset", "TaskStatus", spec.V10, `{"timestamp":"1970-01-01T01:00:00.5+01:00"}`, wireOf{}.len(3, string(wireOf{}.num(2, 500000000)))},
		{"url-safe base64", "Part", spec.V10, `{"raw":"_-8"}`, wireOf{}.len(2, "\xff\xef")},
		{"unknown field on purpose", "GetTaskRequest", spec.V10, `{"?12":5,"?13":"x","?14":{"?i32":1},"id":"t"}`,
			append(wireOf{}.len(2, "t").num(12, 5).len(13, "x"), 14<<3|5, 1, 0, 0, 0)},
		{"wrong type on purpose", "GetTaskRequest", spec.V10, `{"id":{"?varint":9}}`, wireOf{}.num(2, 9)},
		{"no UTF-8 on purpose", "GetTaskRequest", spec.V10, `{"id":{"?bytes":"/w"}}`, wireOf{}.len(2, "\xff")},
		{"no message on purpose", "Task", spec.V10, `{"artifacts":[{"artifactId":"a"},{"?text":"hm"}]}`, wireOf{}.len(4, string(wireOf{}.len(1, "a"))).len(4, "hm")},
		{"a form in a Struct is data", "Task", spec.V10, `{"metadata":{"?bytes":"eA"}}`,
			wireOf{}.len(6, string(wireOf{}.len(1, string(wireOf{}.len(1, "?bytes").len(2, string(wireOf{}.len(3, "eA")))))))},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Encode(named(t, c.v, c.msg), []byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(c.want) {
				t.Errorf("got  %x\nwant %x", got, c.want)
			}
		})
	}
}

func TestEncodeNamesThePlace(t *testing.T) {
	for _, c := range []struct{ msg, in, want string }{
		{"Task", `{"id":"t","artifacts":[{"artifactId":"a","partz":[]}]}`, `/artifacts/0/partz: Artifact has no field "partz"; it has artifactId,`},
		{"Task", `{"status":{"state":"working"}}`, `/status/state: TaskState has no value "working"; it has TASK_STATE_UNSPECIFIED`},
		{"Task", `{"status":5}`, "/status: number where an object (TaskStatus) should be"},
		{"Task", `{"history":{}}`, "/history: object where an array should be"},
		{"Task", `{"id":5}`, "/id: number where a string should be"},
		{"Part", `{"text":"a","url":"b"}`, "/url: text and url are members of the same oneof"},
		{"Part", `{"raw":"!"}`, "/raw: not base64"},
		{"GetTaskRequest", `{"historyLength":1.5}`, "/historyLength: 1.5 is no whole number"},
		{"GetTaskRequest", `{"historyLength":3000000000}`, "/historyLength: 3000000000 is no whole number of 32 bits"},
		{"GetTaskRequest", `{"?12":[]}`, "/?12: array where a number"},
		{"GetTaskRequest", `{"?12":{"?rest":1}}`, `/?12: unknown form "?rest"`},
		{"GetTaskRequest", `{"?0":1}`, `/?0: GetTaskRequest has no field "?0"`},
		{"GetTaskRequest", `{"?12":{"?group":"eA=="}}`, "/?12/?group: not the fields of group 12"},
		{"TaskStatus", `{"timestamp":"yesterday"}`, `/timestamp: "yesterday" is no time`},
		{"TaskStatus", `[]`, "the whole value: array where an object"},
		{"TaskStatus", `{"state"`, "not JSON"},
		{"google.rpc.Status", `{"details":[{"reason":"X"}]}`, `/details/0: an object with "@type"`},
		{"google.rpc.Status", `{"details":[{"@type":"x/y.Z","reason":"X"}]}`, `/details/0: the type "x/y.Z" is not known`},
		{"google.rpc.Status", `{"details":[{"@type":"x/google.rpc.ErrorInfo","reasons":"X"}]}`, `/details/0/reasons: google.rpc.ErrorInfo has no field "reasons"`},
	} {
		_, err := Encode(named(t, spec.V10, c.msg), []byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.msg+": ") {
			t.Errorf("%s: %v\nwant … %s", c.in, err, c.want)
		}
	}
	if _, err := Encode(Message{}, []byte("{}")); err == nil {
		t.Error("the zero message encodes")
	}
}

func TestEncodeGRPC(t *testing.T) {
	for _, c := range []struct {
		path     string
		response bool
		in       string
		want     []byte
		err      string
	}{
		{"/lf.a2a.v1.A2AService/GetTask", false, `{"id":"t"}`, wireOf{}.len(2, "t"), ""},
		{"/lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig", true, `{}`, nil, ""},
		{"/a2a.v1.A2AService/GetTask", false, `{"name":"tasks/t"}`, wireOf{}.len(1, "tasks/t"), ""},
		{"/a2a.v1.A2AService/GetTask", false, `{"id":"t","tenant":"a"}`, wireOf{}.len(1, "t").len(3, "a"), ""}, // only the draft has these
		{"/a2a.v1.A2AService/GetTask", false, `{"nome":"t"}`, nil, `GetTaskRequest: /nome: GetTaskRequest has no field "nome"; it has name`},
		{"/a2a.v1.A2AService/SubscribeToTask", true, `{"task":{"id":"t"}}`, wireOf{}.len(1, string(wireOf{}.len(1, "t"))), ""},
		{"/lf.a2a.v1.A2AService/TaskSubscription", false, `{}`, nil, "did you mean /a2a.v1.A2AService/TaskSubscription"},
		{"/lf.a2a.v1.A2AService/Dance", false, `{}`, nil, "services are lf.a2a.v1.A2AService and a2a.v1.A2AService"},
		{"GetTask", false, `{}`, nil, "is no gRPC path"},
	} {
		got, err := EncodeGRPC(c.path, c.response, []byte(c.in))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want … %s", c.path, err, c.err)
			}
			continue
		}
		if err != nil || string(got) != string(c.want) {
			t.Errorf("%s: %x %v, want %x", c.path, got, err, c.want)
		}
	}
}

func TestStatus(t *testing.T) {
	in := `{"code":5,"message":"no task","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1"}},` +
		`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id","description":"missing"}]},` +
		`{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":1}},` +
		`{"@type":"example.com/own.Type","value":"AAE="}]}`
	wire, err := EncodeStatus([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"padded": base64.StdEncoding.EncodeToString(wire), "raw": base64.RawStdEncoding.EncodeToString(wire),
		"url": base64.URLEncoding.EncodeToString(wire), "joined": " " + base64.RawURLEncoding.EncodeToString(wire) + ",AAAA",
	} {
		s, err := DecodeStatusDetails(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.Code != 5 || s.Message != "no task" || len(s.Details) != 4 || len(s.Broken)+len(s.Unknown) > 0 {
			t.Fatalf("%s: %+v", name, s)
		}
		if string(s.JSON) != in {
			t.Errorf("%s: %s", name, s.JSON)
		}
		info, bad := s.Details[0].ErrorInfo, s.Details[1].BadRequest
		if info == nil || info.Reason != "TASK_NOT_FOUND" || info.Domain != spec.ErrorDomain || info.Metadata["taskId"] != "t1" {
			t.Errorf("%+v", info)
		}
		if len(bad) != 1 || bad[0] != (FieldViolation{"id", "missing"}) {
			t.Errorf("%+v", bad)
		}
		if string(s.Details[3].JSON) != `{"@type":"example.com/own.Type","value":"AAE="}` || s.Details[3].ErrorInfo != nil {
			t.Errorf("%s", s.Details[3].JSON)
		}
	}
	if _, err := DecodeStatusDetails("{not base64}"); err == nil {
		t.Error("no error")
	}
	s, err := DecodeStatusDetails(base64.StdEncoding.EncodeToString(wireOf{}.num(1, 13).len(3, string(wireOf{}.len(1, "x/google.rpc.ErrorInfo").len(2, "\xff")))))
	if err != nil || s.Code != 13 || len(s.Broken) != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if s, err := DecodeStatusDetails(""); err != nil || s.Code != 0 || len(s.Details) != 0 {
		t.Errorf("%+v %v", s, err)
	}
}
