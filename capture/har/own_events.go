package har

import (
	"encoding/base64"
	"math"
	"net/netip"
	"slices"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/wire"
)

// say returns what a text says.
func say(t text) string { return string(unescape(nil, t.raw)) }

// after turns milliseconds of a file into a time, to the microsecond.
func after(start time.Time, ms float64) time.Time {
	if !(math.Abs(ms) < 1e12) { // 30 years; also NaN
		return start
	}
	return start.Add(time.Duration(math.Round(ms*1000)) * time.Microsecond)
}

// wholeNumber is a number that a file may only have as one.
func wholeNumber(v float64) int64 {
	if !(math.Abs(v) < 1<<53) {
		return 0
	}
	return int64(v)
}

func sideNamed(t text) capture.Side {
	if string(t.raw) == capture.Server.String() {
		return capture.Server
	}
	return capture.Client
}

func allFields(hs []header) capture.Fields {
	fs := make(capture.Fields, 0, len(hs))
	for _, h := range hs {
		fs = append(fs, capture.Field{Name: say(h.name), Value: say(h.value), Unknown: h.unknown})
	}
	return fs
}

// forms and kinds by their names.
var forms = []capture.Form{capture.WholeBody, capture.SSEEvent, capture.SSEComment, capture.GRPCMessage, capture.LooseData}

var endKinds = []capture.EndKind{capture.EndDone, capture.EndReset, capture.EndGoAway, capture.EndClosed, capture.EndStillOpen, capture.EndUpgraded, capture.EndUnreachable}

// ownFrames divides a body; ok is false when it is not the one that was
// written: then another program has changed the entry since.
func (w *worker) ownFrames(s *side, o *ownSide, start time.Time) (fs []capture.Timed[*capture.Frame], ok bool) {
	var data []byte
	if !s.body.text.empty() {
		var c content
		data, ok = w.bytes(&s.body, "", &c)
		if !ok || len(c.units) > 0 {
			return nil, false
		}
	}
	for i := range o.frames {
		r := &o.frames[i]
		n := wholeNumber(r.bytes)
		k := slices.IndexFunc(forms, func(f capture.Form) bool { return f.String() == string(r.form.raw) })
		if n < 0 || n > int64(len(data)) || k < 0 {
			return nil, false
		}
		f := &capture.Frame{Form: forms[k], Data: data[:n:n], Event: say(r.event), ID: say(r.id)}
		if !r.verbatim {
			f = wire.Part(forms[k], data[:n:n])
		}
		data = data[n:]
		f.Seq, f.Size, f.WireSize = i, int64(len(f.Data)), n
		if r.hasSize {
			f.Size = max(wholeNumber(r.size), f.Size)
		}
		if r.hasWire {
			f.WireSize = max(wholeNumber(r.wire), 0)
		}
		f.Lost, f.Cut, f.Coding = wholeNumber(r.lost), r.cut, say(r.coding)
		fs = append(fs, capture.Timed[*capture.Frame]{At: after(start, r.at), V: f})
	}
	return fs, len(data) == 0
}

// ownExchange appends the events of an entry that Writer wrote.
func (w *worker) ownExchange(out *decoded, n int) bool {
	e, o := &w.entry, &w.entry.own
	start, dated := parseTime(e.started.raw)
	if !dated {
		return false
	}
	if o.connection.there {
		return o.alone(out, capture.ConnID(n), start)
	}
	sent, ok := w.ownFrames(&e.request, &o.sides[capture.Client], start)
	received, good := w.ownFrames(&e.response, &o.sides[capture.Server], start)
	kind := slices.IndexFunc(endKinds, func(k capture.EndKind) bool { return k.String() == string(o.end.kind.raw) })
	head := o.sides[capture.Server].head
	if !ok || !good || kind < 0 || head && status(e.response.status) == 0 {
		return false
	}
	first := len(out.events)
	m := emitter{out: out, conn: capture.ConnID(n), id: capture.NewExchangeID(capture.ConnID(n), 1), start: start}

	breaches := func(side capture.Side) {
		for i := range o.breaches {
			if b := &o.breaches[i]; sideNamed(b.from) == side {
				m.put(side, after(start, b.at), &capture.Breach{Code: say(b.code), Text: say(b.text), Lost: wholeNumber(b.lost)})
			}
		}
	}
	message := func(from capture.Side, s *side, frames []capture.Timed[*capture.Frame]) {
		r := &o.sides[from]
		last := after(start, r.at)
		for _, t := range frames {
			m.put(from, t.At, t.V)
			if t.At.After(last) {
				last = t.At
			}
		}
		if r.trailer {
			m.put(from, last, &capture.Trailer{Fields: allFields(s.trailers), Only: r.only})
		}
		if r.done {
			m.put(from, last, &capture.BodyEnd{Size: wholeNumber(r.size)})
		}
	}
	rq := &o.sides[capture.Client]
	if rq.head {
		m.put(capture.Client, after(start, rq.at), &capture.Head{Proto: proto(e.request.version.raw), Method: say(rq.method), Scheme: say(rq.scheme),
			Authority: say(rq.authority), Target: say(rq.target), Stream: uint32(wholeNumber(rq.stream)), Torn: rq.torn, Fields: allFields(e.request.headers)})
	}
	breaches(capture.Client)
	message(capture.Client, &e.request, sent)
	rs := &o.sides[capture.Server]
	for i := range o.interim {
		h := &o.interim[i]
		if s := status(h.status); s == 0 || s >= 200 {
			continue // damaged: it would be taken for another head
		}
		at := start
		if rs.head {
			at = after(start, rs.at)
		}
		m.put(capture.Server, at, &capture.Head{Proto: proto(h.version.raw), Status: status(h.status), Reason: say(h.statusText),
			Stream: uint32(wholeNumber(h.stream)), Torn: h.torn, Fields: allFields(h.headers)})
	}
	if rs.head {
		m.put(capture.Server, after(start, rs.at), &capture.Head{Proto: proto(e.response.version.raw), Status: status(e.response.status), Reason: say(e.response.statusText),
			Stream: uint32(wholeNumber(rs.stream)), Torn: rs.torn, Fields: allFields(e.response.headers)})
	}
	breaches(capture.Server)
	message(capture.Server, &e.response, received)
	ended := after(start, o.end.at)
	for i := range o.notes {
		note := o.notes[i].note()
		m.put(capture.Server, ended, &note)
	}
	// The order of time behind the head of the request, which begins the
	// exchange; what is of the same time stays in the order above.
	begin := first
	if rq.head {
		begin++
	}
	slices.SortStableFunc(out.events[begin:], func(a, b capture.Event) int { return a.At.Compare(b.At) })
	m.put(sideNamed(o.end.by), ended, &capture.End{Kind: endKinds[kind], Code: uint32(wholeNumber(o.end.code)), Text: say(o.end.text)})
	out.events[first].Link = o.link()
	return true
}

// alone appends the event of a connection without HTTP.
func (o *own) alone(out *decoded, id capture.ConnID, at time.Time) bool {
	k := &o.connection
	info := &capture.ConnInfo{Protocol: say(k.protocol), Sent: [2]int64{wholeNumber(k.sent), wholeNumber(k.received)}, Text: say(k.text)}
	if !slices.Contains(capture.ConnProtocols, info.Protocol) || info.Sent[0] < 0 || info.Sent[1] < 0 {
		return false
	}
	for i := range o.notes {
		if n := o.notes[i].note(); n.ByPeople() {
			info.Notes = append(info.Notes, n)
		}
	}
	out.events = append(out.events, capture.Event{Conn: id, At: at, Link: o.link(), Body: info})
	return true
}

func (n *ownNote) note() capture.Note {
	return capture.Note{Code: say(n.code), Text: say(n.text), Original: unbase64(n.original), Delivered: unbase64(n.delivered)}
}

func (o *own) link() *capture.Link {
	l := &capture.Link{Source: "har", ServerName: say(o.serverName), TLS: say(o.tls), ALPN: say(o.alpn), Midstream: o.midstream}
	if source := say(o.source); source != "" && len(source) <= 16 {
		l.Source = source
	}
	l.Client, _ = netip.ParseAddrPort(say(o.client))
	l.Server, _ = netip.ParseAddrPort(say(o.server))
	return l
}

func unbase64(t text) []byte {
	if t.empty() {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(say(t))
	if err != nil {
		return nil
	}
	return b
}
