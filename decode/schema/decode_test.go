package schema

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func named(t testing.TB, v spec.Version, name string) Message {
	t.Helper()
	m, ok := Named(v, name)
	if !ok {
		t.Fatalf("%s has no %s", v, name)
	}
	return m
}

// wireOf builds bytes: len(n, x) is a length-delimited field, num(n, x) a varint.
type wireOf []byte

func (w wireOf) len(n protowire.Number, payload string) wireOf {
	return protowire.AppendString(protowire.AppendTag(w, n, protowire.BytesType), payload)
}

func (w wireOf) num(n protowire.Number, v uint64) wireOf {
	return protowire.AppendVarint(protowire.AppendTag(w, n, protowire.VarintType), v)
}

func TestDecode(t *testing.T) {
	part := string(wireOf{}.len(1, "hi"))
	for _, c := range []struct {
		name string
		v    spec.Version
		msg  string
		wire []byte
		want string
		iss  string // pointer: text; …
	}{
		{"members in the order of the wire", spec.V10, "Task", wireOf{}.len(2, "c1").len(1, "t1").len(3, string(wireOf{}.num(1, 3))),
			`{"contextId":"c1","id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}`, ""},
		{"the same number is the old name in 0.3", spec.V03, "TaskStatus", wireOf{}.num(1, 5), `{"state":"TASK_STATE_CANCELLED"}`, ""},
		{"json_name of 0.3", spec.V03, "SendMessageRequest", wireOf{}.len(1, string(wireOf{}.len(1, "m").num(4, 1).len(5, part))),
			`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}`, ""},
		{"unknown enum numbers stay numbers", spec.V10, "TaskStatus", wireOf{}.num(1, 77), `{"state":77}`, "/state: the enum TaskState has no number 77"},
		{"negative enum", spec.V10, "TaskStatus", wireOf{}.num(1, 1<<64-1), `{"state":-1}`, "/state: the enum TaskState has no number -1"},
		{"unknown fields", spec.V10, "GetTaskRequest", wireOf{}.len(2, "t").num(12, 300).len(900, "x").len(13, "\x00"),
			`{"id":"t","?12":300,"?900":"x","?13":{"?bytes":"AA=="}}`, "/?12: the schema has no field 12; /?900: the schema has no field 900; /?13: the schema has no field 13"},
		{"1.0 GetTask read as 0.3", spec.V03, "GetTaskRequest", wireOf{}.len(2, "task-1").num(3, 4),
			`{"historyLength":{"?text":"task-1"},"?3":4}`, "/historyLength: wire type len where a number should be; /?3: the schema has no field 3"},
		{"a number where a string should be", spec.V10, "GetTaskRequest", wireOf{}.num(2, 9), `{"id":{"?varint":9}}`, "/id: wire type varint where a string should be"},
		{"no UTF-8", spec.V10, "GetTaskRequest", wireOf{}.len(2, "\xff\xfe"), `{"id":{"?bytes":"//4="}}`, "/id: no UTF-8 where a string should be"},
		{"no message", spec.V10, "Task", wireOf{}.len(3, "\xff\xff").len(1, "t"), `{"status":{"?bytes":"//8="},"id":"t"}`, "/status: no protobuf message"},
		{"scattered elements come together", spec.V10, "Message", wireOf{}.len(7, "a").len(1, "m").len(7, "b").len(8, "r").len(7, "c"),
			`{"extensions":["a","b","c"],"messageId":"m","referenceTaskIds":["r"]}`, ""},
		{"a field twice", spec.V10, "GetTaskRequest", wireOf{}.len(2, "a").len(2, "b"), `{"id":{"?twice":["a","b"]}}`, "/id: the field is there more than once; readers take the last or merge them"},
		{"a field twice, the second cut", spec.V10, "GetTaskRequest", wireOf{}.len(2, "a").num(3, 1).len(2, "bcd")[:8], `{"id":{"?twice":["a","b"]},"historyLength":1}`,
			"/id: the field is there more than once; readers take the last or merge them; /id/?twice/1: cut: 1 of 3 bytes are here"},
		{"a message twice, scattered", spec.V10, "Task", wireOf{}.len(3, string(wireOf{}.num(1, 2))).len(1, "t").len(3, string(wireOf{}.num(1, 3))),
			`{"status":{"?twice":[{"state":"TASK_STATE_WORKING"},{"state":"TASK_STATE_COMPLETED"}]},"id":"t"}`, "/status: the field is there more than once; readers take the last or merge them"},
		{"two members of a oneof", spec.V10, "Part", wireOf{}.len(1, "a").len(3, "u"), `{"text":"a","url":"u"}`, ": more than one member of the oneof content is set"},
		{"cut in a string", spec.V10, "GetTaskRequest", wireOf{}.len(2, "abcdé")[:7], `{"id":"abcd"}`, "/id: cut: 5 of 6 bytes are here"},
		{"cut in a message, repeated before", spec.V10, "Task", wireOf{}.len(1, "t").len(4, string(wireOf{}.len(1, "a"))).len(4, string(wireOf{}.len(1, "b").len(2, "name")))[:17],
			`{"id":"t","artifacts":[{"artifactId":"a"},{"artifactId":"b","name":"na"}]}`, "/artifacts/1: cut: 7 of 9 bytes are here; /artifacts/1/name: cut: 2 of 4 bytes are here"},
		{"garbage behind", spec.V10, "GetTaskRequest", append(wireOf{}.len(2, "t"), 0xff), `{"id":"t","?rest":{"?bytes":"/w=="}}`, "/?rest: 1 bytes are no protobuf fields"},
		{"bytes", spec.V10, "Part", wireOf{}.len(2, "\x00\x01\xfe"), `{"raw":"AAH+"}`, ""},
		{"0.3 file read as 1.0", spec.V10, "Part", wireOf{}.len(2, string(wireOf{}.len(1, "http://x"))), `{"raw":"CghodHRwOi8veA=="}`, ""},
		{"bool and int32", spec.V10, "SendMessageConfiguration", wireOf{}.num(4, 1).num(3, 1<<64-5), `{"returnImmediately":true,"historyLength":-5}`, ""},
		{"timestamp", spec.V10, "TaskStatus", wireOf{}.len(3, string(wireOf{}.num(1, 1767323045).num(2, 120000000))), `{"timestamp":"2026-01-02T03:04:05.120Z"}`, ""},
		{"timestamp, micros", spec.V10, "TaskStatus", wireOf{}.len(3, string(wireOf{}.num(1, 1767323045).num(2, 1000))), `{"timestamp":"2026-01-02T03:04:05.000001Z"}`, ""},
		{"timestamp, nanos", spec.V10, "TaskStatus", wireOf{}.len(3, string(wireOf{}.num(2, 1))), `{"timestamp":"1970-01-01T00:00:00.000000001Z"}`, ""},
		{"no time", spec.V10, "TaskStatus", wireOf{}.len(3, string(wireOf{}.num(1, 1<<40))), `{"timestamp":{"seconds":"1099511627776","nanos":0}}`, "/timestamp: no time between the years 1 and 9999"},
		{"control characters", spec.V10, "GetTaskRequest", wireOf{}.len(2, "a\n\"\\\x01é\x7f"), `{"id":"a\n\"\\\u0001é` + "\x7f" + `"}`, ""},
		{"map", spec.V10, "SecurityRequirement", wireOf{}.len(1, string(wireOf{}.len(1, "k").len(2, string(wireOf{}.len(1, "s"))))).len(1, string(wireOf{}.len(1, "e"))),
			`{"schemes":{"k":{"list":["s"]},"e":{}}}`, ""},
		{"broken map entry", spec.V10, "SecurityRequirement", wireOf{}.num(1, 5).len(1, "\xff"),
			`{"schemes":{"":{"?varint":5},"":{"?bytes":"/w=="}}}`, "/schemes/: no entry of a map; /schemes/: no entry of a map"},
		{"the type of an Any twice, the first no UTF-8", spec.V10, "google.rpc.Status", wireOf{}.len(3, string(wireOf{}.len(1, "\xff").len(1, "x/y"))),
			`{"details":[{"@type":"x/y"}]}`, "/details/0: a field of google.protobuf.Any is there more than once; the last one is shown"},
		{"an Any that is not what it says", spec.V10, "google.rpc.Status", wireOf{}.len(3, string(wireOf{}.len(1, "t/google.rpc.ErrorInfo").len(2, "\xff"))),
			`{"details":[{"@type":"t/google.rpc.ErrorInfo","value":{"?bytes":"/w=="}}]}`, "/details/0: no protobuf message of the type that @type names"},
		{"empty", spec.V10, "Task", nil, `{}`, ""},
		{"zero value on the wire", spec.V10, "GetTaskRequest", wireOf{}.num(3, 0), `{"historyLength":0}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Decode(named(t, c.v, c.msg), c.wire)
			if string(d.JSON) != c.want {
				t.Errorf("got  %s\nwant %s", d.JSON, c.want)
			}
			if got := issues(d); got != c.iss {
				t.Errorf("issues %q\nwant   %q", got, c.iss)
			}
			check(t, d, c.wire)
		})
	}
}

func issues(d Decoded) string {
	var out []string
	for _, i := range append(append([]Issue{}, d.Broken...), d.Unknown...) {
		out = append(out, i.Pointer+": "+i.Text)
	}
	return strings.Join(out, "; ")
}

// check asserts what Decode promises for any input.
func check(t *testing.T, d Decoded, wire []byte) {
	t.Helper()
	doc := jsontree.Parse(d.JSON)
	if doc.Err != nil {
		t.Fatalf("not JSON: %v\n%s", doc.Err, d.JSON)
	}
	if len(d.JSON) > 64*len(wire)+256 {
		t.Fatalf("%d bytes of JSON from %d", len(d.JSON), len(wire))
	}
	if len(d.Unknown) > maxIssues || len(d.Broken) > maxIssues {
		t.Fatal("issues are not bounded")
	}
	for _, list := range [][]Issue{d.Unknown, d.Broken} {
		for _, i := range list {
			if i.Text == "" || !reaches(doc.Root(), i.Pointer) {
				t.Errorf("issue %+v points to nothing in %s", i, d.JSON)
			}
		}
	}
}

// reaches follows a pointer; of members with the same name any will do, since maps may have keys twice.
func reaches(n jsontree.Node, pointer string) bool {
	if pointer == "" {
		return n.Exists()
	}
	token, rest, more := strings.Cut(pointer[1:], "/")
	if more {
		rest = "/" + rest
	}
	i := 0
	for c := range n.Children() {
		if n.IsArray() && strconv.Itoa(i) == token || n.IsObject() && jsontree.EscapePointer(c.Key()) == token {
			if reaches(c, rest) {
				return true
			}
		}
		i++
	}
	return false
}

func TestDecodeStruct(t *testing.T) {
	in := `{"metadata":{"n":null,"i":-3,"f":1.5,"big":1e+21,"tiny":1e-7,"s":"x","b":true,"o":{"a":[1,"two",[],{}]},"":0}}`
	m := named(t, spec.V10, "Task")
	wire, err := Encode(m, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	d := Decode(m, wire)
	check(t, d, wire)
	if len(d.Broken)+len(d.Unknown) > 0 {
		t.Error(issues(d))
	}
	want, got := jsontree.Parse([]byte(in)).Root().Get("metadata"), jsontree.Parse(d.JSON).Root().Get("metadata")
	if want.Len() != got.Len() {
		t.Fatalf("got %s", d.JSON)
	}
	for c := range want.Children() { // a Struct is a map: members come in the order of their names
		if g := got.Get(c.Key()); string(g.Raw()) != string(c.Raw()) {
			t.Errorf("%s = %s, want %s", c.Key(), g.Raw(), c.Raw())
		}
	}
	// NaN, and a Value without or with two kinds
	nan, _ := hex.DecodeString("11000000000000f87f")
	v := named(t, spec.V10, "google.protobuf.Value")
	for _, c := range []struct {
		wire []byte
		want string
	}{{nan, `"NaN"`}, {nil, "null"}, {wireOf{}.num(1, 0), "null"}, {wireOf{}.len(3, "a").num(4, 1), "true"}, {wireOf{}.len(5, "\xff"), `{"?bytes":"/w=="}`},
		{wireOf{}.len(6, "\xff").num(4, 1), "true"}} {
		d := Decode(v, c.wire)
		if string(d.JSON) != c.want {
			t.Errorf("%x = %s, want %s", c.wire, d.JSON, c.want)
		}
		check(t, d, c.wire)
	}
}

func TestDeepNestingEnds(t *testing.T) {
	wire := []byte{}
	for range 2000 { // Value{listValue{values{Value{…
		wire = wireOf{}.len(6, string(wireOf{}.len(1, string(wire))))
	}
	d := Decode(named(t, spec.V10, "google.protobuf.Value"), wire)
	check(t, d, wire)
	if !strings.Contains(issues(d), "nested too deeply") {
		t.Error(issues(d))
	}
}

func TestManyIssuesAreCounted(t *testing.T) {
	var wire wireOf
	for i := range 1000 {
		wire = wire.num(protowire.Number(100+i), 1)
	}
	d := Decode(named(t, spec.V10, "Task"), wire)
	check(t, d, wire)
	if len(d.Unknown) != maxIssues || d.Dropped != 1000-maxIssues {
		t.Errorf("%d listed, %d dropped", len(d.Unknown), d.Dropped)
	}
}

// When the path is lost the score tells the schema.
func TestScoreTellsTheSchema(t *testing.T) {
	text := `"parts":[{"text":"The quick brown fox"}]`
	for _, c := range []struct {
		v           spec.Version
		method, js  string
		response    bool
		undecidable bool // from the draft: only texts
	}{
		{spec.V03, "GetTask", `{"name":"tasks/t1"}`, false, false},
		{spec.V10, "GetTask", `{"id":"t1"}`, false, false},
		{spec.V10, "GetTask", `{"tenant":"acme","id":"t1","historyLength":3}`, false, false},
		{spec.V10Draft, "GetTask", `{"id":"t1"}`, false, false},
		{spec.V03, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER",` + text + `}}`, false, true},
		{spec.V10, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER",` + text + `}}`, false, false},
		{spec.V03, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithUri":"http://x/y","mimeType":"a/b"}}]}}`, false, false},
		{spec.V10Draft, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"a":1}}]}}`, false, false},
		{spec.V03, "SendMessage", `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","name":"n","description":"d",` + text + `}]}}`, true, true},
		{spec.V10, "SendMessage", `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","name":"n","description":"d",` + text + `}]}}`, true, false},
	} {
		m, _ := RequestOf(c.v, c.method)
		if c.response {
			m, _ = ResponseOf(c.v, c.method)
		}
		wire, err := Encode(m, []byte(c.js))
		if err != nil {
			t.Fatal(err)
		}
		mine := Decode(m, wire).Score
		for _, other := range []spec.Version{spec.V03, spec.V10Draft, spec.V10} {
			if other == c.v || c.undecidable && other == spec.V10Draft {
				continue
			}
			m, _ := RequestOf(other, c.method)
			if c.response {
				m, _ = ResponseOf(other, c.method)
			}
			if d := Decode(m, wire); d.Score >= mine {
				t.Errorf("%s %s %s: score %d, but as %s %d: %s", c.v, c.method, c.js, mine, other, d.Score, d.JSON)
			}
		}
	}
}

func TestLookups(t *testing.T) {
	if m, ok := RequestOf(spec.V10, "CreateTaskPushNotificationConfig"); !ok || m.Name() != "TaskPushNotificationConfig" || m.Version() != spec.V10 {
		t.Errorf("%s", m.Name())
	}
	if m, ok := ResponseOf(spec.V03, "TaskSubscription"); !ok || m.Name() != "StreamResponse" {
		t.Errorf("%s", m.Name())
	}
	if m, ok := RequestOf(spec.V02, "CreateTaskPushNotification"); !ok || m.Name() != "CreateTaskPushNotificationConfigRequest" {
		t.Errorf("%s", m.Name())
	}
	if m, ok := ResponseOf(spec.V10, "DeleteTaskPushNotificationConfig"); !ok || m.Name() != "google.protobuf.Empty" {
		t.Errorf("%s", m.Name())
	}
	for _, v := range []spec.Version{spec.V01, spec.Mixed, spec.V10} {
		if m, ok := RequestOf(v, "TaskSubscription"); ok {
			t.Errorf("%s: %s", v, m.Name())
		}
	}
	d := Decode(Message{}, wireOf{}.len(1, "x"))
	if string(d.JSON) != `{"?1":"x"}` || len(d.Unknown) != 1 {
		t.Errorf("zero message: %s", d.JSON)
	}
}
