package decode

import (
	"a2ascope/internal/jsontree"
)

// The kinds of objects that answers, events and deliveries carry.
const (
	objTask     = "task"
	objMessage  = "message"
	objStatus   = "statusUpdate"
	objArtifact = "artifactUpdate"
	objConfig   = "config"
	objConfigs  = "configs"
	objTasks    = "tasks"
	objCard     = "card"
	objEmpty    = "empty"
	objError    = "error"
	objOther    = "other"
)

// object is what an A2A value was recognised as.
type object struct {
	kind   string
	member string // the member of a StreamResponse or SendMessageResponse around it, "" when bare
	inner  jsontree.Node
	sure   bool // the inner shape is really that of its kind
}

// recognise tells by its members what an object is.
func recognise(n jsontree.Node) object {
	o := object{kind: objOther, inner: n}
	if n.Kind() == jsontree.Null || n.IsObject() && n.Len() == 0 {
		o.kind = objEmpty
		return o
	}
	if !n.IsObject() {
		return o
	}
	var id, status, taskID, artifact, role, parts, url, push, card, caps, configs, tasks, list bool
	var kind, wrap jsontree.Node
	var wrapKind, wrapKey string
	wraps := 0
	for c := range n.Children() {
		switch key := c.KeyText(); string(key) {
		case "kind":
			kind = c
		case "id":
			id = c.IsString()
		case "status":
			status = c.IsObject()
		case "taskId", "task_id":
			taskID = true
		case "artifact":
			artifact = c.IsObject()
		case "role":
			role = true
		case "parts", "content":
			parts = parts || c.IsArray()
		case "url":
			url = true
		case "pushNotificationConfig", "push_notification_config":
			push = c.IsObject()
		case "skills", "supportedInterfaces", "defaultInputModes":
			card = true
		case "capabilities":
			caps = true
		case "configs":
			configs = c.IsArray()
		case "tasks":
			tasks = c.IsArray() || c.Kind() == jsontree.Null
		case "totalSize", "nextPageToken", "pageSize", "total_size", "next_page_token":
			list = true
		case "task", "message", "msg", "statusUpdate", "status_update", "artifactUpdate", "artifact_update",
			"taskStatusUpdate", "taskArtifactUpdate":
			if c.IsObject() {
				wraps++
				wrap = c
				wrapKey, wrapKind = wrapperOf(key)
			}
		}
	}
	switch {
	case wraps > 0 && !id && !role && !status && !kind.IsString():
		o.kind, o.member, o.inner = wrapKind, wrapKey, wrap
		inner := recognise(wrap)
		o.sure = inner.kind == wrapKind || wrapKind == objStatus && inner.kind == objTask
	case id && status, kindIs(kind, "task"):
		o.kind, o.sure = objTask, id && status
	case kindIs(kind, "status-update"), taskID && status:
		o.kind, o.sure = objStatus, taskID && status
	case kindIs(kind, "artifact-update"), taskID && artifact:
		o.kind, o.sure = objArtifact, taskID && artifact
	case role && parts, kindIs(kind, "message"):
		o.kind, o.sure = objMessage, role && parts
	case card && caps:
		o.kind, o.sure = objCard, true
	case configs:
		o.kind, o.sure = objConfigs, true
	case tasks:
		o.kind, o.sure = objTasks, list
	case push, taskID && url, url && id && !card:
		o.kind, o.sure = objConfig, push || taskID
	case list && !tasks && n.Len() <= 3:
		o.kind = objTasks // default values are omitted by ordinary printers: an empty list is {}
	}
	return o
}

func kindIs(n jsontree.Node, word string) bool {
	return n.IsString() && string(n.Raw()) == `"`+word+`"`
}

// wrappers are the members that StreamResponse and its like wrap an object in,
// in every spelling that is met, and what is inside.
var wrappers = [...]struct{ name, kind string }{
	{"task", objTask}, {"message", objMessage}, {"msg", objMessage},
	{"statusUpdate", objStatus}, {"status_update", objStatus}, {"taskStatusUpdate", objStatus},
	{"artifactUpdate", objArtifact}, {"artifact_update", objArtifact}, {"taskArtifactUpdate", objArtifact},
}

// wrapperOf returns the member's name, as a string that is there already, and its kind.
func wrapperOf(key []byte) (name, kind string) {
	for i := range wrappers {
		if wrappers[i].name == string(key) {
			return wrappers[i].name, wrappers[i].kind
		}
	}
	return string(key), objArtifact
}

// scanObject looks at a recognised object of the frame at base.
func scanObject(t *tally, o *object, base Place, rpc bool, f *found) {
	switch o.kind {
	case objTask:
		scanTask(t, o.inner, base, rpc, f)
	case objMessage:
		scanMessage(t, o.inner, base, f)
	case objStatus, objArtifact:
		scanUpdate(t, o.inner, base, rpc, f)
	}
}
