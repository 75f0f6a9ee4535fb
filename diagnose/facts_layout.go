package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// LayoutFacts says which version's protobuf layout the messages of a gRPC call have.
type LayoutFacts struct {
	Shared bool   `cel:"shared"` // 0.3 and the 1.0 draft have this path in common: the path does not tell
	Path   string `cel:"path"`   // the version whose layout goes with the path: as the request was read
	Fits   string `cel:"fits"`   // the version whose layout a message has that does not fit the one above; "" when all fit
	Side   string `cel:"side"`   // request or response: whose message that is
	At     string `cel:"at"`
}

func fillLayout(l *LayoutFacts, c *decode.Call) {
	if c.Binding != spec.GRPC {
		return
	}
	g := &c.GRPC
	l.Shared, l.Path, l.Fits, l.At = g.Shared, g.Schema, string(g.Fits), string(g.FitsAt)
	if l.Fits != "" {
		l.Side, _, _ = strings.Cut(l.At, "/")
	}
}
