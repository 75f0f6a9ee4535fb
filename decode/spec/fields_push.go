package spec

// pushMessages configure push delivery: 0.3 §6.8 to §6.10, 1.0 §4.3.
var pushMessages = []message{
	{"PushNotificationConfig", "0.3 §6.8, draft proto", []row{
		{"id", "string", "", "1", "1", ""},
		{"url", "string", "", "2", "2!", ""},
		{"token", "string", "", "3", "3", ""},
		{"authentication", "AuthenticationInfo", "", "4", "4", ""},
	}},
	{"AuthenticationInfo", "0.3 §6.9, 1.0 §4.3.2", []row{
		{"schemes", "[]string", "", "1", "", ""},
		{"scheme", "string", "", "", "1!", "1!"},
		{"credentials", "string", "", "2", "2", "2"},
	}},
	{"TaskPushNotificationConfig", "0.3 §6.10, 1.0 §4.3.1", []row{
		{"name", "string", "", "1", "", ""},
		{"push_notification_config", "PushNotificationConfig", "", "2", "2!", ""},
		{"tenant", "string", "", "", "4", "1"},
		{"id", "string", "", "", "1!", "2"},
		{"task_id", "string", "", "", "3!", "3"},
		{"url", "string", "", "", "", "4!"},
		{"token", "string", "", "", "", "5"},
		{"authentication", "AuthenticationInfo", "", "", "", "6"},
	}},
}
