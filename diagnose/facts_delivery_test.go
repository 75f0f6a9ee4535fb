package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// configures makes a call the one that stores a webhook configuration.
func configures(task, id, members string) with {
	return func(c *decode.Call) {
		const url = "https://hook.example.com/a"
		body := fmt.Sprintf(`{"taskId":%q,"id":%q,"url":%q%s}`, task, id, url, members)
		c.Params, c.ParamsAt = jsontree.Parse([]byte(body)).Root(), "request/frame/0#/params"
		c.Result = c.Params
		c.TaskID = task
		c.Push = &decode.PushFact{URL: url, TaskID: task, ConfigID: id, Token: strings.Contains(members, "token")}
	}
}

// delivers makes a delivery of a task's update to that webhook.
func (w *world) delivers(task, state string, fields ...capture.Field) *decode.Call {
	x := w.exchange("hook.example.com", "/a")
	x.Request.Fields = append(x.Request.Fields, fields...)
	body := fmt.Sprintf(`{"statusUpdate":{"taskId":%q,"contextId":"c1","status":{"state":%q}}}`, task, state)
	x.Sent = []capture.Timed[*capture.Frame]{{V: &capture.Frame{Form: capture.WholeBody, Data: []byte(body)}}}
	return &decode.Call{Exchange: x, Kind: spec.KindPush, Protocol: spec.A2A, Sure: decode.Certain, Method: "POST", Outcome: spec.OK, TaskID: task,
		GRPC: decode.GRPCFact{Status: -1}, Params: jsontree.Parse([]byte(body)).Root(), ParamsAt: "request/frame/0#",
		Push: &decode.PushFact{TaskID: task, Kind: "statusUpdate"}}
}

func field(name, value string) capture.Field { return capture.Field{Name: name, Value: value} }

func TestTokensOfDeliveries(t *testing.T) {
	for _, c := range []struct {
		what, config string
		fields       []capture.Field
		token, auth  string
	}{
		{"nothing configured", ``, nil, "", ""},
		{"token, right", `,"token":"abc"`, []capture.Field{field("X-A2A-Notification-Token", "abc")}, "ok", ""},
		{"token, missing", `,"token":"abc"`, nil, "missing", ""},
		{"token, different", `,"token":"abc"`, []capture.Field{field("x-a2a-notification-token", "abd")}, "different", ""},
		{"token, the short name", `,"token":"abc"`, []capture.Field{field("a2a-notification-token", "abc")}, "renamed", ""},
		{"token, both names, one right", `,"token":"abc"`, []capture.Field{field("X-A2A-Notification-Token", "abc"), field("a2a-notification-token", "x")}, "ok", ""},
		{"token, in Authorization", `,"token":"abc"`, []capture.Field{field("Authorization", "Bearer abc")}, "moved", ""},
		{"scheme, right", `,"authentication":{"scheme":"bearer","credentials":"xyz"}`, []capture.Field{field("Authorization", "Bearer xyz")}, "", "ok"},
		{"scheme, missing", `,"authentication":{"scheme":"Bearer","credentials":"xyz"}`, nil, "", "missing"},
		{"scheme, another", `,"authentication":{"scheme":"Bearer","credentials":"xyz"}`, []capture.Field{field("Authorization", "Basic eA==")}, "", "scheme"},
		{"list of schemes", `,"authentication":{"schemes":["Basic","Bearer"],"credentials":"xyz"}`, []capture.Field{field("Authorization", "Bearer xyz")}, "", "ok"},
		{"no credentials", `,"authentication":{"scheme":"Bearer"}`, nil, "", ""},
		{"no scheme of HTTP", `,"authentication":{"scheme":"apiKey","credentials":"xyz"}`, nil, "", ""},
		{"token and authentication", `,"token":"abc","authentication":{"scheme":"Bearer","credentials":"xyz"}`, []capture.Field{field("Authorization", "Bearer xyz")}, "", "ok"},
	} {
		w := newWorld(t)
		w.run(w.rpc("agent:1", "/", "CreateTaskPushNotificationConfig", configures("t1", "c1", c.config)))
		f := w.run(w.delivers("t1", "TASK_STATE_WORKING", c.fields...))
		check(t, c.what+": token", f.Call.Delivery.Token, c.token)
		check(t, c.what+": auth", f.Call.Delivery.Auth, c.auth)
		check(t, c.what+": version", f.Call.Delivery.ConfigVersion, "1.0")
		for _, secret := range []string{"abc", "abd", "xyz", "eA=="} {
			if strings.Contains(f.String(), secret) {
				t.Errorf("%s: a secret is among the facts:\n%s", c.what, f)
			}
		}
	}
}

// TestConfigurationsOfOneURL: a delivery is held against the configuration of its task.
func TestConfigurationsOfOneURL(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("agent:1", "/", "CreateTaskPushNotificationConfig", configures("t1", "c1", `,"token":"abc"`)))
	w.run(w.rpc("agent:1", "/", "tasks/pushNotificationConfig/set", configures("t2", "c2", ``)))
	w.run(w.rpc("agent:1", "/", "CreateTaskPushNotificationConfig", configures("t3", "c3", ``), fails(spec.A2AError, decode.Fault{A2A: "TaskNotFoundError"})))

	f := w.run(w.delivers("t2", "working"))
	check(t, "its own version", f.Call.Delivery.ConfigVersion, "0.3")
	check(t, "its own token", f.Call.Delivery.Token, "")
	check(t, "known", f.Call.Delivery.UnknownTask, false)
	f = w.run(w.delivers("t1", "TASK_STATE_WORKING"))
	check(t, "the other's token", f.Call.Delivery.Token, "missing")
	f = w.run(w.delivers("t3", "TASK_STATE_WORKING"))
	check(t, "a refused configuration is none", f.Call.Delivery.UnknownTask, true)
	check(t, "two versions", f.Call.Delivery.ConfigVersion, "")
}

func TestDeliveriesAfterADelete(t *testing.T) {
	w := newWorld(t)
	w.run(w.rpc("agent:1", "/", "CreateTaskPushNotificationConfig", configures("t1", "c1", ``)))
	w.run(w.delivers("t1", "TASK_STATE_WORKING"))
	w.run(w.rpc("agent:1", "/", "DeleteTaskPushNotificationConfig", func(c *decode.Call) {
		c.TaskID, c.Push = "t1", &decode.PushFact{TaskID: "t1", ConfigID: "c1"}
	}))
	w.now = w.now.Add(time.Minute)
	f := w.run(w.delivers("t1", "TASK_STATE_COMPLETED"))
	if ms := f.Call.Delivery.AfterDeleteMS; ms < 60000 || ms > 63000 {
		t.Errorf("delivered %d ms after the delete, want a minute", ms)
	}
	f = w.run(w.delivers("t1", "TASK_STATE_WORKING"))
	check(t, "what was delivered before", f.Call.Delivery.AfterDeleteMS, 0)
	check(t, "repeats", f.Call.Delivery.Repeats, true)
	check(t, "no retry", f.Call.Delivery.RetryOf, false)
	w.run(w.rpc("agent:1", "/", "CreateTaskPushNotificationConfig", configures("t1", "c2", ``)))
	f = w.run(w.delivers("t1", "TASK_STATE_FAILED"))
	check(t, "configured again", f.Call.Delivery.AfterDeleteMS, 0)
}

// TestWebhooksAreBounded: one url for more tasks than are remembered makes no claim about the rest.
func TestWebhooksAreBounded(t *testing.T) {
	w := newWorld(t)
	for i := range 3 * maxHookConfigs {
		w.run(w.rpc("agent:1", "/", "CreateTaskPushNotificationConfig", configures(fmt.Sprintf("t%d", i), fmt.Sprintf("c%d", i), ``)))
		w.run(w.delivers(fmt.Sprintf("t%d", i), "TASK_STATE_WORKING"))
	}
	h := w.m.hooks.find(hookKey("https://hook.example.com/a"))
	if h == nil || len(h.log.configs) != maxHookConfigs || len(h.log.deliveries) != maxHookDeliveries {
		t.Fatalf("kept: %+v", h)
	}
	f := w.run(w.delivers("t0", "TASK_STATE_COMPLETED"))
	check(t, "a task that was forgotten", f.Call.Delivery.UnknownTask, false)
}

func TestUnsafeURLs(t *testing.T) {
	w := newWorld(t)
	for url, want := range map[string]string{
		"https://hooks.example.com/a":           "",
		"http://hooks.example.com/a":            "plain",
		"https://127.0.0.1:9/hook":              "loopback",
		"https://[::1]/hook":                    "loopback",
		"https://app.localhost/hook":            "loopback",
		"https://10.0.0.7/hook":                 "private",
		"https://[::ffff:192.168.1.1]:443/hook": "private",
		"https://queue.internal/hook":           "private",
		"http://169.254.169.254/latest":         "plain link-local",
		"https://0.0.0.0/hook":                  "unspecified",
		"https://u:p@hooks.example.com/a?x=@":   "credentials",
		"not a url":                             "",
		"":                                      "",
	} {
		f := filled(w.rpc("agent.example.com", "/", "CreateTaskPushNotificationConfig", func(c *decode.Call) {
			c.Push = &decode.PushFact{URL: url}
			c.Exchange.Link = nil
		})).Call.Hook
		check(t, url, strings.Join(f.Unsafe, " "), want)
		check(t, url+": near", f.Near, false)
		if strings.Contains(f.URL, "u:p") {
			t.Errorf("the password is shown: %s", f.URL)
		}
	}
	f := filled(w.rpc("localhost:8080", "/", "CreateTaskPushNotificationConfig", func(c *decode.Call) { c.Push = &decode.PushFact{URL: "http://127.0.0.1:9/hook"} }))
	check(t, "development", f.Call.Hook.Near, true)
}
