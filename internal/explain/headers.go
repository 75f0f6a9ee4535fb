package explain

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// matters are the headers that an A2A peer may look at, in the order in which
// they are shown. a2a-version and content-type have more to say, see below.
var matters = []string{
	spec.HeaderVersion, "x-a2a-version", "a2a-protocol-version", spec.HeaderExtensions, spec.HeaderExtensions03, "content-type", "accept",
	"authorization", "www-authenticate", spec.HeaderToken, spec.HeaderTokenGo, "te", "grpc-encoding", "last-event-id",
	"location", "retry-after", "vary", "cache-control", spec.HeaderStatus, spec.HeaderMessage, spec.HeaderDetails,
}

// headers lists those of the exchange, and says what each means in it.
func (m *maker) headers(c *decode.Call) Section {
	s := Section{ID: "headers", Title: m.w.Headers}
	if c.Kind == spec.KindOther {
		return s
	}
	t := &Table{Head: []string{m.w.ColWhere, m.w.ColValue, m.w.ColMeans}}
	if code := absentVersion(c); code != "" {
		at := decode.HeaderPlace("request", spec.HeaderVersion)
		t.Rows = append(t.Rows, Row{Cells: []string{string(at), m.w.NotThere, m.w.HeaderWords(code)}, At: at})
	}
	x := c.Exchange
	m.fields(t, c, "request", "header", head(x.Request))
	if c.Declared.Source == "query" {
		t.Rows = append(t.Rows, Row{Cells: []string{string(c.Declared.At), c.Declared.Raw, m.w.HeaderWords("a2a-version/query")}, At: c.Declared.At})
	}
	m.fields(t, c, "response", "header", head(x.Response))
	if x.Trailer != nil && !x.Trailer.Only {
		m.fields(t, c, "response", "trailer", x.Trailer.Fields)
	}
	s.table(t)
	s.Spec = []string{"1.0 §3.2.6", "1.0 §3.6.1"}
	return s
}

func head(h *capture.Head) capture.Fields {
	if h == nil {
		return nil
	}
	return h.Fields
}

func (m *maker) fields(t *Table, c *decode.Call, side, kind string, fs capture.Fields) {
	for _, name := range matters {
		for _, v := range fs.Values(name) {
			at := decode.Place(side + "/" + kind + "/" + name)
			t.Rows = append(t.Rows, Row{Cells: []string{string(at), m.value(at, v), m.w.HeaderWords(meaning(c, side, name, v))}, At: at})
		}
	}
}

// meaning is the code of what a header says in this exchange.
func meaning(c *decode.Call, side, name, value string) string {
	switch name {
	case spec.HeaderVersion:
		d := &c.Declared
		switch {
		case side == "response":
			return name
		case d.Presence == "empty":
			return name + "/empty"
		case d.Multi:
			return name + "/multi"
		case d.Malformed:
			return name + "/malformed"
		case d.Patch:
			return name + "/patch"
		case c.Binding == spec.GRPC:
			return name + "/grpc"
		}
	case "content-type":
		return contentType(c, side, value)
	}
	return name
}

func contentType(c *decode.Call, side, value string) string {
	media := spec.MediaType(value)
	if grpc, _ := spec.IsGRPC(media); grpc || strings.HasPrefix(media, spec.MediaGRPCWeb) {
		return "content-type/grpc"
	}
	switch media {
	case spec.MediaSSE:
		return "content-type/sse"
	case spec.MediaProblem:
		return "content-type/problem"
	case spec.MediaA2A:
		return "content-type/a2a"
	case spec.MediaJSON:
		switch {
		case c.Kind == spec.KindCall && c.Binding == spec.JSONRPC:
			return "content-type/jsonrpc"
		case c.Kind == spec.KindCall && c.Binding == spec.HTTPJSON:
			return "content-type/json"
		}
		return "content-type"
	}
	switch {
	case c.Kind != spec.KindCall || media == "":
	case side == "request", c.RPC.AnswerOK, c.Result.Exists(), c.Fault != nil && c.Fault.Shape != "foreign":
		return "content-type/odd"
	default:
		return "content-type/other"
	}
	return "content-type"
}

// absentVersion is the code of what it means that no version was declared.
func absentVersion(c *decode.Call) string {
	switch {
	case c.Kind != spec.KindCall || c.Declared.Presence != "absent" || c.Exchange.Request == nil:
		return ""
	case c.Request.Value == spec.V03 || c.Request.Value == spec.V02 || c.Request.Value == spec.V01:
		return "a2a-version/absent03"
	}
	return "a2a-version/absent"
}
