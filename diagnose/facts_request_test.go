package diagnose

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func TestUnknownMember(t *testing.T) {
	for said, want := range map[string]string{
		`Message type "lf.a2a.v1.Message" has no field named "kind" at "SendMessageRequest.message".`: "kind",
		`Cannot find field: metadata in message lf.a2a.v1.GetTaskRequest`:                             "metadata",
		`proto: (line 1:60): unknown field "priority"`:                                                "priority",
		"unknown field `foo`, expected one of `id`, `tenant`":                                         "foo",
		`Unrecognized field "blocking" (class Foo), not marked as ignorable`:                          "blocking",
		`Additional properties are not allowed ('kind' was unexpected)`:                               "kind",
		`Invalid JSON payload received. Unknown name "cursor" at 'request': Cannot find field.`:       "cursor",
		`the field id is required`: "",
		`unknown field`:            "",
		`unknown field "a b"`:      "",
		`UNKNOWN FIELD 'ID'`:       "ID",
	} {
		check(t, said, unknownMember(said, lower(said)), want)
	}
}

func TestNamedMember(t *testing.T) {
	for said, want := range map[string]string{
		`message.parts[0].text must not be empty`: "message.parts[0].text",
		`Invalid params: message.role: Input`:     "message.role",
		`/params/message/parts is missing`:        "params/message/parts",
		`The message. It is too long`:             "",
		`see message.json`:                        "",
		`no such user`:                            "",
		`configuration.historyLength is negative`: "configuration.historyLength",
	} {
		check(t, said, namedMember(said), want)
	}
	for path, want := range map[string]string{"message.parts[0].text": "text", "message.parts[0]": "parts", "id": "id", "params/message/role": "role", "": ""} {
		check(t, path, lastName(path), want)
	}
}

func TestDemands(t *testing.T) {
	for _, c := range []struct {
		said, asked string
		want        []string
	}{
		{"role must be ROLE_USER or ROLE_AGENT", "0.3", []string{"ROLE_USER", "ROLE_AGENT"}},
		{"role must be ROLE_USER", "1.0", nil},
		{"Input should be 'agent' or 'user'", "1.0", []string{"user", "agent"}},
		{"unknown 'user'", "1.0", nil}, // a name, and nothing that is wanted
		{"message.parts.0.kind is required", "1.0", []string{"kind"}},
		{`expected "user" and "kind"`, "0.3", nil},
		{"this kind of agent", "1.0", nil},
		{"role must be ROLE_USER", "", nil},
	} {
		if got := demands(lower(c.said), c.asked, nil); !slices.Equal(got, c.want) {
			t.Errorf("%q in a %s call: %q, want %q", c.said, c.asked, got, c.want)
		}
	}
}

func TestRefusedPart(t *testing.T) {
	const body = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{"url":"https://a.example"},{"data":1}]}}`
	for _, c := range []struct{ said, part, at string }{
		{"parts[1]: expected text", "url", "/message/parts/1"},
		{"message.parts.2 is invalid", "data", "/message/parts/2"},
		{"parts[0].text is empty", "", ""}, // the text part
		{"parts[9] is bad", "", ""},
		{"only text is supported", "url", "/message/parts/1"},
		{"no", "", ""},
	} {
		w := newWorld(t)
		f := filled(w.rpc("a.example", "/", "SendMessage", params(body), fails(spec.StdError, decode.Fault{Shape: "rpc-nodata", Code: -32602, Std: "InvalidParamsError", Message: c.said})))
		check(t, c.said, f.Call.Refusal.Part, c.part)
		if !strings.HasSuffix(f.Call.Refusal.PartAt, c.at) {
			t.Errorf("%s: at %q, want %q", c.said, f.Call.Refusal.PartAt, c.at)
		}
		check(t, c.said+": invalid", f.Call.Refusal.Invalid, true)
	}
}

func TestLooksTwice(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01")
	long := []byte(strings.Repeat("plain words, and more of them. ", 40))
	for name, c := range map[string]struct {
		value string
		want  bool
	}{
		"png once":        {b64(png), false},
		"png twice":       {b64([]byte(b64(png))), true},
		"text once":       {b64(long), false},
		"text twice":      {b64([]byte(b64(long))), true},
		"a word":          {b64([]byte("antidisestablishmentarianism")), false},
		"short":           {b64([]byte(b64([]byte("hi")))), false},
		"not base64":      {"!!!! not base64 at all !!!!!!!!!", false},
		"binary once":     {b64([]byte(strings.Repeat("\x00\x01\xfe\xff", 20))), false},
		"umlauts, cut":    {b64([]byte(b64([]byte(strings.Repeat("ü", 200))))), true},
		"hex of a digest": {b64([]byte(strings.Repeat("deadbeef", 8))), false},
	} {
		n := jsontree.Parse([]byte(`{"f":"` + c.value + `"}`)).Root().Get("f")
		check(t, name, looksTwice(n), c.want)
	}
}

func TestQueryNames(t *testing.T) {
	for _, c := range []struct {
		query   map[string]string
		strange []string
		right   string
	}{
		{map[string]string{"pageSize": "5", "tenant": "a", "A2A-Version": "1.0"}, nil, ""},
		{map[string]string{"page_size": "5"}, []string{"page_size"}, "pageSize"},
		{map[string]string{"PageSize": "5"}, []string{"PageSize"}, "pageSize"},
		{map[string]string{"lastUpdatedAfter": "x", "zzz": "1", "a": "1"}, []string{"a", "lastUpdatedAfter", "zzz"}, "statusTimestampAfter"},
		{map[string]string{"cursor": "x"}, []string{"cursor"}, "pageToken"},
		{map[string]string{"page_token": "x"}, []string{"page_token"}, "pageToken"},
		{map[string]string{"api_key": "x", "access_token": "y", "X-Amz-Signature": "z", "utm_source": "q", "traceparent": "t"}, nil, ""},
	} {
		w := newWorld(t)
		call := w.rest("a.example", "", "GET", "tasks", spec.ListTasks, spec.V10)
		call.Path.Query = c.query
		q := filled(call).Call.Query
		if !slices.Equal(q.Strange, c.strange) || q.Right != c.right {
			t.Errorf("%v: %q meant as %q, want %q and %q", c.query, q.Strange, q.Right, c.strange, c.right)
		}
		if (q.StrangeAt != "") != (len(c.strange) > 0) {
			t.Errorf("%v: at %q", c.query, q.StrangeAt)
		}
	}
}

func TestQueryValues(t *testing.T) {
	for _, c := range []struct{ name, value, bad string }{
		{"pageSize", "1", ""}, {"pageSize", "100", ""}, {"pageSize", "0", "1..100"}, {"pageSize", "101", "1..100"}, {"pageSize", "many", "1..100"}, {"pageSize", "", ""},
		{"historyLength", "0", ""}, {"historyLength", "-1", "not-negative"},
		{"status", "TASK_STATE_WORKING", ""}, {"status", "working", "state"}, {"status", "TASK_STATE_CANCELLED", "state"}, {"status", "TASK_STATE_CANCELED", ""}, {"status", "TASK_STATE_RUNNING", "state"},
		{"includeArtifacts", "true", ""}, {"includeArtifacts", "True", "boolean"},
		{"statusTimestampAfter", "2026-01-31T12:00:00Z", ""}, {"statusTimestampAfter", "2026-01-31T12:00:00.123+02:00", ""}, {"statusTimestampAfter", "2026-01-31", "timestamp"},
	} {
		w := newWorld(t)
		call := w.rest("a.example", "", "GET", "tasks", spec.ListTasks, spec.V10)
		call.Path.Query = map[string]string{c.name: c.value}
		check(t, c.name+"="+c.value, filled(call).Call.Query.BadWant, c.bad)
	}
	for body, bad := range map[string]string{
		`{"pageSize":50}`: "", `{"pageSize":1000}`: "pageSize", `{"pageSize":null}`: "", `{"historyLength":-5}`: "historyLength",
		`{"status":"working"}`:      "", // the rules of enums speak
		`{"includeArtifacts":true}`: "", `{"includeArtifacts":"yes"}`: "includeArtifacts",
	} {
		w := newWorld(t)
		check(t, body, filled(w.rpc("a.example", "/", "ListTasks", params(body))).Call.Query.Bad, bad)
	}
}

// What an agent gave two webhooks the same id for is told only where the client sent none.
func TestReplaced(t *testing.T) {
	w := newWorld(t)
	create := func(url, sentID, gotID string) *decode.Call {
		return w.rpc("a.example", "/", "CreateTaskPushNotificationConfig", about("t1"), params(`{"taskId":"t1","url":"`+url+`"}`),
			result(`{"taskId":"t1","id":"`+gotID+`","url":"`+url+`"}`),
			func(c *decode.Call) { c.Push = &decode.PushFact{URL: url, TaskID: "t1", ConfigID: sentID} })
	}
	check(t, "first", w.run(create("https://h.example/a", "", "x")).Call.Replaced.Is, false)
	check(t, "same url", w.look(create("https://h.example/a", "", "x")).Call.Replaced.Is, false)
	check(t, "id chosen", w.look(create("https://h.example/b", "x", "x")).Call.Replaced.Is, false)
	check(t, "another id", w.look(create("https://h.example/b", "", "y")).Call.Replaced.Is, false)
	f := w.look(create("https://h.example/b", "", "x"))
	check(t, "second", f.Call.Replaced.Is, true)
	check(t, "before", f.Call.Replaced.URL, "https://h.example/a")
}
