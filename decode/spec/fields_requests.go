package spec

// requestMessages are the requests and the answers that are not core objects: 0.3 §7, 1.0 §3.1 and §3.2.
//
// blocking (0.3, draft) and return_immediately (1.0) share number 4 and mean
// the opposite of each other; request and message moved from 1 to 2 when
// tenant took 1. Never read one version's bytes with another's column.
var requestMessages = []message{
	{"SendMessageRequest", "0.3 §7.1.1, 1.0 §3.2.1", []row{
		{"request:message", "Message", "", "1!", "", ""},
		{"tenant", "string", "", "", "4", "1"},
		{"message", "Message", "", "", "1!", "2!"},
		{"configuration", "SendMessageConfiguration", "", "2", "2", "3"},
		{"metadata", "google.protobuf.Struct", "", "3", "3", "4"},
	}},
	{"SendMessageConfiguration", "0.3 §7.1.1, 1.0 §3.2.2", []row{
		{"accepted_output_modes", "[]string", "", "1", "1", "1"},
		{"push_notification", "PushNotificationConfig", "", "2", "", ""},
		{"push_notification_config", "PushNotificationConfig", "", "", "2", ""},
		{"task_push_notification_config", "TaskPushNotificationConfig", "", "", "", "2"},
		{"history_length", "int32", "", "3", "3?", "3?"},
		{"blocking", "bool", "", "4", "4", ""},
		{"return_immediately", "bool", "", "", "", "4"},
	}},
	{"GetTaskRequest", "0.3 §7.3, 1.0 §3.1.3", []row{
		{"name", "string", "", "1!", "", ""},
		{"tenant", "string", "", "", "3", "1"},
		{"id", "string", "", "", "1!", "2!"},
		{"history_length", "int32", "", "2", "2?", "3?"},
	}},
	{"ListTasksRequest", "1.0 §3.1.4", []row{
		{"tenant", "string", "", "", "9", "1"},
		{"context_id", "string", "", "1+", "1", "2"},
		{"status", "TaskState", "", "2+", "2", "3"},
		{"page_size", "int32", "", "3+", "3?", "4?"},
		{"page_token", "string", "", "4+", "4", "5"},
		{"history_length", "int32", "", "5+", "5?", "6?"},
		{"last_updated_time", "google.protobuf.Timestamp", "", "6+", "", ""},
		{"status_timestamp_after", "google.protobuf.Timestamp", "", "", "6", "7"},
		{"include_artifacts", "bool", "", "7+", "7?", "8?"},
	}},
	{"ListTasksResponse", "1.0 §3.1.4", []row{
		{"tasks", "[]Task", "", "1+", "1!", "1!"},
		{"next_page_token", "string", "", "2+", "2!", "2!"},
		{"page_size", "int32", "", "", "3!", "3!"},
		{"total_size", "int32", "", "3+", "4!", "4!"},
	}},
	{"CancelTaskRequest", "0.3 §7.4, 1.0 §3.1.5", []row{
		{"name", "string", "", "1", "", ""},
		{"tenant", "string", "", "", "2", "1"},
		{"id", "string", "", "", "1!", "2!"},
		{"metadata", "google.protobuf.Struct", "", "", "", "3"},
	}},
	{"TaskSubscriptionRequest", "0.3 §7.9, proto", []row{
		{"name", "string", "", "1", "", ""},
	}},
	{"SubscribeToTaskRequest", "1.0 §3.1.6", []row{
		{"tenant", "string", "", "", "2", "1"},
		{"id", "string", "", "", "1!", "2!"},
	}},
	{"CreateTaskPushNotificationConfigRequest", "0.3 §7.5, draft proto", []row{
		{"parent", "string", "", "1!", "", ""},
		{"tenant", "string", "", "", "4", ""},
		{"task_id", "string", "", "", "1!", ""},
		{"config_id", "string", "", "2!", "2!", ""},
		{"config", "TaskPushNotificationConfig", "", "3!", "", ""},
		{"config", "PushNotificationConfig", "", "", "5!", ""},
	}},
	{"GetTaskPushNotificationConfigRequest", "0.3 §7.6, 1.0 §3.1.8", []row{
		{"name", "string", "", "1", "", ""},
		{"tenant", "string", "", "", "2", "1"},
		{"task_id", "string", "", "", "3!", "2!"},
		{"id", "string", "", "", "1!", "3!"},
	}},
	{"ListTaskPushNotificationConfigRequest", "0.3 §7.7, draft proto", []row{
		{"parent", "string", "", "1", "", ""},
		{"tenant", "string", "", "", "4", ""},
		{"task_id", "string", "", "", "1!", ""},
		{"page_size", "int32", "", "2", "2", ""},
		{"page_token", "string", "", "3", "3", ""},
	}},
	{"ListTaskPushNotificationConfigResponse", "0.3 §7.7, draft proto", []row{
		{"configs", "[]TaskPushNotificationConfig", "", "1", "1", ""},
		{"next_page_token", "string", "", "2", "2", ""},
	}},
	{"ListTaskPushNotificationConfigsRequest", "1.0 §3.1.9", []row{
		{"task_id", "string", "", "", "", "1!"},
		{"page_size", "int32", "", "", "", "2"},
		{"page_token", "string", "", "", "", "3"},
		{"tenant", "string", "", "", "", "4"},
	}},
	{"ListTaskPushNotificationConfigsResponse", "1.0 §3.1.9", []row{
		{"configs", "[]TaskPushNotificationConfig", "", "", "", "1"},
		{"next_page_token", "string", "", "", "", "2"},
	}},
	{"DeleteTaskPushNotificationConfigRequest", "0.3 §7.8, 1.0 §3.1.10", []row{
		{"name", "string", "", "1", "", ""},
		{"tenant", "string", "", "", "2", "1"},
		{"task_id", "string", "", "", "3!", "2!"},
		{"id", "string", "", "", "1!", "3!"},
	}},
	{"GetAgentCardRequest", "0.3 §7.10, proto", nil},
	{"GetExtendedAgentCardRequest", "1.0 §3.1.11", []row{
		{"tenant", "string", "", "", "1", "1"},
	}},
}
