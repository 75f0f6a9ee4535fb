package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// WhatsNewFacts are members that stand in the document "What's New in 1.0"
// and in no schema of any version.
type WhatsNewFacts struct {
	Members []string `cel:"members"`
	Right   []string `cel:"right"` // what 1.0 has instead, where it has anything
	Side    string   `cel:"side"`  // request or response: where the first of them is
	At      string   `cel:"at"`
}

// invented are the names of that document, with the right ones.
var invented = map[string]string{
	"taskStatusUpdate": "statusUpdate", "taskArtifactUpdate": "artifactUpdate",
	"createdAt": "", "lastModified": "", "index": "",
	"configId": "id", "cursor": "pageToken", "limit": "pageSize", "nextCursor": "nextPageToken",
	"authorizationCodeFlow": "authorizationCode", "implicitFlow": "implicit",
}

// The names by the object they stand in.
var (
	inTask   = []string{"createdAt", "lastModified"}
	inPush   = []string{"configId", "createdAt"}
	inList   = []string{"cursor", "limit"}
	inListed = []string{"nextCursor"}
	inEvent  = []string{"taskStatusUpdate", "taskArtifactUpdate"}
	inChunk  = []string{"index"}
	inFlows  = []string{"authorizationCodeFlow", "implicitFlow"}
)

// card looks at the flows of a card.
func (w *WhatsNewFacts) card(card *decode.AgentCard) {
	for s := range card.Node.Get("securitySchemes").Children() {
		w.look(s.Get("oauth2SecurityScheme").Get("flows"), inFlows, "response", 0)
		w.look(s.Get("flows"), inFlows, "response", 0)
	}
}

func fillWhatsNew(w *WhatsNewFacts, c *decode.Call, conf jsontree.Node) {
	if n := len(c.Events); n > 0 {
		w.event(&c.Events[n-1])
		if n > 1 {
			return
		}
	}
	switch c.Operation {
	case spec.ListTasks:
		w.look(c.Params, inList, "request", 0)
		w.look(c.Result, inListed, "response", 0)
		w.look(c.Result.Get("tasks").Index(0), inTask, "response", 0)
	case spec.ListPushConfigs:
		w.look(c.Params, inList, "request", 0)
		w.look(c.Result, inListed, "response", 0)
		w.look(c.Result.Get("configs").Index(0), inPush, "response", 0)
	case spec.CreatePushConfig, spec.GetPushConfig:
		if c.Params.Has("url") { // with a wrapper configId is the draft's
			w.look(c.Params, inPush, "request", 0)
		}
		if c.Result.Has("url") {
			w.look(c.Result, inPush, "response", 0)
		}
	case spec.SendMessage, spec.SendStreamingMessage, spec.GetTask, spec.CancelTask:
		if p := conf.Get("taskPushNotificationConfig"); p.IsObject() {
			w.look(p, inPush, "request", 0)
		}
		if !c.Result.IsObject() {
			return
		}
		t := c.Result.Get("task")
		if !t.IsObject() {
			t = c.Result
		}
		if t.Has("status") {
			w.look(t, inTask, "response", 0)
		}
	}
}

// event looks at one event of a stream: its wrapper, its kind, its members.
func (w *WhatsNewFacts) event(e *decode.StreamEvent) {
	for _, name := range inEvent {
		if e.Member && strings.HasSuffix(string(e.At), "/"+name) {
			w.add(name, e.Node, "response", e.Frame)
		}
	}
	switch e.Kind {
	case "task":
		w.look(e.Node, inTask, "response", e.Frame)
	case "artifactUpdate":
		w.look(e.Node, inChunk, "response", e.Frame)
	}
	if k := e.Node.Get("kind"); k.IsString() && contains(inEvent, k.Str()) {
		w.add(k.Str(), k, "response", e.Frame)
	}
}

// look notes which of the names an object has.
func (w *WhatsNewFacts) look(n jsontree.Node, names []string, side string, frame int) {
	if !n.IsObject() {
		return
	}
	for _, name := range names {
		if m := n.Get(name); m.Exists() {
			w.add(name, m, side, frame)
		}
	}
}

func (w *WhatsNewFacts) add(name string, m jsontree.Node, side string, frame int) {
	if w.At == "" {
		w.Side, w.At = side, string(decode.FramePlace(side, frame, m.PointerTo()))
	}
	if contains(w.Members, name) {
		return
	}
	w.Members = append(w.Members, name)
	if right := invented[name]; right != "" {
		w.Right = append(w.Right, right)
	}
}
