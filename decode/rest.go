package decode

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// restRequest reads a request that matched a route: base [ "/v1" ] [ "/" tenant ] route.
func (r *Reader) restRequest(x *capture.Exchange, route *spec.Route, m *marks) {
	c := r.c
	h := x.Request
	c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.HTTPJSON
	c.Operation, c.Misnamed = route.Op, route.SlashForColon || route.EscapedColon
	c.Streaming = spec.Streams(route.Op)
	c.TaskID = route.TaskID
	r.readPath(h, route)

	// Who alone has the route, who has the rest of the request.
	weight := Medium
	if route.Generic || c.Misnamed || !route.VerbOK {
		weight = Weak
	}
	c.identify("request/line", c.Method, spec.A2A, weight, "route")
	strong := false
	if at := m.a2a(); at != "" {
		c.identify(at, "", spec.A2A, Strong, "a2a-header")
		strong = true
	} else if c.Declared.Source == "query" {
		c.identify(c.Declared.At, "", spec.A2A, Strong, "a2a-query")
		strong = true
	}
	if h.MediaType() == "application/a2a+json" {
		c.identify("request/header/content-type", "application/a2a+json", spec.A2A, Strong, "media-type")
		strong = true
	}

	r.restVersion(route, h)
	if c.RequestDoc != nil {
		root := c.RequestDoc.Root()
		c.Params, c.ParamsAt = root, FramePlace("request", r.requestFrame, "")
		switch h.Method {
		case "POST", "PUT", "PATCH":
			a := readParams(&r.body, c.Operation, root, c.ParamsAt)
			msg := root.Get("message")
			if msg.Get("parts").IsArray() || msg.Get("content").IsArray() {
				c.identify(c.ParamsAt+"/message", "parts", spec.A2A, Strong, "message-parts")
				strong = true
			} else if a.push != nil && a.push.URL != "" && route.Op == spec.CreatePushConfig {
				c.identify(c.ParamsAt, "url", spec.A2A, Strong, "push-config")
				strong = true
			}
			a.taskID, a.configID = firstOf(route.TaskID, a.taskID), firstOf(route.ConfigID, a.configID)
			if a.push != nil {
				a.push.TaskID, a.push.ConfigID = a.taskID, a.configID
			}
			r.takeAsked(a, c.ParamsAt)
		}
	}
	if c.Push == nil && (route.ConfigID != "" || route.Op == spec.ListPushConfigs) {
		c.Push = &PushFact{TaskID: route.TaskID, ConfigID: route.ConfigID}
	}
	if q := c.Path.Query; q != nil {
		r.restQuery(q)
	}
	if base, ok := strings.CutSuffix(c.Path.Base, "/"+c.Tenant); ok && c.Tenant != "" {
		c.Path.Base, c.Path.Tenant = base, c.Tenant // path and body say the same tenant
	}
	if !strong {
		c.Tentative, c.Fallback = true, spec.HTTPOther
	}
}

// readPath splits what stands before the route. Without a known interface
// nothing tells a base from a tenant, so only /v1 is named, as ambiguous: the
// prefix of 0.3, a base that ends in /v1, or a tenant of that name.
func (r *Reader) readPath(h *capture.Head, route *spec.Route) {
	c := r.c
	p := PathFact{Template: route.Template, VerbMismatch: !route.VerbOK, Rest: route.Before, Base: route.Before}
	if base, ok := strings.CutSuffix(route.Before, "/v1"); ok {
		p.Base, p.V1 = base, "ambiguous"
	}
	if q := h.Query(); q != "" {
		p.Query = readQuery(q)
	}
	c.Path = p
	name := h.Method
	if p.V1 != "" {
		name += " /v1/" + route.Template
	} else {
		name += " /" + route.Template
	}
	c.Method = name
}

// restVersion weighs how a route was named.
func (r *Reader) restVersion(route *spec.Route, h *capture.Head) {
	v1 := r.c.Path.V1 != ""
	path := clip(h.Path(), shortLimit)
	const line = Place("request/line")
	switch {
	case route.Singular:
		r.callSignal(line, path, spec.V03, Decisive, "route-singular")
	case route.Old02:
		r.callSignal(line, path, spec.V02, Strong, "route-of-0.2")
	case route.V1Required: // /v1/card
		r.callSignal(line, path, spec.V03, Strong, "route-card")
	case route.Op == spec.GetExtendedAgentCard && route.Template == "extendedAgentCard" && v1:
		r.callSignal(line, path, spec.V10Draft, Medium, "route-extended-card")
	case route.Op == spec.GetExtendedAgentCard && route.Template == "extendedAgentCard":
		r.callSignal(line, path, spec.V10, Strong, "route-extended-card")
	case v1:
		r.callSignal(line, path, spec.V03, Medium, "path-v1")
	default:
		r.callSignal(line, path, spec.V10, Medium, "path-no-v1")
	}
}

// restQuery reads what the query parameters name.
func (r *Reader) restQuery(q map[string]string) {
	c := r.c
	if t := q["tenant"]; t != "" && c.Tenant == "" {
		c.Tenant, c.TenantFrom = t, "request/query/tenant"
		r.body.addAt(evTenant, "request/query/tenant", t)
	}
	if c.Operation != spec.ListTasks {
		return
	}
	if id := firstOf(q["contextId"], q["context_id"]); id != "" {
		c.ContextID = id
	}
	if s, ok := q["status"]; ok && s != "" {
		if s[0] >= 'a' && s[0] <= 'z' {
			r.body.push(VersionSignal("request/query/status", clip(s, shortLimit), spec.V03, Strong, "state-lower"))
		} else if strings.HasPrefix(s, "TASK_STATE_") {
			r.body.push(VersionSignal("request/query/status", clip(s, shortLimit), spec.V10, Medium, "state-enum"))
		}
	}
}

// restByHeader settles the version of a REST call of which neither the route
// nor the body says more than a hint: then the header counts. It is only the
// client's claim, but a client of 0.3 does not know the header, and the 0.3
// layer of a 1.0 client sends it truly.
func (r *Reader) restByHeader() {
	c := r.c
	d := &c.Declared
	if c.Binding != spec.HTTPJSON || d.Version != spec.V03 && d.Version != spec.V10 || d.Version == c.Request.Value {
		return
	}
	if c.Request.Weight() >= Strong || c.Request.Value == spec.Mixed {
		return
	}
	signals := append(append([]Signal(nil), c.Request.Signals...),
		VersionSignal(d.At, d.Raw, d.Version, Medium, "declared"))
	c.Request = VersionFact{Value: d.Version, Sure: Possible, Signals: signals}
}

// restAnswer reads an answer that is no JSON-RPC envelope.
func (r *Reader) restAnswer(root jsontree.Node, base Place) {
	c := r.c
	h := r.response
	if status(h) >= 400 || status(h) >= 300 && status(h) < 400 {
		c.Fault = r.restFault(root, base, h)
		return
	}
	if f := r.inlineFault(root, base); f != nil { // 200 with an error object in it
		c.Fault = f
		return
	}
	c.Result, c.ResultAt = root, base
	r.readResult(root, base, false)
	o := recognise(root)
	if c.Tentative && c.Binding == spec.HTTPJSON && restFits(c.Operation, &o) {
		r.confirm(base, "result-"+o.kind)
	}
}

// restFits reports whether an answer is what the route promises, which tells an
// A2A /tasks from everybody else's.
func restFits(op spec.Operation, o *object) bool {
	switch op {
	case spec.GetTask, spec.CancelTask:
		return o.kind == objTask && o.sure
	case spec.SendMessage, spec.SendStreamingMessage, spec.SubscribeToTask:
		return o.sure && (o.kind == objTask || o.kind == objMessage || o.kind == objStatus || o.kind == objArtifact)
	case spec.ListTasks:
		if o.kind != objTasks {
			return false
		}
		first := o.inner.Get("tasks").Index(0)
		return !first.Exists() && o.sure || recognise(first).kind == objTask
	case spec.GetExtendedAgentCard:
		return o.kind == objCard
	case spec.CreatePushConfig, spec.GetPushConfig:
		return o.kind == objConfig
	case spec.ListPushConfigs:
		return o.kind == objConfigs
	}
	return false
}
