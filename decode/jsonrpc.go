package decode

import (
	"bytes"
	"strings"

	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// envelope is a JSON-RPC object, of a request or of an answer.
type envelope struct {
	two                               bool // "jsonrpc":"2.0"
	version                           jsontree.Node
	id, method, params, result, error jsontree.Node
}

func readEnvelope(n jsontree.Node) (e envelope) {
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "jsonrpc":
			e.version = c
			e.two = c.IsString() && string(c.Raw()) == `"2.0"`
		case "id":
			e.id = c
		case "method":
			e.method = c
		case "params":
			e.params = c
		case "result":
			e.result = c
		case "error":
			e.error = c
		}
	}
	return e
}

// rpcRequest reads a body as JSON-RPC. It returns false when it is none.
func (r *Reader) rpcRequest(doc *jsontree.Doc, frame int, m *marks) bool {
	c := r.c
	root := doc.Root()
	base := FramePlace("request", frame, "")
	if root.IsArray() {
		return r.rpcBatch(root, base, m)
	}
	if !root.IsObject() {
		return false
	}
	env := readEnvelope(root)
	if postedAnswer(&env, m) {
		return false
	}
	if !env.two {
		if !env.method.IsString() || !(env.params.IsObject() || env.version.Exists()) {
			return false
		}
		// No JSON-RPC 2.0, though it looks like a call: only a name that A2A alone has, or the context, makes it one.
		if _, known := spec.MethodByName(env.method.Str()); !known && !env.version.Exists() {
			c.Tentative, c.Fallback = true, spec.HTTPOther
		}
	}
	c.RPC.IsEnvelope = env.two
	c.RPC.ID = string(env.id.Raw())
	r.rpcCall(&env, base, base, m)
	return true
}

// rpcBatch reads an array of calls: A2A defines none, so the first member that
// is A2A stands for the batch and the count is a fact.
func (r *Reader) rpcBatch(root jsontree.Node, base Place, m *marks) bool {
	chosen := -1
	var env envelope
	i := 0
	for member := range root.Children() {
		if i == maxBatch {
			break
		}
		e := readEnvelope(member)
		if !e.two {
			if i == 0 {
				return false
			}
			i++
			continue
		}
		_, a2a := spec.MethodByName(e.method.Str())
		if chosen < 0 || a2a {
			chosen, env = i, e
		}
		if a2a {
			break
		}
		i++
	}
	if chosen < 0 {
		return false
	}
	r.c.RPC.Batch = root.Len()
	r.c.RPC.IsEnvelope = true
	r.c.RPC.ID = string(env.id.Raw())
	at := base + Place("/"+itoa(chosen))
	r.rpcCall(&env, at, base, m)
	return true
}

const maxBatch = 100

// rpcCall decides whose call it is and reads its parameters.
func (r *Reader) rpcCall(env *envelope, at, base Place, m *marks) {
	c := r.c
	c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.JSONRPC
	c.Method = env.method.Str()
	c.Params, c.ParamsAt = env.params, at+"/params"
	methodAt := at + "/method"

	if !env.method.IsString() {
		r.rpcNameless(env, at, m)
		return
	}
	mcp, collides := spec.MCPMethod(c.Method)
	method, known := spec.MethodByName(c.Method)
	switch {
	case known && !collides:
		c.identify(methodAt, c.Method, spec.A2A, Decisive, "method-name")
	case mcp && !collides:
		r.foreignRPC(spec.MCP, methodAt, "mcp-method")
		return
	case collides:
		if !r.settleCollision(env, at, m) {
			return
		}
	default:
		near, isNear := spec.NearMethod(c.Method)
		if isNear {
			method, known = near, true
			c.Misnamed = true
		}
		if !r.rpcUnknown(env, at, m, isNear) {
			return
		}
	}
	if known {
		c.Operation = method.Op
		r.callSignal(methodAt, c.Method, method.Version, pickWeight(c.Misnamed, Medium, Decisive), "method-name")
		if c.Method == "tasks/list" { // no table of 0.3 has it: an extension of a2a-go 0.3, or MCP
			r.call.signals[len(r.call.signals)-1].Weight = Strong
		}
	}
	c.Streaming = spec.Streams(c.Operation)
	r.takeAsked(readParams(&r.body, c.Operation, env.params, c.ParamsAt), c.ParamsAt)
}

func pickWeight(yes bool, a, b Weight) Weight {
	if yes {
		return a
	}
	return b
}

// rpcNameless reads an envelope whose method is missing or no string: a broken
// call, or the answer to a call of the other side (MCP lets clients post those).
func (r *Reader) rpcNameless(env *envelope, at Place, m *marks) {
	if env.result.Exists() || env.error.Exists() {
		r.foreignRPC(pickProtocol(m.mcp != "", spec.MCP, spec.JSONRPCOther), at, "rpc-answer-as-request")
		return
	}
	c := r.c
	if !r.a2aSigns(env.params, m) {
		c.Tentative, c.Fallback = true, spec.JSONRPCOther
	}
	r.takeAsked(readParams(&r.body, "", env.params, c.ParamsAt), c.ParamsAt)
}

func pickProtocol(yes bool, a, b spec.Protocol) spec.Protocol {
	if yes {
		return a
	}
	return b
}

// a2aSigns notes what besides the method name says A2A: a header only A2A
// defines, or a message with parts.
func (r *Reader) a2aSigns(params jsontree.Node, m *marks) bool {
	c := r.c
	yes := false
	if at := m.a2a(); at != "" {
		c.identify(at, "", spec.A2A, Strong, "a2a-header")
		yes = true
	}
	msg := params.Get("message")
	if msg.Get("parts").IsArray() || msg.Get("content").IsArray() {
		c.identify(c.ParamsAt+"/message", "parts", spec.A2A, Strong, "message-parts")
		yes = true
	}
	return yes
}

// rpcUnknown judges a method of no table. It returns false when the call is another protocol's.
func (r *Reader) rpcUnknown(env *envelope, at Place, m *marks, near bool) bool {
	c := r.c
	if near {
		c.identify(at+"/method", c.Method, spec.A2A, Medium, "near-method-name")
	}
	if r.a2aSigns(env.params, m) {
		c.Tentative = false
		return true
	}
	if m.mcp != "" {
		r.foreignRPC(spec.MCP, HeaderPlace("request", m.mcp), "mcp-header")
		return false
	}
	if !near && foreignMethod(c.Method) {
		r.foreignRPC(spec.JSONRPCOther, at+"/method", "method-of-another-protocol")
		return false
	}
	if !c.Tentative {
		c.Tentative, c.Fallback = true, spec.JSONRPCOther
	}
	return true
}

// foreignMethod knows the name spaces of JSON-RPC protocols often seen beside A2A.
func foreignMethod(name string) bool {
	for _, p := range [...]string{"eth_", "net_", "web3_", "textDocument/", "workspace/", "window/", "session/", "fs/", "terminal/", "$/"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// foreignRPC makes the exchange another protocol's.
func (r *Reader) foreignRPC(p spec.Protocol, at Place, why string) {
	c := r.c
	c.identify(at, clip(c.Method, shortLimit), p, Decisive, why)
	c.Kind, c.Protocol, c.Binding = spec.KindOther, p, ""
	c.Tentative, c.Fallback = false, ""
	c.Operation, c.Misnamed, c.Streaming = "", false, false
	c.TaskID, c.ContextID, c.Tenant, c.Push = "", "", "", nil
	r.call, r.body = tally{}, tally{}
}

// settleCollision decides between A2A and MCP for tasks/get, tasks/cancel and
// tasks/list, which both define. It returns false for MCP.
func (r *Reader) settleCollision(env *envelope, at Place, m *marks) bool {
	c := r.c
	p := env.params
	paramsAt := at + "/params"
	switch {
	case m.mcp != "":
		r.foreignRPC(spec.MCP, HeaderPlace("request", m.mcp), "mcp-header")
		return false
	case p.Get("taskId").Exists():
		r.foreignRPC(spec.MCP, paramsAt+"/taskId", "mcp-task-id")
		return false
	case p.Get("id").IsString(), p.Get("name").IsString():
		c.identify(paramsAt+"/id", "", spec.A2A, Decisive, "task-id")
		return true
	}
	if r.a2aSigns(p, m) {
		return true
	}
	if p.Get("_meta").Exists() {
		r.foreignRPC(spec.MCP, paramsAt+"/_meta", "mcp-meta")
		return false
	}
	for n := range p.Children() {
		switch string(n.KeyText()) {
		case "contextId", "context_id", "pageSize", "page_size", "pageToken", "page_token", "status", "historyLength", "history_length":
			c.identify(paramsAt, n.Key(), spec.A2A, Strong, "list-params")
			return true
		}
	}
	c.Tentative, c.Fallback = true, spec.JSONRPCOther
	return true
}

// settleByResult decides an undecided tasks/… call by its answer.
func (r *Reader) settleByResult(result jsontree.Node, at Place) {
	c := r.c
	if !c.Tentative || c.Binding != spec.JSONRPC {
		return
	}
	if _, collides := spec.MCPMethod(c.Method); collides {
		_, status := result.Get("taskId"), result.Get("status")
		first := result.Get("tasks").Index(0)
		if result.Get("taskId").Exists() && status.IsString() || first.Get("taskId").Exists() ||
			result.Get("ttl").Exists() || result.Get("pollInterval").Exists() {
			r.foreignRPC(spec.MCP, at, "mcp-result")
			return
		}
		if first.IsObject() && recognise(first).kind == objTask {
			r.confirm(at, "result-task")
			return
		}
	}
	if o := recognise(result); o.sure && o.kind != objConfig {
		r.confirm(at, "result-"+o.kind)
	}
}

// confirm ends a doubt: the exchange itself shows that it is A2A.
func (r *Reader) confirm(at Place, why string) {
	r.c.Tentative, r.c.Fallback = false, ""
	r.c.identify(at, "", spec.A2A, Strong, why)
}

// methodInText finds the name of an A2A method in a body that is no JSON.
func methodInText(body []byte) string {
	if len(body) > 4096 {
		body = body[:4096]
	}
	for _, name := range [...]string{"message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe",
		"tasks/pushNotificationConfig", "tasks/send", "SendMessage", "SendStreamingMessage", "GetTask", "CancelTask",
		"ListTasks", "SubscribeToTask", "TaskPushNotificationConfig", "GetExtendedAgentCard"} {
		if bytes.Contains(body, []byte(name)) {
			return name
		}
	}
	return ""
}

// rpcAnswer reads an answer as a JSON-RPC envelope. It returns false when it is none.
func (r *Reader) rpcAnswer(root jsontree.Node, base Place) bool {
	if root.IsArray() { // the answer to a batch
		first := root.Index(0)
		if !readEnvelope(first).two {
			return false
		}
		root, base = first, base+"/0"
	}
	env := readEnvelope(root)
	if !env.two || env.method.Exists() {
		return false
	}
	c := r.c
	c.RPC.AnswerOK = true
	c.RPC.ResponseID = string(env.id.Raw())
	if env.error.Exists() && env.error.Kind() != jsontree.Null {
		c.Fault = r.rpcFault(env.error, base+"/error")
		return true
	}
	if !env.result.Exists() {
		return true
	}
	c.Result, c.ResultAt = env.result, base+"/result"
	r.settleByResult(env.result, c.ResultAt)
	r.readResult(env.result, c.ResultAt, true)
	return true
}
