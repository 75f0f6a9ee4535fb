package spec

import "strings"

// RPC is a gRPC method.
type RPC struct {
	Name              string
	Op                Operation
	Version           Version // of a shared name: 0.3
	Shared            bool    // the same path in 0.3 and the draft: the body decides
	Request, Response string  // message names
}

// The packages of the A2A services: a2a.v1 until 2026-02-17 (0.2.2, 0.3, draft), lf.a2a.v1 since.
const (
	Package03      = "a2a.v1"
	Package10      = "lf.a2a.v1"
	A2AServiceName = "A2AService"
)

const empty = "google.protobuf.Empty"

// rpcs10 are the methods of lf.a2a.v1.A2AService: 1.0 §10, proto of v1.0.1.
var rpcs10 = []RPC{
	{Name: "SendMessage", Op: SendMessage, Version: V10, Request: "SendMessageRequest", Response: "SendMessageResponse"},
	{Name: "SendStreamingMessage", Op: SendStreamingMessage, Version: V10, Request: "SendMessageRequest", Response: "StreamResponse"},
	{Name: "GetTask", Op: GetTask, Version: V10, Request: "GetTaskRequest", Response: "Task"},
	{Name: "ListTasks", Op: ListTasks, Version: V10, Request: "ListTasksRequest", Response: "ListTasksResponse"},
	{Name: "CancelTask", Op: CancelTask, Version: V10, Request: "CancelTaskRequest", Response: "Task"},
	{Name: "SubscribeToTask", Op: SubscribeToTask, Version: V10, Request: "SubscribeToTaskRequest", Response: "StreamResponse"},
	{Name: "CreateTaskPushNotificationConfig", Op: CreatePushConfig, Version: V10, Request: "TaskPushNotificationConfig", Response: "TaskPushNotificationConfig"},
	{Name: "GetTaskPushNotificationConfig", Op: GetPushConfig, Version: V10, Request: "GetTaskPushNotificationConfigRequest", Response: "TaskPushNotificationConfig"},
	{Name: "ListTaskPushNotificationConfigs", Op: ListPushConfigs, Version: V10, Request: "ListTaskPushNotificationConfigsRequest", Response: "ListTaskPushNotificationConfigsResponse"},
	{Name: "DeleteTaskPushNotificationConfig", Op: DeletePushConfig, Version: V10, Request: "DeleteTaskPushNotificationConfigRequest", Response: empty},
	{Name: "GetExtendedAgentCard", Op: GetExtendedAgentCard, Version: V10, Request: "GetExtendedAgentCardRequest", Response: "AgentCard"},
}

// rpcs03 are the methods of a2a.v1.A2AService: protos of v0.2.2 to v0.3.0 and v1.0.0-rc.
var rpcs03 = []RPC{
	{Name: "SendMessage", Op: SendMessage, Version: V03, Shared: true, Request: "SendMessageRequest", Response: "SendMessageResponse"},
	{Name: "SendStreamingMessage", Op: SendStreamingMessage, Version: V03, Shared: true, Request: "SendMessageRequest", Response: "StreamResponse"},
	{Name: "GetTask", Op: GetTask, Version: V03, Shared: true, Request: "GetTaskRequest", Response: "Task"},
	{Name: "CancelTask", Op: CancelTask, Version: V03, Shared: true, Request: "CancelTaskRequest", Response: "Task"},
	{Name: "TaskSubscription", Op: SubscribeToTask, Version: V03, Request: "TaskSubscriptionRequest", Response: "StreamResponse"},
	{Name: "CreateTaskPushNotificationConfig", Op: CreatePushConfig, Version: V03, Shared: true, Request: "CreateTaskPushNotificationConfigRequest", Response: "TaskPushNotificationConfig"},
	{Name: "GetTaskPushNotificationConfig", Op: GetPushConfig, Version: V03, Shared: true, Request: "GetTaskPushNotificationConfigRequest", Response: "TaskPushNotificationConfig"},
	{Name: "ListTaskPushNotificationConfig", Op: ListPushConfigs, Version: V03, Shared: true, Request: "ListTaskPushNotificationConfigRequest", Response: "ListTaskPushNotificationConfigResponse"},
	{Name: "DeleteTaskPushNotificationConfig", Op: DeletePushConfig, Version: V03, Shared: true, Request: "DeleteTaskPushNotificationConfigRequest", Response: empty},
	{Name: "GetAgentCard", Op: GetExtendedAgentCard, Version: V03, Request: "GetAgentCardRequest", Response: "AgentCard"},

	// v1.0.0-rc. a2a-go 0.3 ships ListTasks too, with the same numbers, and answers UNIMPLEMENTED.
	{Name: "ListTasks", Op: ListTasks, Version: V10Draft, Request: "ListTasksRequest", Response: "ListTasksResponse"},
	{Name: "SubscribeToTask", Op: SubscribeToTask, Version: V10Draft, Request: "SubscribeToTaskRequest", Response: "StreamResponse"},
	{Name: "GetExtendedAgentCard", Op: GetExtendedAgentCard, Version: V10Draft, Request: "GetExtendedAgentCardRequest", Response: "AgentCard"},
	{Name: "SetTaskPushNotificationConfig", Op: CreatePushConfig, Version: V10Draft, Request: "CreateTaskPushNotificationConfigRequest", Response: "TaskPushNotificationConfig"},

	// v0.2.2 to v0.2.4: without Config, messages as in 0.3.
	{Name: "CreateTaskPushNotification", Op: CreatePushConfig, Version: V02, Request: "CreateTaskPushNotificationConfigRequest", Response: "TaskPushNotificationConfig"},
	{Name: "GetTaskPushNotification", Op: GetPushConfig, Version: V02, Request: "GetTaskPushNotificationConfigRequest", Response: "TaskPushNotificationConfig"},
	{Name: "ListTaskPushNotification", Op: ListPushConfigs, Version: V02, Request: "ListTaskPushNotificationConfigRequest", Response: "ListTaskPushNotificationConfigResponse"},
}

// RPCByPath finds a gRPC method by package ("a2a.v1"), service ("A2AService")
// and method, all exact.
func RPCByPath(pkg, service, method string) (RPC, bool) {
	if service != A2AServiceName {
		return RPC{}, false
	}
	switch pkg {
	case Package10:
		return rpcIn(rpcs10, method)
	case Package03:
		return rpcIn(rpcs03, method)
	}
	return RPC{}, false
}

// RPCByName finds the method in a version's service. A name that 0.3 and the
// draft share is found in both.
func RPCByName(v Version, method string) (RPC, bool) {
	if v == V10 {
		return rpcIn(rpcs10, method)
	}
	r, ok := rpcIn(rpcs03, method)
	switch v {
	case V02, V03:
		// ListTasks: see the table; the SDK of 0.3 has the message.
		ok = ok && (r.Version != V10Draft || r.Name == "ListTasks")
	case V10Draft:
		ok = ok && (r.Shared || r.Version == V10Draft)
	default:
		ok = false
	}
	if !ok {
		return RPC{}, false
	}
	return r, true
}

// NearRPC finds the method of either service whose name equals method but for case and a plural s.
func NearRPC(method string) (RPC, bool) {
	if len(method) > maxName {
		return RPC{}, false
	}
	want := foldName(method)
	for _, list := range [][]RPC{rpcs10, rpcs03} {
		for i := range list {
			if f := foldName(list[i].Name); f == want || sameButS(f, want) {
				return list[i], true
			}
		}
	}
	return RPC{}, false
}

func rpcIn(list []RPC, method string) (RPC, bool) {
	for i := range list {
		if list[i].Name == method {
			return list[i], true
		}
	}
	return RPC{}, false
}

// A2AService reports whether pkg.service is a service that A2A defines. For
// a2a.v1 v is 0.3, although the draft has the same package.
func A2AService(pkg, service string) (v Version, known bool) {
	if service == A2AServiceName {
		switch pkg {
		case Package10:
			return V10, true
		case Package03:
			return V03, true
		}
	}
	return NoVersion, false
}

// CustomA2AService reports a service that is named like A2A's but lives in
// another package: the protos were compiled again under a package of one's own.
func CustomA2AService(pkg, service string) bool {
	_, known := A2AService(pkg, service)
	return !known && strings.HasSuffix(service, A2AServiceName)
}

// SplitRPCPath splits "/lf.a2a.v1.A2AService/GetTask" into package, service and method.
func SplitRPCPath(path string) (pkg, service, method string, ok bool) {
	if path == "" || path[0] != '/' {
		return "", "", "", false
	}
	full, method, found := strings.Cut(path[1:], "/")
	if !found || full == "" || method == "" || strings.Contains(method, "/") {
		return "", "", "", false
	}
	if dot := strings.LastIndexByte(full, '.'); dot >= 0 {
		return full[:dot], full[dot+1:], method, true
	}
	return "", full, method, true
}
