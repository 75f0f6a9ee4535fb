package decode

import (
	"a2ascope/capture"
	"a2ascope/internal/jsontree"
)

// Compact returns the call without what can be read again from its exchange:
// parsed documents, stream events, the evidence of the versions. A session of
// 200,000 exchanges keeps the facts; whoever shows one of them calls Full.
func (c *Call) Compact() *Call {
	n := *c
	n.Shed()
	return &n
}

// Shed makes the call itself what Compact returns: for who owns it.
func (c *Call) Shed() {
	c.Compacted = true
	c.RequestDoc, c.ResponseDoc = nil, nil
	c.Params, c.Result = jsontree.Node{}, jsontree.Node{}
	c.EventCount, c.Events = len(c.Events), nil
	c.Identity = nil
	for _, f := range c.versionFacts() {
		f.Signals = nil
	}
}

// Full returns the call with all that Compact left out, read again from the
// exchange. What context added to the facts stays.
func (c *Call) Full() *Call {
	if !c.Compacted {
		return c
	}
	again := readAgain(c.Exchange)
	n := *c
	n.Compacted = false
	n.RequestDoc, n.ResponseDoc = again.RequestDoc, again.ResponseDoc
	n.Params, n.Result, n.Events = again.Params, again.Result, again.Events
	n.Identity = again.Identity
	for i, f := range n.versionFacts() {
		if from := again.versionFacts()[i]; from.Signals != nil {
			f.Signals = from.Signals
		}
	}
	return &n
}

func readAgain(x *capture.Exchange) *Call {
	r := NewReader()
	r.ask(x)
	r.replay(x, len(x.Received))
	r.answer(x)
	return r.settled(x)
}

// ReadCard reads the card again from the exchange, for whoever kept the call
// without it.
func (c *Call) ReadCard() { c.AgentCard = readAgain(c.Exchange).AgentCard }

// NumEvents is the number of A2A events of a stream, also of a compacted call.
func (c *Call) NumEvents() int {
	if c.Compacted {
		return c.EventCount
	}
	return len(c.Events)
}

// Streamed reports whether the answer came as events or messages one by one.
func (c *Call) Streamed() bool {
	fs := c.Exchange.Received
	for i := range fs[:min(len(fs), 3)] {
		switch fs[i].V.Form {
		case capture.SSEEvent, capture.SSEComment:
			return true
		case capture.GRPCMessage:
			return c.Streaming || len(fs) > 1
		}
	}
	return false
}

// versionFacts lists the facts whose evidence Compact leaves out; the card's
// evidence comes from context and stays.
func (c *Call) versionFacts() [4]*VersionFact {
	return [4]*VersionFact{&c.CallVersion, &c.BodyVersion, &c.Request, &c.Response}
}
