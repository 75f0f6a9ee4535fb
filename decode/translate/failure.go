package translate

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Types of the details in the data of a JSON-RPC error of 1.0 (§9.5).
const (
	typeURL    = "type.googleapis.com/"
	infoType   = typeURL + "google.rpc.ErrorInfo"
	structType = typeURL + "google.protobuf.Struct"
	valueType  = typeURL + "google.protobuf.Value"
)

// failure shows the JSON-RPC error in doc as another version would send it. The
// codes mean the same in both. Beside them, in data, 1.0 has a list of typed
// details, among them which of A2A's errors it is; 0.3 leaves data to the server.
func failure(c *decode.Call, f *decode.Fault, doc *jsontree.Doc, from, to spec.Version) (*Message, Reason) {
	if c.Binding != spec.JSONRPC {
		return nil, NoSuccess // 0.3 says of no other binding how an error is written
	}
	if broken(doc) {
		return nil, Unreadable
	}
	n := doc.Root().Get("error")
	if !n.IsObject() {
		return nil, Unreadable
	}
	w := walkerFor(dialectIn(from, c.Binding), dialectIn(to, c.Binding), f.At)
	v := asIs(n)
	if from != to {
		w.enter("error")
		v = w.failed(n, f)
		w.leave()
	}
	v = w.inEnvelope(doc.Root(), "error", "", v)
	return &Message{from, to, c.Binding, v.write(nil), w.list}, NoReason
}

func (w *walker) failed(n jsontree.Node, f *decode.Fault) tree {
	e, known := spec.ErrorByCode(f.Code)
	detail := func(data jsontree.Node) (tree, bool) { return w.toTyped(data, e, f.HasInfo) }
	if w.to != spec.Dialect10 {
		detail = func(data jsontree.Node) (tree, bool) { return w.toFree(data, e) }
		switch code := n.Get("code"); {
		case known && !e.In03:
			w.note(Lost, ErrorCode, "code", w.at(code), w.here("code"))
		case known && !f.HasInfo: // it is written as in 0.3
			w.note(Differs, OtherVersion, "error", w.at(n), w.here(""))
		}
	}
	out, done := object(), false
	for m := range n.Children() {
		if m.Key() != "data" || done {
			out.put(m.Key(), asIs(m))
			continue
		}
		done = true
		if d, ok := detail(m); ok {
			out.put("data", d)
		}
	}
	if !done {
		if d, ok := detail(jsontree.Node{}); ok {
			out.put("data", d)
		}
	}
	return out
}

// toTyped makes the data of 1.0 out of that of 0.3; e is the zero value for an
// error that is none of A2A's.
func (w *walker) toTyped(data jsontree.Node, e spec.ErrorInfo, named bool) (tree, bool) {
	if typed(data) {
		if e.Code != 0 && !named {
			w.note(Unsaid, ErrorDetail, "data", w.at(data), w.here("data"))
		}
		return asIs(data), true
	}
	out := tree{kind: jsontree.Array}
	if e.Code != 0 {
		info := object()
		info.put("@type", text(infoType))
		info.put("reason", text(e.Reason))
		info.put("domain", text(spec.ErrorDomain))
		out.add(info)
		w.note(Added, ErrorDetail, "data", spot{}, w.here("data"))
	}
	if data.Exists() {
		free := object()
		if data.IsObject() {
			free.put("@type", text(structType))
		} else {
			free.put("@type", text(valueType))
		}
		free.put("value", asIs(data))
		out.add(free)
		w.note(Changed, ErrorData, "data", w.at(data), w.here("data"))
	}
	return out, len(out.kids) > 0
}

// toFree makes the data of 0.3 out of that of 1.0: what toTyped would make of
// it is left away, everything else may stay.
func (w *walker) toFree(data jsontree.Node, e spec.ErrorInfo) (tree, bool) {
	if !typed(data) {
		if data.Exists() {
			w.note(Differs, OtherVersion, "data", w.at(data), w.here("data"))
		}
		return asIs(data), data.Exists()
	}
	rest := data.Len()
	if plainInfo(data.Index(0), e) {
		rest--
	}
	last := data.Index(data.Len() - 1)
	switch {
	case e.Code != 0 && rest == data.Len(), rest > 1:
	case rest == 0:
		w.note(Dropped, ErrorDetail, "data", w.at(data), "")
		return tree{}, false
	case wrapped(last):
		if e.Code != 0 {
			w.note(Dropped, ErrorDetail, "data", w.at(data), "")
		}
		w.note(Changed, ErrorData, "data", w.at(last), w.here("data"))
		return asIs(last.Get("value")), true
	}
	return asIs(data), true
}

// typed reports whether data is a list of details of 1.0.
func typed(data jsontree.Node) bool {
	if !data.IsArray() || data.Len() == 0 {
		return false
	}
	for d := range data.Children() {
		if !strings.HasPrefix(d.Get("@type").Str(), typeURL) {
			return false
		}
	}
	return true
}

// plainInfo reports whether a detail says no more than the code does.
func plainInfo(d jsontree.Node, e spec.ErrorInfo) bool {
	return e.Code != 0 && d.Len() == 3 && d.Get("@type").Str() == infoType && d.Get("reason").Str() == e.Reason && d.Get("domain").Str() == spec.ErrorDomain
}

// wrapped reports whether a detail is free data, as toTyped writes it.
func wrapped(d jsontree.Node) bool {
	v := d.Get("value")
	switch d.Get("@type").Str() {
	case structType:
		return d.Len() == 2 && v.IsObject()
	case valueType:
		return d.Len() == 2 && v.Exists() && !v.IsObject() && !typed(v)
	}
	return false
}
