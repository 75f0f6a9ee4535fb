package spec

import "strings"

// mcpNames are the methods of MCP, a protocol that also speaks JSON-RPC and is often seen beside A2A.
var mcpNames = []string{
	"initialize", "ping", "completion/complete", "logging/setLevel", "roots/list",
	"sampling/createMessage", "elicitation/create", "server/discover",
	"tasks/result", "tasks/update", "tasks/delete",
}

// mcpFamilies are prefixes that belong to MCP as a whole.
var mcpFamilies = []string{"tools/", "resources/", "prompts/", "notifications/"}

// mcpShared are the names that A2A up to 0.3 and MCP since 2025-11-25 both have.
var mcpShared = []string{"tasks/get", "tasks/cancel", "tasks/list"}

// MCPMethod reports whether name is a method of MCP, and whether A2A has the
// same name, so that parameters or answer must decide.
func MCPMethod(name string) (yes, collides bool) {
	for _, s := range mcpShared {
		if s == name {
			return true, true
		}
	}
	for _, s := range mcpNames {
		if s == name {
			return true, false
		}
	}
	for _, s := range mcpFamilies {
		if strings.HasPrefix(name, s) && len(name) > len(s) {
			return true, false
		}
	}
	return false, false
}
