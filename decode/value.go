package decode

import (
	"strconv"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// valueLimit bounds what Value returns: it is for evidence, not for reading a body.
const valueLimit = 400

// Value returns what stands at a place of a call, shortened: a string without
// its quotes, other JSON as written, a header's value. ok is false when nothing
// stands there. It works on compacted calls too, by reading the frame again.
func Value(c *Call, p Place) (value string, ok bool) {
	w, err := p.Parse()
	if err != nil || c == nil || c.Exchange == nil {
		return "", false
	}
	x := c.Exchange
	h, fields := x.Request, capture.Fields(nil)
	if w.Side == "response" {
		h = x.Response
	}
	if h != nil {
		fields = h.Fields
	}
	switch w.Part {
	case "":
		return sideValue(x, w.Side)
	case "line":
		return lineValue(h)
	case "query":
		if h == nil {
			return "", false
		}
		return queryValue(h.Query(), w.Name)
	case "trailer":
		if x.Trailer != nil {
			if v, ok := fieldValue(x.Trailer.Fields, &w); ok {
				return v, true
			}
		}
		return fieldValue(fields, &w) // trailers only: they came as the head
	case "header":
		return fieldValue(fields, &w)
	}
	return frameValue(c, &w)
}

func sideValue(x *capture.Exchange, side string) (string, bool) {
	switch side {
	case "request":
		return "", x.Request != nil || len(x.Sent) > 0
	case "response":
		return "", x.Response != nil || len(x.Received) > 0
	}
	if x.End == nil {
		return "", true
	}
	text := x.End.Kind.String()
	if x.End.Text != "" {
		text += ": " + x.End.Text
	}
	return text, true
}

func lineValue(h *capture.Head) (string, bool) {
	switch {
	case h == nil:
		return "", false
	case h.IsRequest():
		return clip(h.Method+" "+h.Target, valueLimit), true
	case h.Reason != "":
		return clip(strconv.Itoa(h.Status)+" "+h.Reason, valueLimit), true
	}
	return strconv.Itoa(h.Status), true
}

func queryValue(query, name string) (string, bool) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		k, v, _ := strings.Cut(pair, "=")
		if strings.EqualFold(unescapeQuery(k), name) {
			return clip(unescapeQuery(v), valueLimit), true
		}
	}
	return "", false
}

func fieldValue(fs capture.Fields, w *Where) (string, bool) {
	n := w.Index
	for i := range fs {
		if strings.EqualFold(fs[i].Name, w.Name) {
			if n == 0 {
				return clip(fs[i].Value, valueLimit), true
			}
			n--
		}
	}
	return "", false
}

func frameValue(c *Call, w *Where) (string, bool) {
	frames := c.Exchange.Sent
	if w.Side == "response" {
		frames = c.Exchange.Received
	}
	if w.Index >= len(frames) {
		return "", false
	}
	f := frames[w.Index].V
	doc := DocAt(c, w.Side, w.Index)
	if w.Pointer == "" {
		if doc != nil && f.Form == capture.GRPCMessage {
			return clip(string(doc.Text), valueLimit), true
		}
		text := f.Data
		if len(text) > 2*valueLimit {
			text = text[:2*valueLimit]
		}
		return clip(strings.ToValidUTF8(string(text), "\uFFFD"), valueLimit), true
	}
	n := doc.Root().Pointer(w.Pointer)
	if !n.Exists() {
		return "", false
	}
	if n.IsString() {
		return clip(n.Str(), valueLimit), true
	}
	raw := n.Raw()
	if len(raw) > 2*valueLimit {
		raw = raw[:2*valueLimit]
	}
	return clip(strings.ToValidUTF8(string(raw), "\uFFFD"), valueLimit), true
}

// DocAt returns the JSON of a frame ("request" or "response" side), that of a
// gRPC message by its schema; nil when the frame is not there or is no JSON. It
// parses again what the call no longer holds.
func DocAt(c *Call, side string, frame int) *jsontree.Doc {
	x := c.Exchange
	frames := x.Sent
	if side == "response" {
		frames = x.Received
	}
	if frame < 0 || frame >= len(frames) {
		return nil
	}
	f := frames[frame].V
	if doc := heldDoc(c, side, frame, f); doc != nil {
		return doc
	}
	if f.Form == capture.GRPCMessage {
		return grpcDoc(c, side, f)
	}
	text := f.Data
	if len(text) >= 3 && string(text[:3]) == string(byteOrderMark) {
		text = text[3:]
	}
	doc := jsontree.Parse(text)
	if !doc.Root().Exists() {
		return nil
	}
	return doc
}

// heldDoc finds the parsed document in the call: the one whose text is the frame's.
func heldDoc(c *Call, side string, frame int, f *capture.Frame) *jsontree.Doc {
	if side == "request" {
		if g, _ := bodyFrame(c.Exchange.Sent, f.Form); g == f {
			return c.RequestDoc
		}
		return nil
	}
	lo, hi := 0, len(c.Events) // events are in the order of their frames
	for lo < hi {
		mid := (lo + hi) / 2
		if c.Events[mid].Frame < frame {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(c.Events) && c.Events[lo].Frame == frame {
		return c.Events[lo].Doc
	}
	if g, _ := bodyFrame(c.Exchange.Received, f.Form); g == f {
		return c.ResponseDoc
	}
	return nil
}

func grpcDoc(c *Call, side string, f *capture.Frame) *jsontree.Doc {
	v := spec.Version(c.GRPC.Schema)
	var m schema.Message
	var ok bool
	if side == "request" {
		m, ok = schema.RequestOf(v, c.GRPC.Method)
	} else {
		m, ok = schema.ResponseOf(v, c.GRPC.Method)
	}
	if !ok {
		return nil
	}
	return jsontree.Parse(schema.Decode(m, f.Data).JSON)
}
