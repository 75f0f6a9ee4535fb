package decode

import (
	"net/url"
	"strings"

	"a2ascope/capture"
)

// versionHeader is the service parameter's name on every binding; gRPC metadata
// and HTTP/2 spell it in lower case (1.0 §3.6, §10.2).
const versionHeader = "a2a-version"

// readDeclared reads the version a client claims: every field of the name,
// then the query parameter that may stand in for it (1.0 §3.6.1).
func readDeclared(h *capture.Head, metadata bool) Declared {
	d := Declared{Presence: "absent"}
	if h.Torn {
		d.Presence = "unknown"
	}
	var values []string
	for i := range h.Fields {
		f := &h.Fields[i]
		if len(f.Name) == len(versionHeader) && strings.EqualFold(f.Name, versionHeader) {
			values = append(values, f.Value)
		}
	}
	query, spelled, inQuery := queryVersion(h.Query())
	switch {
	case values != nil:
		d.At = HeaderPlace("request", versionHeader)
		d.Source = "header"
		if metadata {
			d.Source = "metadata"
		}
		if inQuery {
			d.Query = query
		}
	case inQuery:
		values = append(values, query)
		d.At, d.Source = Place("request/query/"+spelled), "query"
	default:
		return d
	}
	d.Raw = strings.Join(values, ", ")
	d.judge()
	return d
}

// judge reads Raw. Proxies join repeated fields with commas, so these are looked through too.
func (d *Declared) judge() {
	var first string
	for rest := d.Raw; ; {
		v, more, found := strings.Cut(rest, ",")
		v = strings.TrimSpace(v)
		switch {
		case v == "":
		case first == "":
			first = v
		case v != first:
			d.Multi = true
		}
		if !found {
			break
		}
		rest = more
	}
	if first == "" {
		d.Presence = "empty"
		return
	}
	d.Presence = "set"
	if d.Multi {
		return
	}
	mm, patch, ok := majorMinor(first)
	d.Malformed, d.Patch = !ok, patch
	if ok {
		d.Version = versionOf(mm)
	}
}

func queryVersion(query string) (value, spelled string, ok bool) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		k, v, _ := strings.Cut(pair, "=")
		if len(k) >= len(versionHeader) {
			k = unescapeQuery(k)
		}
		if strings.EqualFold(k, versionHeader) {
			return unescapeQuery(v), k, true
		}
	}
	return "", "", false
}

func unescapeQuery(s string) string {
	if strings.ContainsAny(s, "%+") {
		if u, err := url.QueryUnescape(s); err == nil {
			return u
		}
	}
	return s
}

// readQuery returns the parameters, the first value of each; nil when there are none.
func readQuery(query string) map[string]string {
	var m map[string]string
	for n := 0; query != "" && n < maxQuery; n++ {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		k, v, _ := strings.Cut(pair, "=")
		if k == "" {
			continue
		}
		if m == nil {
			m = make(map[string]string, 4)
		}
		k = unescapeQuery(k)
		if _, there := m[k]; !there {
			m[k] = unescapeQuery(v)
		}
	}
	return m
}

// maxQuery bounds the parameters kept: A2A has eight.
const maxQuery = 64

// marks are what the fields of a request say at one look.
type marks struct {
	version, extensions, xExtensions bool
	a2aToken                         bool // X-A2A-Notification-Token or A2A-Notification-Token
	tokenName                        string
	mcp                              string // name of a header of MCP
	corsRequest                      bool
	corsHeaders                      string
	accept                           bool // Accept: text/event-stream
}

func readMarks(h *capture.Head) (m marks) {
	for i := range h.Fields {
		name := h.Fields[i].Name
		switch len(name) {
		case 6:
			m.accept = m.accept || strings.EqualFold(name, "accept") && strings.Contains(h.Fields[i].Value, "event-stream")
		case 11:
			m.version = m.version || strings.EqualFold(name, versionHeader)
		case 14:
			switch {
			case strings.EqualFold(name, "a2a-extensions"):
				m.extensions = true
			case strings.EqualFold(name, "mcp-session-id"):
				m.mcp = "mcp-session-id"
			}
		case 16:
			m.xExtensions = m.xExtensions || strings.EqualFold(name, "x-a2a-extensions")
		case 20:
			if strings.EqualFold(name, "mcp-protocol-version") {
				m.mcp = "mcp-protocol-version"
			}
		case 22:
			if strings.EqualFold(name, "a2a-notification-token") {
				m.a2aToken, m.tokenName = true, "a2a-notification-token"
			}
		case 24:
			if strings.EqualFold(name, "x-a2a-notification-token") {
				m.a2aToken, m.tokenName = true, "x-a2a-notification-token"
			}
		case 29:
			m.corsRequest = m.corsRequest || strings.EqualFold(name, "access-control-request-method")
		case 30:
			if strings.EqualFold(name, "access-control-request-headers") {
				m.corsRequest, m.corsHeaders = true, h.Fields[i].Value
			}
		}
	}
	return m
}

// a2a returns the place of a header that only A2A defines, or "".
func (m *marks) a2a() Place {
	switch {
	case m.version:
		return "request/header/a2a-version"
	case m.extensions:
		return "request/header/a2a-extensions"
	case m.xExtensions:
		return "request/header/x-a2a-extensions"
	}
	return ""
}
