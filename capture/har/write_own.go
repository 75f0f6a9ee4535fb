package har

import (
	"encoding/base64"
	"strconv"
	"time"

	"a2ascope/capture"
)

// own writes what own.read reads.
func (e *export) own() {
	x, b := e.x, &e.b
	b.key("_exchange")
	b.open('{')
	if l := x.Link; l != nil {
		if l.Source != "har" {
			b.some("source", l.Source)
		}
		if l.Client.IsValid() {
			b.str("client", l.Client.String())
		}
		if l.Server.IsValid() {
			b.str("server", l.Server.String())
		}
		b.some("serverName", l.ServerName)
		b.some("tls", l.TLS)
		b.some("alpn", l.ALPN)
		b.flag("midstream", l.Midstream)
	}
	e.ownSide("request", capture.Client, x.Request, x.Started, x.SentDone, x.SentSize, x.SentTrailer)
	e.ownSide("response", capture.Server, x.Response, x.Answered, x.ReceivedDone, x.ReceivedSize, x.Trailer)
	if len(x.Interim) > 0 {
		b.key("interim")
		b.open('[')
		for _, h := range x.Interim {
			b.item()
			b.open('{')
			b.num("status", strconv.Itoa(h.Status))
			b.str("statusText", e.mask.text(h.Reason))
			b.str("httpVersion", h.Proto)
			b.num("stream", strconv.Itoa(int(h.Stream)))
			b.flag("torn", h.Torn)
			e.headers("headers", h.Fields)
			b.close('}')
		}
		b.close(']')
	}
	if len(x.Breaches) > 0 {
		b.key("breaches")
		b.open('[')
		for _, t := range x.Breaches {
			b.item()
			b.open('{')
			b.str("from", t.V.From.String())
			b.num("at", millis(e.since(t.At)))
			b.str("code", t.V.V.Code)
			b.str("text", e.mask.text(t.V.V.Text))
			b.number("lost", t.V.V.Lost)
			b.close('}')
		}
		b.close(']')
	}
	if len(x.Notes) > 0 {
		b.key("notes")
		b.open('[')
		for _, n := range x.Notes {
			b.item()
			b.open('{')
			b.str("code", n.Code)
			b.str("text", e.mask.text(n.Text))
			b.some("original", e.noteBytes(n.Original))
			b.some("delivered", e.noteBytes(n.Delivered))
			b.close('}')
		}
		b.close(']')
	}
	if k := e.alone; k != nil {
		b.key("connection")
		b.open('{')
		b.str("protocol", k.Protocol)
		b.number("sent", k.Sent[capture.Client])
		b.number("received", k.Sent[capture.Server])
		b.str("text", e.mask.text(k.Text))
		b.close('}')
		b.close('}')
		return
	}
	end, ended := e.end(), x.Ended
	if x.End == nil {
		ended = x.Started.Add(time.Duration(max(e.sides[0].last, e.sides[1].last, e.answered())) * time.Microsecond)
	}
	b.key("end")
	b.open('{')
	b.str("kind", end.Kind.String())
	b.str("by", x.EndedBy.String())
	b.num("at", millis(e.since(ended)))
	b.number("code", int64(end.Code))
	b.some("text", e.mask.text(end.Text))
	b.close('}')
	b.close('}')
}

func (e *export) answered() int64 {
	if e.x.Response == nil {
		return 0
	}
	return e.since(e.x.Answered)
}

// noteBytes gives the bytes of a note the masking of a body.
func (e *export) noteBytes(data []byte) string {
	if len(data) > 0 && e.mask.Body != nil {
		data = e.mask.Body(capture.Server, &capture.Frame{Data: data, Size: int64(len(data))})
	}
	return base64.StdEncoding.EncodeToString(data)
}

func (e *export) ownSide(name string, side capture.Side, h *capture.Head, at time.Time, done bool, size int64, t *capture.Trailer) {
	b, s := &e.b, &e.sides[side]
	if h == nil && len(s.pieces) == 0 && !done && t == nil {
		return
	}
	b.key(name)
	b.open('{')
	if h != nil {
		b.num("head", millis(e.since(at)))
		b.number("stream", int64(h.Stream))
		b.flag("torn", h.Torn)
		if side == capture.Client {
			b.str("method", h.Method)
			b.str("scheme", h.Scheme)
			b.str("authority", e.mask.text(h.Authority))
			b.str("target", e.mask.text(h.Target))
		}
	}
	if done {
		b.num("done", strconv.FormatInt(size, 10))
	}
	if t != nil {
		b.flag("trailer", true)
		b.flag("trailerOnly", t.Only)
	}
	if len(s.pieces) > 0 {
		b.key("frames")
		b.open('[')
		for i := range s.pieces {
			p := &s.pieces[i]
			b.item()
			b.open('{')
			b.str("form", p.frame.Form.String())
			b.num("at", millis(p.at))
			b.num("bytes", strconv.Itoa(p.bytes))
			if p.frame.Size != int64(len(p.frame.Data)) {
				b.num("size", strconv.FormatInt(p.frame.Size, 10))
			}
			if p.frame.WireSize != int64(p.bytes) {
				b.num("wire", strconv.FormatInt(p.frame.WireSize, 10))
			}
			b.number("lost", p.frame.Lost)
			b.flag("cut", p.frame.Cut)
			b.some("coding", p.frame.Coding)
			if p.verbatim {
				b.flag("verbatim", true)
				b.some("event", p.frame.Event)
				b.some("id", p.frame.ID)
			}
			b.close('}')
		}
		b.close(']')
	}
	b.close('}')
}
