package decode

import (
	"bytes"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// readRequest says what the request alone says.
func (r *Reader) readRequest(x *capture.Exchange) {
	c := r.c
	c.GRPC.Status = -1
	c.Kind, c.Protocol = spec.KindOther, spec.HTTPOther
	h := x.Request
	if h == nil {
		c.Declared.Presence = "unknown"
		if onlyConnection(x) {
			c.Kind = spec.KindConnection
			return
		}
		if carriesGRPC(x) {
			r.grpcWithoutRequest(x)
		}
		return
	}
	isGRPC := carriesGRPC(x)
	c.Declared = readDeclared(h, isGRPC)
	m := readMarks(h)
	switch {
	case isGRPC:
		r.grpcRequest(x, &m)
		return
	case h.Method == "OPTIONS" && m.corsRequest:
		r.preflight(h, &m)
		return
	case h.Method == "GET" || h.Method == "HEAD":
		if r.cardRequest(h) {
			return
		}
	}
	r.parseRequest(x)
	if c.RequestDoc != nil && h.Method != "GET" && h.Method != "HEAD" && r.rpcRequest(c.RequestDoc, r.requestFrame, &m) {
		return
	}
	path := h.Path()
	route, routed := spec.MatchRoute(h.Method, path)
	if routed && spec.ExcludedRoute(path) {
		routed = false
	}
	if h.Method == "POST" && c.RequestDoc != nil && !(routed && route.VerbOK) && r.pushDelivery(&m) {
		return
	}
	switch {
	case routed && !(route.Generic && !route.VerbOK && m.a2a() == ""):
		r.restRequest(x, &route, &m)
	case openAIPath(path) || openAIBody(c.RequestDoc):
		c.Protocol = spec.OpenAILike
		c.identify("request/line", clip(path, shortLimit), spec.OpenAILike, Decisive, "model-api")
	default:
		r.unrouted(h, &m)
	}
}

// unrouted keeps what could still be A2A in the light of the context: a body
// that is no JSON but names a method, a message posted to an unknown path, or
// a header that only A2A defines.
func (r *Reader) unrouted(h *capture.Head, m *marks) {
	c := r.c
	if h.Method == "POST" {
		if c.RequestDoc == nil && r.rawBody != nil {
			if name := methodInText(r.rawBody); name != "" {
				c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.JSONRPC
				c.Tentative, c.Fallback = true, spec.HTTPOther
				c.identify(FramePlace("request", r.requestFrame, ""), name, spec.A2A, Medium, "method-name-in-text")
				return
			}
		}
		if c.RequestDoc != nil {
			msg := c.RequestDoc.Root().Get("message")
			if msg.Get("parts").IsArray() || msg.Get("content").IsArray() {
				c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.HTTPJSON
				c.Params, c.ParamsAt = c.RequestDoc.Root(), FramePlace("request", r.requestFrame, "")
				c.identify(c.ParamsAt+"/message", "parts", spec.A2A, Strong, "message-parts")
				r.takeAsked(readParams(&r.body, "", c.Params, c.ParamsAt), c.ParamsAt)
				c.Tentative, c.Fallback = m.a2a() == "", spec.HTTPOther
				if !c.Tentative {
					c.Fallback = ""
				}
				return
			}
		}
	}
	path := h.Path()
	if (h.Method == "GET" || h.Method == "HEAD") && healthPath(path) {
		c.Kind, c.Tentative, c.Fallback = spec.KindInfra, true, spec.HTTPOther
		return
	}
	if at := m.a2a(); at != "" {
		// The client speaks A2A, only nothing A2A is at this path.
		c.Kind, c.Protocol = spec.KindCall, spec.A2A
		c.Tentative, c.Fallback = true, spec.HTTPOther
		c.identify(at, "", spec.A2A, Strong, "a2a-header")
	}
}

func healthPath(path string) bool {
	switch strings.TrimSuffix(path, "/") {
	case "/health", "/healthz", "/livez", "/readyz", "/ready", "/live", "/ping", "/status", "/health/live", "/health/ready":
		return true
	}
	return false
}

// preflight reads a CORS request. Whose it is the headers asked for tell, or the path.
func (r *Reader) preflight(h *capture.Head, m *marks) {
	c := r.c
	c.Kind, c.Protocol = spec.KindPreflight, spec.A2A
	path := h.Path()
	_, routed := spec.MatchRoute(h.Fields.Get("access-control-request-method"), path)
	switch {
	case strings.Contains(strings.ToLower(m.corsHeaders), "a2a-"):
		c.identify("request/header/access-control-request-headers", m.corsHeaders, spec.A2A, Decisive, "a2a-header")
	case wellKnownCard(path):
		c.identify("request/line", path, spec.A2A, Decisive, "card-path")
	case routed && !spec.ExcludedRoute(path):
		c.identify("request/line", path, spec.A2A, Medium, "route")
		fallthrough
	default:
		c.Tentative, c.Fallback = true, spec.HTTPOther
	}
}

// bodyFrame returns the frame that is the body of a side, whole or cut, and its
// index; nil when there is none.
func bodyFrame(frames []capture.Timed[*capture.Frame], form capture.Form) (*capture.Frame, int) {
	for i := range frames {
		if frames[i].V.Form == form {
			return frames[i].V, i
		}
	}
	for i := range frames {
		if frames[i].V.Form == capture.LooseData {
			return frames[i].V, i
		}
	}
	return nil, 0
}

// parseRequest parses the request body when it can be JSON.
func (r *Reader) parseRequest(x *capture.Exchange) {
	f, i := bodyFrame(x.Sent, capture.WholeBody)
	r.requestFrame = i
	if f == nil || len(f.Data) == 0 {
		return
	}
	r.rawBody = f.Data
	r.c.RequestDoc = r.parseBody(f, "request", i, x.Request)
}

// byteOrderMark begins some bodies; JSON must not have it (RFC 8259 §8.1).
var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// parseBody parses a body as JSON. A body that begins as JSON and breaks off is
// returned as far as it goes, with a problem; other text gives nil.
func (r *Reader) parseBody(f *capture.Frame, side string, i int, h *capture.Head) *jsontree.Doc {
	at := FramePlace(side, i, "")
	text := f.Data
	if bytes.HasPrefix(text, byteOrderMark) {
		text = text[len(byteOrderMark):]
		r.problem("byte-order-mark", "the "+side+" body begins with a byte order mark, which JSON does not allow", at)
	}
	first := firstByte(text)
	media := h.MediaType()
	isJSON := strings.HasSuffix(media, "json")
	if first != '{' && first != '[' && !(isJSON && first != 0) {
		return nil
	}
	doc := jsontree.Parse(text)
	if doc.Err != nil {
		r.brokenJSON(f, doc.Err, side, at)
	}
	root := doc.Root()
	if doc.Err != nil && !root.IsObject() && !root.IsArray() {
		return nil
	}
	return doc
}

func (r *Reader) brokenJSON(f *capture.Frame, err *jsontree.SyntaxError, side string, at Place) {
	switch {
	case f.Size > int64(len(f.Data)) && f.Lost == 0 && !f.Cut:
		r.problem("body-cut", "the "+side+" body was cut at the size limit: "+itoa(len(f.Data))+" bytes were read", at)
	case f.Lost != 0:
		r.problem("body-cut", "the capture misses bytes of the "+side+" body", at)
	case err.EOF:
		r.problem("json-cut", "the "+side+" body ends inside its JSON: "+err.Error(), at)
	default:
		r.problem("not-json", "the "+side+" body is not JSON: "+err.Error(), at)
	}
}

// firstByte returns the first byte that is no white space, 0 when there is none.
func firstByte(b []byte) byte {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// openAIPath knows the routes of the model APIs that stand behind many agents.
func openAIPath(path string) bool {
	for _, p := range [...]string{"/chat/completions", "/v1/responses", "/v1/messages", "/v1/embeddings", "/v1/completions"} {
		if strings.HasSuffix(path, p) {
			return true
		}
	}
	return false
}

func openAIBody(doc *jsontree.Doc) bool {
	root := doc.Root()
	return root.Get("model").IsString() && (root.Get("messages").IsArray() || root.Get("input").Exists())
}
