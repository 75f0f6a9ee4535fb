package spec

import (
	"strings"
	"sync"
)

// objectJ is an object of the 0.3 JSON schema (specification/json/a2a.json),
// its members written as in "id! status!:TaskStatus parts!:[]Part": "!" is
// required, a member without a type is a string, "=x" allows x alone, "{}" is
// any object, "map[T]" an object whose values are T.
type objectJ struct{ Name, Spec, Members string }

// objectsJ is the JSON-RPC dialect of 0.3; requests are named by their params object.
var objectsJ = []objectJ{
	{"Task", "0.3 §6.1", "kind!=task id! contextId! status!:TaskStatus artifacts:[]Artifact history:[]Message metadata:{}"},
	{"TaskStatus", "0.3 §6.2", "state!:TaskState message:Message timestamp"},
	{"Message", "0.3 §6.4", "kind!=message messageId! role!:Role parts!:[]Part contextId taskId extensions:[]string referenceTaskIds:[]string metadata:{}"},
	{"TextPart", "0.3 §6.5.1", "kind!=text text! metadata:{}"},
	{"FilePart", "0.3 §6.5.2", "kind!=file file!:File metadata:{}"},
	{"DataPart", "0.3 §6.5.3", "kind!=data data!:{} metadata:{}"},
	{"FileWithBytes", "0.3 §6.6.1", "bytes! name mimeType"},
	{"FileWithUri", "0.3 §6.6.2", "uri! name mimeType"},
	{"Artifact", "0.3 §6.7", "artifactId! parts!:[]Part name description extensions:[]string metadata:{}"},
	{"TaskStatusUpdateEvent", "0.3 §7.2.2", "kind!=status-update taskId! contextId! status!:TaskStatus final!:bool metadata:{}"},
	{"TaskArtifactUpdateEvent", "0.3 §7.2.3", "kind!=artifact-update taskId! contextId! artifact!:Artifact append:bool lastChunk:bool metadata:{}"},
	{"MessageSendParams", "0.3 §7.1.1", "message!:Message configuration:MessageSendConfiguration metadata:{}"},
	{"MessageSendConfiguration", "0.3 §7.1.1", "acceptedOutputModes:[]string blocking:bool historyLength:int pushNotificationConfig:PushNotificationConfig"},
	{"TaskQueryParams", "0.3 §7.3.1", "id! historyLength:int metadata:{}"},
	{"TaskIdParams", "0.3 §7.4.1", "id! metadata:{}"},
	{"PushNotificationConfig", "0.3 §6.8", "url! id token authentication:PushNotificationAuthenticationInfo"},
	{"PushNotificationAuthenticationInfo", "0.3 §6.9", "schemes!:[]string credentials"},
	{"TaskPushNotificationConfig", "0.3 §6.10", "taskId! pushNotificationConfig!:PushNotificationConfig"},
	{"GetTaskPushNotificationConfigParams", "0.3 §7.6.1", "id! pushNotificationConfigId metadata:{}"},
	{"ListTaskPushNotificationConfigParams", "0.3 §7.7.1", "id! metadata:{}"},
	{"DeleteTaskPushNotificationConfigParams", "0.3 §7.8.1", "id! pushNotificationConfigId! metadata:{}"},
	{"AgentCard", "0.3 §5.5", "protocolVersion! name! description! url! version! capabilities!:AgentCapabilities " +
		"defaultInputModes!:[]string defaultOutputModes!:[]string skills!:[]AgentSkill preferredTransport " +
		"additionalInterfaces:[]AgentInterface provider:AgentProvider documentationUrl iconUrl " +
		"securitySchemes:map[SecurityScheme] security:[]{} supportsAuthenticatedExtendedCard:bool signatures:[]AgentCardSignature"},
	{"AgentInterface", "0.3 §5.5.5", "url! transport!"},
	{"AgentProvider", "0.3 §5.5.1", "organization! url!"},
	{"AgentCapabilities", "0.3 §5.5.2", "streaming:bool pushNotifications:bool stateTransitionHistory:bool extensions:[]AgentExtension"},
	{"AgentExtension", "0.3 §5.5.2.1", "uri! description required:bool params:{}"},
	{"AgentSkill", "0.3 §5.5.4", "id! name! description! tags!:[]string examples:[]string inputModes:[]string outputModes:[]string security:[]{}"},
	{"AgentCardSignature", "0.3 §5.5.6", "protected! signature! header:{}"},
	{"APIKeySecurityScheme", "0.3 §5.5.3", "type!=apiKey in! name! description"},
	{"HTTPAuthSecurityScheme", "0.3 §5.5.3", "type!=http scheme! bearerFormat description"},
	{"OAuth2SecurityScheme", "0.3 §5.5.3", "type!=oauth2 flows!:OAuthFlows oauth2MetadataUrl description"},
	{"OpenIdConnectSecurityScheme", "0.3 §5.5.3", "type!=openIdConnect openIdConnectUrl! description"},
	{"MutualTLSSecurityScheme", "0.3 §5.5.3", "type!=mutualTLS description"},
	{"OAuthFlows", "0.3 §5.5.3", "authorizationCode:AuthorizationCodeOAuthFlow clientCredentials:ClientCredentialsOAuthFlow implicit:ImplicitOAuthFlow password:PasswordOAuthFlow"},
	{"AuthorizationCodeOAuthFlow", "0.3 §5.5.3", "authorizationUrl! tokenUrl! refreshUrl scopes!:map[string]"},
	{"ClientCredentialsOAuthFlow", "0.3 §5.5.3", "tokenUrl! refreshUrl scopes!:map[string]"},
	{"ImplicitOAuthFlow", "0.3 §5.5.3", "authorizationUrl! refreshUrl scopes!:map[string]"},
	{"PasswordOAuthFlow", "0.3 §5.5.3", "tokenUrl! refreshUrl scopes!:map[string]"},
}

// ShapesJ returns the objects of the 0.3 JSON schema. The result is shared and
// must not be changed.
func ShapesJ() []Shape { return shapesJ() }

var shapesJ = sync.OnceValue(func() []Shape {
	out := make([]Shape, 0, len(objectsJ))
	for _, o := range objectsJ {
		s := Shape{Name: o.Name, Spec: o.Spec}
		for m := range strings.FieldsSeq(o.Members) {
			s.Fields = append(s.Fields, memberJ(m))
		}
		out = append(out, s)
	}
	return out
})

func memberJ(text string) Field {
	name, typ, _ := strings.Cut(text, ":")
	name, constant, _ := strings.Cut(name, "=")
	name, required := strings.CutSuffix(name, "!")
	f := Field{Name: name, JSON: name, Required: required, Const: constant, Type: typ}
	if t, ok := strings.CutPrefix(f.Type, "[]"); ok {
		f.Type, f.Repeated = t, true
	} else if t, ok := strings.CutPrefix(f.Type, "map["); ok {
		f.Type, f.Map = strings.TrimSuffix(t, "]"), true
	}
	switch f.Type {
	case "":
		f.Type = "string"
	case "{}":
		f.Type = "object"
	}
	return f
}
