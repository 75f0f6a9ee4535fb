package diagnose

import (
	"hash/maphash"
	"slices"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/audit"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// alikeKey names a question by what any binding may be asked: a hash of the
// operation, its input, tenant, credential and version.
type alikeKey struct {
	agent string
	hash  uint64
}

// alike is how a question was answered, the last time over each binding.
type alike struct{ calls [3]like }

// like is what is compared of an answer. Nothing of its content is kept.
type like struct {
	at, began time.Time
	exchange  capture.ExchangeID
	binding   spec.Binding
	ok        bool
	err       string
	a2a       bool // the error says that it is one of A2A
	info      bool // with an ErrorInfo
	foreign   bool // no agent wrote it
	kind      string
	state     string
	artifacts int
	listed    int
	set       uint64 // of the ids that were listed
	filter    string
	unknown   []string // members of the request that no version has
}

// likeness is the question and the answer of an exchange, once it has one.
type likeness struct {
	done bool
	key  alikeKey
	call like
}

var capabilities = [2]string{"streaming", "pushNotifications"}

// capabilityOf is the capability that a call needs, as an index; -1 for none.
func capabilityOf(c *decode.Call) int {
	return slices.Index(capabilities[:], spec.OperationNeeds(c.Operation))
}

// lacksCapability reports whether a call was refused because the agent does
// not have its capability. To a task of its own, UnsupportedOperationError may
// say something else: that the task has ended.
func lacksCapability(c *decode.Call) bool {
	if c.Fault == nil {
		return false
	}
	switch c.Fault.A2A {
	case "PushNotificationNotSupportedError":
		return true
	case "UnsupportedOperationError":
		return c.Operation == spec.SendStreamingMessage && c.TaskID == ""
	}
	return false
}

// tenantCarrier says where a 1.0 call over HTTP+JSON names its tenant.
func tenantCarrier(c *decode.Call) string {
	switch {
	case c.Binding != spec.HTTPJSON || c.Tenant == "":
		return ""
	case c.TenantFrom == "request/line":
		return "path"
	}
	return "field"
}

// siblings visits the addresses of the agent that were called, until visit returns false.
func (m *memory) siblings(c *decode.Call, s *seen, visit func(*peer) bool) {
	look := func(authority string) bool {
		o := m.origins.find(authority)
		if o == nil {
			return true
		}
		for _, key := range o.peers {
			if p := m.peers.items[key]; p != nil && !visit(&p.value) {
				return false
			}
		}
		return true
	}
	if !look(s.authority) || s.match.card == nil {
		return
	}
	for i := range s.match.card.groups {
		if a := s.match.card.groups[i].address.authority; a != s.authority && a != "" && !look(a) {
			return
		}
	}
}

// severalBindings reports whether a call may be compared with one of another binding.
func (m *memory) severalBindings(c *decode.Call, s *seen) bool {
	if k := s.match.card; k != nil && len(k.bindings) > 1 {
		return true
	}
	several := false
	m.siblings(c, s, func(p *peer) bool {
		several = p.key.binding != string(c.Binding)
		return !several
	})
	return several
}

// likenessOf reads question and answer once.
func (m *memory) likenessOf(c *decode.Call, s *seen) *likeness {
	l := &s.like
	if l.done {
		return l
	}
	l.done = true
	failed := c.Outcome != spec.OK
	// A failure is kept in any case: it may be the first call to the agent.
	if spec.Streams(c.Operation) && !failed || c.Fault == nil && failed || !failed && !m.severalBindings(c, s) {
		return l
	}
	h := m.questionHash(c)
	if h == 0 {
		return l
	}
	l.key = alikeKey{m.agentOf(s), h}
	n := &l.call
	n.exchange, n.binding, n.ok, n.began = c.Exchange.ID, c.Binding, !failed, c.Exchange.Started
	n.at = m.now
	for _, slip := range audit.Request(c) {
		if slip.Kind == audit.Unknown && len(n.unknown) < 4 {
			n.unknown = addOnce(n.unknown, cut(slip.Member))
		}
	}
	if c.Operation == spec.ListTasks {
		n.filter = filterNames(c)
	}
	if failed {
		n.fail(c)
		return l
	}
	n.answer(m, c)
	return l
}

// fail notes an error.
func (n *like) fail(c *decode.Call) {
	f := c.Fault
	n.info, n.foreign = f.HasInfo, f.Shape == "foreign"
	switch {
	case f.A2A != "":
		n.err, n.a2a = f.A2A, true
	case f.Code < 0:
		n.err = "JSON-RPC " + itoa(int64(f.Code))
	case c.Binding == spec.GRPC:
		n.err = "gRPC status " + itoa(int64(c.GRPC.Status))
	default:
		n.err = "HTTP " + itoa(int64(f.HTTP))
	}
}

// answer notes a success.
func (n *like) answer(m *memory, c *decode.Call) {
	r := c.Result
	switch {
	case c.Operation == spec.ListTasks:
		for t := range r.Get("tasks").Children() {
			n.listed++
			n.set += hashString(m.salt, t.Get("id").Str()) // a set: the order does not count
		}
		return
	case r.Get("task").IsObject():
		r, n.kind = r.Get("task"), "task"
	case r.Get("message").IsObject() && !r.Has("status"), r.Get("msg").IsObject():
		n.kind = "message"
		return
	case r.Get("status").IsObject():
		n.kind = "task"
	case r.Has("parts"), r.Has("content"):
		n.kind = "message"
		return
	default:
		return
	}
	n.state, n.artifacts = cut(r.Path("status", "state").Text()), r.Get("artifacts").Len()
}

// questionHash is 0 for what another binding cannot be asked in the same words.
func (m *memory) questionHash(c *decode.Call) uint64 {
	var h maphash.Hash
	h.SetSeed(m.salt)
	add := func(s string) {
		h.WriteString(s)
		h.WriteByte(0)
	}
	add(string(c.Operation))
	add(generation(string(requestGeneration(c))))
	add(string(c.Declared.Semantic()))
	add(c.Tenant)
	switch c.Operation {
	case spec.SendMessage, spec.SendStreamingMessage:
		_, words := m.messageHashes(c)
		if words == 0 {
			return 0
		}
		msg, _ := messageOf(c)
		maphash.WriteComparable(&h, words)
		add(either(msg, "taskId", "task_id").Str())
		add(either(msg, "contextId", "context_id").Str())
	case spec.GetTask, spec.CancelTask, spec.SubscribeToTask, spec.ListPushConfigs:
		if c.TaskID == "" {
			return 0
		}
		add(c.TaskID)
	case spec.ListTasks:
		for _, name := range listParams {
			add(listParam(c, name))
		}
	default:
		return 0
	}
	if cred := m.credential(c.Exchange); cred != 0 {
		maphash.WriteComparable(&h, cred)
	}
	return h.Sum64() | 1
}

// listParams are the parameters that decide which tasks are listed; the first
// three are filters.
var listParams = [...]string{"contextId", "status", "statusTimestampAfter", "pageSize", "pageToken"}

// listParam reads a parameter of ListTasks, from the query or the body.
func listParam(c *decode.Call, name string) string {
	if c.Binding == spec.HTTPJSON {
		return c.Path.Query[name]
	}
	v := c.Params.Get(name)
	if v.Kind() == jsontree.Null || v.Text() == "0" || v.Text() == "TASK_STATE_UNSPECIFIED" {
		return ""
	}
	return v.Text()
}

// filterNames names the filters of ListTasks.
func filterNames(c *decode.Call) string {
	names := ""
	for _, name := range listParams[:3] {
		if listParam(c, name) == "" {
			continue
		}
		if names != "" {
			names += ", "
		}
		names += name
	}
	return names
}

// learnParity takes the end of a call in.
func (m *memory) learnParity(c *decode.Call, s *seen) {
	if c.Outcome == "" {
		return
	}
	if l := m.likenessOf(c, s); l.key.hash != 0 {
		a, _ := m.alike.take(l.key)
		if i := slices.Index(bindings[:], c.Binding); i >= 0 {
			a.calls[i] = l.call
		}
	}
	ok := c.Outcome == spec.OK
	if i := capabilityOf(c); i >= 0 && (ok || lacksCapability(c)) {
		p := m.peerOf(c, s)
		p.did[i], p.lacks[i] = p.did[i] || ok, p.lacks[i] || !ok
	}
	if !ok || c.Exchange.Request == nil {
		return
	}
	var h HTTPFacts
	for i := range c.Exchange.Request.Fields {
		if f := &c.Exchange.Request.Fields[i]; len(f.Name) == len("a2a-extensions") {
			requestField(&h, f)
		}
	}
	if len(h.Extensions) != 1 {
		return
	}
	fillHTTP(&h, c)
	var caps CapsFacts
	if caps.extensions(c, &h); len(caps.Unconfirmed) == 0 && caps.Confirms {
		p := m.peerOf(c, s)
		p.alone = addBounded(p.alone, cut(h.Extensions[0]))
	}
}

var bindings = [3]spec.Binding{spec.JSONRPC, spec.HTTPJSON, spec.GRPC}
