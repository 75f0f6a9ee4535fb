package diagnose

import (
	"iter"
	"strconv"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// AnswerFacts is how a successful answer is built: a unary one, or the event
// of a stream that is judged at this frame.
type AnswerFacts struct {
	Object  string `cel:"object"`  // task, message, statusUpdate, artifactUpdate, config, configs, tasks; array, text, number, bool, null, empty; other: nothing of A2A; "" when there is none
	Wrapper string `cel:"wrapper"` // the member that holds the object, "" when it stands bare
	Kind    bool   `cel:"kind"`    // the object carries the discriminator kind of 0.3
	Place   string `cel:"place"`

	HistoryAsked int    `cel:"history_asked"` // historyLength of the request, -1 when not sent
	History      int    `cel:"history"`       // messages of the longest history that is longer than asked for, 0 when none is
	HistoryAt    string `cel:"history_at"`
}

// fillAnswer fills the form of the answer; e is the event judged, nil elsewhere.
func fillAnswer(a *AnswerFacts, c *decode.Call, e *decode.StreamEvent) {
	*a = AnswerFacts{HistoryAsked: -1}
	if c.Kind != spec.KindCall {
		return
	}
	var n, outer jsontree.Node
	switch {
	case e != nil && e.Fault == nil && (e.Doc == nil || e.Doc.Err == nil):
		switch e.Kind {
		case "task", "message", "statusUpdate", "artifactUpdate":
			a.Object, a.Place, n, outer = e.Kind, string(e.At), e.Node, e.Node
			if a.Kind = e.Node.Has("kind"); e.Member {
				a.Wrapper = e.Kind
			}
		}
	case e == nil && c.Outcome == spec.OK && c.Result.Exists() && (c.ResponseDoc == nil || c.ResponseDoc.Err == nil):
		a.Place = string(c.ResultAt)
		a.Object, a.Wrapper, n = formOf(c.Result, c.Operation)
		outer = c.Result
		a.Kind = n.Has("kind")
	}
	if n.Exists() {
		a.fillHistory(c, outer, n)
	}
}

// formOf tells what a result is and where its object stands.
func formOf(n jsontree.Node, op spec.Operation) (object, wrapper string, inner jsontree.Node) {
	switch n.Kind() {
	case jsontree.Null:
		return "null", "", n
	case jsontree.Array:
		return "array", "", n
	case jsontree.String:
		return "text", "", n
	case jsontree.Number:
		return "number", "", n
	case jsontree.Bool:
		return "bool", "", n
	}
	if n.Len() == 0 {
		return "empty", "", n
	}
	switch op {
	case spec.GetExtendedAgentCard:
		return "card", "", n
	case spec.CreatePushConfig, spec.GetPushConfig:
		for _, name := range [...]string{"config", "taskPushNotificationConfig", "task_push_notification_config"} {
			if in := n.Get(name); in.IsObject() && !n.Has("url") && !n.Has("taskId") && !n.Has("name") {
				return "config", name, in
			}
		}
		return "config", "", n
	case spec.ListPushConfigs:
		return "configs", "", n
	case spec.ListTasks:
		for _, name := range [...]string{"tasks", "nextPageToken", "pageSize", "totalSize", "next_page_token", "total_size"} {
			if n.Has(name) {
				return "tasks", "", n
			}
		}
		return "other", "", n
	case spec.DeletePushConfig:
		return "other", "", n
	}
	return objectOf(n)
}

// objectOf tells the objects that sends, gets and cancels are answered with,
// by the members that any version gives them.
func objectOf(n jsontree.Node) (object, wrapper string, inner jsontree.Node) {
	var kind, id, status, role, parts, taskID, artifact, near bool
	var word, wrapped string
	for m := range n.Children() {
		switch name := m.KeyText(); string(name) {
		case "kind":
			kind, word = true, m.Str()
		case "id":
			id = true
		case "status":
			status = true
		case "role", "messageId", "message_id":
			role = true
		case "parts", "content":
			parts = parts || m.IsArray()
		case "taskId", "task_id":
			taskID = true
		case "artifact":
			artifact = m.IsObject()
		case "contextId", "context_id", "sessionId", "history":
			near = true
		case "artifacts":
			a := m.Index(0)
			near = near || a.Has("artifactId") || a.Has("artifact_id") || a.Has("parts")
		case "task", "message", "msg", "statusUpdate", "artifactUpdate", "status_update", "artifact_update":
			if m.IsObject() && wrapped == "" {
				wrapped, inner = string(name), m
			}
		}
	}
	switch {
	case wrapped != "" && !kind && !id && !role && !status:
		return wrappedObject(wrapped), wrapped, inner
	case artifact || word == "artifact-update":
		return "artifactUpdate", "", n
	case taskID && status && !id || word == "status-update":
		return "statusUpdate", "", n
	case status || word == "task":
		return "task", "", n
	case role || parts || word == "message":
		return "message", "", n
	case near || kind || id && n.Len() == 1:
		return "task", "", n // what is missing of it is for other rules
	}
	return "other", "", n
}

func wrappedObject(member string) string {
	switch member {
	case "msg":
		return "message"
	case "status_update":
		return "statusUpdate"
	case "artifact_update":
		return "artifactUpdate"
	}
	return member
}

// maxTasksRead bounds the tasks of a page that are looked at: the largest page has 100.
const maxTasksRead = 200

// fillHistory compares the histories of an answer with the length asked for (1.0 §3.2.4).
func (a *AnswerFacts) fillHistory(c *decode.Call, outer, n jsontree.Node) {
	text := askedFor(c, "historyLength")
	if text == "" {
		text = c.Params.Get("configuration").Get("historyLength").Text()
	}
	most, ok := wholeNumber(text)
	if !ok || most < 0 {
		return
	}
	a.HistoryAsked = most
	look := func(task jsontree.Node) {
		if h := task.Get("history"); h.IsArray() && h.Len() > most && h.Len() > a.History {
			a.History, a.HistoryAt = h.Len(), string(decode.Place(a.Place).Below(pointerBelow(outer, h)))
		}
	}
	if a.Object == "task" {
		look(n)
	}
	for task := range tasksOf(c) {
		look(task)
	}
}

// tasksOf yields the tasks of a ListTasks answer, as many as are looked at.
func tasksOf(c *decode.Call) iter.Seq[jsontree.Node] {
	return func(yield func(jsontree.Node) bool) {
		if c.Operation != spec.ListTasks {
			return
		}
		i := 0
		for t := range c.Result.Get("tasks").Children() {
			if i == maxTasksRead || !yield(t) {
				return
			}
			i++
		}
	}
}

func wholeNumber(text string) (int, bool) {
	if text == "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// askedFor is the value of a parameter as the client sent it: in the query of a
// REST call, else among the parameters; "" when it is not there.
func askedFor(c *decode.Call, name string) string {
	if c.Binding == spec.HTTPJSON {
		return c.Path.Query[name]
	}
	if n := c.Params.Get(name); n.Exists() && n.Kind() != jsontree.Null {
		return n.Text()
	}
	return ""
}
