package har

import (
	"cmp"
	"encoding/base64"
	neturl "net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/capture"
)

// export is one entry being written.
type export struct {
	b     builder
	x     *capture.Exchange
	alone *capture.ConnInfo // the entry stands for a connection without HTTP
	mask  *Redactor
	start int64 // microseconds, as all times here
	sides [2]sideOut
}

// sideOut is a message in the form in which it is written.
type sideOut struct {
	body   []byte
	pieces []piece
	binary bool  // the body is written as base64
	size   int64 // decoded
	wire   int64 // as sent
	last   int64 // when its last frame was complete, after the start
}

// since returns when something was, in microseconds after the start.
func (e *export) since(t time.Time) int64 { return t.UnixMicro() - e.start }

func (e *export) entry(extra []byte) {
	x, b := e.x, &e.b
	e.start = x.Started.UnixMicro()
	for side := range e.sides {
		e.sides[side] = e.gather(capture.Side(side))
	}
	// HAR divides the time of an exchange into parts that follow each other. A
	// response that begins before the request is complete ends its part.
	var send, wait, receive int64
	if len(x.Sent) > 0 {
		send = max(e.sides[capture.Client].last, 0)
	}
	done := max(send, e.sides[capture.Server].last)
	if x.End != nil {
		done = max(done, e.since(x.Ended))
	}
	if x.Response != nil {
		at := max(e.since(x.Answered), 0)
		send = min(send, at)
		wait, receive = at-send, max(done-at, 0)
	} else {
		wait = done - send
	}

	b.open('{')
	b.str("startedDateTime", time.UnixMicro(e.start).UTC().Format("2006-01-02T15:04:05.000000Z"))
	b.num("time", millis(send+wait+receive))
	e.request()
	e.response()
	b.key("cache")
	b.raw("{}")
	b.key("timings")
	b.open('{')
	for _, n := range []string{"blocked", "dns", "connect"} {
		b.num(n, "-1")
	}
	b.num("send", millis(send))
	b.num("wait", millis(wait))
	b.num("receive", millis(receive))
	b.num("ssl", "-1")
	b.close('}')
	if l := x.Link; l != nil {
		if l.Server.IsValid() {
			b.str("serverIPAddress", l.Server.Addr().String())
			b.num("_serverPort", strconv.Itoa(int(l.Server.Port())))
		}
		if l.Client.IsValid() {
			b.str("connection", strconv.Itoa(int(l.Client.Port())))
		}
	}
	e.messages()
	e.own()
	if extra != nil {
		b.key("_a2ascope")
		b.raw(string(extra))
	}
	b.close('}')
}

func (e *export) request() {
	x, b := e.x, &e.b
	b.key("request")
	b.open('{')
	h := x.Request
	address := e.mask.text(addressOf(x))
	if h == nil {
		h = &capture.Head{Method: "UNKNOWN"}
	}
	b.str("method", cmp.Or(h.Method, "UNKNOWN"))
	b.str("url", address)
	b.str("httpVersion", cmp.Or(h.Proto, "unknown"))
	e.headers("headers", h.Fields)
	b.key("queryString")
	b.open('[')
	address, _, _ = strings.Cut(address, "#")
	if _, q, ok := strings.Cut(address, "?"); ok && q != "" {
		for pair := range strings.SplitSeq(q, "&") {
			name, value, _ := strings.Cut(pair, "=")
			b.item()
			b.open('{')
			b.str("name", unquery(name))
			b.str("value", unquery(value))
			b.close('}')
		}
	}
	b.close(']')
	b.key("cookies")
	b.raw("[]")
	s := &e.sides[capture.Client]
	if len(s.pieces) > 0 {
		b.key("postData")
		b.open('{')
		b.str("mimeType", h.Fields.Get("content-type"))
		e.body(s)
		b.close('}')
	}
	b.num("headersSize", "-1")
	b.num("bodySize", strconv.FormatInt(s.wire, 10))
	if x.SentTrailer != nil {
		e.headers("_trailers", x.SentTrailer.Fields)
	}
	b.close('}')
}

func (e *export) response() {
	x, b := e.x, &e.b
	b.key("response")
	b.open('{')
	h := x.Response
	if h == nil {
		h = &capture.Head{}
	}
	s := &e.sides[capture.Server]
	b.num("status", strconv.Itoa(h.Status))
	b.str("statusText", e.mask.text(h.Reason))
	b.str("httpVersion", cmp.Or(h.Proto, "unknown"))
	e.headers("headers", h.Fields)
	b.key("cookies")
	b.raw("[]")
	b.key("content")
	b.open('{')
	b.num("size", strconv.FormatInt(s.size, 10))
	if s.wire < s.size {
		b.num("compression", strconv.FormatInt(s.size-s.wire, 10))
	}
	b.str("mimeType", cmp.Or(h.Fields.Get("content-type"), "x-unknown"))
	if len(s.pieces) > 0 {
		e.body(s)
	}
	b.close('}')
	b.str("redirectURL", e.mask.text(h.Fields.Get("location")))
	b.num("headersSize", "-1")
	if x.Response == nil && len(s.pieces) == 0 {
		b.num("bodySize", "-1")
	} else {
		b.num("bodySize", strconv.FormatInt(s.wire, 10))
	}
	if x.Trailer != nil {
		e.headers("_trailers", x.Trailer.Fields)
	}
	if text := e.failure(); text != "" {
		b.str("_error", e.mask.text(text))
	}
	b.close('}')
}

// failure says how the exchange ended when it was not in order.
func (e *export) failure() string {
	what, why := "", ""
	if end := e.end(); e.alone != nil {
		what, why = e.alone.Protocol, e.alone.Text
	} else if end.Kind != capture.EndDone {
		what, why = end.Kind.String(), end.Text
	}
	if why != "" {
		what += ": " + why
	}
	return what
}

// end is how the exchange ended. One that is under way is ended by the file.
func (e *export) end() capture.End {
	if e.x.End == nil {
		return capture.End{Kind: capture.EndStillOpen, Text: "it was under way when the file was written"}
	}
	return *e.x.End
}

func (e *export) body(s *sideOut) {
	if s.binary {
		e.b.str("text", base64.StdEncoding.EncodeToString(s.body))
		e.b.str("encoding", "base64")
		return
	}
	e.b.str("text", string(s.body))
}

func (e *export) headers(name string, fs capture.Fields) {
	b := &e.b
	b.key(name)
	b.open('[')
	for _, f := range fs {
		b.item()
		b.open('{')
		b.str("name", f.Name)
		b.str("value", e.mask.header(f.Name, f.Value))
		if f.Unknown {
			b.raw(`,"_unknown":true`)
		}
		b.close('}')
	}
	b.close(']')
}

// messages writes the events of a stream as Chrome does, with the time of each.
func (e *export) messages() {
	b, any := &e.b, false
	for i := range e.sides[capture.Server].pieces {
		p := &e.sides[capture.Server].pieces[i]
		if p.frame.Form != capture.SSEEvent {
			continue
		}
		if !any {
			any = true
			b.key("_eventSourceMessages")
			b.open('[')
		}
		b.item()
		b.open('{')
		b.num("time", decimal(e.start+p.at, 6))
		b.str("eventName", cmp.Or(p.frame.Event, "message"))
		b.str("eventId", p.frame.ID)
		b.str("data", string(p.frame.Data))
		b.close('}')
	}
	if any {
		b.close(']')
	}
}

// gather puts the frames of a side together again.
func (e *export) gather(side capture.Side) sideOut {
	s := sideOut{}
	for _, t := range e.x.Frames(side) {
		p := e.piece(side, t.V)
		p.at = e.since(t.At)
		s.last = max(s.last, p.at)
		s.body = append(s.body, p.text...)
		s.size += max(p.frame.Size, 0)
		s.wire += max(p.frame.WireSize, 0)
		s.binary = s.binary || p.frame.Form == capture.GRPCMessage
		p.text = nil
		s.pieces = append(s.pieces, p)
	}
	s.binary = s.binary || !utf8.Valid(s.body)
	return s
}

func unquery(s string) string {
	if u, err := neturl.QueryUnescape(s); err == nil {
		return u
	}
	return s
}
