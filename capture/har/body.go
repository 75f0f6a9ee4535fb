package har

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/capture"
)

// content is a body as frames, and what is wrong with it.
type content struct {
	units []capture.EventBody // *Frame, *Breach, and the *Trailer of gRPC-Web
	times []time.Time         // when each unit came, nil when unknown
	size  int64
}

func (c *content) breach(code, text string, lost int64) {
	c.units = append(c.units, &capture.Breach{Code: code, Text: text, Lost: lost})
}

// requestBody builds the frames of the request.
func (w *worker) requestBody(p *parts) content {
	e := &w.entry
	media := p.request.MediaType()
	if media == "" {
		media = mediaType(e.request.body.mime)
	}
	var c content
	data, ok := w.bytes(&e.request.body, media, &c)
	switch {
	case ok && media != "text/event-stream" && !isGRPC(media):
		p.sent = wholeBody(data, &e.request, p.request.Fields)
		c.add(&p.sent)
	case ok:
		c.cut(capture.Client, media, p.request.Fields, data)
	case p.request.Method != "GET" && p.request.Method != "HEAD" && len(c.units) == 0:
		c.missing(&e.request)
	}
	return c
}

// responseBody builds the frames of the response.
func (w *worker) responseBody(p *parts) content {
	e := &w.entry
	media := p.response.MediaType()
	if media == "" {
		media = mediaType(e.response.body.mime)
	}
	if media == "" && string(e.resource.raw) == "eventsource" {
		media = "text/event-stream"
	}
	var c content
	data, ok := w.bytes(&e.response.body, media, &c)
	switch {
	case ok && media != "text/event-stream" && !isGRPC(media):
		p.received = wholeBody(data, &e.response, p.response.Fields)
		c.add(&p.received)
	case ok:
		c.cut(capture.Server, media, p.response.Fields, data)
		c.timesFrom(e.messages)
	case len(e.messages) > 0:
		w.messages(&c)
	case p.request.Method != "HEAD" && p.response.Status != 204 && p.response.Status != 304 && len(c.units) == 0:
		c.missing(&e.response)
	}
	return c
}

// wholeBody makes the frame of a body that is one unit. What a HAR stores is
// decoded already, also where Content-Encoding is still among the headers.
func wholeBody(data []byte, s *side, fields capture.Fields) capture.Frame {
	n := int64(len(data))
	return capture.Frame{Data: data, Size: n, WireSize: s.wireSize(n), Coding: coding(fields)}
}

func (c *content) add(f *capture.Frame) {
	c.units = append(c.units, f)
	c.size = f.Size
}

// wireSize returns how many bytes were sent for a body of size bytes.
func (s *side) wireSize(size int64) int64 {
	switch {
	case s.hasBodySize && s.bodySize > 0:
		return count(s.bodySize)
	case s.body.hasCut && s.body.cut > 0 && count(s.body.cut) < size:
		return size - count(s.body.cut)
	}
	return size
}

// count turns a number of bytes in JSON into one that can be reckoned with.
func count(v float64) int64 {
	if !(v > 0) || v > math.MaxInt32*1024 {
		return 0
	}
	return int64(v)
}

// coding names the content coding the producer removed.
func coding(fields capture.Fields) string {
	v := strings.ToLower(strings.TrimSpace(fields.Get("content-encoding")))
	if v == "identity" {
		return ""
	}
	return v
}

// missing reports a body that was sent and is not in the file.
func (c *content) missing(s *side) {
	size := count(s.body.size)
	if size == 0 {
		size = count(s.bodySize)
	}
	said := func(t text) string { return string(unescape(nil, t.raw)) }
	var why string
	switch b := &s.body; {
	case !b.file.empty():
		why = fmt.Sprintf(", it lies in the file %q beside it", said(b.file))
	case !b.discarded.empty():
		why = fmt.Sprintf(", it was left out by the recorder (%s)", said(b.discarded))
	case size == 0:
		return
	case !b.comment.empty():
		why = fmt.Sprintf(", the recorder says %q", said(b.comment))
	}
	if size == 0 {
		c.breach(capture.BreachLost, "the HAR does not hold the body"+why, -1)
		return
	}
	c.breach(capture.BreachLost, fmt.Sprintf("the HAR does not hold the body of %d bytes%s", size, why), size)
	c.size = size
}

// bytes returns the body; ok is false when the file does not hold one.
func (w *worker) bytes(b *stored, media string, c *content) (data []byte, ok bool) {
	switch {
	case !b.text.empty() && isBase64(b.encoding.raw):
		data, err := w.base64(b.text)
		if err == nil {
			return data, true
		}
		c.breach(capture.BreachCoding, "the HAR says that the body is base64, but it is not: "+err.Error(), 0)
		return w.plainText(b.text), true
	case !b.text.empty():
		data = w.plainText(b.text)
		if isGRPC(media) {
			data = w.binary(data)
		}
		return data, true
	case len(b.params) > 0:
		return w.form(b, media, c)
	}
	return nil, false
}

func isBase64(encoding []byte) bool { return bytes.EqualFold(encoding, []byte("base64")) }

// plainText returns what the JSON string says: a part of the file where that
// is possible, else its own memory.
func (w *worker) plainText(t text) []byte {
	switch {
	case t.escaped:
		return w.mem.keep(unescape(w.mem.room(len(t.raw)+8), t.raw))
	case w.kept:
		return t.raw[:len(t.raw):len(t.raw)]
	}
	return w.mem.copy(t.raw)
}

func (w *worker) base64(t text) ([]byte, error) {
	src := t.raw
	if t.escaped { // "\/" for "/"
		w.plain = unescape(w.plain[:0], src)
		src = w.plain
	}
	enc := base64.StdEncoding
	if bytes.IndexByte(src, '-') >= 0 || bytes.IndexByte(src, '_') >= 0 {
		enc = base64.URLEncoding
	}
	if !bytes.HasSuffix(src, []byte("=")) && len(src)%4 != 0 {
		enc = enc.WithPadding(base64.NoPadding)
	}
	dst := w.mem.room(enc.DecodedLen(len(src)))
	n, err := enc.Decode(dst[:cap(dst)], src)
	if err != nil {
		return nil, err
	}
	return w.mem.keep(dst[:n]), nil
}

// binary recovers gRPC messages that were stored as text. Recorders decode an
// unknown body as Latin-1 or as UTF-8 with surrogates for what is none (which
// unescape has put back); the length prefixes tell which of the two it was.
func (w *worker) binary(data []byte) []byte {
	if framed(data) {
		return data
	}
	latin := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r > 0xff {
			return data
		}
		latin = append(latin, byte(r))
		i += n
	}
	if framed(latin) {
		return latin
	}
	return data
}

// framed reports whether data is a row of length-prefixed messages and nothing else.
func framed(data []byte) bool {
	for len(data) > 0 {
		if len(data) < 5 || data[0]&^0x81 != 0 {
			return false
		}
		n := int64(data[1])<<24 | int64(data[2])<<16 | int64(data[3])<<8 | int64(data[4])
		if n > int64(len(data))-5 {
			return false
		}
		data = data[5+n:]
	}
	return true
}

// form rebuilds a form body from its fields, which is all that some recorders
// keep. Of multipart/form-data too much is lost to do that.
func (w *worker) form(b *stored, media string, c *content) ([]byte, bool) {
	if media != "application/x-www-form-urlencoded" && media != "" {
		c.breach(capture.BreachLost, fmt.Sprintf("the HAR holds only the %d fields of a form, not the body", len(b.params)), -1)
		return nil, false
	}
	var out []byte
	for i, f := range b.params {
		if i > 0 {
			out = append(out, '&')
		}
		out = append(out, url.QueryEscape(string(unescape(nil, f.name.raw)))...)
		out = append(out, '=')
		out = append(out, url.QueryEscape(string(unescape(nil, f.value.raw)))...)
	}
	return w.mem.copy(out), true
}

// mediaType returns the lower-case type without parameters.
func mediaType(t text) string {
	raw := t.raw
	if t.escaped {
		raw = unescape(nil, raw)
	}
	m, _, _ := bytes.Cut(raw, []byte(";"))
	return strings.ToLower(string(bytes.TrimSpace(m)))
}

func isGRPC(media string) bool { return strings.HasPrefix(media, "application/grpc") }
