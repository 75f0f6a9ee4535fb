package diagnose

import (
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// FlowFacts is the course of a stream: which events followed which, and how it
// ended. Places are those of the first event that is meant.
type FlowFacts struct {
	Garbled       int    `cel:"garbled"` // events whose data is not JSON, those aside that the capture or the end of the stream cut
	GarbledAt     string `cel:"garbled_at"`
	GarbledLate   bool   `cel:"garbled_late"` // the first of them came after the last word of the task (final state, message)
	Marker        bool   `cel:"marker"`       // its data is [DONE], the end mark of another protocol
	Several       int    `cel:"several"`      // events that hold more than one of task, message, statusUpdate, artifactUpdate
	SeveralAt     string `cel:"several_at"`
	Empty         int    `cel:"empty"` // objects that hold none of them, and are none of them and no error either
	EmptyAt       string `cel:"empty_at"`
	AfterMessage  int    `cel:"after_message"` // events after a message
	AfterMsgAt    string `cel:"after_message_at"`
	MessageLate   bool   `cel:"message_late"` // a message came after another kind of event
	MessageLateAt string `cel:"message_late_at"`
	Task          string `cel:"task"` // the task that the stream is about
	OtherTask     string `cel:"other_task"`
	OtherTaskAt   string `cel:"other_task_at"`
	Context       string `cel:"context"`
	OtherContext  string `cel:"other_context"`
	OtherCtxAt    string `cel:"other_context_at"`
	OtherIDs      int    `cel:"other_ids"` // events whose JSON-RPC id is not that of the request; an error may have the id null
	OtherIDAt     string `cel:"other_id_at"`
	Statuses      int    `cel:"statuses"`       // status updates
	Artifacts     int    `cel:"artifacts"`      // artifact updates
	AfterTerminal int    `cel:"after_terminal"` // updates after a final state
	AfterTermAt   string `cel:"after_terminal_at"`
	TerminalAt    string `cel:"terminal_at"`    // the first event with a final state
	TerminalWord  string `cel:"terminal_word"`  // that state
	OpenAfterMS   int    `cel:"open_after_ms"`  // how long the stream went on after it, once it is over
	FinalAt       string `cel:"final_at"`       // a status update that has the member final, whatever its value
	LastAt        string `cel:"last_at"`        // the newest event
	AppendUnknown string `cel:"append_unknown"` // artifact that is appended to and was not begun in this stream
	AppendAt      string `cel:"append_at"`
	AfterLast     string `cel:"after_last"` // artifact that more is appended to after its last chunk
	AfterLastAt   string `cel:"after_last_at"`

	Cut         bool `cel:"cut"`          // over, not by the client, no error said, and the task was neither finished nor waiting for the client
	IdleMS      int  `cel:"idle_ms"`      // of a cut one: from its last byte (comments are bytes) to its end
	Timeout     int  `cel:"timeout"`      // the round number of seconds that idle_ms is within a second of, 0 where there is none
	CutBefore   int  `cel:"cut_before"`   // streams of this interface that were cut before after the same silence
	SpanMS      int  `cel:"span_ms"`      // from the first event to the last
	StampsMS    int  `cel:"stamps_ms"`    // the same by the timestamps that the agent wrote into them
	HasLength   bool `cel:"has_length"`   // Content-Length stands on the event stream
	Zipped      bool `cel:"zipped"`       // the event stream is compressed
	Unlike      int  `cel:"unlike"`       // the exchange whose stream of the same task, at the same time, brought other updates; 0 where there is none
	UnlikeMine  int  `cel:"unlike_mine"`  // updates of this stream, and of that one
	UnlikeOther int  `cel:"unlike_other"` //
	OnlyStream  bool `cel:"only_stream"`  // of a failed call: its Accept takes an event stream and nothing else
}

// maxArtifacts bounds the artifacts that are remembered of one stream; of a
// stream with more, nothing is said any more about appending.
const maxArtifacts = 64

// flowSum grows with the events of a stream, so that a stream costs its length once.
type flowSum struct {
	facts     FlowFacts
	events    int
	message   bool
	over      bool // a message or a final state came
	terminal  time.Time
	begun     []string // artifacts that were begun
	finished  []string // those whose last chunk came
	many      bool     // too many artifacts
	first     time.Time
	low, high time.Time // timestamps of states
	trail     []uint64  // of the newest updates: what each was about
}

// take takes in the events that are new since the last time.
func (s *flowSum) take(c *decode.Call) {
	for ; s.events < len(c.Events); s.events++ {
		s.one(c, &c.Events[s.events])
	}
}

func (s *flowSum) one(c *decode.Call, e *decode.StreamEvent) {
	f := &s.facts
	at := string(decode.FramePlace("response", e.Frame, ""))
	f.LastAt = at
	s.clock(c, e)
	s.form(c, e, at)
	if e.OtherID && (e.Fault == nil || !nullID(e)) {
		if f.OtherIDs++; f.OtherIDs == 1 {
			f.OtherIDAt = at
		}
	}
	if e.Fault != nil {
		return
	}
	if s.message {
		if f.AfterMessage++; f.AfterMessage == 1 {
			f.AfterMsgAt = at
		}
	}
	switch e.Kind {
	case "message":
		if s.events > 0 && !s.message && !f.MessageLate {
			f.MessageLate, f.MessageLateAt = true, at
		}
		s.message = true
	case "task", "statusUpdate", "artifactUpdate":
		s.belongs(c, e, at)
		s.update(e, at)
	}
	s.over = s.over || s.message || f.TerminalAt != ""
}

// nullID reports whether an event that is an error has the id null, as one has
// that could not read the request.
func nullID(e *decode.StreamEvent) bool {
	return e.Doc != nil && e.Doc.Root().Get("id").Kind() == jsontree.Null
}

// form looks at what is in an event, whatever it means.
func (s *flowSum) form(c *decode.Call, e *decode.StreamEvent, at string) {
	f := &s.facts
	if e.Doc == nil || c.Binding == spec.GRPC && e.Kind != "other" {
		return
	}
	root := e.Doc.Root()
	if err := e.Doc.Err; err != nil {
		if e.Frame < len(c.Exchange.Received) {
			if fr := c.Exchange.Received[e.Frame].V; !fr.Cut && fr.Lost == 0 {
				if f.Garbled++; f.Garbled == 1 {
					f.GarbledAt, f.GarbledLate = at, s.over
					f.Marker = string(trimSpace(fr.Data)) == "[DONE]"
				}
			}
		}
		return
	}
	if e.Wrapped {
		root = root.Get("result")
	}
	if e.Fault != nil || !root.IsObject() {
		return
	}
	n := 0
	for m := range root.Children() {
		switch m.Key() {
		case "task", "message", "statusUpdate", "artifactUpdate", "status_update", "artifact_update", "msg":
			n++
		}
	}
	switch {
	case n > 1:
		if f.Several++; f.Several == 1 {
			f.SeveralAt = at
		}
	case n == 0 && e.Kind == "other":
		if f.Empty++; f.Empty == 1 {
			f.EmptyAt = at
		}
	}
}

// belongs compares the ids of an event with those that the stream is about.
func (s *flowSum) belongs(c *decode.Call, e *decode.StreamEvent, at string) {
	f := &s.facts
	if f.Task == "" && c.Operation == spec.SubscribeToTask {
		f.Task = c.TaskID
	}
	if f.Task = firstOf(f.Task, e.TaskID); e.TaskID != "" && e.TaskID != f.Task && f.OtherTask == "" {
		f.OtherTask, f.OtherTaskAt = e.TaskID, at
	}
	if f.Context = firstOf(f.Context, e.ContextID); e.ContextID != "" && e.ContextID != f.Context && f.OtherContext == "" {
		f.OtherContext, f.OtherCtxAt = e.ContextID, at
	}
}

// update follows the task and its artifacts.
func (s *flowSum) update(e *decode.StreamEvent, at string) {
	f := &s.facts
	if e.Kind != "task" {
		s.note(e)
		if f.TerminalAt != "" {
			if f.AfterTerminal++; f.AfterTerminal == 1 {
				f.AfterTermAt = at
			}
		}
	}
	switch e.Kind {
	case "statusUpdate":
		f.Statuses++
		if f.FinalAt == "" && (e.Final || e.Node.Has("final")) {
			f.FinalAt = at
		}
	case "artifactUpdate":
		f.Artifacts++
		s.artifact(e, at)
	case "task":
		for a := range e.Node.Get("artifacts").Children() {
			s.begin(either(a, "artifactId", "artifact_id").Str())
		}
	}
	if e.State == "" || f.TerminalAt != "" {
		return
	}
	if w, _, _ := spec.StateByWord(e.State); w.Terminal {
		f.TerminalAt, f.TerminalWord = at, e.State
	}
}

func (s *flowSum) artifact(e *decode.StreamEvent, at string) {
	f := &s.facts
	id := cut(e.Artifact)
	if id == "" {
		return
	}
	switch {
	case s.many:
	case !e.Append:
		drop(&s.finished, id) // sent anew
	case contains(s.finished, id):
		if f.AfterLast == "" {
			f.AfterLast, f.AfterLastAt = id, at
		}
	case !contains(s.begun, id) && f.AppendUnknown == "":
		f.AppendUnknown, f.AppendAt = id, at
	}
	s.begin(id)
	if e.LastChunk && !s.many {
		s.finished = addOnce(s.finished, id)
	}
}

func (s *flowSum) begin(id string) {
	id = cut(id)
	switch {
	case id == "" || contains(s.begun, id):
	case len(s.begun) >= maxArtifacts:
		s.many = true
	default:
		s.begun = append(s.begun, id)
	}
}

func drop(list *[]string, v string) {
	for i, x := range *list {
		if x == v {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return
		}
	}
}

// clock notes when an event came, and when the agent says that it happened.
func (s *flowSum) clock(c *decode.Call, e *decode.StreamEvent) {
	if e.Frame >= len(c.Exchange.Received) {
		return
	}
	at := c.Exchange.Received[e.Frame].At
	if s.first.IsZero() {
		s.first = at
	}
	s.facts.SpanMS = int(at.Sub(s.first).Milliseconds())
	if e.State == "" || !e.Node.IsObject() {
		return
	}
	if w, _, _ := spec.StateByWord(e.State); w.Terminal && s.terminal.IsZero() {
		s.terminal = at
	}
	stamp, err := time.Parse(time.RFC3339Nano, e.Node.Path("status", "timestamp").Str())
	if err != nil {
		return
	}
	if s.low.IsZero() || stamp.Before(s.low) {
		s.low = stamp
	}
	if stamp.After(s.high) {
		s.high = stamp
	}
	s.facts.StampsMS = int(s.high.Sub(s.low).Milliseconds())
}

// finishFlow fills what the head and the end of the answer tell.
func finishFlow(f *FlowFacts, sum *flowSum, c *decode.Call, k *StreamFacts, h *HTTPFacts) {
	x := c.Exchange
	if sum.events == 0 && !k.SSEType || x.Response == nil {
		return
	}
	*f = sum.facts
	if k.SSE {
		for i := range x.Response.Fields {
			switch n := x.Response.Fields[i].Name; len(n) {
			case 14:
				f.HasLength = f.HasLength || isName(n, "content-length")
			case 16:
				f.Zipped = f.Zipped || isName(n, "content-encoding")
			}
		}
	}
	if x.End == nil || x.End.Kind == capture.EndStillOpen || x.End.Kind == capture.EndUpgraded {
		return
	}
	if !sum.terminal.IsZero() && x.Ended.After(sum.terminal) {
		f.OpenAfterMS = int(x.Ended.Sub(sum.terminal).Milliseconds())
	}
	f.Cut = k.Open && spec.Streams(c.Operation) && h.Status == 200 && c.Fault == nil && k.Errors == 0 &&
		(x.ReceivedDone && x.EndedBy != capture.Client || x.EndedBy == capture.Server) && h.Half == "" && !h.Lost && !h.TooLarge &&
		!sum.over && !k.Terminal && !k.Interrupted && !k.Final && f.Garbled == 0 && (k.State != "" || k.Events == 0)
	if !f.Cut {
		return
	}
	last := x.Answered
	if n := len(x.Received); n > 0 {
		last = x.Received[n-1].At
	}
	f.IdleMS = int(x.Ended.Sub(last).Milliseconds())
	if i := roundTimeout(f.IdleMS); i >= 0 {
		f.Timeout = roundTimeouts[i]
	}
}

// roundTimeouts are the idle timeouts, in seconds, that proxies, load
// balancers and servers come with.
var roundTimeouts = [...]int{30, 60, 90, 100, 120, 300, 350, 600}

// roundTimeout finds the one that a silence is within a second of, -1 where there is none.
func roundTimeout(ms int) int {
	for i, s := range roundTimeouts {
		if d := ms - s*1000; d >= -1000 && d <= 1000 {
			return i
		}
	}
	return -1
}
