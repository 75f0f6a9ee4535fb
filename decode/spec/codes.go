package spec

// stdErrors are the errors of JSON-RPC itself: 0.3 §8.1, 1.0 §9.5.
var stdErrors = []struct {
	Code int64
	Name string
}{
	{-32700, "JSONParseError"},
	{-32600, "InvalidRequestError"},
	{-32601, "MethodNotFoundError"},
	{-32602, "InvalidParamsError"},
	{-32603, "InternalError"},
}

// StdErrorByCode names a standard JSON-RPC error.
func StdErrorByCode(code int64) (name string, ok bool) {
	for _, e := range stdErrors {
		if e.Code == code {
			return e.Name, true
		}
	}
	return "", false
}

// stdReasons are reasons that SDKs give standard errors in an ErrorInfo with
// the A2A domain. The specification names none of them.
var stdReasons = []struct{ Reason, Name string }{
	{"PARSE_ERROR", "JSONParseError"},
	{"JSON_PARSE", "JSONParseError"},
	{"INVALID_REQUEST", "InvalidRequestError"},
	{"METHOD_NOT_FOUND", "MethodNotFoundError"},
	{"INVALID_PARAMS", "InvalidParamsError"},
	{"INTERNAL_ERROR", "InternalError"},
	{"INTERNAL", "InternalError"},
	{"SERVER_ERROR", "InternalError"},
	{"UNKNOWN_ERROR", "InternalError"},
	{"UNAUTHENTICATED", "UnauthenticatedError"},
	{"UNAUTHORIZED", "PermissionDeniedError"},
}

// StdErrorByReason names the standard error that an SDK's own reason stands for.
func StdErrorByReason(reason string) (name string, ok bool) {
	for _, e := range stdReasons {
		if e.Reason == reason {
			return e.Name, true
		}
	}
	return "", false
}

// AuthErrorByCode names the two codes a2a-go uses for refused credentials.
func AuthErrorByCode(code int64) (name string, ok bool) {
	switch code {
	case -31401:
		return "UnauthenticatedError", true
	case -31403:
		return "PermissionDeniedError", true
	}
	return "", false
}

// grpcStatus are the names of grpc-status 0 to 16.
var grpcStatus = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// GRPCStatusName names a grpc-status, "" when the number is not assigned.
func GRPCStatusName(status int) string {
	if status < 0 || status >= len(grpcStatus) {
		return ""
	}
	return grpcStatus[status]
}

// GRPCStatusByName finds a grpc-status by its name, the "status" member of REST error bodies.
func GRPCStatusByName(name string) (status int, ok bool) {
	for i, s := range grpcStatus {
		if s == name {
			return i, true
		}
	}
	return 0, false
}
