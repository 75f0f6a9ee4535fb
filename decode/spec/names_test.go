package spec

import "testing"

func TestMethodNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range methods {
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
		if m.Version.Less(m.Since) {
			t.Errorf("%s: since %s, decisive for %s", m.Name, m.Since, m.Version)
		}
		if got, ok := MethodByName(m.Name); !ok || got != m {
			t.Errorf("%s is found as %+v", m.Name, got)
		}
		if _, ok := NearMethod(m.Name); ok {
			t.Errorf("%s is exact, no near miss", m.Name)
		}
	}
	for _, name := range []string{"", "sendmessage", "message/Send", "tasks/", "GetTask "} {
		if m, ok := MethodByName(name); ok {
			t.Errorf("%q is %+v", name, m)
		}
	}
}

func TestNearMisses(t *testing.T) {
	for name, want := range map[string]Operation{
		"sendMessage":                           SendMessage,
		"send_message":                          SendMessage,
		"SENDMESSAGE":                           SendMessage,
		"message.send":                          SendMessage,
		"message_send":                          SendMessage,
		"Message/Send":                          SendMessage,
		"messages/send":                         SendMessage,
		"a2a.SendMessage":                       SendMessage,
		"a2a/message/send":                      SendMessage,
		"/lf.a2a.v1.A2AService/GetTask":         GetTask,
		"A2AService.GetTask":                    GetTask,
		"task/get":                              GetTask,
		"tasks.get":                             GetTask,
		"ListTask":                              ListTasks,
		"task/resubscribe":                      SubscribeToTask,
		"TaskSubscription":                      SubscribeToTask,
		"tasks/subscribe":                       SubscribeToTask,
		"GetAgentCard":                          GetExtendedAgentCard,
		"tasks/pushNotificationConfigs/set":     CreatePushConfig,
		"tasks/push_notification_config/set":    CreatePushConfig,
		"listTaskPushNotificationConfigs":       ListPushConfigs,
		"message:send":                          SendMessage,
		"agent/get_authenticated_extended_card": GetExtendedAgentCard,
	} {
		if m, ok := NearMethod(name); !ok || m.Op != want {
			t.Errorf("%q is near %+v, want %s", name, m, want)
		}
	}
	for _, name := range []string{"", "s", "tools/list", "tools/call", "initialize", "session/cancel", "eth_call", "tasks/result", "tasks/update",
		"textDocument/completion", "message", "send", "MessageSending", "resources/get", "notifications/tasks"} {
		if m, ok := NearMethod(name); ok {
			t.Errorf("%q is taken for %s", name, m.Name)
		}
	}
}

func TestMCPNames(t *testing.T) {
	for name, want := range map[string][2]bool{
		"initialize": {true, false}, "tools/list": {true, false}, "notifications/initialized": {true, false}, "tasks/result": {true, false},
		"tasks/get": {true, true}, "tasks/cancel": {true, true}, "tasks/list": {true, true},
		"tools/": {}, "message/send": {}, "GetTask": {}, "": {},
	} {
		if yes, collides := MCPMethod(name); yes != want[0] || collides != want[1] {
			t.Errorf("%q: %v %v", name, yes, collides)
		}
	}
	for _, name := range mcpShared { // a collision is one only as long as A2A has the name
		if _, ok := MethodByName(name); !ok {
			t.Errorf("%s is no A2A name", name)
		}
	}
}

func TestRPCs(t *testing.T) {
	for _, list := range [][]RPC{rpcs10, rpcs03} {
		seen := map[string]bool{}
		for _, r := range list {
			if seen[r.Name] || r.Op == "" || r.Request == "" || r.Response == "" {
				t.Errorf("row %+v", r)
			}
			seen[r.Name] = true
			for _, v := range []Version{V03, V10Draft, V10} {
				if got, ok := RPCByName(v, r.Name); ok {
					for _, m := range []string{got.Request, got.Response} {
						if _, known := ShapeOf(v, "", m); !known && m != empty {
							t.Errorf("%s %s: no message %s", v, r.Name, m)
						}
					}
				}
			}
		}
	}
	for _, c := range []struct {
		path   string
		op     Operation
		v      Version
		shared bool
	}{
		{"/lf.a2a.v1.A2AService/GetTask", GetTask, V10, false},
		{"/a2a.v1.A2AService/GetTask", GetTask, V03, true},
		{"/a2a.v1.A2AService/TaskSubscription", SubscribeToTask, V03, false},
		{"/a2a.v1.A2AService/SubscribeToTask", SubscribeToTask, V10Draft, false},
		{"/a2a.v1.A2AService/CreateTaskPushNotification", CreatePushConfig, V02, false},
		{"/lf.a2a.v1.A2AService/TaskSubscription", "", "", false},
		{"/a2a.v2.A2AService/GetTask", "", "", false},
		{"/a2a.v1.Other/GetTask", "", "", false},
	} {
		pkg, service, method, ok := SplitRPCPath(c.path)
		if !ok {
			t.Fatalf("%s does not split", c.path)
		}
		r, _ := RPCByPath(pkg, service, method)
		if r.Op != c.op || r.Version != c.v || r.Shared != c.shared {
			t.Errorf("%s = %+v", c.path, r)
		}
	}
	for _, bad := range []string{"", "/", "//", "/a", "/a/", "a.B/C", "/a.B/C/D"} {
		if _, _, _, ok := SplitRPCPath(bad); ok {
			t.Errorf("%q splits", bad)
		}
	}
	if pkg, service, method, ok := SplitRPCPath("/Bare/Do"); !ok || pkg != "" || service != "Bare" || method != "Do" {
		t.Error("a service without package")
	}
	if v, known := A2AService("lf.a2a.v1", "A2AService"); v != V10 || !known {
		t.Error("1.0 service")
	}
	if _, known := A2AService("my.own", "A2AService"); known || !CustomA2AService("my.own", "A2AService") {
		t.Error("custom service")
	}
	if CustomA2AService("grpc.health.v1", "Health") || CustomA2AService("a2a.v1", "A2AService") {
		t.Error("no custom service")
	}
	if r, ok := NearRPC("getTasks"); !ok || r.Op != GetTask {
		t.Errorf("getTasks is near %+v", r)
	}
	if r, ok := NearRPC("Check"); ok {
		t.Errorf("Check is near %+v", r)
	}
}

func BenchmarkMethodByName(b *testing.B) {
	for b.Loop() {
		MethodByName("tasks/pushNotificationConfig/list")
	}
}
