package spec

import "strings"

// Names of headers, lower case as HTTP/2 and gRPC metadata carry them.
const (
	HeaderVersion      = "a2a-version"              // 1.0 §3.2.6, §3.6.1
	HeaderExtensions   = "a2a-extensions"           // 1.0 §3.2.6
	HeaderExtensions03 = "x-a2a-extensions"         // 0.3 extensions topic
	HeaderToken        = "x-a2a-notification-token" // 0.3, 1.0.0 example; python, js, java
	HeaderTokenGo      = "a2a-notification-token"   // a2a-go v2
	HeaderStatus       = "grpc-status"
	HeaderMessage      = "grpc-message"
	HeaderDetails      = "grpc-status-details-bin"
	QueryVersion       = "A2A-Version" // the request parameter of 1.0 §3.6.1
)

// Header is a header that A2A peers use.
type Header struct {
	Name                    string // lower case
	Version                 Version
	Request, Response, Push bool   // where it has a meaning
	Secret                  bool   // its value must be masked
	Spec                    string // "" when no version defines it
}

// headers in no version are known mistakes.
var headers = []Header{
	{HeaderVersion, V10, true, false, false, false, "1.0 §3.6.1"},
	{HeaderExtensions, V10, true, true, false, false, "1.0 §3.2.6"},
	{HeaderExtensions03, V03, true, true, false, false, "0.3 extensions topic"},
	{HeaderToken, V03, false, false, true, true, "0.3 §9.5"},
	{HeaderTokenGo, V10, false, false, true, true, ""},
	{"x-a2a-version", NoVersion, false, false, false, false, ""},
	{"a2a-protocol-version", NoVersion, false, false, false, false, ""},
}

// HeaderByName finds a header by its name in any case.
func HeaderByName(name string) (Header, bool) {
	for i := range headers {
		if len(headers[i].Name) == len(name) && strings.EqualFold(headers[i].Name, name) {
			return headers[i], true
		}
	}
	return Header{}, false
}

// Media types, without parameters.
const (
	MediaJSON    = "application/json"         // JSON-RPC; REST 0.3 and 1.0.0
	MediaA2A     = "application/a2a+json"     // REST since v1.0.1 (§11.1); push
	MediaProblem = "application/problem+json" // REST errors of the draft
	MediaSSE     = "text/event-stream"
	MediaGRPC    = "application/grpc"
	MediaGRPCWeb = "application/grpc-web"
)

// MediaType returns the media type of a content-type value in lower case, without parameters.
func MediaType(value string) string {
	if i := strings.IndexByte(value, ';'); i >= 0 {
		value = value[:i]
	}
	return strings.ToLower(strings.TrimSpace(value))
}

// IsGRPC reports a gRPC media type; web says that it is gRPC-Web.
func IsGRPC(media string) (yes, web bool) {
	rest, ok := strings.CutPrefix(media, MediaGRPC)
	if !ok {
		return false, false
	}
	if rest == "" || rest[0] == '+' || rest[0] == ';' {
		return true, false
	}
	if rest == "-web" || strings.HasPrefix(rest, "-web+") || strings.HasPrefix(rest, "-web-text") {
		return true, true
	}
	return false, false
}

// Well-known paths of the agent card.
const (
	CardPath   = "/.well-known/agent-card.json" // since 0.3 (0.3 §5.3, 1.0 §8.2)
	CardPath02 = "/.well-known/agent.json"      // until 0.2.6
)
