package capture

import "time"

// Timed is a value and when it was complete.
type Timed[T any] struct {
	At time.Time
	V  T
}

// Exchange is one HTTP request and its response. It never changes: Apply
// returns a new one that shares what did not change.
type Exchange struct {
	ID       ExchangeID
	Conn     ConnID
	Seq      uint64 // of its first event: orders exchanges of a source by the begin of the request
	Link     *Link
	Started  time.Time
	Answered time.Time // response head; zero when none
	Ended    time.Time // End; zero while open

	Request, Response *Head
	Interim           []*Head // 1xx
	Sent, Received    []Timed[*Frame]
	SentDone          bool // the request is complete
	ReceivedDone      bool // the response is complete
	SentSize          int64
	ReceivedSize      int64
	SentTrailer       *Trailer
	Trailer           *Trailer
	Breaches          []Timed[Sided[*Breach]]
	End               *End
	EndedBy           Side
	Notes             []Note
}

// Sided is a value and the side it belongs to.
type Sided[T any] struct {
	From Side
	V    T
}

// Note says what was changed or added on the way, with the original bytes where they were changed.
type Note struct {
	Code      string // "card-rewritten", …
	Text      string
	Original  []byte
	Delivered []byte // what the other side got instead, where the exchange holds the original itself
}

// Codes of notes that people attach. All others are of the tap.
const (
	NoteMark    = "mark"
	NoteComment = "comment" // Text is theirs
)

// ByPeople reports whether people attached the note.
func (n *Note) ByPeople() bool { return n.Code == NoteMark || n.Code == NoteComment }

// Remarks returns what people attached.
func Remarks(notes []Note) (marked bool, comment string) {
	for i := range notes {
		switch n := &notes[i]; n.Code {
		case NoteMark:
			marked = true
		case NoteComment:
			comment = n.Text
		}
	}
	return marked, comment
}

// Apply returns the exchange after the event. A nil receiver starts one.
// Slices are only ever appended to, so earlier values stay valid.
func (x *Exchange) Apply(e *Event) *Exchange {
	var n Exchange
	if x != nil {
		n = *x
	} else {
		n = Exchange{ID: e.Exchange, Conn: e.Conn, Seq: e.Seq, Link: e.Link, Started: e.At}
	}
	n.Absorb(e)
	return &n
}

// Absorb applies the event to the exchange itself: only for the one who made
// the value and has not yet shown it to anybody.
func (x *Exchange) Absorb(e *Event) {
	switch b := e.Body.(type) {
	case *Head:
		switch {
		case b.IsRequest():
			x.Request = b
		case b.Status < 200 && b.Status != 101:
			x.Interim = append(x.Interim, b)
		default:
			x.Response, x.Answered = b, e.At
		}
	case *Frame:
		t := Timed[*Frame]{e.At, b}
		if e.From == Client {
			x.Sent = append(x.Sent, t)
		} else {
			x.Received = append(x.Received, t)
		}
	case *Trailer:
		if e.From == Client {
			x.SentTrailer = b
		} else {
			x.Trailer = b
		}
	case *BodyEnd:
		if e.From == Client {
			x.SentDone, x.SentSize = true, b.Size
		} else {
			x.ReceivedDone, x.ReceivedSize = true, b.Size
		}
	case *Breach:
		x.Breaches = append(x.Breaches, Timed[Sided[*Breach]]{e.At, Sided[*Breach]{e.From, b}})
	case *Note:
		x.Notes = append(x.Notes, *b)
	case *End:
		x.End, x.Ended, x.EndedBy = b, e.At, e.From
	}
}

// Body returns the one whole body of a side, or nil when there is none or the side streamed.
func (x *Exchange) Body(s Side) *Frame {
	fs := x.Frames(s)
	if len(fs) == 1 && fs[0].V.Form == WholeBody {
		return fs[0].V
	}
	return nil
}

// Frames returns the frames of a side.
func (x *Exchange) Frames(s Side) []Timed[*Frame] {
	if s == Client {
		return x.Sent
	}
	return x.Received
}

// Lost returns how many bytes the capture misses inside the exchange, -1 when unknown.
func (x *Exchange) Lost() int64 {
	var n int64
	for _, b := range x.Breaches {
		if b.V.V.Code != BreachLost {
			continue
		}
		if b.V.V.Lost < 0 {
			return -1
		}
		n += b.V.V.Lost
	}
	return n
}

// Gaps counts the losses inside the exchange.
func (x *Exchange) Gaps() int {
	n := 0
	for _, b := range x.Breaches {
		if b.V.V.Code == BreachLost {
			n++
		}
	}
	return n
}

// AnswerTorn reports whether the answer may have had fields that the capture does
// not hold: a header block may refer to what was sent before the capture began or
// where it has a gap.
func (x *Exchange) AnswerTorn() bool {
	return x.Response != nil && x.Response.Torn || x.Trailer != nil && x.Trailer.Fields.Unknown()
}

// Complete reports whether everything of the exchange was seen.
func (x *Exchange) Complete() bool {
	return x.Request != nil && x.Response != nil && x.End != nil && x.SentDone && x.ReceivedDone &&
		(x.End.Kind == EndDone || x.End.Kind == EndUpgraded) && x.Gaps() == 0
}
