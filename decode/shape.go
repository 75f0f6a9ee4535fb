package decode

import (
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Bounds of what is looked at in one message: the shapes of a version repeat,
// so that the first ones tell as much as all.
const (
	maxParts    = 32
	maxMessages = 8
)

// startsWith looks at the beginning of a string without copying it.
func startsWith(n jsontree.Node, prefix string) bool {
	if !n.IsString() {
		return false
	}
	raw := n.Raw()
	return len(raw) > len(prefix) && string(raw[1:1+len(prefix)]) == prefix
}

// lowered reports whether a string value has a lower-case ASCII letter first.
func lowered(n jsontree.Node) bool {
	raw := n.Raw()
	return n.IsString() && len(raw) > 2 && raw[1] >= 'a' && raw[1] <= 'z'
}

// found is what a scan learns besides evidence.
type found struct {
	id, taskID, contextID string
	state                 string
	final                 bool
	artifact              string
	more, last            bool // append, lastChunk
	role                  string
	snake                 bool
	content               bool // 0.3 ProtoJSON
	partKind              bool

	like *StreamEvent // the event before: ids and states repeat
}

// noEvent is what comes before the first event, and where there is no stream.
var noEvent StreamEvent

func (f *found) before() *StreamEvent {
	if f.like == nil {
		return &noEvent
	}
	return f.like
}

// scanMessage looks at a message of the frame at base.
func scanMessage(t *tally, n jsontree.Node, base Place, f *found) {
	var kind, role, parts, content jsontree.Node
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "kind":
			kind = c
		case "role":
			role = c
		case "parts":
			parts = c
		case "content":
			content = c
		case "taskId":
			f.taskID = c.StrLike(f.before().TaskID)
		case "contextId":
			f.contextID = c.StrLike(f.before().ContextID)
		case "task_id":
			f.taskID, f.snake = c.StrLike(f.before().TaskID), true
		case "context_id":
			f.contextID, f.snake = c.StrLike(f.before().ContextID), true
		case "message_id", "reference_task_ids":
			f.snake = true
		}
	}
	if role.IsString() {
		f.role = role.Str()
	}
	partKind := scanParts(t, parts, base, false, f)
	partKind = scanParts(t, content, base, true, f) || partKind
	f.partKind = f.partKind || partKind
	enum := startsWith(role, "ROLE_")
	if kind.IsString() {
		t.add(evKind, base, kind)
	}
	switch {
	case content.IsArray() && enum:
		f.content = true
		t.addAs(evContentRole, base, content, "content")
	case content.IsArray():
		f.content = true
		t.addAs(evContent, base, content, "content")
	case enum && parts.IsArray() && !kind.Exists() && !partKind:
		t.add(evRoleEnum, base, role)
	}
	if !enum && role.IsString() {
		if r, _, ok := spec.RoleByWord(f.role); ok && r.V03J == f.role {
			t.add(evRoleLower, base, role)
		}
	}
}

// scanParts looks at an array of parts and reports whether one has a kind.
func scanParts(t *tally, parts jsontree.Node, base Place, content bool, f *found) (kinds bool) {
	if !parts.IsArray() {
		return false
	}
	i := 0
	for part := range parts.Children() {
		if i == maxParts {
			break
		}
		if scanPart(t, part, base, content, f) {
			kinds = true
		}
		i++
	}
	return kinds
}

func scanPart(t *tally, part jsontree.Node, base Place, content bool, f *found) (kind bool) {
	var typ jsontree.Node
	for c := range part.Children() {
		switch string(c.KeyText()) {
		case "kind":
			kind = kind || c.IsString()
			if t != nil && t.event&(1<<evKind) == 0 {
				t.add(evKind, base, c)
			}
		case "type":
			typ = c
		case "file":
			scanFile(t, c, base)
		case "data":
			if content && c.Get("data").IsObject() && c.Len() <= 2 {
				t.addAs(evPartDataNested, base, c, "{data:{data}}")
			}
		case "url", "raw", "filename", "mediaType":
			t.add(evPartFlat, base, c)
		case "media_type", "mime_type":
			f.snake = true
		}
	}
	if typ.IsString() && !kind {
		t.add(evPartType, base, typ)
	}
	return kind
}

func scanFile(t *tally, file jsontree.Node, base Place) {
	for c := range file.Children() {
		switch key := string(c.KeyText()); key {
		case "uri", "bytes":
			t.addAs(evPartFile, base, c, key)
		case "fileWithUri", "fileWithBytes", "file_with_uri", "file_with_bytes":
			t.addAs(evPartFileWith, base, c, key)
		}
	}
}

// scanStatus looks at a task's status. The bare enum words are those of 0.3
// ProtoJSON and 1.0 alike: only over JSON-RPC, which never carried 0.3
// ProtoJSON, do they tell.
func scanStatus(t *tally, n jsontree.Node, base Place, rpc bool, f *found) {
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "state":
			if f.state = c.StrLike(f.before().State); !c.IsString() {
				f.state = c.Text()
			}
			scanState(t, c, base, rpc)
		case "message", "update":
			if c.IsObject() {
				var m found
				scanMessage(t, c, base, &m)
				f.content = f.content || m.content
			}
		}
	}
}

func scanState(t *tally, n jsontree.Node, base Place, rpc bool) {
	if t == nil || !n.IsString() {
		return
	}
	switch {
	case startsWith(n, "TASK_STATE_CANCELLED"):
		t.add(evStateCancelled, base, n)
	case startsWith(n, "TASK_STATE_CANCELED"):
		t.add(evStateCanceled, base, n)
	case startsWith(n, "TASK_STATE_"):
		if rpc {
			t.add(evStateEnum, base, n)
		}
	case lowered(n):
		if _, _, ok := spec.StateByWord(n.Str()); ok {
			t.add(evStateLower, base, n)
		}
	}
}

// scanTask looks at a task.
func scanTask(t *tally, n jsontree.Node, base Place, rpc bool, f *found) {
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "kind":
			if c.IsString() {
				t.add(evKind, base, c)
			}
		case "id":
			f.id = c.StrLike(f.before().TaskID)
			f.taskID = f.id
		case "contextId", "sessionId":
			f.contextID = c.StrLike(f.before().ContextID)
		case "context_id":
			f.contextID, f.snake = c.StrLike(f.before().ContextID), true
		case "status":
			scanStatus(t, c, base, rpc, f)
		case "artifacts":
			i := 0
			for a := range c.Children() {
				if i == maxMessages {
					break
				}
				scanParts(t, a.Get("parts"), base, false, f)
				i++
			}
		case "history":
			i := 0
			for m := range c.Children() {
				if i == maxMessages {
					break
				}
				var mf found
				scanMessage(t, m, base, &mf)
				f.content = f.content || mf.content
				i++
			}
		}
	}
}

// scanUpdate looks at a status or artifact update.
func scanUpdate(t *tally, n jsontree.Node, base Place, rpc bool, f *found) {
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "kind":
			if c.IsString() {
				t.add(evKind, base, c)
			}
		case "taskId", "id":
			f.taskID = c.StrLike(f.before().TaskID)
		case "contextId":
			f.contextID = c.StrLike(f.before().ContextID)
		case "task_id":
			f.taskID, f.snake = c.StrLike(f.before().TaskID), true
		case "context_id":
			f.contextID, f.snake = c.StrLike(f.before().ContextID), true
		case "final":
			f.final = c.Bool()
			t.add(evFinal, base, c)
		case "status":
			scanStatus(t, c, base, rpc, f)
		case "artifact":
			scanParts(t, c.Get("parts"), base, false, f)
			f.artifact = artifactID(c).StrLike(f.before().Artifact)
		case "append":
			f.more = c.Bool()
		case "lastChunk", "last_chunk":
			f.last = c.Bool()
		}
	}
}

func artifactID(n jsontree.Node) jsontree.Node {
	if id := n.Get("artifactId"); id.Exists() {
		return id
	}
	return n.Get("artifact_id")
}
