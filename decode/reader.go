package decode

import (
	"strconv"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Reader reads one exchange. It keeps what was read so far and returns it as
// Calls, each a value of its own. With the End it is done: Read is not called any more.
type Reader struct {
	// Batch: what nobody can look at by itself is not returned by itself: an
	// event of a stream that repeats the form of the one before, an answer
	// whose exchange ends with it (then AtDone). Whoever sets it takes Owed when
	// a batch is over. Files are read in batches of a megabyte.
	Batch bool
	// Notable: whether an event that says nothing new has to be looked at
	// nevertheless, for the form it says it in. nil: none has.
	Notable func(*Call, *StreamEvent) bool

	due Checkpoint // what Owed owes: AtFrame, AtResponse

	// Memory of a stream event that nobody will look at, for the next one.
	spareDoc  *jsontree.Doc
	spareJSON []byte

	c *Call // as read so far

	call, body, resp tally // evidence of the name, the request body, the answer

	request      *capture.Head
	response     *capture.Head
	rawBody      []byte // the request body as sent
	requestFrame int    // index of the frame that is the request body
	sentRead     int    // frames of the request that were there when it was read
	readOnce     bool

	askedGiven     bool // AtRequest was returned
	answerGiven    bool // AtResponse was returned
	answerRead     bool
	trailer        *capture.Trailer // that was there when the answer was read
	streaming      bool             // the answer is read event by event
	foreignStream  bool             // a stream of another protocol: its events are not looked at
	layouts        int              // messages that were tried with the schemas of other versions
	snake, content bool             // dialect marks of the request, else of the answer
	ended          bool             // an event that ends a stream came: terminal state, final, message, error
	grpcVersion    spec.Version     // whose field table reads the messages, "" when none does
}

// NewReader returns a reader for one exchange.
func NewReader() *Reader { return &Reader{c: &Call{}} }

// Read takes the event that was just applied to x. It returns a call where
// there is something to judge, and NoCheckpoint with a nil call elsewhere.
//
// A stream's first event is the response and a frame at once: Read returns
// AtResponse for it, with the event in Call.Events; see Due.
func (r *Reader) Read(x *capture.Exchange, e *capture.Event) (*Call, Checkpoint) {
	switch b := e.Body.(type) {
	case *capture.Frame:
		if e.From == capture.Server && !r.foreignStream && (b.Form == capture.SSEEvent || b.Form == capture.GRPCMessage) && r.isEvent(x, b) {
			return r.readEvent(x)
		}
	case *capture.BodyEnd:
		if e.From == capture.Client {
			r.ask(x)
			if !r.askedGiven {
				r.askedGiven = true
				return r.snapshot(x), AtRequest
			}
			return nil, NoCheckpoint
		}
		if x.Response == nil {
			return nil, NoCheckpoint
		}
		r.ask(x)
		r.answer(x)
		if !r.answerGiven {
			r.answerGiven = true
			if r.Batch {
				r.due = AtResponse
				return nil, NoCheckpoint
			}
			return r.snapshot(x), AtResponse
		}
	case *capture.End:
		r.ask(x)
		r.answer(x)
		r.lookAtBreaches(x)
		if r.due == AtResponse {
			return r.settled(x), AtDone
		}
		return r.settled(x), AtEnd // nothing is read after it: r.c itself is given away
	}
	return nil, NoCheckpoint
}

// ask reads the request once it is needed, and again when more of it came.
func (r *Reader) ask(x *capture.Exchange) { r.askBefore(x, len(x.Received)) }

// askBefore is ask where frame n of the answer is the one at hand: only those
// before it were looked at.
func (r *Reader) askBefore(x *capture.Exchange, n int) {
	if r.readOnce && r.sentRead == len(x.Sent) && r.request == x.Request {
		return
	}
	again := r.readOnce && n > 0
	if r.readOnce {
		asked, answered := r.askedGiven, r.answerGiven
		*r = Reader{Batch: r.Batch, Notable: r.Notable, due: r.due, c: &Call{}, askedGiven: asked, answerGiven: answered}
	}
	r.readOnce, r.sentRead, r.request = true, len(x.Sent), x.Request
	r.response = x.Response
	r.readRequest(x)
	if again { // the answer came before the request was complete: read it in the new light
		r.replay(x, n)
	}
}

// replay looks again at the first n frames of the answer.
func (r *Reader) replay(x *capture.Exchange, n int) {
	for i := range n {
		f := x.Received[i].V
		if r.isEvent(x, f) {
			r.takeEvent(x, i)
		}
	}
}

// snapshot returns the call as read so far, for whoever takes it over.
func (r *Reader) snapshot(x *capture.Exchange) *Call {
	n := *r.settled(x)
	return &n
}

// settled draws the conclusions from what was read so far.
func (r *Reader) settled(x *capture.Exchange) *Call {
	c := r.c
	c.Exchange = x
	c.CallVersion = r.call.resolve(true)
	c.BodyVersion = r.body.resolve(true)
	c.Request = resolveRequest(c.CallVersion, c.BodyVersion)
	r.restByHeader()
	c.Response = r.resp.resolve(false)
	r.settleDialect()
	c.Phase = phaseOf(x, c)
	c.Outcome = r.outcome(x)
	c.Sure = r.sure()
	return c
}

// Owed returns what Read kept back, and the checkpoint to judge it at; nil
// when there is nothing new.
func (r *Reader) Owed(x *capture.Exchange) (*Call, Checkpoint) {
	at := r.due
	if at == NoCheckpoint {
		return nil, at
	}
	r.due = NoCheckpoint
	return r.snapshot(x), at
}

func phaseOf(x *capture.Exchange, c *Call) Phase {
	switch {
	case x.End != nil:
		return Ended
	case x.Response == nil:
		return Asking
	case len(c.Events) > 0 && !x.ReceivedDone:
		return Streaming
	}
	return Answered
}

// sure grades Kind and Protocol by the evidence that speaks for them.
func (r *Reader) sure() Sure {
	c := r.c
	if c.Tentative {
		return Possible
	}
	var w Weight
	for i := range c.Identity {
		if c.Identity[i].Says == string(c.Protocol) {
			w += c.Identity[i].Weight
		}
	}
	if s := sureOf(w); s != Unsure {
		return s
	}
	return Possible
}

// identify notes why the exchange is what it is.
func (c *Call) identify(at Place, value string, says spec.Protocol, w Weight, why string) {
	if c.Identity == nil {
		c.Identity = make([]Signal, 0, 3)
	}
	c.Identity = append(c.Identity, Signal{Where: at, Value: clip(value, shortLimit), Says: string(says), Weight: w, Why: why})
}

// callSignal notes what the name of the operation says of the version.
func (r *Reader) callSignal(at Place, value string, v spec.Version, w Weight, why string) {
	r.call.push(VersionSignal(at, clip(value, shortLimit), v, w, why))
}

// problem notes traffic that could not be read.
func (r *Reader) problem(code, text string, at Place) {
	const most = 64 // a stream of broken events says the same each time
	if len(r.c.Problems) < most {
		r.c.Problems = append(r.c.Problems, Problem{Code: code, Text: text, At: at})
	}
}

// takeAsked copies what the parameters said into the call.
func (r *Reader) takeAsked(a asked, base Place) {
	c := r.c
	c.TaskID = firstOf(c.TaskID, a.taskID)
	c.ContextID = firstOf(c.ContextID, a.contextID)
	if a.tenant != "" {
		c.Tenant, c.TenantFrom = a.tenant, base.Below(a.tenantAt)
	}
	if a.push != nil {
		c.Push = a.push
	}
	r.snake = r.snake || a.snake
	r.content = r.content || a.content
}

func itoa(i int) string { return strconv.Itoa(i) }
