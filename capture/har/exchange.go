package har

import (
	"time"

	"a2ascope/capture"
)

// parts is everything of one exchange that is allocated at once. The link is
// not among it: who keeps it must not keep the bodies with it.
type parts struct {
	link              *capture.Link
	request, response capture.Head
	sent, received    capture.Frame
	sentEnd, recvEnd  capture.BodyEnd
	end               capture.End
}

// emitter appends the events of one exchange.
type emitter struct {
	out   *decoded
	id    capture.ExchangeID
	conn  capture.ConnID
	start time.Time
}

func (m *emitter) put(from capture.Side, at time.Time, body capture.EventBody) {
	m.out.events = append(m.out.events, capture.Event{Exchange: m.id, Conn: m.conn, At: at, From: from, Body: body})
}

func (m *emitter) content(from capture.Side, at time.Time, c *content) {
	for i, u := range c.units {
		when := at
		if c.times != nil && !c.times[i].IsZero() {
			when = c.times[i]
		}
		m.put(from, when, u)
	}
}

// exchange appends the events of w.entry, which is entry n.
func (w *worker) exchange(out *decoded, n int) {
	if w.entry.own.there && w.ownExchange(out, n) {
		return
	}
	e, p := &w.entry, &parts{}
	start, dated := parseTime(e.started.raw)
	if !dated {
		out.undated = append(out.undated, capture.ConnID(n))
	}
	afterSent, afterAnswer, afterAll := e.timings.places(e.time)
	sent, answered, done := start.Add(afterSent), start.Add(afterAnswer), start.Add(afterAll)
	m := emitter{out: out, conn: capture.ConnID(n), id: capture.NewExchangeID(capture.ConnID(n), 1), start: start}

	w.heads(p)
	first := len(out.events)
	m.put(capture.Client, start, &p.request)
	out.events[first].Link = p.link
	c := w.requestBody(p)
	m.content(capture.Client, sent, &c)
	if len(w.sentTrailer) > 0 {
		m.put(capture.Client, sent, &capture.Trailer{Fields: w.sentTrailer})
	}
	p.sentEnd.Size = c.size
	m.put(capture.Client, sent, &p.sentEnd)

	p.end.Text = e.why()
	if p.response.Status == 0 {
		p.end.Kind = capture.EndUnreachable
		m.put(capture.Client, done, &p.end)
		return
	}
	m.put(capture.Server, answered, &p.response)
	c = w.responseBody(p)
	m.content(capture.Server, done, &c)
	if t := w.endTrailer(p, len(c.units) > 0); t != nil {
		m.put(capture.Server, done, t)
	}
	p.recvEnd.Size = c.size
	m.put(capture.Server, done, &p.recvEnd)
	p.end.Kind = capture.EndDone
	m.put(capture.Server, done, &p.end)
}

// why returns what the producer says went wrong, or "".
func (e *entry) why() string {
	for _, t := range []text{e.response.failure, e.failure} {
		if !t.empty() {
			return string(unescape(nil, t.raw))
		}
	}
	switch {
	case status(e.response.status) != 0:
		return ""
	case !e.response.statusText.empty():
		return string(unescape(nil, e.response.statusText.raw))
	}
	return "the recording has no response"
}

// endTrailer returns the trailer of the response. A HAR has no member for it:
// some producers write "_trailers", some put the fields among the headers,
// where those of a gRPC response are found again.
func (w *worker) endTrailer(p *parts, hasBody bool) *capture.Trailer {
	if len(w.trailer) > 0 {
		return &capture.Trailer{Fields: w.trailer}
	}
	if _, ok := p.response.Fields.Lookup("grpc-status"); !ok {
		return nil
	}
	if !hasBody {
		return &capture.Trailer{Fields: p.response.Fields, Only: true}
	}
	var fs capture.Fields
	for _, name := range []string{"grpc-status", "grpc-message", "grpc-status-details-bin"} {
		if v, ok := p.response.Fields.Lookup(name); ok {
			fs = append(fs, capture.Field{Name: name, Value: v})
		}
	}
	return &capture.Trailer{Fields: fs}
}
