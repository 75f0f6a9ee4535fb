package spec

// none marks a name that a version does not have, so that no cell is empty by accident.
const none = "-"

// operation is one operation with its names. Columns are versions, oldest
// first: 0.1, 0.2 (as of 0.2.6), 0.3, 1.0-draft (rc), 1.0.
type operation struct {
	Op         Operation
	Streams    bool
	Capability string // flag of the card that must be true (1.0 §3.3.4), or ""
	Spec       string
	JSONRPC    [5]string
	GRPC       [5]string
	REST       [5]string // verb and path below the interface url
}

// paths of the gRPC services.
const (
	service03 = "/a2a.v1.A2AService/"
	service10 = "/lf.a2a.v1.A2AService/"
)

// operations are the names of 1.0 §5.3 and 0.3 §3.5.6, with the older and draft
// names beside them. Where prose and proto of a version disagree on a route the
// one that peers serve stands first; routes.go accepts both.
var operations = []operation{
	{SendMessage, false, "", "0.3 §7.1, 1.0 §3.1.1",
		[5]string{"tasks/send", "message/send", "message/send", "SendMessage", "SendMessage"},
		[5]string{none, service03 + "SendMessage", service03 + "SendMessage", service03 + "SendMessage", service10 + "SendMessage"},
		[5]string{none, "POST /v1/message:send", "POST /v1/message:send", "POST /message:send", "POST /message:send"}},
	{SendStreamingMessage, true, "streaming", "0.3 §7.2, 1.0 §3.1.2",
		[5]string{"tasks/sendSubscribe", "message/stream", "message/stream", "SendStreamingMessage", "SendStreamingMessage"},
		[5]string{none, service03 + "SendStreamingMessage", service03 + "SendStreamingMessage", service03 + "SendStreamingMessage", service10 + "SendStreamingMessage"},
		[5]string{none, "POST /v1/message:stream", "POST /v1/message:stream", "POST /message:stream", "POST /message:stream"}},
	{GetTask, false, "", "0.3 §7.3, 1.0 §3.1.3",
		[5]string{"tasks/get", "tasks/get", "tasks/get", "GetTask", "GetTask"},
		[5]string{none, service03 + "GetTask", service03 + "GetTask", service03 + "GetTask", service10 + "GetTask"},
		[5]string{none, "GET /v1/tasks/{id}", "GET /v1/tasks/{id}", "GET /tasks/{id}", "GET /tasks/{id}"}},
	// 0.3 prose lists tasks/list and GET /v1/tasks (§3.5.6), its schema and proto have neither.
	{ListTasks, false, "", "1.0 §3.1.4",
		[5]string{none, none, none, "ListTasks", "ListTasks"},
		[5]string{none, none, none, service03 + "ListTasks", service10 + "ListTasks"},
		[5]string{none, none, none, "GET /tasks", "GET /tasks"}},
	{CancelTask, false, "", "0.3 §7.4, 1.0 §3.1.5",
		[5]string{"tasks/cancel", "tasks/cancel", "tasks/cancel", "CancelTask", "CancelTask"},
		[5]string{none, service03 + "CancelTask", service03 + "CancelTask", service03 + "CancelTask", service10 + "CancelTask"},
		[5]string{none, "POST /v1/tasks/{id}:cancel", "POST /v1/tasks/{id}:cancel", "POST /tasks/{id}:cancel", "POST /tasks/{id}:cancel"}},
	// The verb of subscribe is undecided: proto GET, prose POST (1.0 §5.3, §11.3.2); clients send POST.
	{SubscribeToTask, true, "streaming", "0.3 §7.9, 1.0 §3.1.6",
		[5]string{"tasks/resubscribe", "tasks/resubscribe", "tasks/resubscribe", "SubscribeToTask", "SubscribeToTask"},
		[5]string{none, service03 + "TaskSubscription", service03 + "TaskSubscription", service03 + "SubscribeToTask", service10 + "SubscribeToTask"},
		[5]string{none, "GET /v1/tasks/{id}:subscribe", "GET /v1/tasks/{id}:subscribe", "POST /tasks/{id}:subscribe", "POST /tasks/{id}:subscribe"}},
	{CreatePushConfig, false, "pushNotifications", "0.3 §7.5, 1.0 §3.1.7",
		[5]string{"tasks/pushNotification/set", "tasks/pushNotificationConfig/set", "tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig", "CreateTaskPushNotificationConfig"},
		[5]string{none, service03 + "CreateTaskPushNotificationConfig", service03 + "CreateTaskPushNotificationConfig", service03 + "CreateTaskPushNotificationConfig", service10 + "CreateTaskPushNotificationConfig"},
		[5]string{none, "POST /v1/tasks/{id}/pushNotificationConfigs", "POST /v1/tasks/{id}/pushNotificationConfigs", "POST /tasks/{id}/pushNotificationConfigs", "POST /tasks/{id}/pushNotificationConfigs"}},
	{GetPushConfig, false, "pushNotifications", "0.3 §7.6, 1.0 §3.1.8",
		[5]string{"tasks/pushNotification/get", "tasks/pushNotificationConfig/get", "tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig", "GetTaskPushNotificationConfig"},
		[5]string{none, service03 + "GetTaskPushNotificationConfig", service03 + "GetTaskPushNotificationConfig", service03 + "GetTaskPushNotificationConfig", service10 + "GetTaskPushNotificationConfig"},
		[5]string{none, "GET /v1/tasks/{id}/pushNotificationConfigs/{cid}", "GET /v1/tasks/{id}/pushNotificationConfigs/{cid}", "GET /tasks/{id}/pushNotificationConfigs/{cid}", "GET /tasks/{id}/pushNotificationConfigs/{cid}"}},
	{ListPushConfigs, false, "pushNotifications", "0.3 §7.7, 1.0 §3.1.9",
		[5]string{none, "tasks/pushNotificationConfig/list", "tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfig", "ListTaskPushNotificationConfigs"},
		[5]string{none, service03 + "ListTaskPushNotificationConfig", service03 + "ListTaskPushNotificationConfig", service03 + "ListTaskPushNotificationConfig", service10 + "ListTaskPushNotificationConfigs"},
		[5]string{none, "GET /v1/tasks/{id}/pushNotificationConfigs", "GET /v1/tasks/{id}/pushNotificationConfigs", "GET /tasks/{id}/pushNotificationConfigs", "GET /tasks/{id}/pushNotificationConfigs"}},
	{DeletePushConfig, false, "pushNotifications", "0.3 §7.8, 1.0 §3.1.10",
		[5]string{none, "tasks/pushNotificationConfig/delete", "tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"},
		[5]string{none, service03 + "DeleteTaskPushNotificationConfig", service03 + "DeleteTaskPushNotificationConfig", service03 + "DeleteTaskPushNotificationConfig", service10 + "DeleteTaskPushNotificationConfig"},
		[5]string{none, "DELETE /v1/tasks/{id}/pushNotificationConfigs/{cid}", "DELETE /v1/tasks/{id}/pushNotificationConfigs/{cid}", "DELETE /tasks/{id}/pushNotificationConfigs/{cid}", "DELETE /tasks/{id}/pushNotificationConfigs/{cid}"}},
	// 0.2 JSON-RPC agents serve it as a plain GET beside the interface url.
	{GetExtendedAgentCard, false, "extendedAgentCard", "0.3 §7.10, 1.0 §3.1.11",
		[5]string{none, "agent/authenticatedExtendedCard", "agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard", "GetExtendedAgentCard"},
		[5]string{none, service03 + "GetAgentCard", service03 + "GetAgentCard", service03 + "GetExtendedAgentCard", service10 + "GetExtendedAgentCard"},
		[5]string{none, "GET /v1/card", "GET /v1/card", "GET /extendedAgentCard", "GET /extendedAgentCard"}},
	// The public card is fetched by HTTP whatever the binding of the calls is (0.3 §5.3, 1.0 §8.2).
	{GetAgentCard, false, "", "0.3 §5.3, 1.0 §8.2",
		[5]string{none, none, none, none, none},
		[5]string{none, none, none, none, none},
		[5]string{"GET /.well-known/agent.json", "GET /.well-known/agent.json", "GET /.well-known/agent-card.json", "GET /.well-known/agent-card.json", "GET /.well-known/agent-card.json"}},
}

// Operations returns all operations in the order of the specification, the card fetch last.
func Operations() []Operation {
	out := make([]Operation, len(operations))
	for i := range operations {
		out[i] = operations[i].Op
	}
	return out
}

// NameIn returns what a binding of a version calls an operation: a JSON-RPC
// method, a gRPC path, or a REST verb and route. It is "" when there is none.
func NameIn(op Operation, v Version, b Binding) string {
	col := v.rank()
	if col >= len(versions) {
		return ""
	}
	for i := range operations {
		o := &operations[i]
		if o.Op != op {
			continue
		}
		name := ""
		switch b {
		case JSONRPC:
			name = o.JSONRPC[col]
		case GRPC:
			name = o.GRPC[col]
		case HTTPJSON:
			name = o.REST[col]
		}
		if name == none {
			return ""
		}
		return name
	}
	return ""
}

// OperationNeeds returns the card capability that must be true for an operation, or "" (1.0 §3.3.4).
func OperationNeeds(op Operation) string {
	for i := range operations {
		if operations[i].Op == op {
			return operations[i].Capability
		}
	}
	return ""
}

// Streams reports whether an operation is answered with a stream.
func Streams(op Operation) bool {
	return op == SendStreamingMessage || op == SubscribeToTask
}

// OperationSpec returns the sections that define an operation.
func OperationSpec(op Operation) string {
	for i := range operations {
		if operations[i].Op == op {
			return operations[i].Spec
		}
	}
	return ""
}
