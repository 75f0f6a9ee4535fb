package spec

// Twin pairs a message of 1.0 with what 0.3 has in its place: an object of its
// JSON schema (J) and a message of its proto (P); "" where it has none.
type Twin struct {
	V10, J, P string
	Members   []TwinMember
}

// TwinMember is a member that the other version names otherwise, or means
// otherwise. Members that are not listed have one name everywhere.
type TwinMember struct {
	V10, J, P string // "" where there is none
	How       How
}

// How says what besides the name differs in a member.
type How string

// The differences.
const (
	Renamed  How = ""
	Inverted How = "inverted" // true here is false there
	Listed   How = "listed"   // one value in 1.0, a list in 0.3
	Resource How = "resource" // a plain id in 1.0, part of a resource name in P: tasks/{id}/…
	Required How = "required" // a requirement names its schemes directly in 0.3, in an object in 1.0
	Wrapped  How = "wrapped"  // flat in 1.0, 0.3 has its members inside another object
)

// twins: 1.0 proto against 0.3 a2a.json and a2a.proto. Objects that are no
// message of 1.0 stand beside the one they became part of.
var twins = []Twin{
	{"Task", "Task", "Task", nil},
	{"TaskStatus", "TaskStatus", "TaskStatus", nil},
	{"Message", "Message", "Message", []TwinMember{{"parts", "parts", "content", Renamed}}},
	{"Part", "Part", "Part", nil}, // see FileTwin
	{"Artifact", "Artifact", "Artifact", nil},
	{"TaskStatusUpdateEvent", "TaskStatusUpdateEvent", "TaskStatusUpdateEvent", nil},
	{"TaskArtifactUpdateEvent", "TaskArtifactUpdateEvent", "TaskArtifactUpdateEvent", nil},
	{"SendMessageResponse", "", "SendMessageResponse", nil},
	{"StreamResponse", "", "StreamResponse", nil},
	{"SendMessageRequest", "MessageSendParams", "SendMessageRequest", nil},
	{"SendMessageConfiguration", "MessageSendConfiguration", "SendMessageConfiguration", []TwinMember{
		{"taskPushNotificationConfig", "pushNotificationConfig", "pushNotification", Renamed},
		{"returnImmediately", "blocking", "blocking", Inverted}}},
	{"TaskPushNotificationConfig", "PushNotificationConfig", "PushNotificationConfig", nil}, // what 0.3 wraps is flat in 1.0
	{"AuthenticationInfo", "PushNotificationAuthenticationInfo", "AuthenticationInfo", []TwinMember{{"scheme", "schemes", "schemes", Listed}}},
	{"GetTaskRequest", "TaskQueryParams", "GetTaskRequest", []TwinMember{{"id", "id", "name", Resource}}},
	{"CancelTaskRequest", "TaskIdParams", "CancelTaskRequest", []TwinMember{{"id", "id", "name", Resource}}},
	{"SubscribeToTaskRequest", "TaskIdParams", "TaskSubscriptionRequest", []TwinMember{{"id", "id", "name", Resource}}},
	{"GetTaskPushNotificationConfigRequest", "GetTaskPushNotificationConfigParams", "GetTaskPushNotificationConfigRequest", []TwinMember{
		{"taskId", "id", "name", Resource}, {"id", "pushNotificationConfigId", "name", Resource}}},
	{"DeleteTaskPushNotificationConfigRequest", "DeleteTaskPushNotificationConfigParams", "DeleteTaskPushNotificationConfigRequest", []TwinMember{
		{"taskId", "id", "name", Resource}, {"id", "pushNotificationConfigId", "name", Resource}}},
	{"ListTaskPushNotificationConfigsRequest", "ListTaskPushNotificationConfigParams", "ListTaskPushNotificationConfigRequest", []TwinMember{
		{"taskId", "id", "parent", Resource}}},
	{"ListTaskPushNotificationConfigsResponse", "", "ListTaskPushNotificationConfigResponse", []TwinMember{{"configs", "", "configs", Wrapped}}},
	{"GetExtendedAgentCardRequest", "", "GetAgentCardRequest", nil},

	// Cards are JSON of the 0.3 schema in every binding of 0.3.
	{"AgentCard", "AgentCard", "", []TwinMember{{"securityRequirements", "security", "", Required}}},
	{"AgentProvider", "AgentProvider", "", nil},
	{"AgentCapabilities", "AgentCapabilities", "", nil},
	{"AgentExtension", "AgentExtension", "", nil},
	{"AgentSkill", "AgentSkill", "", []TwinMember{{"securityRequirements", "security", "", Required}}},
	{"APIKeySecurityScheme", "APIKeySecurityScheme", "", []TwinMember{{"location", "in", "", Renamed}}},
	{"HTTPAuthSecurityScheme", "HTTPAuthSecurityScheme", "", nil},
	{"OAuth2SecurityScheme", "OAuth2SecurityScheme", "", nil},
	{"OpenIdConnectSecurityScheme", "OpenIdConnectSecurityScheme", "", nil},
	{"MutualTlsSecurityScheme", "MutualTLSSecurityScheme", "", nil},
	{"OAuthFlows", "OAuthFlows", "", nil},
	{"AuthorizationCodeOAuthFlow", "AuthorizationCodeOAuthFlow", "", nil},
	{"ClientCredentialsOAuthFlow", "ClientCredentialsOAuthFlow", "", nil},
	{"ImplicitOAuthFlow", "ImplicitOAuthFlow", "", nil},
	{"PasswordOAuthFlow", "PasswordOAuthFlow", "", nil},
}

// SchemeType is a kind of security scheme: 0.3 JSON names it in type, 1.0 with
// the member that holds it (0.3 §5.5.3, 1.0 §4.5.1).
type SchemeType struct{ Type, Member, V10 string }

var schemeTypes = []SchemeType{
	{"apiKey", "apiKeySecurityScheme", "APIKeySecurityScheme"},
	{"http", "httpAuthSecurityScheme", "HTTPAuthSecurityScheme"},
	{"oauth2", "oauth2SecurityScheme", "OAuth2SecurityScheme"},
	{"openIdConnect", "openIdConnectSecurityScheme", "OpenIdConnectSecurityScheme"},
	{"mutualTLS", "mtlsSecurityScheme", "MutualTlsSecurityScheme"},
}

// SchemeTypes lists the kinds of security schemes.
func SchemeTypes() []SchemeType { return append([]SchemeType(nil), schemeTypes...) }

// fileTwin: 1.0 writes a file directly into the part, 0.3 into an object of its own.
var fileTwin = Twin{"Part", "File", "FilePart", []TwinMember{
	{"raw", "bytes", "fileWithBytes", Renamed}, {"url", "uri", "fileWithUri", Renamed},
	{"filename", "name", "name", Renamed}, {"mediaType", "mimeType", "mimeType", Renamed}}}

// FileTwin pairs the members of a part that is a file with those of 0.3's file object.
func FileTwin() *Twin { return &fileTwin }

// TwinOf finds a pair by its name in 1.0, or in a dialect of 0.3. Where two
// messages of 1.0 are one object of 0.3 the first is returned. The result is
// shared and must not be changed.
func TwinOf(d Dialect, name string) (*Twin, bool) {
	if name == "" {
		return nil, false
	}
	for i := range twins {
		if twins[i].Name(d) == name {
			return &twins[i], true
		}
	}
	return nil, false
}

// Name is what the message is called in 1.0 (Dialect10) or in a dialect of 0.3.
func (t *Twin) Name(d Dialect) string {
	switch d {
	case DialectJ:
		return t.J
	case DialectP:
		return t.P
	}
	return t.V10
}

// Name is what the member is called in 1.0 or in a dialect of 0.3.
func (m *TwinMember) Name(d Dialect) string {
	switch d {
	case DialectJ:
		return m.J
	case DialectP:
		return m.P
	}
	return m.V10
}

// Member returns how a member of one dialect is called in another.
func (t *Twin) Member(from, to Dialect, name string) (string, How) {
	for i := range t.Members {
		if m := &t.Members[i]; m.Name(from) == name {
			return m.Name(to), m.How
		}
	}
	for i := range t.Members {
		if t.Members[i].Name(to) == name { // the name is taken by another member there
			return "", Renamed
		}
	}
	return name, Renamed
}
