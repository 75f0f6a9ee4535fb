package spec

// Method is a JSON-RPC method name.
type Method struct {
	Name    string
	Op      Operation
	Version Version // the version the name is decisive for; names shared by 0.2 and 0.3 say 0.3
	Since   Version // the oldest version that has the name
	Only    bool    // the name alone settles Version among 0.2 and 0.3 too
	Outside bool    // in no version of the specification, but served by an SDK of Version
}

// methods are the JSON-RPC names of every version: 0.1; 0.2 and 0.3 §3.5.6; draft; 1.0 §5.3.
var methods = []Method{
	{"SendMessage", SendMessage, V10, V10Draft, true, false},
	{"SendStreamingMessage", SendStreamingMessage, V10, V10Draft, true, false},
	{"GetTask", GetTask, V10, V10Draft, true, false},
	{"message/send", SendMessage, V03, V02, false, false},
	{"message/stream", SendStreamingMessage, V03, V02, false, false},
	{"tasks/get", GetTask, V03, V01, false, false},
	{"ListTasks", ListTasks, V10, V10Draft, true, false},
	{"CancelTask", CancelTask, V10, V10Draft, true, false},
	{"SubscribeToTask", SubscribeToTask, V10, V10Draft, true, false},
	{"CreateTaskPushNotificationConfig", CreatePushConfig, V10, V10Draft, true, false},
	{"GetTaskPushNotificationConfig", GetPushConfig, V10, V10Draft, true, false},
	{"ListTaskPushNotificationConfigs", ListPushConfigs, V10, V10, true, false},
	{"DeleteTaskPushNotificationConfig", DeletePushConfig, V10, V10Draft, true, false},
	{"GetExtendedAgentCard", GetExtendedAgentCard, V10, V10Draft, true, false},
	{"ListTaskPushNotificationConfig", ListPushConfigs, V10Draft, V10Draft, true, false},
	{"SetTaskPushNotificationConfig", CreatePushConfig, V10Draft, V10Draft, true, false},
	{"tasks/cancel", CancelTask, V03, V01, false, false},
	{"tasks/resubscribe", SubscribeToTask, V03, V01, false, false},
	{"tasks/pushNotificationConfig/set", CreatePushConfig, V03, V02, false, false},
	{"tasks/pushNotificationConfig/get", GetPushConfig, V03, V02, false, false},
	{"tasks/pushNotificationConfig/list", ListPushConfigs, V03, V02, false, false},      // since 0.2.5
	{"tasks/pushNotificationConfig/delete", DeletePushConfig, V03, V02, false, false},   // since 0.2.5
	{"agent/getAuthenticatedExtendedCard", GetExtendedAgentCard, V03, V03, true, false}, // 0.3 §7.10
	{"agent/authenticatedExtendedCard", GetExtendedAgentCard, V03, V02, false, false},   // 0.3 §11.1.3, and 0.2.6's name
	{"tasks/list", ListTasks, V03, V03, true, true},                                     // a2a-go 0.3 serves it; MCP has the name too
	{"tasks/send", SendMessage, V01, V01, true, false},
	{"tasks/sendSubscribe", SendStreamingMessage, V01, V01, true, false},
	{"tasks/pushNotification/set", CreatePushConfig, V01, V01, true, false},
	{"tasks/pushNotification/get", GetPushConfig, V01, V01, true, false},
}

// strays are names of another binding that are used as JSON-RPC names by mistake.
var strays = []Method{
	{Name: "TaskSubscription", Op: SubscribeToTask, Version: V03, Since: V02},
	{Name: "tasks/subscribe", Op: SubscribeToTask, Version: V03, Since: V02},
	{Name: "GetAgentCard", Op: GetExtendedAgentCard, Version: V03, Since: V02},
	{Name: "message:send", Op: SendMessage, Version: V03, Since: V02},
	{Name: "message:stream", Op: SendStreamingMessage, Version: V03, Since: V02},
}

// MethodByName finds a JSON-RPC method by its exact name.
func MethodByName(name string) (Method, bool) {
	for i := range methods {
		if methods[i].Name == name {
			return methods[i], true
		}
	}
	return Method{}, false
}

// NearMethod finds the method that name is a near miss of: other case,
// snake_case, other separators, an "a2a." or service prefix, a plural s too
// much or too little. An exact name is no near miss.
func NearMethod(name string) (Method, bool) {
	if _, exact := MethodByName(name); exact || len(name) > maxName {
		return Method{}, false
	}
	want := foldName(dropPrefix(name))
	if len(want) < len("gettask") {
		return Method{}, false
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, sameButS} {
		for _, list := range [][]Method{methods, strays} {
			for i := range list {
				if same(foldName(list[i].Name), want) {
					return list[i], true
				}
			}
		}
	}
	return Method{}, false
}

// maxName bounds the names that are compared loosely; the longest real one has 35 bytes.
const maxName = 128

// prefixes that peers put before a method name, folded case.
var prefixes = []string{"/lf.a2a.v1.a2aservice/", "/a2a.v1.a2aservice/", "lf.a2a.v1.a2aservice/", "a2a.v1.a2aservice/", "a2aservice.", "a2aservice/", "a2a.v1.", "a2a.", "a2a/", "a2a:", "a2a_"}

func dropPrefix(name string) string {
	for _, p := range prefixes {
		if len(name) > len(p) && equalFold(name[:len(p)], p) {
			return name[len(p):]
		}
	}
	return name
}

func equalFold(s, lower string) bool {
	for i := range len(s) {
		if lowerByte(s[i]) != lower[i] {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// foldName drops case and separators.
func foldName(name string) string {
	out := make([]byte, 0, len(name))
	for i := range len(name) {
		switch c := name[i]; c {
		case '/', '.', '_', '-', ':', ' ':
		default:
			out = append(out, lowerByte(c))
		}
	}
	return string(out)
}

// sameButS reports whether a and b differ by one 's'.
func sameButS(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) != len(b)+1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	return a[i] == 's' && a[i+1:] == b[i:]
}
