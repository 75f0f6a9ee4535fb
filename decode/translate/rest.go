package translate

import (
	"net/url"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// restRequest writes verb, route and body.
func (w *walker) restRequest(r *Request, c *decode.Call, rpc spec.RPC) {
	verb, route, _ := strings.Cut(r.Method, " ")
	h := c.Exchange.Request
	route = strings.ReplaceAll(route, "{cid}", url.PathEscape(w.configID))
	route = strings.ReplaceAll(route, "{id}", url.PathEscape(w.taskID))
	base := c.Path.Base
	switch {
	case c.Path.V1 == "ambiguous" && r.From == spec.V10: // a 1.0 route has no /v1: the address may end in it
		w.note(Differs, BaseV1, "/v1", on("request/line"), "")
	case base != "" && c.Path.Tenant == "" && r.From == spec.V10 && r.To == spec.V03:
		w.note(Differs, BaseTenant, base, on("request/line"), "")
	}
	switch {
	case c.Path.Tenant == "":
	case r.To == spec.V10:
		base += "/" + url.PathEscape(c.Path.Tenant)
	default:
		w.note(Lost, Tenant, "tenant", on("request/line"), "")
	}
	_, query, asked := strings.Cut(h.Target, "?")
	target := base + route
	if asked {
		target += "?" + query
	}
	r.Verb, r.Target = verb, w.query(target, c, r.To)
	if h.Method != verb || h.Path() != base+route {
		code := Route
		if h.Method != verb && c.Operation == spec.SubscribeToTask {
			code = Verb
		}
		w.note(Changed, code, h.Method, on("request/line"), "")
	}
	if verb != "POST" {
		return
	}
	w.routed = true
	switch {
	case c.Params.IsObject():
		r.Body = w.params(c.Operation, c.Params, rpc).write(nil)
	case c.Operation == spec.CancelTask || c.Operation == spec.SubscribeToTask:
		r.Body = []byte("{}")
	}
}

// query rewrites the parameters of a target.
func (w *walker) query(target string, c *decode.Call, to spec.Version) string {
	path, query, asked := strings.Cut(target, "?")
	if !asked {
		return target
	}
	var keep []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		at := decode.Place("request/query/" + name)
		switch known := knownParam(c.Operation, name); {
		case pair == "" || c.Binding != spec.HTTPJSON && !strings.EqualFold(name, spec.QueryVersion):
			keep = append(keep, pair)
		case strings.EqualFold(name, spec.QueryVersion):
			w.note(Dropped, VersionField, name, on(at), "")
		case w.from == w.to:
			keep = append(keep, pair)
		case name == "tenant" && to == spec.V03:
			w.note(Lost, Tenant, name, on(at), "")
		case known == "" && name != "tenant":
			w.note(Kept, UnknownName, name, on(at), "")
			keep = append(keep, pair)
		case known == "historyLength" && value == "0":
			w.note(Lost, HistoryZero, name, on(at), "")
			if to == spec.V03 {
				keep = append(keep, pair)
			}
		case known == "status" && to == spec.V10:
			if st, v, ok := spec.StateByWord(value); ok && v == spec.V03 {
				w.note(Changed, State, name, on(at), "")
				value = st.V10
			}
			keep = append(keep, name+"="+value)
		case known != "" && known != "historyLength" && to == spec.V03: // the only one that 0.3 has
			w.note(Lost, QueryName, name, on(at), "")
		case known != "" && known != name:
			w.note(Renamed, QueryName, name, on(at), "")
			keep = append(keep, known+"="+value)
		default:
			keep = append(keep, pair)
		}
	}
	if len(keep) == 0 {
		return path
	}
	return path + "?" + strings.Join(keep, "&")
}

// knownParam is the right name of a query parameter, "" for one that the operation does not have.
func knownParam(op spec.Operation, name string) string {
	for _, n := range spec.QueryParams(op) {
		if n == name {
			return n
		}
	}
	right, _ := spec.RightQueryParam(op, name)
	return right
}

// fields writes the headers: 1.0 wants A2A-Version, and names extensions otherwise.
func (w *walker) fields(c *decode.Call, to spec.Version) capture.Fields {
	var out capture.Fields
	version := false
	for _, f := range c.Exchange.Request.Fields {
		name := strings.ToLower(f.Name)
		at := decode.HeaderPlace("request", name)
		switch {
		case name == spec.HeaderVersion && to == spec.V03:
			w.note(Dropped, VersionField, f.Name, on(at), "")
			continue
		case name == spec.HeaderVersion && version:
			continue
		case name == spec.HeaderVersion:
			version = true
			if f.Value != string(spec.V10) {
				w.note(Changed, VersionField, f.Name, on(at), f.Name)
				f.Value = string(spec.V10)
			}
		case name == spec.HeaderExtensions && to == spec.V03, name == spec.HeaderExtensions03 && to == spec.V10:
			f.Name = extensionsIn(to, f.Name == name)
			w.note(Renamed, Extensions, name, on(at), f.Name)
		}
		out = append(out, w.media(f, to))
	}
	if to == spec.V10 && !version {
		name := spec.QueryVersion
		if c.Binding == spec.GRPC {
			name = spec.HeaderVersion
		}
		w.note(Added, VersionField, name, spot{}, name)
		out = append(out, capture.Field{Name: name, Value: string(spec.V10)})
	}
	return out
}

// media is a field with the media type of a body as the version writes it.
func (w *walker) media(f capture.Field, to spec.Version) capture.Field {
	if strings.EqualFold(f.Name, "content-type") && to == spec.V03 && spec.MediaType(f.Value) == spec.MediaA2A {
		w.note(Changed, MediaType, f.Name, on(decode.HeaderPlace("request", "content-type")), f.Name)
		f.Value = spec.MediaJSON
	}
	return f
}

// extensionsIn is the name of the extensions header, lower case where the peer writes it so.
func extensionsIn(v spec.Version, lower bool) string {
	switch {
	case v == spec.V10 && lower:
		return spec.HeaderExtensions
	case v == spec.V10:
		return "A2A-Extensions"
	case lower:
		return spec.HeaderExtensions03
	}
	return "X-A2A-Extensions"
}
