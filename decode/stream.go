package decode

import (
	"a2ascope/capture"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// isEvent reports whether a frame of the answer is an event of a stream: SSE
// data, or a message of a gRPC call that streams.
func (r *Reader) isEvent(x *capture.Exchange, f *capture.Frame) bool {
	switch f.Form {
	case capture.SSEEvent:
		return len(f.Data) > 0
	case capture.GRPCMessage:
		r.askBefore(x, len(x.Received)-1)
		if r.c.GRPC.SchemaGuessed && !r.c.Streaming {
			r.guessStreaming(x)
		}
		return r.c.Streaming
	}
	return false
}

// guessStreaming: of a call whose path is lost, a second message shows that the answer streams.
func (r *Reader) guessStreaming(x *capture.Exchange) {
	n := 0
	for i := len(x.Received) - 1; i >= 0 && n < 2; i-- {
		if x.Received[i].V.Form == capture.GRPCMessage {
			n++
		}
	}
	if n < 2 {
		return
	}
	c := r.c
	c.Streaming = true
	if c.Operation == spec.SendMessage {
		c.Operation = spec.SendStreamingMessage
		c.GRPC.Method = rpcName(c.Operation, r.grpcVersion)
	}
	for i := range x.Received[:len(x.Received)-1] {
		if x.Received[i].V.Form == capture.GRPCMessage {
			r.takeEvent(x, i)
		}
	}
}

// readEvent takes the newest frame of the answer as an event.
func (r *Reader) readEvent(x *capture.Exchange) (*Call, Checkpoint) {
	r.askBefore(x, len(x.Received)-1)
	r.response = x.Response
	if r.foreignStream || !r.takeEvent(x, len(x.Received)-1) {
		return nil, NoCheckpoint
	}
	if !r.answerGiven {
		r.answerGiven = true
		r.answerHeaders()
		return r.snapshot(x), AtResponse
	}
	if r.c.Protocol != spec.A2A {
		return nil, NoCheckpoint
	}
	if r.Batch && r.regular() {
		r.due = AtFrame
		r.reuse(&r.c.Events[len(r.c.Events)-1])
		return nil, NoCheckpoint
	}
	r.due = NoCheckpoint
	return r.snapshot(x), AtFrame
}

// eventDoc parses an event, in the memory of one that is not needed any more.
func (r *Reader) eventDoc(text []byte) *jsontree.Doc {
	d := r.spareDoc
	if d == nil {
		return jsontree.Parse(text)
	}
	r.spareDoc = nil
	d.Reparse(text)
	return d
}

// reuse keeps the memory of a regular event. Whoever wants to see the event
// parses its frame again (Value, Full).
func (r *Reader) reuse(e *StreamEvent) {
	r.spareDoc = e.Doc
	if e.Doc != nil && r.grpcVersion != "" {
		r.spareJSON = e.Doc.Text
	}
	e.Doc, e.Node = nil, jsontree.Node{}
}

// regular reports whether the newest event says nothing that the one before
// did not say, but for its content: the same form, ids and state, no error.
func (r *Reader) regular() bool {
	es := r.c.Events
	if len(es) < 2 {
		return false
	}
	e, p := &es[len(es)-1], &es[len(es)-2]
	return (e.Kind == objStatus || e.Kind == objArtifact) && e.Fault == nil && !e.Final && !r.ended &&
		e.Wrapped == p.Wrapped && e.Member == p.Member && e.Version == p.Version &&
		e.TaskID == p.TaskID && e.ContextID == p.ContextID && (e.State == "" || e.State == p.State) &&
		len(r.c.Problems) == 0 && (r.Notable == nil || !r.Notable(r.c, e))
}

// takeEvent reads one frame. It returns false when the stream turns out to be
// another protocol's.
func (r *Reader) takeEvent(x *capture.Exchange, i int) bool {
	r.streaming = true
	c := r.c
	f := x.Received[i].V
	if f.Form == capture.GRPCMessage {
		r.grpcEvent(f, i)
		return true
	}
	if c.Protocol != spec.A2A && !(c.Protocol == spec.HTTPOther && r.streamShowsA2A(f)) {
		r.foreignStream = true
		return true // judged once, as a response
	}
	c.Streaming = true
	at := FramePlace("response", i, "")
	ev := StreamEvent{Frame: i, Kind: objOther, At: at}
	doc := r.eventDoc(f.Data)
	ev.Doc = doc
	root := doc.Root()
	if doc.Err != nil {
		r.eventProblem(f, doc.Err, at)
	}
	if root.IsObject() {
		r.readEventObject(&ev, root, at, f.Event)
	}
	c.Events = append(c.Events, ev)
	return true
}

func (r *Reader) eventProblem(f *capture.Frame, err *jsontree.SyntaxError, at Place) {
	switch {
	case f.Lost != 0:
		r.problem("body-cut", "the capture misses bytes of this event", at)
	case f.Cut || err.EOF:
		r.problem("event-cut", "the event ends inside its JSON: "+err.Error(), at)
	default:
		r.problem("event-not-json", "the data of this event is not JSON: "+err.Error(), at)
	}
}

// streamShowsA2A looks at the first event of a stream whose request said nothing.
func (r *Reader) streamShowsA2A(f *capture.Frame) bool {
	if r.c.Kind != spec.KindOther || firstByte(f.Data) != '{' {
		return false
	}
	root := jsontree.Parse(f.Data).Root()
	env := readEnvelope(root)
	binding := spec.HTTPJSON
	if env.two {
		if !answerOfA2A(&env) {
			return false
		}
		binding = spec.JSONRPC
	} else if o := recognise(root); !o.sure || o.member == "" && o.kind != objTask {
		return false
	}
	r.answerMakesCall(binding, "response/frame/0#", "stream-event")
	return true
}

// readEventObject reads the JSON of an SSE event, with or without an envelope.
func (r *Reader) readEventObject(ev *StreamEvent, root jsontree.Node, at Place, name string) {
	c := r.c
	n := root
	env := readEnvelope(root)
	ev.Wrapped = env.version.Exists() && (env.result.Exists() || env.error.Exists())
	if ev.Wrapped {
		ev.OtherID = c.RPC.ID != "" && string(env.id.Raw()) != c.RPC.ID
		if c.RPC.ResponseID == "" {
			c.RPC.ResponseID, c.RPC.AnswerOK = string(env.id.Raw()), env.two
		}
		if env.error.Exists() && env.error.Kind() != jsontree.Null {
			ev.Fault = r.rpcFault(env.error, at.Below("/error"))
			ev.Node, ev.At = env.error, at.Below("/error")
			r.eventFault(ev)
			return
		}
		n, at = env.result, at.Below("/result")
	} else if f := r.eventError(root, at, name); f != nil {
		ev.Fault = f
		ev.Node, ev.At = root, at
		r.eventFault(ev)
		return
	}
	r.eventObject(ev, n, at, c.Binding == spec.JSONRPC || ev.Wrapped, &r.resp)
	if c.Tentative && ev.Kind != objOther {
		r.confirm(ev.At, "stream-event")
	}
}

// eventObject reads the task, message or update of an event.
func (r *Reader) eventObject(ev *StreamEvent, n jsontree.Node, at Place, rpc bool, t *tally) {
	o := recognise(n)
	var f found
	if n := len(r.c.Events); n > 0 {
		f.like = &r.c.Events[n-1]
	}
	ev.Node, ev.At = o.inner, at
	if t != nil {
		t.event = 0
	}
	if o.member != "" {
		ev.Member = true
		ev.At = at.Below("/" + o.member)
		if rpc && wrapperOf10(o.member) {
			t.addAs(evWrapper, at, o.inner, o.member)
		}
	}
	switch o.kind {
	case objTask, objMessage, objStatus, objArtifact:
		ev.Kind = o.kind
		scanObject(t, &o, at, rpc, &f)
		if rpc && !ev.Member {
			t.addAs(evBareResult, at, n, o.kind)
		}
	}
	if t != nil {
		ev.Version = t.eventVersion()
	}
	ev.TaskID, ev.ContextID, ev.State, ev.Final = f.taskID, f.contextID, f.state, f.final
	ev.Artifact, ev.Append, ev.LastChunk = f.artifact, f.more, f.last
	r.takeFound(&o, &f)
	r.snake = r.snake || f.snake
	r.content = r.content || f.content
	if ev.State != "" {
		if s, _, ok := spec.StateByWord(ev.State); ok {
			r.ended = s.Terminal
		}
	}
	r.ended = r.ended || ev.Final || ev.Kind == objMessage
}

func (r *Reader) eventFault(ev *StreamEvent) {
	ev.Kind = objError
	ev.Fault.InBand = true
	r.c.Fault = ev.Fault
	r.ended = true
	if r.c.Tentative && (ev.Fault.HasInfo || r.c.Binding == spec.JSONRPC && ev.Fault.A2A != "") {
		r.confirm(ev.At, "stream-error")
	}
}

// eventError recognises an error of a REST stream, for which 1.0 defines no
// form: {"error":{…}}, or an event of that name.
func (r *Reader) eventError(root jsontree.Node, at Place, name string) *Fault {
	if f := r.inlineFault(root, at); f != nil {
		return f
	}
	if name != "error" {
		return nil
	}
	return r.restFault(root, at, r.response)
}

// grpcEvent reads one message of a streamed answer.
func (r *Reader) grpcEvent(f *capture.Frame, i int) {
	c := r.c
	at := FramePlace("response", i, "")
	ev := StreamEvent{Frame: i, Kind: objOther, At: at}
	if m, ok := schema.ResponseOf(r.grpcVersion, c.GRPC.Method); ok && r.grpcVersion != "" {
		ev.Doc = r.decodeGRPC(m, f, "response", i, true)
		r.packageSignal()
		r.eventObject(&ev, ev.Doc.Root(), at, false, nil)
		ev.Version = r.grpcVersion
	}
	c.Events = append(c.Events, ev)
}

// lookAtBreaches turns what the wire parsers complained of into problems, once the exchange is over.
func (r *Reader) lookAtBreaches(x *capture.Exchange) {
	for i := range x.Breaches {
		b := &x.Breaches[i].V
		switch b.V.Code {
		case capture.BreachCoding:
			r.problem("coding-broken", b.V.Text, Place(sideName(b.From)))
		case capture.BreachTooLarge, capture.BreachLost:
			r.problem("capture-"+b.V.Code, b.V.Text, Place(sideName(b.From)))
		}
	}
}

func sideName(s capture.Side) string {
	if s == capture.Server {
		return "response"
	}
	return "request"
}
