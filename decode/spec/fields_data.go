package spec

// dataMessages are the core objects: 0.3 §6, 1.0 §4.1; proto of each tag.
var dataMessages = []message{
	{"Task", "0.3 §6.1, 1.0 §4.1.1", []row{
		{"id", "string", "", "1", "1!", "1!"},
		{"context_id", "string", "", "2", "2!", "2"},
		{"status", "TaskStatus", "", "3", "3!", "3!"},
		{"artifacts", "[]Artifact", "", "4", "4", "4"},
		{"history", "[]Message", "", "5", "5", "5"},
		{"metadata", "google.protobuf.Struct", "", "6", "6", "6"},
	}},
	{"TaskStatus", "0.3 §6.2, 1.0 §4.1.2", []row{
		{"state", "TaskState", "", "1", "1!", "1!"},
		{"update:message", "Message", "", "2", "", ""},
		{"message", "Message", "", "", "2", "2"},
		{"timestamp", "google.protobuf.Timestamp", "", "3", "3", "3"},
	}},
	{"Part", "0.3 §6.5, 1.0 §4.1.6", []row{
		{"text", "string", "part", "1", "", ""},
		{"file", "FilePart", "part", "2", "", ""},
		{"data", "DataPart", "part", "3", "", ""},
		{"text", "string", "content", "", "1", "1"},
		{"raw", "bytes", "content", "", "2", "2"},
		{"url", "string", "content", "", "3", "3"},
		{"data", "google.protobuf.Value", "content", "", "4", "4"},
		{"metadata", "google.protobuf.Struct", "", "4+", "5", "5"},
		{"filename", "string", "", "", "6", "6"},
		{"media_type", "string", "", "", "7", "7"},
	}},
	{"FilePart", "0.3 §6.5.2, proto", []row{
		{"file_with_uri", "string", "file", "1", "", ""},
		{"file_with_bytes", "bytes", "file", "2", "", ""},
		{"mime_type", "string", "", "3", "", ""},
		{"name", "string", "", "4+", "", ""},
	}},
	{"DataPart", "0.3 §6.5.3, proto", []row{
		{"data", "google.protobuf.Struct", "", "1", "", ""},
	}},
	{"Message", "0.3 §6.4, 1.0 §4.1.4", []row{
		{"message_id", "string", "", "1", "1!", "1!"},
		{"context_id", "string", "", "2", "2", "2"},
		{"task_id", "string", "", "3", "3", "3"},
		{"role", "Role", "", "4", "4!", "4!"},
		{"content/parts", "[]Part", "", "5", "", ""},
		{"parts", "[]Part", "", "", "5!", "5!"},
		{"metadata", "google.protobuf.Struct", "", "6", "6", "6"},
		{"extensions", "[]string", "", "7", "7", "7"},
		{"reference_task_ids", "[]string", "", "8+", "8", "8"},
	}},
	{"Artifact", "0.3 §6.7, 1.0 §4.1.7", []row{
		{"artifact_id", "string", "", "1", "1!", "1!"},
		{"name", "string", "", "3", "3", "2"},
		{"description", "string", "", "4", "4", "3"},
		{"parts", "[]Part", "", "5", "5!", "4!"},
		{"metadata", "google.protobuf.Struct", "", "6", "6", "5"},
		{"extensions", "[]string", "", "7", "7", "6"},
	}},
}
