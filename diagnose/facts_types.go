package diagnose

// PathFacts is how the path of a REST call was read, and what of it hints at a slip.
type PathFacts struct {
	Path          string `cel:"path"`     // as sent, without the query
	Base          string `cel:"base"`     // what belongs to the interface
	Template      string `cel:"template"` // tasks/{id}:cancel; "" when no route matched
	Prefix        string `cel:"prefix"`   // what stands between the base and the route: "", "/v1", "/acme", …
	HasV1         bool   `cel:"has_v1"`   // /v1 stands directly before the route
	V1            string `cel:"v1"`       // "", "yes", "ambiguous", "base" (the interface's own url ends in it), "tenant" (declared)
	Tenant        string `cel:"tenant"`
	VerbMismatch  bool   `cel:"verb_mismatch"`
	AsCard        bool   `cel:"as_card"` // exactly url + route of the declared version
	SlashForColon bool   `cel:"slash_for_colon"`
	EncodedColon  bool   `cel:"encoded_colon"`
	DoubleSlash   bool   `cel:"double_slash"`
	Singular      bool   `cel:"singular"`         // /v1/task/{id}/…
	IDHasVerb     bool   `cel:"task_id_has_verb"` // the agent took "x:subscribe" for the id
	CardPath      string `cel:"card_path"`        // "", "agent-card.json", "agent.json", "joined-wrongly", "other"
}

// HTTPFacts is the HTTP side of an exchange.
type HTTPFacts struct {
	Method       string   `cel:"method"`
	Version      string   `cel:"version"` // HTTP/1.1, HTTP/2
	Scheme       string   `cel:"scheme"`
	Authority    string   `cel:"authority"`
	Path         string   `cel:"path"`
	Status       int      `cel:"status"` // 0 when no answer
	RequestType  string   `cel:"request_type"`
	ResponseType string   `cel:"response_type"`
	Request      string   `cel:"request"`  // form of the body: "", null, json, broken-json, text, html, sse, grpc, other
	Response     string   `cel:"response"` // the same, "" when empty
	Location     string   `cel:"location"`
	Credential   bool     `cel:"credential"` // Authorization, cookie or a key the card names
	Challenge    bool     `cel:"challenge"`  // WWW-Authenticate
	RetryAfter   string   `cel:"retry_after"`
	Browser      bool     `cel:"browser"`      // an Origin header
	Extensions   []string `cel:"extensions"`   // A2A-Extensions of the request
	XExtensions  []string `cel:"x_extensions"` // X-A2A-Extensions of the request
	Activated    []string `cel:"activated"`    // extensions the answer confirms
	ETag         bool     `cel:"etag"`
	CacheControl string   `cel:"cache_control"`
	Vary         string   `cel:"vary"`
	Server       string   `cel:"server"`
	ElapsedMS    int      `cel:"elapsed_ms"` // to the head of the answer, -1 without one
	Complete     bool     `cel:"complete"`
	Lost         bool     `cel:"lost"` // the capture misses bytes
	TooLarge     bool     `cel:"too_large"`
	End          string   `cel:"end"`      // done, reset, goaway, closed, still-open, upgraded, unreachable, "" while open
	EndedBy      string   `cel:"ended_by"` // client, server
	Breaches     []string `cel:"breaches"` // codes, each once
	Half         string   `cel:"half"`     // "", request, response: the only half there is
	Recorded     bool     `cel:"recorded"` // read from a HAR file, which loses trailers and the order of bytes
}

// RPCFacts is the JSON-RPC envelope.
type RPCFacts struct {
	Envelope   bool   `cel:"envelope"`
	ID         string `cel:"id"` // raw JSON
	ResponseID string `cel:"response_id"`
	IDMatches  bool   `cel:"id_matches"`
	Batch      int    `cel:"batch"`
	AnswerOK   bool   `cel:"answer_ok"`
}

// GRPCFacts is the gRPC side.
type GRPCFacts struct {
	Package        string `cel:"package"`
	Service        string `cel:"service"`
	Method         string `cel:"method"`
	Status         int    `cel:"status"` // -1 when none was seen
	StatusName     string `cel:"status_name"`
	Message        string `cel:"message"`
	HasStatus      bool   `cel:"has_status"`
	Details        bool   `cel:"details"`         // status details were sent and read
	UnknownService bool   `cel:"unknown_service"` // the message says the service is not there
	UnknownMethod  bool   `cel:"unknown_method"`  // the message says the method is not there
	UnknownPath    bool   `cel:"unknown_path"`    // the message says one of the two is not there
	Unknown        bool   `cel:"unknown"`         // any of the three
	NamesError     bool   `cel:"names_error"`     // the message begins with the name of an A2A error
	Web            bool   `cel:"web"`
	Content        bool   `cel:"content"`     // the answer's type is application/grpc…
	OwnName        string `cel:"own_name"`    // the method that the operation is in the release of this package, "" when it has none
	Counterpart    string `cel:"counterpart"` // the same operation in the other package, "" when it has none
	SchemaGuessed  bool   `cel:"schema_guessed"`
}

// FaultFacts is the error the peer sent.
type FaultFacts struct {
	Present    bool     `cel:"present"`
	Shape      string   `cel:"shape"`
	Foreign    bool     `cel:"foreign"`
	A2A        string   `cel:"a2a"` // 1.0 name of the A2A error
	Std        string   `cel:"std"` // standard JSON-RPC error
	Code       int      `cel:"code"`
	HTTP       int      `cel:"http"`
	GRPC       int      `cel:"grpc"`
	Status     string   `cel:"status"`
	Reason     string   `cel:"reason"`
	Domain     string   `cel:"domain"`
	HasInfo    bool     `cel:"has_info"`
	Nine       bool     `cel:"nine"` // the reason is one of the nine of 1.0
	Type       string   `cel:"type"`
	Message    string   `cel:"message"`
	Sure       string   `cel:"sure"`
	InBand     bool     `cel:"in_band"`
	Details    []string `cel:"details"`
	Violations bool     `cel:"violations"` // names the members it refuses
	Place      string   `cel:"place"`
	CodeAt     string   `cel:"code_at"` // places of its code (JSON-RPC code, HTTP status, grpc-status) and message
	MessageAt  string   `cel:"message_at"`

	Names       string `cel:"names"`        // the A2A error whose class name the message begins with
	Shared      bool   `cel:"shared"`       // the status is one that several errors share
	StatusTable string `cel:"status_table"` // where the status stands for this error: "both", "1.0.1", "1.0.0", "none"; "" when there is nothing to judge
	Version     bool   `cel:"version"`      // the version was refused with VersionNotSupported
	// What the message says, told from loose patterns.
	SaysVersion       bool     `cel:"says_version"` // speaks of the protocol version
	Refuses           string   `cel:"refuses"`      // the version it names as refused
	Offers            []string `cel:"offers"`       // the versions it names as supported
	SaysMethod        bool     `cel:"says_method"`  // names a method or request type of the other generation
	SaysMissing       bool     `cel:"says_missing"` // nothing there by that id
	SaysMediaType     bool     `cel:"says_media_type"`
	SaysUnimplemented bool     `cel:"says_unimplemented"`
}

// StreamFacts is the answer as a stream.
type StreamFacts struct {
	Open        bool     `cel:"open"`     // the answer is an event stream or a streamed gRPC answer
	SSE         bool     `cel:"sse"`      // by its content
	SSEType     bool     `cel:"sse_type"` // the Content-Type is text/event-stream
	Events      int      `cel:"events"`
	First       string   `cel:"first"` // kind of the first event
	Last        string   `cel:"last"`
	State       string   `cel:"state"` // last state seen
	Terminal    bool     `cel:"terminal"`
	Interrupted bool     `cel:"interrupted"`
	Final       bool     `cel:"final"`
	Errors      int      `cel:"errors"`
	Wrapped     int      `cel:"wrapped"`    // events in a JSON-RPC envelope
	Bare        int      `cel:"bare"`       // events without one
	WrappedAt   string   `cel:"wrapped_at"` // place of the first of each
	BareAt      string   `cel:"bare_at"`
	Form        string   `cel:"form"`    // "", sse, ndjson, json, json-array, text: what a body meant as a stream really is
	Unusual     []string `cel:"unusual"` // legal SSE that trips simple readers: crlf, cr, multi-line, comment, no-space, id, event, retry, bom, no-end
	UnusualAt   string   `cel:"unusual_at"`
	Frame       int      `cel:"frame"` // the event judged now, -1 outside a frame checkpoint
	Kind        string   `cel:"kind"`  // its kind
}

// PushFacts is a webhook configuration in a request, or a delivery.
type PushFacts struct {
	URL      string `cel:"url"`
	ConfigID string `cel:"config_id"`
	TaskID   string `cel:"task_id"`
	Token    bool   `cel:"token"`
	Bare     bool   `cel:"bare"`
	Kind     string `cel:"kind"`

	Known         bool   `cel:"known"`          // a configuration with this url (or this id) was seen
	ConfigVersion string `cel:"config_version"` // version of the call that made it
	Deleted       bool   `cel:"deleted"`
	Deliveries    int    `cel:"deliveries"`
	HadToken      bool   `cel:"had_token"`  // the configuration carries a token
	TaskMoved     bool   `cel:"task_moved"` // the task changed its state after the configuration was stored
	Overdue       bool   `cel:"overdue"`    // and 60 s have passed since (silent checkpoint)
	HostSeen      bool   `cel:"host_seen"`  // the capture holds traffic to the webhook's host
}

// CardFacts is the card of this exchange (a fetch, or an extended card).
type CardFacts struct {
	Present    bool     `cel:"present"`
	Vocabulary string   `cel:"vocabulary"` // 1.0, 0.3, blended, 0.2, 0.1
	Extended   bool     `cel:"extended"`
	Name       string   `cel:"name"`
	Protocol   string   `cel:"protocol"`
	Preferred  string   `cel:"preferred"`
	Interfaces []string `cel:"interfaces"` // "JSONRPC 1.0 https://…"
	Bindings   []string `cel:"bindings"`
	Versions   []string `cel:"versions"`
	HasV10     bool     `cel:"has_v10"`
	HasV03     bool     `cel:"has_v03"`
	Duplicate  []string `cel:"duplicate_bindings"` // bindings listed with different versions
	OldFirst   []string `cel:"old_first"`          // those of them whose older version stands first
	OldAt      string   `cel:"old_at"`             // place of the first older entry
	OldVersion string   `cel:"old_version"`
	NewVersion string   `cel:"new_version"`
	Entries    int      `cel:"entries"` // of supportedInterfaces
	NewAt      string   `cel:"new_at"`
	Streaming  string   `cel:"streaming"` // "", true, false
	PushNotes  string   `cel:"push_notifications"`
	ExtCard    string   `cel:"extended_card"`
	Secured    bool     `cel:"secured"`
	Signed     bool     `cel:"signed"`
	At         string   `cel:"at"`
}

// ParamsFacts are the shapes of what was asked. Contents of metadata, data
// parts and extension params are never looked at.
type ParamsFacts struct {
	Members     []string `cel:"members"` // names of the members at the top
	IDs         string   `cel:"ids"`     // push operations: which of the ids are there, "task_id+id", …
	ID          string   `cel:"id"`      // the member id where it is a string
	TaskID      string   `cel:"task_id"`
	ConfigID    string   `cel:"push_config_id"` // pushNotificationConfigId
	Place       string   `cel:"place"`
	Old         []string `cel:"old"` // members and values of 0.3 shape: kind, role, parts.kind, file, …
	New         []string `cel:"new"` // members and values of 1.0 shape
	OldAt       string   `cel:"old_at"`
	NewAt       string   `cel:"new_at"`
	HasID       bool     `cel:"has_id"`
	HasTaskID   bool     `cel:"has_task_id"`
	HasConfigID bool     `cel:"has_config_id"`
	HasURL      bool     `cel:"has_url"`
	HasRole     bool     `cel:"has_role"`   // a message with a role
	Wrapper     string   `cel:"wrapper"`    // pushNotificationConfig, config: the object around a push configuration
	Consistent  bool     `cel:"consistent"` // the body does not contradict the version of the name
}

// ResultFacts are the shapes of what was answered.
type ResultFacts struct {
	Kind         string   `cel:"kind"` // task, message, config, configs, tasks, card, empty, other, ""
	Wrapped      bool     `cel:"wrapped"`
	Members      []string `cel:"members"`
	State        string   `cel:"state"`
	Incomplete   []string `cel:"incomplete"` // push configs: what is missing to address one later: id, taskId, url
	IncompleteAt string   `cel:"incomplete_at"`
}
