package translate

import (
	"strings"

	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// pushConfig translates a task's push configuration: flat in 1.0; in 0.3 the
// task beside an object for the rest, which ProtoJSON names as a resource.
func (w *walker) pushConfig(n jsontree.Node) tree {
	switch {
	case !n.IsObject():
		return w.odd(n, "TaskPushNotificationConfig")
	case w.to == spec.Dialect10:
		return w.flatten(n)
	}
	return w.wrap(n)
}

// flatten makes a 1.0 configuration of a 0.3 one.
func (w *walker) flatten(n jsontree.Node) tree {
	out := object()
	inner, _ := spec.TwinOf(spec.Dialect10, "TaskPushNotificationConfig")
	src, dst := shapeOf(w.from, inner.Name(w.from)), shapeOf(w.to, inner.V10)
	for c := range n.Children() {
		switch key := c.Key(); {
		case (key == "taskId" || key == "task_id") && w.from == spec.DialectJ:
			w.put(&out, c, "taskId", ByName, asIs(c))
		case (key == "name" || key == "parent") && w.from == spec.DialectP && c.IsString():
			w.ids(&out, c, "taskId", "id")
		case (key == "configId" || key == "config_id") && w.from == spec.DialectP:
			if !out.has("id") {
				w.put(&out, c, "id", ByName, asIs(c))
			}
		case key == "config" && w.from == spec.DialectP && c.IsObject(): // the body of a create request
			w.note(Renamed, Flat, key, w.at(c), w.here(""))
			v := w.flatten(c)
			for i, name := range v.names {
				out.put(name, v.kids[i])
			}
		case (key == "pushNotificationConfig" || key == "push_notification_config") && c.IsObject():
			w.note(Renamed, Flat, key, w.at(c), w.here(""))
			for m := range c.Children() {
				if m.Key() == "id" && out.has("id") { // the name of the resource says it already
					continue
				}
				w.member(&out, m, inner, src, dst)
			}
		default:
			w.stranger(&out, c, dst)
		}
	}
	if !out.has("url") {
		w.note(Unsaid, Missing, "url", w.at(n), w.here("url"))
	}
	return out
}

// wrap makes a 0.3 configuration of a 1.0 one.
func (w *walker) wrap(n jsontree.Node) tree {
	inner, _ := spec.TwinOf(spec.Dialect10, "TaskPushNotificationConfig")
	src, dst := shapeOf(w.from, inner.V10), shapeOf(w.to, inner.Name(w.to))
	out, rest := object(), object()
	task, id := n.Get("taskId"), n.Get("id")
	w.enter("pushNotificationConfig")
	for c := range n.Children() {
		if c.Key() == "taskId" || c.Key() == "task_id" {
			continue
		}
		w.member(&rest, c, inner, src, dst)
	}
	w.leave()
	w.note(Renamed, Flat, "pushNotificationConfig", w.at(n), w.here("pushNotificationConfig"))
	taskID := task.Str()
	if taskID == "" {
		taskID = w.taskID
	}
	if w.to == spec.DialectP {
		w.note(Changed, ResourceName, "name", w.at(n), w.here("name"))
		out.put("name", text("tasks/"+taskID+"/pushNotificationConfigs/"+id.Str()))
	} else {
		out.put("taskId", text(taskID))
	}
	if taskID == "" {
		w.note(Unsaid, Missing, "taskId", w.at(n), w.here("taskId"))
	}
	out.put("pushNotificationConfig", rest)
	return out
}

// create translates the request that creates a configuration. The proto of 0.3
// has a message of its own for it, of which its SDKs send different parts.
func (w *walker) create(n jsontree.Node) tree {
	if w.to == spec.Dialect10 || w.to == spec.DialectJ || !n.IsObject() {
		return w.pushConfig(n)
	}
	out := object()
	id := n.Get("id").Str()
	taskID := n.Get("taskId").Str()
	if taskID == "" {
		taskID = w.taskID
	}
	out.put("parent", text("tasks/"+taskID))
	out.put("configId", text(id))
	w.enter("config")
	out.put("config", w.wrap(n))
	w.leave()
	w.note(Differs, CreateBody, "config", w.at(n), w.here("config"))
	switch {
	case taskID == "":
		w.note(Unsaid, Missing, "parent", w.at(n), w.here("parent"))
	case id == "":
		w.note(Unsaid, Missing, "configId", w.at(n), w.here("configId"))
	}
	return out
}

// resource translates ids between plain members and the name of a resource.
func (w *walker) resource(out *tree, c jsontree.Node, t *spec.Twin) {
	if w.from == spec.DialectP {
		task, id := "", ""
		for i := range t.Members {
			if task == "" {
				task = t.Members[i].V10
			} else {
				id = t.Members[i].V10
			}
		}
		w.ids(out, c, task, id)
		return
	}
	name, _ := t.Member(w.from, w.to, c.Key())
	if out.has(name) {
		return // the first id has made the whole name
	}
	obj := parentOf(c)
	path := "tasks/" + obj.Get(t.Members[0].V10).Str()
	if len(t.Members) > 1 {
		path += "/pushNotificationConfigs/" + obj.Get(t.Members[1].V10).Str()
	}
	out.put(name, text(path))
	if strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
		w.note(Unsaid, Missing, c.Key(), w.at(c), w.here(name))
		return
	}
	if strings.Count(path, "/") != 2*len(t.Members)-1 { // an id with a slash is no part of a name
		w.note(Unsaid, ResourceName, c.Key(), w.at(c), w.here(name))
		return
	}
	w.note(Changed, ResourceName, c.Key(), w.at(c), w.here(name))
}

// parentOf returns the object a member stands in.
func parentOf(c jsontree.Node) jsontree.Node {
	p := c.PointerTo()
	return c.Doc().Root().Pointer(p[:max(0, strings.LastIndexByte(p, '/'))])
}

// ids splits tasks/{task}/pushNotificationConfigs/{id} into its members.
func (w *walker) ids(out *tree, c jsontree.Node, task, id string) {
	rest, ok := strings.CutPrefix(c.Str(), "tasks/")
	taskID, after, more := strings.Cut(rest, "/")
	configID := strings.TrimPrefix(after, "pushNotificationConfigs/")
	if !ok || more && (id == "" || configID == after) || strings.Contains(configID, "/") {
		w.note(Unsaid, ResourceName, c.Key(), w.at(c), w.here(task))
		out.put(c.Key(), asIs(c))
		return
	}
	w.note(Changed, ResourceName, c.Key(), w.at(c), w.here(task))
	out.put(task, text(taskID))
	if more && configID != "" {
		out.put(id, text(configID))
	}
}
