package spec

import (
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	for _, c := range []struct {
		verb, path, template, before, task, config string
		op                                         Operation
		flags                                      string
	}{
		{"POST", "/message:send", "message:send", "", "", "", SendMessage, "verb"},
		{"POST", "/v1/message:send", "message:send", "/v1", "", "", SendMessage, "verb"},
		{"POST", "/a2a/rest/acme/message:stream?x=1", "message:stream", "/a2a/rest/acme", "", "", SendStreamingMessage, "verb"},
		{"POST", "/v1//message:send", "message:send", "/v1", "", "", SendMessage, "verb"},
		{"GET", "/message:send", "message:send", "", "", "", SendMessage, ""},
		{"POST", "/v1/message/send", "message:send", "/v1", "", "", SendMessage, "verb slash"},
		{"POST", "/v1/message%3asend", "message:send", "/v1", "", "", SendMessage, "verb escaped"},
		{"POST", "/message:send/", "message:send", "", "", "", SendMessage, "verb trailing"},
		{"GET", "/tasks/t1", "tasks/{id}", "", "t1", "", GetTask, "verb generic"},
		{"GET", "/v1/tasks/a%2Fb%3Acancel", "tasks/{id}", "/v1", "a/b:cancel", "", GetTask, "verb generic"},
		{"POST", "/tasks/a:b:cancel", "tasks/{id}:cancel", "", "a:b", "", CancelTask, "verb"},
		{"GET", "/tasks/a:b", "tasks/{id}", "", "a:b", "", GetTask, "verb generic"},
		{"POST", "/tasks/:cancel", "tasks/{id}", "", ":cancel", "", GetTask, "generic"},
		{"GET", "/tasks/t1:subscribe", "tasks/{id}:subscribe", "", "t1", "", SubscribeToTask, "verb"},
		{"POST", "/tasks/t1:subscribe", "tasks/{id}:subscribe", "", "t1", "", SubscribeToTask, "verb"},
		{"POST", "/tasks/t1/cancel", "tasks/{id}:cancel", "", "t1", "", CancelTask, "verb slash"},
		{"GET", "/tasks/t1/subscribe", "tasks/{id}:subscribe", "", "t1", "", SubscribeToTask, "verb slash"},
		{"GET", "/tasks/t1/pushNotificationConfigs/c%201", "tasks/{id}/pushNotificationConfigs/{cid}", "", "t1", "c 1", GetPushConfig, "verb"},
		{"DELETE", "/x/tasks/t1/pushNotificationConfigs/c1", "tasks/{id}/pushNotificationConfigs/{cid}", "/x", "t1", "c1", DeletePushConfig, "verb"},
		{"PUT", "/tasks/t1/pushNotificationConfigs/c1", "tasks/{id}/pushNotificationConfigs/{cid}", "", "t1", "c1", GetPushConfig, ""},
		{"GET", "/tasks/t1/pushNotificationConfigs", "tasks/{id}/pushNotificationConfigs", "", "t1", "", ListPushConfigs, "verb"},
		{"POST", "/tasks/t1/pushNotificationConfigs", "tasks/{id}/pushNotificationConfigs", "", "t1", "", CreatePushConfig, "verb"},
		{"PUT", "/tasks/t1/pushNotificationConfigs", "tasks/{id}/pushNotificationConfigs", "", "t1", "", CreatePushConfig, ""},
		{"POST", "/v1/task/t1/pushNotificationConfigs", "task/{id}/pushNotificationConfigs", "/v1", "t1", "", CreatePushConfig, "verb singular"},
		{"GET", "/v1/tasks/t1/pushNotifications/c1", "tasks/{id}/pushNotifications/{cid}", "/v1", "t1", "c1", GetPushConfig, "verb old"},
		{"POST", "/v1/task/t1/pushNotifications", "task/{id}/pushNotifications", "/v1", "t1", "", CreatePushConfig, "verb old singular"},
		{"GET", "/tasks", "tasks", "", "", "", ListTasks, "verb generic"},
		{"GET", "/acme/tasks?pageSize=5", "tasks", "/acme", "", "", ListTasks, "verb generic"},
		{"GET", "/tasks/tasks", "tasks/{id}", "", "tasks", "", GetTask, "verb generic"},
		{"GET", "/extendedAgentCard", "extendedAgentCard", "", "", "", GetExtendedAgentCard, "verb generic"},
		{"GET", "/v1/card", "card", "/v1", "", "", GetExtendedAgentCard, "verb generic v1"},
		{"GET", "/agent/authenticatedExtendedCard", "agent/authenticatedExtendedCard", "", "", "", GetExtendedAgentCard, "verb old"},
	} {
		r, ok := MatchRoute(c.verb, c.path)
		if !ok || r.Template != c.template || r.Before != c.before || r.TaskID != c.task || r.ConfigID != c.config || r.Op != c.op {
			t.Errorf("%s %s = %+v", c.verb, c.path, r)
		}
		if got := flagsOf(r); got != c.flags {
			t.Errorf("%s %s: flags %q, want %q", c.verb, c.path, got, c.flags)
		}
		if len(r.Verbs) == 0 {
			t.Errorf("%s takes no verb", r.Template)
		}
	}
	for _, path := range []string{"", "/", "/card", "/v2/card", "/task/t1", "/message", "/send", "/messages", "/tasks/t1/history", "tasks", "/tasks//pushNotificationConfigs", "/v1/chat/completions"} {
		if r, ok := MatchRoute("GET", path); ok {
			t.Errorf("%q = %+v", path, r)
		}
	}
}

func flagsOf(r Route) string {
	var out []string
	for _, f := range []struct {
		on   bool
		name string
	}{{r.VerbOK, "verb"}, {r.Generic, "generic"}, {r.Old02, "old"}, {r.Singular, "singular"}, {r.V1Required, "v1"}, {r.SlashForColon, "slash"}, {r.EscapedColon, "escaped"}, {r.TrailingSlash, "trailing"}} {
		if f.on {
			out = append(out, f.name)
		}
	}
	return strings.Join(out, " ")
}

func TestEveryRouteCitesItsSection(t *testing.T) {
	for _, r := range []route{routeSend, routeStream, routeCancel, routeSubscribe, routeConfig, routeConfigs, routeSingular, routeOld, routeOlds, routeOldSet, routeTask, routeTasks, routeExtended, routeCard, routeOldCard} {
		if r.Spec == "" || len(r.Verbs) != len(r.ByVerb) {
			t.Errorf("%s: %+v", r.Template, r)
		}
		for i, v := range r.ByVerb {
			if r.Verbs[i] != v.Verb {
				t.Errorf("%s: verbs %v", r.Template, r.Verbs)
			}
		}
	}
}

func TestLookAlikes(t *testing.T) {
	for path, want := range map[string]bool{
		"/v1beta/models/gemini:generateContent": true, "/v1/projects/p/endpoints/e:predict?x": true, "/v1/models/m:streamGenerateContent": true,
		"/message:send": false, "/tasks/x:cancel": false, "/": false,
	} {
		if ExcludedRoute(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func FuzzMatchRoute(f *testing.F) {
	f.Add("GET", "/v1/tasks/a%2Fb:cancel?x=/tasks")
	f.Add("POST", "/%zz/tasks/%zz/pushNotificationConfigs/%")
	f.Fuzz(func(t *testing.T, verb, path string) {
		r, ok := MatchRoute(verb, path)
		if ok && (r.Op == "" || r.Template == "" || !strings.HasPrefix(path, r.Before)) {
			t.Fatalf("%q %q = %+v", verb, path, r)
		}
		ExcludedRoute(path)
	})
}

func BenchmarkMatchRoute(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		MatchRoute("GET", "/a2a/v1/acme/tasks/0192f3/pushNotificationConfigs/c1")
	}
}
