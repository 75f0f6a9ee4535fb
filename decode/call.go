package decode

import (
	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Call is an exchange read as A2A. It never changes; a Reader makes a new one
// at every checkpoint.
type Call struct {
	Exchange *capture.Exchange

	Kind     spec.Kind
	Protocol spec.Protocol
	Binding  spec.Binding
	// Tentative: the exchange alone does not prove Kind and Protocol; Fallback
	// is what it is when the context (a known card, another call) does not
	// confirm them: generic REST routes, near-miss method names, bare JSON posts.
	Tentative bool
	Fallback  spec.Protocol
	Sure      Sure
	Identity  []Signal // why Kind and Protocol

	Operation spec.Operation
	Method    string // the wire's spelling: JSON-RPC method, "POST /v1/message:send" template, gRPC path
	Misnamed  bool   // a near miss of an operation name
	Streaming bool   // the operation streams or the answer did

	// The four version facts.
	CallVersion VersionFact // by how the operation was named
	BodyVersion VersionFact // by the request body
	Request     VersionFact // resolution of the two above
	Response    VersionFact
	Declared    Declared
	Card        VersionFact // from the matched interface; filled in with context
	Dialect     spec.Dialect

	Phase   Phase
	Outcome spec.Outcome
	Path    PathFact
	RPC     RPCFact
	GRPC    GRPCFact

	Tenant, TaskID, ContextID string
	TenantFrom                Place

	RequestDoc  *jsontree.Doc // body as JSON (gRPC: the decoded message), nil when none
	ResponseDoc *jsontree.Doc // unary answer; nil for streams
	Params      jsontree.Node // JSON-RPC params; REST body; gRPC message
	Result      jsontree.Node // JSON-RPC result; REST body; gRPC message; absent on failure
	ParamsAt    Place         // where Params and Result stand
	ResultAt    Place
	Events      []StreamEvent
	EventCount  int  // of a compacted call; see NumEvents
	Compacted   bool // documents, events and evidence were left out; see Full

	AgentCard *AgentCard // card fetches and extended cards
	Push      *PushFact  // push deliveries, and push configs in requests
	Fault     *Fault
	Problems  []Problem
}

// Phase of a call.
type Phase string

// The phases.
const (
	Asking    Phase = "asking"
	Answered  Phase = "answered"
	Streaming Phase = "streaming"
	Ended     Phase = "ended"
)

// Sure says how sure a fact or a judgement is.
type Sure string

// The grades: at least 100, 40 and 15 points of evidence.
const (
	Certain  Sure = "certain"
	Likely   Sure = "likely"
	Possible Sure = "possible"
	Unsure   Sure = ""
)

// VersionFact is a version and its evidence.
type VersionFact struct {
	Value   spec.Version
	Sure    Sure
	Call    spec.Version // Request and Value Mixed: what the name says
	Body    spec.Version // Request and Value Mixed: what the body says
	Signals []Signal
}

// Declared is the version a client claims (header, query parameter, metadata).
type Declared struct {
	Presence  string       // "absent", "empty", "set"; "unknown": the head is not in the capture, or not all of it
	Raw       string       // as sent; several values joined with ", "
	Version   spec.Version // Major.Minor when well formed (also of "1.0.1"), else ""
	Patch     bool         // Major.Minor.Patch was sent
	Malformed bool
	Multi     bool   // more than one distinct value
	Source    string // "header", "metadata", "query"
	Query     string // the query parameter's value when a header is there too
	At        Place
}

// Semantic returns the version a 1.0 server must apply: absent and empty are
// read as 0.3 (1.0 §3.6.2); "" when malformed or unknown.
func (d Declared) Semantic() spec.Version {
	if d.Missing() {
		return spec.V03
	}
	return d.Version
}

// Missing reports whether it is certain that no version is declared.
func (d Declared) Missing() bool {
	return d.Presence == "absent" || d.Presence == "empty" || d.Presence == ""
}

// PathFact is how a REST path was read: base [ "/v1" ] [ "/" tenant ] route.
type PathFact struct {
	Base         string
	V1           string // "", "yes", "ambiguous"
	Tenant       string // only where it is certain or likely
	Template     string // e.g. "tasks/{id}:cancel"; "" when no route matched
	VerbMismatch bool
	Rest         string // what stands before the route, unread
	Query        map[string]string
}

// RPCFact is the JSON-RPC envelope.
type RPCFact struct {
	IsEnvelope bool   // the request body has jsonrpc "2.0"
	ID         string // raw JSON of the request id, "" when absent
	Batch      int    // number of members of a batch, 0 when none
	ResponseID string
	AnswerOK   bool // the answer is an envelope
}

// GRPCFact is the gRPC side of the exchange.
type GRPCFact struct {
	Package, Service, Method string
	Status                   int // grpc-status; -1 when not seen
	StatusAt                 Place
	Message                  string
	Web                      bool
	Schema                   string // "0.3", "1.0-draft", "1.0": the field table the messages were read with
	SchemaGuessed            bool
	Shared                   bool         // the path is one of 0.3 and of the 1.0 draft
	Fits                     spec.Version // a message that the schema does not explain is of this version
	FitsAt                   Place
}

// StreamEvent is one A2A event of a stream.
type StreamEvent struct {
	Frame     int    // index into Exchange.Received
	Kind      string // task, message, statusUpdate, artifactUpdate, error, other
	Wrapped   bool   // JSON-RPC envelope around it
	OtherID   bool   // and its id is not that of the request
	Member    bool   // StreamResponse member around it ({"task":…}); false: bare object
	Version   spec.Version
	Doc       *jsontree.Doc
	Node      jsontree.Node // the task, message or update
	At        Place         // where Node stands
	TaskID    string
	ContextID string
	State     string
	Final     bool
	Artifact  string // artifactUpdate: the id of the artifact
	Append    bool   // artifactUpdate: append is true
	LastChunk bool   // artifactUpdate: lastChunk is true
	Fault     *Fault
}

// PushFact is a webhook configuration or a delivery.
type PushFact struct {
	URL, ConfigID, TaskID string
	Token                 bool // one was sent; its value is kept nowhere
	Bare                  bool // delivery of a bare object (0.3)
	Kind                  string
}
