package diagnose

import (
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// AgentInfo is what has been learnt of one agent, for the screen. It never changes.
type AgentInfo struct {
	Authority  string
	First      capture.ExchangeID // the exchange it was first met in
	Card       *decode.AgentCard
	CardFrom   capture.ExchangeID // the fetch the card was read from
	CardAt     time.Time
	Interfaces []InterfaceInfo
	Calls      int
	Failures   int
}

// InterfaceInfo is an address of an agent and how it really answered.
type InterfaceInfo struct {
	URL      string // as declared, or origin + base path where no card names it
	Binding  spec.Binding
	Declared string               // version of the card entry, "" when none
	Answered map[spec.Version]int // responses by version
	Calls    int
	Failed   int
}
