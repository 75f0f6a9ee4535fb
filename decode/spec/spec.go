package spec

// Kind says what an exchange is.
type Kind string

// The kinds.
const (
	KindCall       Kind = "call"       // an A2A operation, or a call that could be one
	KindCard       Kind = "card"       // a fetch of the public agent card
	KindPush       Kind = "push"       // an agent delivers to a client's webhook
	KindPreflight  Kind = "preflight"  // CORS
	KindInfra      Kind = "infra"      // health checks and reflection of an A2A authority
	KindConnection Kind = "connection" // a connection that failed before any request could be read
	KindOther      Kind = "other"
)

// Protocol says whose protocol the exchange speaks.
type Protocol string

// The protocols told apart.
const (
	A2A          Protocol = "a2a"
	MCP          Protocol = "mcp"
	OpenAILike   Protocol = "openai-like"
	GRPCOther    Protocol = "grpc-other"
	JSONRPCOther Protocol = "jsonrpc-other"
	HTTPOther    Protocol = "http-other"
)

// Binding is one of the card's own words, or "".
type Binding string

// The three core bindings.
const (
	JSONRPC  Binding = "JSONRPC"
	HTTPJSON Binding = "HTTP+JSON"
	GRPC     Binding = "GRPC"
)

// Version is a protocol version as told from evidence; "" means no evidence.
type Version string

// The versions, oldest first. Mixed means that parts contradict each other.
const (
	NoVersion Version = ""
	V01       Version = "0.1"
	V02       Version = "0.2"
	V03       Version = "0.3"
	V10Draft  Version = "1.0-draft"
	V10       Version = "1.0"
	Mixed     Version = "mixed"
)

// versions in ascending order.
var versions = []Version{V01, V02, V03, V10Draft, V10}

// Less orders versions by age; versions that are not in the table come last.
func (v Version) Less(w Version) bool { return v.rank() < w.rank() }

func (v Version) rank() int {
	for i, x := range versions {
		if x == v {
			return i
		}
	}
	return len(versions)
}

// Dialect tells the JSON and protobuf shapes apart.
type Dialect string

// The dialects of classify.
const (
	DialectJ     Dialect = "J"     // 0.3 JSON-RPC: kind, lower-case enums
	DialectP     Dialect = "P"     // 0.3 ProtoJSON: content, ROLE_, wrappers
	DialectSnake Dialect = "snake" // snake_case members
	DialectDraft Dialect = "draft" // 1.0 draft
	Dialect10    Dialect = "1.0"
)

// Operation is the 1.0 name of an operation, or "" when unknown.
type Operation string

// The eleven operations, and the card fetch, which is no RPC.
const (
	SendMessage          Operation = "SendMessage"
	SendStreamingMessage Operation = "SendStreamingMessage"
	GetTask              Operation = "GetTask"
	ListTasks            Operation = "ListTasks"
	CancelTask           Operation = "CancelTask"
	SubscribeToTask      Operation = "SubscribeToTask"
	CreatePushConfig     Operation = "CreateTaskPushNotificationConfig"
	GetPushConfig        Operation = "GetTaskPushNotificationConfig"
	ListPushConfigs      Operation = "ListTaskPushNotificationConfigs"
	DeletePushConfig     Operation = "DeleteTaskPushNotificationConfig"
	GetExtendedAgentCard Operation = "GetExtendedAgentCard"
	GetAgentCard         Operation = "GetAgentCard"
)

// Outcome of an exchange.
type Outcome string

// The outcomes.
const (
	OK             Outcome = "ok"
	A2AError       Outcome = "a2a-error"
	StdError       Outcome = "std-error"
	HTTPError      Outcome = "http-error"      // an intermediary refused: 401, 403, 429, 502, …
	ForeignError   Outcome = "foreign-error"   // an error body that is not A2A's
	TransportError Outcome = "transport-error" // reset, GOAWAY, refused
	Truncated      Outcome = "truncated"       // began to answer, end not seen
	NoResponse     Outcome = "no-response"
)
