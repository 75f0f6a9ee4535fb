package decode

// Fault is an error that the peers sent each other. It is not our error.
type Fault struct {
	Shape   string // how the error is written: rpc-array, rpc-nodata, rpc-freeform, status-errorinfo, status-plain, problem, message-only, code-message, error-string, status-under-problem, grpc-errorinfo, grpc-bare, foreign
	A2A     string // 1.0 name of the A2A error, "" when it is none
	Std     string // standard JSON-RPC error name, "" when it is none
	Code    int64  // JSON-RPC code, 0 when none
	HTTP    int    // HTTP status
	GRPC    int    // grpc-status, -1 when none
	Status  string // "status" member of a REST error body
	Reason  string // ErrorInfo.reason
	Domain  string // ErrorInfo.domain
	HasInfo bool   // an ErrorInfo with the A2A domain is there
	Type    string // problem+json type
	Message string
	Sure    Sure
	At      Place
	InBand  bool     // inside a stream
	Details []string // @type of each detail
	// DetailsCode is the code inside grpc-status-details-bin, 0 when there is none.
	DetailsCode int

	Violations []Violation // members that the server names as wrong (google.rpc.BadRequest)
}

// Violation is a member that a server refuses, and why.
type Violation struct{ Field, Description string }
