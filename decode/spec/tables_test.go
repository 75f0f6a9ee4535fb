package spec

import (
	"strconv"
	"strings"
	"testing"
)

var bindings = []Binding{JSONRPC, HTTPJSON, GRPC}

// Every operation has a name, or an explicit none, per version and binding.
func TestEveryOperationHasACellPerVersionAndBinding(t *testing.T) {
	all := []Operation{SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask, CreatePushConfig,
		GetPushConfig, ListPushConfigs, DeletePushConfig, GetExtendedAgentCard, GetAgentCard}
	if got := Operations(); len(got) != len(all) {
		t.Fatalf("%d operations in the table, want %d", len(got), len(all))
	}
	if len(versions) != len(operations[0].JSONRPC) {
		t.Fatal("the operation table has other columns than there are versions")
	}
	for i, o := range operations {
		if o.Op != all[i] {
			t.Errorf("row %d is %s, want %s", i, o.Op, all[i])
		}
		if o.Spec == "" || OperationSpec(o.Op) != o.Spec {
			t.Errorf("%s cites no section", o.Op)
		}
		if o.Streams != Streams(o.Op) {
			t.Errorf("%s: Streams says %v", o.Op, Streams(o.Op))
		}
		for name, cells := range map[string][5]string{"JSON-RPC": o.JSONRPC, "gRPC": o.GRPC, "REST": o.REST} {
			for v, c := range cells {
				if c == "" {
					t.Errorf("%s %s %s: cell is empty; write %q when there is none", o.Op, versions[v], name, none)
				}
			}
		}
	}
}

// The names of the operation table are found again by the lookups of each binding.
func TestNamesAreFoundAgain(t *testing.T) {
	for _, op := range Operations() {
		for _, v := range versions {
			for _, b := range bindings {
				name := NameIn(op, v, b)
				if name == "" || op == GetAgentCard {
					continue
				}
				var got Operation
				var ver Version
				switch b {
				case JSONRPC:
					m, _ := MethodByName(name)
					got, ver = m.Op, m.Version
					if v.Less(m.Since) {
						t.Errorf("%s has %s, but the method table says since %s", v, name, m.Since)
					}
				case GRPC:
					pkg, service, method, _ := SplitRPCPath(name)
					r, _ := RPCByPath(pkg, service, method)
					got, ver = r.Op, r.Version
					if _, ok := RPCByName(v, method); !ok {
						t.Errorf("RPCByName does not know %s in %s", method, v)
					}
				case HTTPJSON:
					verb, path, _ := strings.Cut(name, " ")
					r, ok := MatchRoute(verb, path)
					if !ok || !r.VerbOK || r.SlashForColon {
						t.Errorf("route %s: %+v", name, r)
					}
					got, ver = r.Op, v
				}
				if got != op {
					t.Errorf("%s %s %s is read as %q", v, b, name, got)
				}
				if ver == V10 && v.Less(V10Draft) {
					t.Errorf("%s name %s is read as 1.0", v, name)
				}
			}
		}
	}
	if NameIn(GetTask, Mixed, JSONRPC) != "" || NameIn("Dance", V10, GRPC) != "" || NameIn(ListTasks, V03, JSONRPC) != "" {
		t.Error("a name where there is none")
	}
}

func TestEveryErrorHasItsRow(t *testing.T) {
	if len(Errors()) != 9 {
		t.Fatalf("%d errors, want nine", len(Errors()))
	}
	seen := map[string]bool{}
	for i, e := range Errors() {
		for _, key := range []string{e.Name, e.Reason, e.ProblemType, strconv.FormatInt(e.Code, 10)} {
			if key == "" || seen[key] {
				t.Errorf("%s: %q is empty or there twice", e.Name, key)
			}
			seen[key] = true
		}
		// The reason is the name without Error in UPPER_SNAKE_CASE (1.0 §11.6).
		if want := upperSnake(strings.TrimSuffix(e.Name, "Error")); e.Reason != want {
			t.Errorf("%s: reason %s, want %s", e.Name, e.Reason, want)
		}
		if want := problemBase + strings.ReplaceAll(strings.ToLower(e.Reason), "_", "-"); e.ProblemType != want {
			t.Errorf("%s: type %s", e.Name, e.ProblemType)
		}
		if e.Code != int64(-32001-i) {
			t.Errorf("%s: code %d", e.Name, e.Code)
		}
		if GRPCStatusName(e.GRPC) == "" || GRPCStatusName(e.GRPC100) == "" || e.HTTP < 400 || e.HTTP100 < 400 {
			t.Errorf("%s: statuses %+v", e.Name, e)
		}
		if e.In03 != (e.Name03 != "") {
			t.Errorf("%s: 0.3 name and flag disagree", e.Name)
		}
		for what, f := range map[string]func() (ErrorInfo, bool){
			"code":   func() (ErrorInfo, bool) { return ErrorByCode(e.Code) },
			"reason": func() (ErrorInfo, bool) { return ErrorByReason(e.Reason) },
			"type":   func() (ErrorInfo, bool) { return ErrorByProblemType(e.ProblemType) },
			"name":   func() (ErrorInfo, bool) { return ErrorByName(e.Name) },
			"class":  func() (ErrorInfo, bool) { return ErrorByName("io.a2a.spec." + e.Name) },
			"text":   func() (ErrorInfo, bool) { return ErrorByName(e.Name + ": no task t1") },
			"stem":   func() (ErrorInfo, bool) { return ErrorByName(strings.TrimSuffix(e.Name, "Error")) },
		} {
			if got, ok := f(); !ok || got.Code != e.Code {
				t.Errorf("%s is not found by its %s", e.Name, what)
			}
		}
	}
	if e, ok := ErrorByName("AuthenticatedExtendedCardNotConfiguredError"); !ok || e.Code != -32007 {
		t.Error("the 0.3 name of -32007 is not found")
	}
	for _, code := range []int64{-32000, -32010, -32603, 0, 1} {
		if e, ok := ErrorByCode(code); ok {
			t.Errorf("code %d is %s", code, e.Name)
		}
	}
	for _, name := range []string{"", "Error", ".", ":", "NotFoundError", "Task"} {
		if e, ok := ErrorByName(name); ok {
			t.Errorf("%q is %s", name, e.Name)
		}
	}
}

func upperSnake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if i > 0 && c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}

func TestCodes(t *testing.T) {
	for code, want := range map[int64]string{-32700: "JSONParseError", -32600: "InvalidRequestError", -32601: "MethodNotFoundError", -32602: "InvalidParamsError", -32603: "InternalError"} {
		if got, ok := StdErrorByCode(code); !ok || got != want {
			t.Errorf("%d = %q", code, got)
		}
	}
	if _, ok := StdErrorByCode(-32001); ok {
		t.Error("-32001 is no standard error")
	}
	if name, ok := Error01(-32009); !ok || name != "InvalidTaskStateError" {
		t.Errorf("0.1 -32009 = %q", name)
	}
	if _, ok := Error01(-32001); ok {
		t.Error("0.1 shares -32001 with later versions")
	}
	for n := range 17 {
		if got, ok := GRPCStatusByName(GRPCStatusName(n)); !ok || got != n {
			t.Errorf("grpc-status %d = %q", n, GRPCStatusName(n))
		}
	}
	if GRPCStatusName(17) != "" || GRPCStatusName(-1) != "" {
		t.Error("a name for a status that does not exist")
	}
	for _, r := range stdReasons {
		if _, ok := ErrorByReason(r.Reason); ok {
			t.Errorf("%s is one of the nine", r.Reason)
		}
		if name, ok := StdErrorByReason(r.Reason); !ok || name != r.Name {
			t.Errorf("reason %s = %q", r.Reason, name)
		}
	}
	if _, ok := StdErrorByReason("TASK_NOT_FOUND"); ok {
		t.Error("TASK_NOT_FOUND is no standard reason")
	}
	if name, ok := AuthErrorByCode(-31401); !ok || name != "UnauthenticatedError" {
		t.Errorf("-31401 = %q", name)
	}
	if _, ok := AuthErrorByCode(-31400); ok {
		t.Error("-31400 means nothing")
	}
}

func TestStatesAndRoles(t *testing.T) {
	for _, c := range []struct {
		word     string
		number   int
		v        Version
		terminal bool
	}{
		{"submitted", 1, V03, false}, {"input-required", 6, V03, false}, {"canceled", 5, V03, true},
		{"TASK_STATE_CANCELLED", 5, V03, true}, {"TASK_STATE_CANCELED", 5, V10, true}, {"TASK_STATE_FAILED", 4, NoVersion, true},
		{"unknown", 0, V03, false}, {"TASK_STATE_AUTH_REQUIRED", 8, NoVersion, false},
	} {
		s, v, ok := StateByWord(c.word)
		if !ok || s.Number != c.number || v != c.v || s.Terminal != c.terminal {
			t.Errorf("%s = %+v %q %v", c.word, s, v, ok)
		}
	}
	for i, s := range States() {
		if s.Number != i || s.V03J == "" || s.V03P == "" || s.V10 == "" || s.Terminal && s.Interrupted {
			t.Errorf("row %d: %+v", i, s)
		}
		if got, ok := StateByNumber(i); !ok || got != s {
			t.Errorf("number %d = %+v", i, got)
		}
	}
	for _, w := range wrongStates {
		if _, _, ok := StateByWord(w.Word); ok {
			t.Errorf("%s is a state", w.Word)
		}
		if s, ok := WrongState(w.Word); !ok || s.Number != w.Is {
			t.Errorf("%s means %+v", w.Word, s)
		}
	}
	if _, ok := WrongState("working"); ok {
		t.Error("working is right")
	}
	if _, ok := StateByNumber(9); ok {
		t.Error("state 9")
	}
	if r, v, ok := RoleByWord("agent"); !ok || r.Number != 2 || v != V03 {
		t.Errorf("agent = %+v %q", r, v)
	}
	if r, v, ok := RoleByWord("ROLE_USER"); !ok || r.Number != 1 || v != NoVersion {
		t.Errorf("ROLE_USER = %+v %q", r, v)
	}
	for _, w := range []string{"", "User", "assistant"} {
		if _, _, ok := RoleByWord(w); ok {
			t.Errorf("%q is a role", w)
		}
	}
	for i, r := range Roles() {
		if r.Number != i {
			t.Errorf("role %d: %+v", i, r)
		}
	}
}

func TestHeadersAndMediaTypes(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range headers {
		if h.Name != strings.ToLower(h.Name) || seen[h.Name] {
			t.Errorf("%q is not lower case or there twice", h.Name)
		}
		seen[h.Name] = true
		if h.Version != NoVersion && !h.Request && !h.Response && !h.Push {
			t.Errorf("%s has no place", h.Name)
		}
	}
	if h, ok := HeaderByName("A2a-Version"); !ok || h.Version != V10 {
		t.Errorf("%+v", h)
	}
	if _, ok := HeaderByName("a2a"); ok {
		t.Error("a2a is no header")
	}
	if MediaType(" Application/JSON ; charset=utf-8") != MediaJSON || MediaType("") != "" {
		t.Error("media type")
	}
	for in, want := range map[string][2]bool{
		"application/grpc": {true, false}, "application/grpc+proto": {true, false}, "application/grpc-web": {true, true},
		"application/grpc-web+proto": {true, true}, "application/grpc-web-text+proto": {true, true}, "application/grpcx": {}, "application/json": {}, "": {},
	} {
		if yes, web := IsGRPC(in); yes != want[0] || web != want[1] {
			t.Errorf("%q: %v %v", in, yes, web)
		}
	}
}

func TestQueryParameters(t *testing.T) {
	if got := QueryParams(ListTasks); len(got) != 7 {
		t.Errorf("ListTasks: %v", got)
	}
	if QueryParams(SendMessage) != nil {
		t.Error("SendMessage has no query")
	}
	for _, c := range []struct {
		op          Operation
		name, right string
	}{
		{ListTasks, "lastUpdatedAfter", "statusTimestampAfter"}, {ListTasks, "page_size", "pageSize"}, {ListTasks, "limit", "pageSize"},
		{GetTask, "history_length", "historyLength"}, {GetTask, "limit", ""}, {GetTask, "historyLength", ""}, {SendMessage, "limit", ""},
	} {
		if got, ok := RightQueryParam(c.op, c.name); got != c.right || ok != (c.right != "") {
			t.Errorf("%s %s → %q", c.op, c.name, got)
		}
	}
}

func TestOperationNeeds(t *testing.T) {
	for op, want := range map[Operation]string{SendMessage: "", SendStreamingMessage: "streaming", SubscribeToTask: "streaming",
		DeletePushConfig: "pushNotifications", GetExtendedAgentCard: "extendedAgentCard", "Dance": ""} {
		if got := OperationNeeds(op); got != want {
			t.Errorf("%s needs %q", op, got)
		}
	}
}
