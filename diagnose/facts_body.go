package diagnose

import (
	"iter"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// maxMembers bounds the names listed of an object.
const maxMembers = 24

// fillParams fills the shapes of what was asked. The contents of metadata,
// data parts and extension params are not looked at.
func fillParams(p *ParamsFacts, c *decode.Call) {
	if c.Kind != spec.KindCall {
		return
	}
	p.Place = string(c.ParamsAt)
	p.Consistent = c.Request.Value != spec.Mixed
	for i := range c.BodyVersion.Signals {
		g := &c.BodyVersion.Signals[i]
		switch generation(g.Says) {
		case "0.3":
			p.Old = append(p.Old, g.Why)
			if p.OldAt == "" {
				p.OldAt = string(g.Where)
			}
		case "1.0":
			p.New = append(p.New, g.Why)
			if p.NewAt == "" {
				p.NewAt = string(g.Where)
			}
		}
	}
	if !c.Params.IsObject() {
		return
	}
	push := false
	switch c.Operation {
	case spec.GetPushConfig, spec.DeletePushConfig, spec.ListPushConfigs, spec.CreatePushConfig:
		push = true
	}
	for m := range c.Params.Children() {
		if len(p.Members) == maxMembers {
			break
		}
		name := m.Key()
		p.Members = append(p.Members, name)
		if name == "message" {
			p.HasRole = m.Has("role")
		}
		if !push {
			continue
		}
		switch name {
		case "id":
			p.ID, p.HasID = m.Str(), true
		case "taskId", "task_id":
			p.TaskID, p.HasTaskID = m.Str(), m.Str() != ""
		case "pushNotificationConfigId":
			p.ConfigID, p.HasConfigID = m.Str(), true
		case "pushNotificationConfig", "config":
			p.Wrapper = name
		case "url":
			p.HasURL = true
		}
	}
	p.IDs = idsOf(p)
}

// idsOf names which ids a push operation carries: how 0.3 and 1.0 are told
// apart where "id" means the task in one and the configuration in the other.
func idsOf(p *ParamsFacts) string {
	s := ""
	add := func(has bool, name string) {
		if has {
			if s != "" {
				s += "+"
			}
			s += name
		}
	}
	add(p.HasTaskID, "taskId")
	add(p.HasID, "id")
	add(p.HasConfigID, "pushNotificationConfigId")
	return s
}

// fillResult fills the shapes of what was answered.
func fillResult(r *ResultFacts, c *decode.Call) {
	n := c.Result
	if !n.Exists() || c.Kind != spec.KindCall {
		return
	}
	for m := range n.Children() {
		if len(r.Members) == maxMembers || n.Kind() != jsontree.Object {
			break
		}
		r.Members = append(r.Members, m.Key())
	}
	r.Kind, r.Wrapped, r.State = resultKind(c)
	switch c.Operation {
	case spec.CreatePushConfig, spec.GetPushConfig, spec.ListPushConfigs:
		fillIncomplete(r, c)
	}
}

func resultKind(c *decode.Call) (kind string, wrapped bool, state string) {
	n := c.Result
	switch {
	case n.Kind() == jsontree.Null, n.Kind() == jsontree.Object && n.Len() == 0:
		return "empty", false, ""
	case n.IsArray():
		return "array", false, ""
	case c.Operation == spec.GetExtendedAgentCard:
		return "card", false, ""
	}
	switch c.Operation {
	case spec.CreatePushConfig, spec.GetPushConfig:
		return "config", n.Has("pushNotificationConfig"), ""
	case spec.ListPushConfigs:
		return "configs", n.Has("configs"), ""
	case spec.ListTasks:
		return "tasks", false, ""
	}
	for _, name := range [...]string{"task", "message", "statusUpdate", "artifactUpdate"} {
		if x := n.Get(name); x.IsObject() && !n.Has("kind") && !n.Has("id") {
			return name, true, x.Path("status", "state").Text()
		}
	}
	switch {
	case n.Get("status").IsObject():
		return "task", false, n.Path("status", "state").Text()
	case n.Has("parts"), n.Has("content"):
		return "message", false, ""
	}
	return "other", false, ""
}

// configsOf yields the push configurations of an answer, each flat or as the
// object that holds the inner one.
func configsOf(c *decode.Call) iter.Seq[jsontree.Node] {
	return func(yield func(jsontree.Node) bool) {
		n := c.Result
		switch c.Operation {
		case spec.ListPushConfigs:
			if !n.IsArray() {
				n = n.Get("configs")
			}
			seen := 0
			for k := range n.Children() {
				if seen++; seen > 50 || !yield(k) {
					return
				}
			}
		case spec.CreatePushConfig, spec.GetPushConfig:
			if n.IsObject() {
				yield(n)
			}
		}
	}
}

// fillIncomplete notes what a stored configuration lacks to be addressed
// later: its own id, the task's id, the url.
func fillIncomplete(r *ResultFacts, c *decode.Call) {
	for k := range configsOf(c) {
		inner := k.Get("pushNotificationConfig")
		if !inner.Exists() {
			inner = k.Get("push_notification_config")
		}
		flat := !inner.Exists()
		if flat {
			inner = k
		}
		var lacks []string
		named := k.Get("name").Str() != "" // 0.3 gRPC and REST: tasks/…/pushNotificationConfigs/…
		if inner.Get("id").Str() == "" && !named {
			lacks = append(lacks, "id")
		}
		if k.Get("taskId").Str() == "" && k.Get("task_id").Str() == "" && !named {
			// Over REST the path names the task: an absent member is no loss, an empty one is.
			if c.Binding != spec.HTTPJSON || k.Has("taskId") {
				lacks = append(lacks, "taskId")
			}
		}
		if inner.Get("url").Str() == "" {
			lacks = append(lacks, "url")
		}
		if len(lacks) > 0 {
			r.Incomplete = lacks
			r.IncompleteAt = string(c.ResultAt.Below(pointerBelow(c.Result, k)))
			return
		}
	}
}

// pointerBelow is the pointer from one node down to another of the same document.
func pointerBelow(from, to jsontree.Node) string {
	a, b := from.PointerTo(), to.PointerTo()
	return b[len(a):]
}

// storedConfigID is the id under which a configuration was stored.
func storedConfigID(c *decode.Call) string {
	if c.Operation != spec.CreatePushConfig {
		return ""
	}
	for k := range configsOf(c) {
		if id := firstOf(k.Get("id").Str(), k.Path("pushNotificationConfig", "id").Str()); id != "" {
			return id
		}
	}
	return ""
}
