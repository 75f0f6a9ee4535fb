package spec

// eventMessages are the updates and the wrappers of answers: 0.3 §7.2, 1.0 §3.2.3 and §4.2.
var eventMessages = []message{
	{"TaskStatusUpdateEvent", "0.3 §7.2.2, 1.0 §4.2.1", []row{
		{"task_id", "string", "", "1", "1!", "1!"},
		{"context_id", "string", "", "2", "2!", "2!"},
		{"status", "TaskStatus", "", "3", "3!", "3!"},
		{"final", "bool", "", "4", "", ""},
		{"metadata", "google.protobuf.Struct", "", "5", "5", "4"},
	}},
	{"TaskArtifactUpdateEvent", "0.3 §7.2.3, 1.0 §4.2.2", []row{
		{"task_id", "string", "", "1", "1!", "1!"},
		{"context_id", "string", "", "2", "2!", "2!"},
		{"artifact", "Artifact", "", "3", "3!", "3!"},
		{"append", "bool", "", "4", "4", "4"},
		{"last_chunk", "bool", "", "5", "5", "5"},
		{"metadata", "google.protobuf.Struct", "", "6", "6", "6"},
	}},
	{"SendMessageResponse", "0.3 proto, 1.0 §3.1.1", []row{
		{"task", "Task", "payload", "1", "1", "1"},
		{"msg:message", "Message", "payload", "2", "", ""},
		{"message", "Message", "payload", "", "2", "2"},
	}},
	{"StreamResponse", "0.3 proto, 1.0 §3.2.3", []row{
		{"task", "Task", "payload", "1", "1", "1"},
		{"msg:message", "Message", "payload", "2", "", ""},
		{"message", "Message", "payload", "", "2", "2"},
		{"status_update", "TaskStatusUpdateEvent", "payload", "3", "3", "3"},
		{"artifact_update", "TaskArtifactUpdateEvent", "payload", "4", "4", "4"},
	}},
}
