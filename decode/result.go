package decode

import (
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// readResult weighs a successful answer, over JSON-RPC or as a REST body.
func (r *Reader) readResult(n jsontree.Node, at Place, rpc bool) {
	c := r.c
	if n.IsArray() {
		if c.Operation == spec.ListPushConfigs {
			r.resp.add(evListArray, at, n)
			r.scanConfig(n.Index(0), at)
		}
		return
	}
	if c.Operation == spec.GetExtendedAgentCard && looksLikeCard(n) {
		r.readCard(n, at, true)
		return
	}
	o := recognise(n)
	if rpc && wrapperOf10(o.member) {
		r.resp.addAs(evWrapper, at, o.inner, o.member)
	}
	var f found
	switch o.kind {
	case objTask, objMessage, objStatus, objArtifact:
		scanObject(&r.resp, &o, at, rpc, &f)
		if rpc && o.member == "" && (c.Operation == spec.SendMessage || c.Operation == spec.SendStreamingMessage) {
			r.resp.addAs(evBareResult, at, n, o.kind)
		}
		r.takeFound(&o, &f)
	case objTasks:
		i := 0
		for task := range o.inner.Get("tasks").Children() {
			if i == maxMessages {
				break
			}
			scanTask(&r.resp, task, at, rpc, &f)
			i++
		}
	case objConfigs:
		if rpc {
			r.resp.addAs(evConfigs, at, o.inner.Get("configs"), "configs")
		}
		r.scanConfig(o.inner.Get("configs").Index(0), at)
	case objConfig:
		r.scanConfig(n, at)
	case objCard:
		if rpc {
			r.readCard(n, at, true)
		}
	}
	r.snake = r.snake || f.snake
	r.content = r.content || f.content
}

// wrapperOf10 reports whether a member is one of StreamResponse's and not one of those only texts about 1.0 show.
func wrapperOf10(member string) bool {
	switch member {
	case "task", "message", "statusUpdate", "artifactUpdate":
		return true
	}
	return false
}

// takeFound copies ids of the answer that the request did not name.
func (r *Reader) takeFound(o *object, f *found) {
	c := r.c
	c.TaskID = firstOf(c.TaskID, f.taskID)
	c.ContextID = firstOf(c.ContextID, f.contextID)
}

// scanConfig weighs a push configuration of an answer.
func (r *Reader) scanConfig(n jsontree.Node, at Place) {
	if !n.IsObject() {
		return
	}
	wrap := n.Get("pushNotificationConfig")
	switch {
	case wrap.IsObject() && n.Has("name"):
		r.resp.add(evResourceName, at, n.Get("name"))
	case wrap.IsObject() && n.Has("id") && n.Has("taskId"):
		r.resp.addAs(evPushWrappedDraft, at, wrap, "pushNotificationConfig")
	case wrap.IsObject():
		r.resp.addAs(evPushWrapped, at, wrap, "pushNotificationConfig")
	case n.Has("taskId") && n.Has("url"):
		r.resp.addAs(evPushFlat, at, n.Get("url"), "url")
	}
}

// settleDialect names the JSON dialect by what was seen.
func (r *Reader) settleDialect() {
	c := r.c
	c.Dialect = ""
	if c.Protocol != spec.A2A {
		return
	}
	v := c.Request.Value
	if v == spec.Mixed {
		v = c.Request.Body
	}
	if v == spec.NoVersion {
		v = c.Response.Value
	}
	switch v {
	case spec.V03, spec.V02, spec.V01:
		switch {
		case r.content || c.Binding == spec.GRPC:
			c.Dialect = spec.DialectP
		case r.snake:
			c.Dialect = spec.DialectSnake
		case c.Binding == spec.HTTPJSON && !r.spokeJ():
			if c.Path.V1 != "" || c.Path.Template == "" {
				c.Dialect = spec.DialectP
			}
		default:
			c.Dialect = spec.DialectJ
		}
	case spec.V10Draft:
		c.Dialect = spec.DialectDraft
	case spec.V10:
		c.Dialect = spec.Dialect10
	}
}

// spokeJ reports whether a REST body had the shapes of 0.3's JSON schema.
func (r *Reader) spokeJ() bool {
	const j = 1<<evKind | 1<<evRoleLower | 1<<evStateLower
	return (r.body.seen|r.resp.seen)&j != 0
}
