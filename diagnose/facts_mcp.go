package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// MCPFacts is a call of MCP, the protocol that shares JSON-RPC and three method
// names with A2A, which went to an address of A2A.
type MCPFacts struct {
	AtAgent bool   `cel:"at_agent"` // the url is the JSON-RPC interface of an agent: by its card, or by its answers
	Served  bool   `cel:"served"`   // a call of MCP was answered there before: the url serves both
	Code    int    `cel:"code"`     // JSON-RPC error the agent answered with, 0 for none
	Message string `cel:"message"`  // its words
	CodeAt  string `cel:"code_at"`  // place of the code
}

func (m *memory) mcpFacts(f *MCPFacts, c *decode.Call, s *seen) {
	if c.Protocol != spec.MCP {
		return
	}
	if g := s.match.group; g != nil && g.binding == string(spec.JSONRPC) && s.path == g.address.path {
		f.AtAgent = true
	} else if p := m.peers.find(peerKey{s.authority, s.path, string(spec.JSONRPC)}); p != nil {
		f.AtAgent = p.ok[0] || p.ok[1]
	}
	if o := m.origins.find(s.authority); o != nil {
		f.Served = contains(o.mcp, s.path+"/")
	}
	if !f.AtAgent || c.ResponseDoc == nil {
		return
	}
	if e := c.ResponseDoc.Root().Get("error"); e.IsObject() {
		code, _ := e.Get("code").Int()
		f.Code, f.Message = int(code), cut(e.Get("message").Str())
		f.CodeAt = string(decode.FramePlace("response", 0, "/error/code"))
	}
}

// learnMCP remembers where a call of MCP was answered with a result, or a stream.
func (m *memory) learnMCP(c *decode.Call, s *seen) {
	if c.Protocol != spec.MCP || c.Outcome != spec.OK {
		return
	}
	o := m.origins.find(s.authority)
	if o == nil {
		return
	}
	r := c.Exchange.Response
	if c.ResponseDoc != nil && c.ResponseDoc.Root().Has("result") || r != nil && r.MediaType() == "text/event-stream" {
		o.mcp = addBounded(o.mcp, s.path+"/")
	}
}
