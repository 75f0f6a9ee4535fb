package lang

import "strings"

// Explain holds the words of explanations.
type Explain struct {
	// Sections.
	What, Names, Headers, Versions, Documents, Answer           string
	Why, Rests, Grade, Refute, FixClient, FixServer, Rule, Spec string
	Paste, Colon                                                string // Colon parts a heading from what it is of

	// Columns.
	ColVersion, ColWhere, ColStands, ColSays, ColWeight, ColMeans, ColDocument string
	ColFact, ColValue, ColBecause, ColForm, ColTells                           string

	This, NotThere, Empty, Unknown string
	// What an exchange is: operation words come from Words.
	IsCall, IsCard, IsPush, IsPreflight, IsInfra, Tentative string // Tentative: %s
	Needs                                                   string // %s capability
	Weights                                                 string
	Misnamed                                                string // %s as sent, %s right
	Outcome                                                 string // %s
	Conflict                                                string // %s, %s
	Decides                                                 string

	// The version header.
	Sent, Exposes, Showed, Expected, Did, VerdictOK, VerdictBad string // Showed: %s versions; VerdictBad: what had to happen, what did
	Fact                                                        [4]string

	// Findings.
	Condition, Unless, NoUnless, Check, Seen, GradeIs, GradeTop, GradeFacts, GradeRule string
	Root, Follows, AlsoSeen, Folded, Recovered                                         string // %s where it names a rule
	RuleHead                                                                           string // %s severity, %s blame
	Judged, Applies, Table, Silences, Escalates, EscalatesTo                           string

	Treatment, Header, Signal, At map[string]string
}

// SignalWords says why a signal of that code speaks for what it speaks for.
func (e *Explain) SignalWords(code string) string {
	if s, ok := e.Signal[code]; ok {
		return s
	}
	if strings.HasPrefix(code, "result-") {
		return e.Signal["result-*"]
	}
	return ""
}

// HeaderWords says what a header means; "" when it means nothing to A2A.
func (e *Explain) HeaderWords(code string) string { return e.Header[code] }

// ExplainWords returns the words of a language; English where it is not known.
func ExplainWords(code string) *Explain {
	if code == "zh" {
		return &explainZH
	}
	return &explainEN
}

var explainEN = Explain{
	What: "What it is", Names: "Its names", Headers: "Headers that matter", Versions: "Which version, and from what",
	Documents: "Where the documents disagree", Answer: "What became of the version",
	Why: "Why we say so", Rests: "What it rests on", Grade: "How sure", Refute: "What would refute it",
	FixClient: "What the client changes", FixServer: "What the agent changes", Rule: "Rule", Spec: "Specification", Paste: "to paste", Colon: ": ",

	ColVersion: "version", ColWhere: "where", ColStands: "what stands there", ColSays: "speaks for", ColWeight: "weight", ColMeans: "what it means here",
	ColDocument: "document", ColFact: "fact", ColValue: "value", ColBecause: "because", ColForm: "written", ColTells: "says",

	This: "this exchange", NotThere: "not sent", Empty: "sent empty", Unknown: "no evidence",
	IsCall: "A call of A2A.", IsCard: "A fetch of the public agent card: by HTTP GET, whatever the binding of the calls is.",
	IsPush:      "A push delivery: the agent calls the webhook that a client registered.",
	IsPreflight: "A CORS preflight: the browser asks whether the call is allowed before it makes it. The agent has to allow the A2A headers by name.",
	IsInfra:     "A health check or reflection of the agent's server; no A2A operation.",
	Tentative:   "The exchange alone does not prove that it is A2A; without an agent card or another call it would be read as %s.",
	Needs:       "The agent's card has to offer it: capabilities.%s must be true.",
	Weights:     "Weights: 100 is decisive, 40 strong, 15 medium, 5 weak; the sum makes the grade (100 certain, 40 likely, 15 possible).",
	Misnamed:    "%s is no name of A2A; nearest is %s.",
	Outcome:     "Outcome: %s.",
	Conflict:    "The request contradicts itself: by its name it is %s, by its body %s.",
	Decides:     "What is sent in A2A-Version is a claim. What the peers really speak shows in names, routes and shapes.",

	Sent: "sent", Exposes: "the interface offers", Showed: "%s, by its answers: no card seen", Expected: "has to be", Did: "was",
	VerdictOK: "What happened agrees with the rule.", VerdictBad: "What happened does not agree with the rule.",
	Fact: [4]string{"client speaks", "agent answers", "client declares", "card declares"},

	Condition: "It speaks when", Unless: "It keeps silent, and would not be there, if", NoUnless: "The condition above is all there is: were one of its terms false, it would not be there.",
	Check: "besides, a check written in Go:", Seen: "seen %d times", GradeIs: "The grade is %s.",
	GradeTop:   "It is the highest: nothing more is needed.",
	GradeFacts: "The facts it rests on are no surer. More evidence in the same exchange would raise it: the agent's card, an unambiguous name, an answer.",
	GradeRule:  "The rule itself goes no higher: the wire cannot show the cause directly, only the side that is named can confirm it.",
	Root:       "It explains the failure of the exchange.", Follows: "It follows from %s and does not count.", AlsoSeen: "It was seen too, but is not the cause.",
	Folded: "It repeats an earlier one.", Recovered: "The client got through by another way.",
	RuleHead: "%s, to be changed by: %s", Judged: "judged", Applies: "applies to", Table: "failure table row", Silences: "takes with it",
	Escalates: "changes when", EscalatesTo: "to",

	Treatment: map[string]string{
		"0.3": "processed with 0.3 semantics", "1.0": "processed with 1.0 semantics", "refused": "refused with VersionNotSupportedError",
		"0.3-refused": "processed with 0.3 semantics, or refused where 0.3 is not offered: no card was seen that says which", "undefined": "not specified", "ignored": "ignored: 0.3 knows no version header", "": "not known", "other": "failed for another reason",
	},
	At: map[string]string{
		"request": "when the request is complete", "response": "when the answer is complete", "frame": "at every event of a stream", "card": "when a card was read",
		"end": "when the exchange is over", "silent": "some time after, when what followed is known", "": "",
	},
	Header: map[string]string{
		"a2a-version":              "the protocol version the client claims; it should be the protocolVersion of the card entry that is called",
		"a2a-version/absent":       "no version is claimed; a 1.0 server has to read that as 0.3 (1.0 §3.6.2)",
		"a2a-version/absent03":     "not sent; right for a 0.3 client, 0.3 has no such header",
		"a2a-version/empty":        "an empty value counts as missing, which a 1.0 server has to read as 0.3",
		"a2a-version/malformed":    "not Major.Minor; no interface can match it",
		"a2a-version/patch":        "has a patch number, which must not take part in the choice; send Major.Minor",
		"a2a-version/multi":        "more than one value; send exactly one",
		"a2a-version/query":        "the version as a query parameter: allowed by 1.0 §3.6.1, but servers that read only headers do not see it",
		"a2a-version/grpc":         "gRPC metadata keys are lower case; the server has to look up a2a-version",
		"a2a-extensions":           "extensions the client wants to use, or the agent has activated; URIs, comma-separated",
		"x-a2a-extensions":         "the 0.3 name of A2A-Extensions; a 1.0 server does not look there",
		"content-type":             "the media type of the body",
		"content-type/jsonrpc":     "right for JSON-RPC",
		"content-type/a2a":         "what HTTP+JSON of 1.0.1 should use; 0.3 and 1.0.0 have application/json",
		"content-type/json":        "right for HTTP+JSON of 0.3 and 1.0.0; 1.0.1 prefers application/a2a+json",
		"content-type/sse":         "a stream of server-sent events",
		"content-type/grpc":        "gRPC",
		"content-type/problem":     "an error in the form of the draft before 1.0; 1.0 has {\"error\": {…}}",
		"content-type/odd":         "not the media type of this binding; the body is what it should be all the same, so only a strict client minds",
		"content-type/other":       "no media type of A2A: often a proxy or a web server answered instead of the agent",
		"accept":                   "what the client can read; for a stream it names text/event-stream",
		"authorization":            "credentials; the card names the scheme the agent wants",
		"www-authenticate":         "the agent asks for credentials of this scheme",
		"x-a2a-notification-token": "the token that the client gave when it registered the webhook (0.3, and most 1.0 agents)",
		"a2a-notification-token":   "the token that the client gave when it registered the webhook (a2a-go v2)",
		"x-a2a-version":            "no version of A2A knows it: the name is A2A-Version",
		"a2a-protocol-version":     "no version of A2A knows it: the name is A2A-Version",
		"grpc-status":              "how the call ended",
		"grpc-message":             "the error in words, percent-encoded",
		"grpc-status-details-bin":  "google.rpc.Status as base64; its ErrorInfo names the A2A error",
		"grpc-encoding":            "how messages are compressed",
		"te":                       "has to be trailers for gRPC: the status comes in the trailers",
		"last-event-id":            "asks to continue a broken stream there; A2A does not define it",
		"vary":                     "on what the answer depends; a card that differs by A2A-Version has to say so",
		"location":                 "another address: clients of A2A seldom follow it with the body",
		"retry-after":              "when to try again",
		"cache-control":            "how long the card may be kept",
	},
	Signal: map[string]string{
		"kind": "0.3 marks objects with kind, 1.0 does not", "role-lower": "0.3 writes roles in lower case", "role-enum": "1.0 writes roles as ROLE_…",
		"content-with-role-enum": "content together with ROLE_… is the ProtoJSON of 0.3", "content": "0.3 ProtoJSON calls the parts content",
		"part-type": "0.1 marks parts with type", "session-id": "0.1 has sessionId, later versions contextId", "part-file": "0.3 puts a file into a member file",
		"part-file-with": "fileWithUri and fileWithBytes are of 0.3 ProtoJSON", "part-data-nested": "0.3 ProtoJSON nests data in data", "part-flat": "1.0 writes text, url, raw or data directly into the part",
		"return-immediately": "returnImmediately is new in 1.0", "task-push-config": "taskPushNotificationConfig is new in 1.0", "blocking": "blocking became returnImmediately in 1.0",
		"push-config": "a push configuration in the send configuration, as 0.3 and the draft name it", "push-notification": "pushNotification is the name of 0.3 ProtoJSON",
		"push-flat": "1.0 writes url and token beside taskId", "push-wrapped": "0.3 wraps the webhook in pushNotificationConfig", "push-wrapped-with-id": "the draft wraps the webhook and has an id beside it",
		"push-parent": "parent is a resource name of 0.3", "push-config-id": "configId is of the draft", "push-notification-config-id": "pushNotificationConfigId is of 0.3: id is the task there",
		"resource-name": "tasks/… as a name is of 0.3", "push-task-id": "1.0 has the task in taskId", "push-id-only": "0.3 has the task in id",
		"auth-schemes": "0.3 lists schemes", "auth-scheme": "1.0 has one scheme", "snake-case": "snake_case members are seen from 0.3 ProtoJSON printers", "metadata": "0.3 parameters have metadata here",
		"tenant": "tenant is new in 1.0", "state-lower": "0.3 writes states in lower case", "state-enum": "1.0 writes states as TASK_STATE_…",
		"state-cancelled": "CANCELLED with two L is 0.3", "state-canceled": "CANCELED with one L is 1.0", "result-wrapper": "1.0 wraps the result in task or message",
		"result-bare": "0.3 returns the object itself", "final": "final is of 0.3: 1.0 closes the stream instead", "push-list-array": "0.3 returns a bare list", "push-list-object": "1.0 returns {configs, nextPageToken}",
		"error-info": "an ErrorInfo with the domain of A2A is of 1.0", "problem-type": "problem+json with a type of A2A is of the draft", "error-shape": "errors of 0.3 servers look like this",
		"error-code": "the code is new in 1.0", "extended-card-text": "the error is worded as in 0.3", "extensions-header": "A2A-Extensions is the name of 1.0", "x-extensions-header": "X-A2A-Extensions is the name of 0.3",
		"media-type": "application/a2a+json is of A2A since 1.0.1", "card-vocabulary": "the card uses the members of this version", "delivery-wrapper": "1.0 wraps what it delivers", "delivery-bare": "0.3 delivers the task itself",
		"request-member": "a member that only the draft has", "version-echo": "the answer repeats the version", "declared": "the client says so; it decides only where nothing else does",
		"method-name": "the method name is of this version alone", "grpc-package": "the package of the gRPC path is of this version", "grpc-field-1": "only this version has that field number in this message",
		"grpc-fields": "the field numbers fit this version's message", "grpc-message-fits": "the message can be read with this version's schema",
		"route-singular": "task in the singular: the proto of 0.3.0 taken literally", "route-of-0.2": "the route is of 0.2", "route-card": "/v1/card is of 0.3", "route-extended-card": "extendedAgentCard is of 1.0 and its draft",
		"path-v1": "routes of 0.3 begin with /v1, but an address may end in it too", "path-no-v1": "routes of 1.0 have no /v1",
		"card-shape": "it has the members of an agent card", "answer-envelope": "the answer is a JSON-RPC envelope with something only A2A has", "card-path": "the well-known path of agent cards",
		"grpc-service": "the gRPC service names the protocol", "grpc-service-name": "a service named A2AService in a package of its own", "a2a-header": "only A2A has this header", "a2a-query": "only A2A has this parameter",
		"message-parts": "a message with parts, as A2A has it", "near-method-name": "nearly the name of an A2A method", "task-id": "the task is named as A2A does", "list-params": "a parameter of listing tasks",
		"notification-token": "only A2A agents send this token", "delivery-body": "the body is what A2A agents deliver", "model-api": "the path of a model API", "method-name-in-text": "an A2A method is named in a body that is no JSON",
		"route": "the path ends in a route of A2A", "mcp-header": "only MCP has this header", "mcp-task-id": "MCP names the task so", "mcp-meta": "_meta is of MCP", "mcp-result": "the answer is shaped as MCP has it",
		"mcp-method": "the method is of MCP", "method-of-another-protocol": "the method belongs to another JSON-RPC protocol", "rpc-answer-as-request": "an answer was sent as a request",
		"stream-event": "the stream carries events of A2A", "stream-error": "the stream carries an error of A2A", "error-class": "the error names a class of A2A",
		"known-agent": "the agent is known from its card",
		"known-peer":  "the same client and server speak A2A elsewhere in the capture", "known-interface": "an agent card names this address",
		"known-webhook": "a client registered this address as its webhook",
		"result-*":      "the answer holds an object of A2A", "": "",
	},
}
