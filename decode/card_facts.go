package decode

import "a2ascope/internal/jsontree"

// AgentCard is what a card says, in either vocabulary.
type AgentCard struct {
	Vocabulary string // "1.0", "0.3", "blended", "0.2", "0.1"
	Extended   bool
	Name       string
	Version    string // of the agent
	Protocol   string // card-level protocolVersion as written
	Preferred  string // preferredTransport as written
	Interfaces []Interface
	Streaming  Flag
	PushNotes  Flag
	ExtCard    Flag
	Extensions []Extension
	Secured    bool     // security or securityRequirements demand something
	Schemes    []string // names of the security schemes
	Signatures int
	Node       jsontree.Node
	At         Place
}

// Interface is one entry of a card.
type Interface struct {
	URL     string
	Binding string // as written: JSONRPC, GRPC, HTTP+JSON, or another word
	Version string // Major.Minor, "" when unspecified
	RawVer  string // as written
	Tenant  string
	From    string // "supportedInterfaces", "url", "additionalInterfaces"
	At      Place
}

// Extension of a card's capabilities.
type Extension struct {
	URI      string
	Required bool
}

// Flag is a capability: absent, false or true.
type Flag string

// The values of a Flag.
const (
	FlagAbsent Flag = ""
	FlagFalse  Flag = "false"
	FlagTrue   Flag = "true"
)
