package diagnose

import (
	"bytes"
	"slices"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// maxFramesLooked bounds how many raw events are looked at for their framing:
// a server frames all of them alike.
const maxFramesLooked = 4

// streamSum is what the events of a stream add up to. It is kept for each
// exchange and grows with its events, so that a stream costs its length once.
type streamSum struct {
	facts  StreamFacts
	events int // events taken in
	frames int // raw frames looked at
}

// take takes in the events that are new since the last time.
func (s *streamSum) take(c *decode.Call) {
	f := &s.facts
	for ; s.events < len(c.Events); s.events++ {
		e := &c.Events[s.events]
		if s.events == 0 {
			f.First = e.Kind
		}
		f.Last = e.Kind
		switch {
		case c.Binding == spec.GRPC: // no envelope there
		case e.Wrapped:
			if f.Wrapped++; f.Wrapped == 1 {
				f.WrappedAt = string(decode.FramePlace("response", e.Frame, "/jsonrpc"))
			}
		case !bareEvent(c, e): // no JSON object, or an error event, which has no envelope by its name
		default:
			if f.Bare++; f.Bare == 1 {
				f.BareAt = string(decode.FramePlace("response", e.Frame, ""))
			}
		}
		if e.Fault != nil {
			f.Errors++
		}
		if e.State != "" {
			f.State = e.State
			w, _, _ := spec.StateByWord(e.State)
			f.Terminal, f.Interrupted = w.Terminal, w.Interrupted
		}
		f.Final = f.Final || e.Final
	}
	f.Events = len(c.Events)
	s.lookAtFraming(c)
}

// bareEvent reports that an event is an object in which the envelope is
// missing: one that could not be read, is no object or is an "event: error"
// tells nothing of the framing.
func bareEvent(c *decode.Call, e *decode.StreamEvent) bool {
	if e.Doc != nil && (e.Doc.Err != nil || e.Doc.Root().Kind() != jsontree.Object) {
		return false
	}
	return e.Frame >= len(c.Exchange.Received) || c.Exchange.Received[e.Frame].V.Event != "error"
}

// lookAtFraming notes legal SSE that simple readers trip over.
func (s *streamSum) lookAtFraming(c *decode.Call) {
	frames := c.Exchange.Received
	for i := s.frames; i < len(frames); i++ {
		fr := frames[i].V
		switch fr.Form {
		case capture.SSEComment:
			s.unusual("comment", i)
			s.frames = i + 1
			continue
		case capture.SSEEvent:
		default:
			return
		}
		s.facts.SSE = true
		s.frames = i + 1
		if i >= maxFramesLooked || fr.Raw == nil {
			continue
		}
		for _, what := range unusualLines(fr.Raw) {
			s.unusual(what, i)
		}
		if fr.Cut && len(fr.Data) > 0 {
			s.unusual("no-end", i)
		}
	}
}

func (s *streamSum) unusual(what string, frame int) {
	if slices.Contains(s.facts.Unusual, what) {
		return
	}
	if s.facts.UnusualAt == "" {
		s.facts.UnusualAt = string(decode.FramePlace("response", frame, ""))
	}
	s.facts.Unusual = append(s.facts.Unusual, what)
}

// unusualLines names what is unusual in the lines of one event.
func unusualLines(raw []byte) []string {
	var found []string
	if b, ok := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf")); ok {
		found, raw = append(found, "bom"), b
	}
	crlf := bytes.Count(raw, []byte("\r\n"))
	switch {
	case crlf > 0:
		found = append(found, "crlf")
	case bytes.IndexByte(raw, '\r') >= 0:
		found = append(found, "cr")
	}
	lines, spaceless := 0, false
	for line := range bytes.FieldsFuncSeq(raw, func(r rune) bool { return r == '\n' || r == '\r' }) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch string(name) {
		case "data":
			lines++
			spaceless = spaceless || len(value) > 0 && value[0] != ' '
		case "event", "id", "retry":
			if !slices.Contains(found, string(name)) {
				found = append(found, string(name))
			}
		case "":
			if !slices.Contains(found, "comment") {
				found = append(found, "comment")
			}
		}
	}
	if lines > 1 {
		found = append(found, "multi-line")
	}
	if spaceless {
		found = append(found, "no-space")
	}
	return found
}

// finishStream fills what depends on the head of the answer and the checkpoint.
func finishStream(f *StreamFacts, c *decode.Call) {
	f.Frame = -1
	r := c.Exchange.Response
	if r == nil {
		return
	}
	media := r.MediaType()
	f.SSE = f.SSE || media == "text/event-stream"
	f.SSEType = media == "text/event-stream"
	f.Open = f.SSE || c.Binding == spec.GRPC && spec.Streams(c.Operation) && len(c.Events) > 0
	if c.Binding == spec.GRPC || !spec.Streams(c.Operation) && !f.SSE {
		return
	}
	f.Form = streamForm(c, f.SSE)
}

// streamForm says what the body of an answer that should be a stream is.
func streamForm(c *decode.Call, sse bool) string {
	frames := c.Exchange.Received
	if sse && len(c.Events) > 0 {
		return "sse"
	}
	if len(frames) == 0 {
		return ""
	}
	b := trimSpace(frames[0].V.Data)
	switch {
	case len(b) == 0:
		return ""
	case bytes.HasPrefix(b, []byte("data:")), bytes.HasPrefix(b, []byte("event:")), bytes.HasPrefix(b, []byte("id:")), b[0] == ':':
		return "sse"
	case b[0] == '[':
		return "json-array"
	case c.ResponseDoc != nil && c.ResponseDoc.Err == nil && c.ResponseDoc.Root().Kind() == jsontree.Object:
		return "json"
	case b[0] == '{' && bytes.Contains(b, []byte("}\n{")):
		return "ndjson"
	case b[0] == '{':
		return "broken-json"
	case b[0] == '<':
		return "html"
	case sse:
		return "sse"
	}
	return "text"
}
