package audit

import (
	"sync"

	"a2ascope/decode/spec"
)

// version is how a dialect is called in texts.
func (d dialect) version() string {
	switch d {
	case old:
		return "0.3 JSON-RPC"
	case oldP:
		return "0.3 gRPC"
	case draft:
		return "1.0-draft"
	case young:
		return "1.0"
	}
	return ""
}

// namesakes are the shapes of other dialects that stand for the same thing.
func namesakes(shape string) []string {
	for _, group := range sameThing {
		for _, name := range group {
			if name == shape {
				return group
			}
		}
	}
	return []string{shape}
}

var sameThing = [][]string{
	{"Part", "TextPart", "FilePart", "DataPart"},
	{"SendMessageRequest", "MessageSendParams"},
	{"SendMessageConfiguration", "MessageSendConfiguration"},
	{"GetTaskRequest", "TaskQueryParams"},
	{"CancelTaskRequest", "SubscribeToTaskRequest", "TaskSubscriptionRequest", "TaskIdParams"},
	{"TaskPushNotificationConfig", "PushNotificationConfig", "CreateTaskPushNotificationConfigRequest"},
	{"AuthenticationInfo", "PushNotificationAuthenticationInfo"},
	{"GetTaskPushNotificationConfigRequest", "GetTaskPushNotificationConfigParams"},
	{"ListTaskPushNotificationConfigsRequest", "ListTaskPushNotificationConfigRequest", "ListTaskPushNotificationConfigParams"},
	{"DeleteTaskPushNotificationConfigRequest", "DeleteTaskPushNotificationConfigParams"},
}

// spellings lists the values of an enum in a dialect, by their numbers.
func spellings(d dialect, f form) []string {
	e := enums()
	if f == role {
		return e.roles[d]
	}
	return e.states[d]
}

type enumWords struct{ roles, states [dialects][]string }

var enums = sync.OnceValue(func() (e enumWords) {
	for _, r := range spec.Roles() {
		for _, d := range []dialect{oldP, draft, young} {
			e.roles[d] = append(e.roles[d], r.V10)
		}
		e.roles[old] = append(e.roles[old], r.V03J)
	}
	for _, s := range spec.States() {
		e.states[old] = append(e.states[old], s.V03J)
		e.states[oldP] = append(e.states[oldP], s.V03P)
		e.states[young] = append(e.states[young], s.V10)
		e.states[draft] = append(e.states[draft], s.V10)
	}
	return e
})
