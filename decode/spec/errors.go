package spec

import "strings"

// ErrorDomain is the domain of every google.rpc.ErrorInfo of A2A (1.0 §10.6, §11.6).
const ErrorDomain = "a2a-protocol.org"

// problemBase starts the problem+json types of the draft.
const problemBase = "https://a2a-protocol.org/errors/"

// ErrorInfo is one of A2A's errors.
type ErrorInfo struct {
	Name          string
	Code          int64  // JSON-RPC
	Reason        string // ErrorInfo.reason
	HTTP, HTTP100 int    // status at v1.0.1 and at v1.0.0
	GRPC, GRPC100 int    // grpc-status at v1.0.1 and at v1.0.0
	In03          bool   // 0.3 has the error; it gives no HTTP or gRPC status
	Name03        string
	ProblemType   string // "type" of the draft's problem+json
}

// errorTable holds the nine errors: 0.3 §8.2, 1.0 §5.4 at v1.0.0 and at v1.0.1.
var errorTable = []ErrorInfo{
	{"TaskNotFoundError", -32001, "TASK_NOT_FOUND", 404, 404, 5, 5, true, "TaskNotFoundError", problemBase + "task-not-found"},
	{"TaskNotCancelableError", -32002, "TASK_NOT_CANCELABLE", 400, 409, 9, 9, true, "TaskNotCancelableError", problemBase + "task-not-cancelable"},
	{"PushNotificationNotSupportedError", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", 400, 400, 9, 12, true, "PushNotificationNotSupportedError", problemBase + "push-notification-not-supported"},
	{"UnsupportedOperationError", -32004, "UNSUPPORTED_OPERATION", 400, 400, 9, 12, true, "UnsupportedOperationError", problemBase + "unsupported-operation"},
	{"ContentTypeNotSupportedError", -32005, "CONTENT_TYPE_NOT_SUPPORTED", 400, 415, 3, 3, true, "ContentTypeNotSupportedError", problemBase + "content-type-not-supported"},
	{"InvalidAgentResponseError", -32006, "INVALID_AGENT_RESPONSE", 500, 502, 13, 13, true, "InvalidAgentResponseError", problemBase + "invalid-agent-response"},
	{"ExtendedAgentCardNotConfiguredError", -32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", 400, 400, 9, 9, true, "AuthenticatedExtendedCardNotConfiguredError", problemBase + "extended-agent-card-not-configured"},
	{"ExtensionSupportRequiredError", -32008, "EXTENSION_SUPPORT_REQUIRED", 400, 400, 9, 9, false, "", problemBase + "extension-support-required"},
	{"VersionNotSupportedError", -32009, "VERSION_NOT_SUPPORTED", 400, 400, 9, 12, false, "", problemBase + "version-not-supported"},
}

// Errors returns a copy of the table of A2A's errors.
func Errors() []ErrorInfo { return append([]ErrorInfo(nil), errorTable...) }

// ErrorByCode finds one of A2A's errors by its JSON-RPC code. In 0.1 some codes
// meant other errors: see Error01.
func ErrorByCode(code int64) (ErrorInfo, bool) {
	if i := -32001 - code; i >= 0 && i < int64(len(errorTable)) {
		return errorTable[i], true
	}
	return ErrorInfo{}, false
}

// ErrorByReason finds one of A2A's errors by ErrorInfo.reason.
func ErrorByReason(reason string) (ErrorInfo, bool) {
	for i := range errorTable {
		if errorTable[i].Reason == reason {
			return errorTable[i], true
		}
	}
	return ErrorInfo{}, false
}

// ErrorByName finds one of A2A's errors by its 1.0 or 0.3 name, with or without
// "Error", also at the end of a class name ("org.a2aproject.TaskNotFoundError")
// or at the start of a message ("TaskNotFoundError: no task t1").
func ErrorByName(name string) (ErrorInfo, bool) {
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimSpace(name)
	if i := strings.LastIndexAny(name, ".$/\\"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSuffix(name, "Error")
	if name == "" {
		return ErrorInfo{}, false
	}
	for i := range errorTable {
		e := &errorTable[i]
		if strings.TrimSuffix(e.Name, "Error") == name || e.In03 && strings.TrimSuffix(e.Name03, "Error") == name {
			return *e, true
		}
	}
	return ErrorInfo{}, false
}

// ErrorByProblemType finds one of A2A's errors by the draft's problem type URI.
func ErrorByProblemType(uri string) (ErrorInfo, bool) {
	for i := range errorTable {
		if errorTable[i].ProblemType == uri {
			return errorTable[i], true
		}
	}
	return ErrorInfo{}, false
}

// error01 are the codes that 0.1 gave other errors (0.1 §8.2). 0.1 shares -32001 to -32005 with later versions.
var error01 = []struct {
	Code int64
	Name string
}{
	{-32006, "StreamingNotSupportedError"},
	{-32007, "AuthenticationRequiredError"},
	{-32008, "AuthorizationFailedError"},
	{-32009, "InvalidTaskStateError"},
	{-32010, "RateLimitExceededError"},
	{-32011, "ResourceUnavailableError"},
}

// Error01 names the codes -32006 to -32011 as a 0.1 agent means them.
func Error01(code int64) (name string, ok bool) {
	for _, e := range error01 {
		if e.Code == code {
			return e.Name, true
		}
	}
	return "", false
}
