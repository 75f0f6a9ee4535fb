package wire

import (
	"fmt"
	"strings"

	"a2ascope/capture"
)

// exchange is the state of one exchange while it is read. The events BodyEnd
// and End point into it: one allocation instead of four.
type exchange struct {
	c        *Conn
	id       capture.ExchangeID
	req      *capture.Head // nil: not seen
	resp     *capture.Head // the last response head seen
	answered bool          // a final response head was seen
	started  bool          // its first event is out
	ended    bool          // its End is out
	done     [2]bool       // the message of the side is complete, or can no longer come
	torn     [2]bool       // bytes are missing and the end of the side's message is not known
	doubt    bool          // bytes of the server went missing while it waited: its response may be among them
	frames   [2]int
	breaches int
	notes    []*capture.Note // came before it began
	bodyEnd  [2]capture.BodyEnd
	end      capture.End
}

// begin numbers a new exchange.
func (c *Conn) begin() *exchange {
	c.count++
	c.newest = &exchange{c: c, id: capture.NewExchangeID(c.id, c.count), notes: c.notes[c.count]}
	delete(c.notes, c.count)
	return c.newest
}

// emit appends one event of the exchange. After the End there are none.
func (x *exchange) emit(from capture.Side, b capture.EventBody) {
	if x.ended {
		return
	}
	e := capture.Event{Exchange: x.id, Conn: x.c.id, Seq: x.c.seq, At: x.c.at, From: from, Body: b}
	if !x.started {
		x.started, e.Link = true, x.c.link
	}
	x.c.out = append(x.c.out, e)
	if x.notes != nil {
		notes := x.notes
		x.notes = nil
		for _, n := range notes {
			x.emit(capture.Client, n)
		}
	}
}

func (x *exchange) breach(from capture.Side, code, format string, args ...any) {
	if x.breaches++; x.breaches > x.c.lim.Breaches {
		return
	}
	x.emit(from, &capture.Breach{Code: code, Text: fmt.Sprintf(format, args...)})
}

// LostInside ends the text of a breach about bytes that are missing where the
// place in the body is still known; the frame they are missing from says so too.
const LostInside = "inside the body"

// lost reports that the capture misses n bytes of the side; -1: unknown how many.
func (x *exchange) lost(from capture.Side, n int64, where string) {
	if x.breaches++; x.breaches > x.c.lim.Breaches {
		return
	}
	text := "the capture misses bytes " + where
	if n >= 0 {
		text = fmt.Sprintf("the capture misses %d bytes %s", n, where)
	}
	x.emit(from, &capture.Breach{Code: capture.BreachLost, Text: text, Lost: n})
}

// complete says that the side's message is over; when both are, so is the exchange.
func (x *exchange) complete(from capture.Side, size int64) {
	if x.ended || x.done[from] {
		return
	}
	x.done[from] = true
	x.bodyEnd[from].Size = size
	x.emit(from, &x.bodyEnd[from])
	if x.done[from.Other()] {
		if from == capture.Server && x.c.fin[capture.Client] && x.c.finFirst == capture.Client && x.resp != nil && x.resp.MediaType() == "text/event-stream" {
			from = capture.Client // it had left before the answer was over: the server only tidied up
		}
		x.close(from, capture.EndDone, 0, "")
	}
}

// giveUp says that the rest of the side's message is not in the capture and
// the connection went on without it.
func (x *exchange) giveUp(from capture.Side) {
	if x.ended || x.done[from] {
		return
	}
	x.done[from] = true
	if x.done[from.Other()] {
		if from == capture.Server && !x.answered || from == capture.Client && x.req == nil {
			x.close(from, capture.EndStillOpen, 0, "its "+messageOf(from)+" is not in the capture")
			return
		}
		x.close(from, capture.EndDone, 0, "the end of the "+messageOf(from)+" is not in the capture")
	}
}

func (x *exchange) close(from capture.Side, kind capture.EndKind, code uint32, text string) {
	if x.ended {
		return
	}
	x.end = capture.End{Kind: kind, Code: code, Text: text}
	x.emit(from, &x.end)
	x.ended = true
}

// closeWith ends the exchange because the connection ended; reason is that of the Closed chunk.
func (x *exchange) closeWith(from capture.Side, reason string) {
	if x.doubt && !x.done[capture.Server] && !x.answered && !x.torn[capture.Server] {
		x.lost(capture.Server, -1, "where the response may have been")
		x.torn[capture.Server] = true
	}
	for _, s := range [2]capture.Side{capture.Client, capture.Server} {
		if !x.done[s] && x.torn[s] {
			x.close(from, capture.EndStillOpen, 0, "the end of the "+messageOf(s)+" is not in the capture")
			return
		}
	}
	for s, fin := range x.c.fin {
		if fin && !x.done[s] && reason == "capture ended" {
			reason = "" // the side had ended before the capture did
		}
	}
	switch {
	case reason == "":
		if x.c.fin[x.c.finFirst] {
			from = x.c.finFirst
		}
		x.close(from, capture.EndClosed, 0, x.c.lastWords)
	case reason == "reset":
		x.close(from, capture.EndReset, 0, "tcp reset")
	case reason == "capture ended":
		x.close(from, capture.EndStillOpen, 0, reason)
	case strings.HasPrefix(reason, capture.Unreachable):
		x.close(from, capture.EndUnreachable, 0, strings.TrimPrefix(reason, capture.Unreachable))
	default:
		x.close(from, capture.EndClosed, 0, reason)
	}
}

func (x *exchange) nextFrame(from capture.Side) int {
	n := x.frames[from]
	x.frames[from]++
	return n
}

func messageOf(s capture.Side) string {
	if s == capture.Client {
		return "request"
	}
	return "response"
}
