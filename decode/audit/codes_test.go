package audit

import (
	"slices"
	"testing"
)

func TestUnknownCode(t *testing.T) {
	for _, code := range []string{
		"asked/missing", "answered/unknown", "asked/other/Message.kind", "answered/enum-other/state", "answered/enum-other/TaskStatus.state",
		"answered/missing/Task.*", "answered/missing/ListTasksResponse.tasks", "answered/oneof/SendMessageResponse.*", "asked/unknown/Part.type",
		"answered/form/TaskStatus.timestamp", "answered/type/timestamp", "answered/snake/context_id", "answered/missing/TextPart.kind",
		"answered/other/TaskPushNotificationConfig.pushNotificationConfig", "asked/constant/kind", "asked/type/Message.Message",
		"answered/undecoded/Task.?17", "asked/enum-other/ListTasksRequest.status",
	} {
		if word, _ := UnknownCode(code); word != "" {
			t.Errorf("%s: %q is refused", code, word)
		}
	}
	for code, want := range map[string][2]string{ // the word that is wrong, one of those that could stand there
		"answer/missing":                     {"answer", "answered"},
		"":                                   {"", "asked"},
		"asked":                              {"", "missing"},
		"asked/mising/Message":               {"mising", "missing"},
		"asked/missing/Message.mesageId":     {"Message.mesageId", "Message.messageId"},
		"asked/missing/mesageId":             {"mesageId", "messageId"},
		"asked/missing/Message.taskId":       {"Message.taskId", "Message.messageId"}, // never required
		"answered/missing/ListTasksRequest":  {"ListTasksRequest", "ListTasksResponse.tasks"},
		"answered/enum-other/Message.parts":  {"Message.parts", "Message.role"},
		"answered/form/Message.messageId":    {"Message.messageId", "TaskStatus.timestamp"},
		"asked/oneof/Message.*":              {"Message.*", "Part.text, raw, url, data"},
		"asked/unknown/Taks.x":               {"Taks.x", ""},
		"asked/other/SendMessageRequest.":    {"SendMessageRequest.", ""},
		"answered/other/SendMessageRequest.": {"SendMessageRequest.", ""},
	} {
		word, near := UnknownCode(code)
		if word != want[0] {
			t.Errorf("%s: %q is refused, not %q", code, word, want[0])
		}
		if want[1] != "" && !slices.Contains(near, want[1]) {
			t.Errorf("%s: %q is not among %q", code, want[1], near)
		}
	}
}
