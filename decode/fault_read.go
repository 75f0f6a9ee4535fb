package decode

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// maxDetails bounds the entries read from one error's details.
const maxDetails = 16

const messageLimit = 2000

// newFault begins a fault of this exchange.
func (r *Reader) newFault(shape string, at Place) *Fault {
	f := &Fault{Shape: shape, GRPC: -1, At: at, Sure: Certain}
	if r.response != nil {
		f.HTTP = status(r.response)
	}
	return f
}

// rpcFault reads a JSON-RPC error object (0.3 §8, 1.0 §9.5), whatever the HTTP status and media type.
func (r *Reader) rpcFault(n jsontree.Node, at Place) *Fault {
	f := r.newFault("rpc-nodata", at)
	var data jsontree.Node
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "code":
			f.Code, _ = c.Int()
		case "message":
			f.Message = clip(c.Text(), messageLimit)
		case "data":
			data = c
		}
	}
	switch {
	case data.IsArray():
		f.Shape = "rpc-array"
		r.readDetails(f, data, at.Below("/data"))
	case data.Exists() && data.Kind() != jsontree.Null:
		f.Shape = "rpc-freeform"
	}
	r.nameByCode(f)
	return f
}

// nameByCode names an error by its JSON-RPC code; a reason of A2A's own that
// was read before keeps the word. 0.1 gave some codes other meanings.
func (r *Reader) nameByCode(f *Fault) {
	at := f.At.Below("/code")
	if r.named01() {
		if name, ok := spec.Error01(f.Code); ok {
			f.A2A = firstOf(f.A2A, name)
			return
		}
	}
	if info, ok := spec.ErrorByCode(f.Code); ok {
		f.A2A = firstOf(f.A2A, info.Name)
		if f.Code <= -32008 {
			r.faultSignal(evCodeSince10, at, itoa(int(f.Code)))
		}
		if f.Code == -32007 && strings.Contains(f.Message, "Authenticated Extended Card") {
			r.faultSignal(evExtendedCardText, f.At.Below("/message"), clip(f.Message, shortLimit))
		}
		return
	}
	if name, ok := spec.StdErrorByCode(f.Code); ok && f.A2A == "" {
		f.Std = name
	}
}

// named01 reports whether the request was named as in 0.1.
func (r *Reader) named01() bool {
	for i := range r.call.signals {
		if r.call.signals[i].Says == string(spec.V01) {
			return true
		}
	}
	return false
}

// faultSignal notes what the form of an error says of the version.
func (r *Reader) faultSignal(e evidence, at Place, value string) {
	if r.c.Protocol == spec.A2A || r.c.Protocol == spec.HTTPOther {
		r.resp.addAt(e, at, value)
	}
}

// readDetails reads an array of google.protobuf.Any in JSON (1.0 §9.5, §11.6).
func (r *Reader) readDetails(f *Fault, n jsontree.Node, at Place) {
	i := 0
	for d := range n.Children() {
		if i == maxDetails {
			return
		}
		typ := d.Get("@type").Str()
		if typ != "" {
			f.Details = append(f.Details, typ)
		}
		// Some servers forget @type: reason and domain are enough.
		if strings.HasSuffix(typ, "google.rpc.ErrorInfo") || typ == "" && d.Get("reason").IsString() {
			if f.Reason == "" {
				r.takeInfo(f, d.Get("reason").Str(), d.Get("domain").Str(), at.Below("/"+itoa(i)))
			}
		}
		if strings.HasSuffix(typ, "google.rpc.BadRequest") || typ == "" && d.Get("fieldViolations").IsArray() {
			readViolations(f, d.Get("fieldViolations"))
		}
		i++
	}
}

func readViolations(f *Fault, list jsontree.Node) {
	for v := range list.Children() {
		if len(f.Violations) == maxDetails {
			return
		}
		f.Violations = append(f.Violations, Violation{clip(v.Get("field").Str(), shortLimit), clip(v.Get("description").Str(), messageLimit)})
	}
}

// takeInfo names an error by its ErrorInfo. With A2A's domain it is evidence of
// 1.0, and for a name the strongest there is.
func (r *Reader) takeInfo(f *Fault, reason, domain string, at Place) {
	f.Reason, f.Domain = clip(reason, shortLimit), clip(domain, shortLimit)
	f.HasInfo = domain == spec.ErrorDomain
	if f.HasInfo && f.GRPC < 0 { // over gRPC the package says more: the 0.3 layers of 1.0 agents send it too
		r.faultSignal(evErrorInfo, at, f.Reason)
	}
	if info, ok := spec.ErrorByReason(reason); ok {
		f.A2A = info.Name
		return
	}
	if f.HasInfo {
		f.Std = stdByReason(reason)
	}
}

// stdByReason knows the reasons that SDKs give the standard JSON-RPC errors; the specification names none.
func stdByReason(reason string) string {
	switch reason {
	case "PARSE_ERROR", "JSON_PARSE":
		return "JSONParseError"
	case "INVALID_REQUEST":
		return "InvalidRequestError"
	case "METHOD_NOT_FOUND":
		return "MethodNotFoundError"
	case "INVALID_PARAMS":
		return "InvalidParamsError"
	case "INTERNAL_ERROR", "INTERNAL":
		return "InternalError"
	}
	return ""
}

// restFault reads the error body of an HTTP status of 300 and above.
func (r *Reader) restFault(root jsontree.Node, at Place, h *capture.Head) *Fault {
	env := readEnvelope(root)
	if env.two && env.error.IsObject() { // a JSON-RPC error answered a REST call
		return r.rpcFault(env.error, at.Below("/error"))
	}
	if !root.IsObject() {
		return r.foreignFault(nil)
	}
	if f := r.statusFault(root, at, h); f != nil {
		return f
	}
	if f := r.problemFault(root, at, h); f != nil {
		return f
	}
	code, msg := root.Get("code"), root.Get("message")
	if n, ok := code.Int(); ok && n < 0 && msg.IsString() {
		f := r.newFault("code-message", at)
		f.Code, f.Message = n, clip(msg.Str(), messageLimit)
		r.readDetails(f, root.Get("details"), at.Below("/details"))
		r.nameByCode(f)
		if f.A2A != "" || f.Std != "" {
			r.faultSignal(evErrorShape03, at, "code-message")
			if f.A2A != "" && r.c.Tentative && r.c.Binding == spec.HTTPJSON {
				r.confirm(at.Below("/code"), "error-code")
			}
		}
		return f
	}
	if class := root.Get("error"); class.IsString() {
		if info, ok := spec.ErrorByName(class.Str()); ok {
			f := r.newFault("error-string", at)
			f.A2A, f.Message = info.Name, clip(msg.Text(), messageLimit)
			r.faultSignal(evErrorShape03, at.Below("/error"), clip(class.Str(), shortLimit))
			if r.c.Tentative && r.c.Binding == spec.HTTPJSON {
				r.confirm(at.Below("/error"), "error-class")
			}
			return f
		}
		if std := stdByClass(class.Str()); std != "" {
			f := r.newFault("error-string", at)
			f.Std, f.Message = std, clip(msg.Text(), messageLimit)
			return f
		}
	}
	if msg.IsString() && root.Len() == 1 && status(h) >= 400 && !gatewayText(msg.Str(), h) {
		return r.messageOnly(msg, at, h)
	}
	return r.foreignFault(nil)
}

// stdByClass knows the Java class names of the standard errors.
func stdByClass(class string) string {
	class = class[strings.LastIndexAny(class, ".$")+1:]
	switch class {
	case "JSONParseError", "InvalidRequestError", "MethodNotFoundError", "InvalidParamsError", "InternalError":
		return class
	}
	return ""
}

// messageOnly is the error body of 0.3 REST servers in Python. It names nothing:
// a task that is not there can be told by status and words.
func (r *Reader) messageOnly(msg jsontree.Node, at Place, h *capture.Head) *Fault {
	f := r.newFault("message-only", at)
	f.Message, f.Sure = clip(msg.Str(), messageLimit), Possible
	lower := strings.ToLower(f.Message)
	switch {
	case status(h) == 404 && strings.Contains(lower, "task") && strings.Contains(lower, "not found"):
		f.A2A, f.Sure = "TaskNotFoundError", Likely
	case status(h) == 409 && strings.Contains(lower, "cancel"):
		f.A2A, f.Sure = "TaskNotCancelableError", Likely
	}
	r.faultSignal(evErrorShape03, at, "message-only")
	return f
}

// gatewayText recognises the one-line bodies of API gateways: the status in words.
func gatewayText(msg string, h *capture.Head) bool {
	switch strings.ToLower(strings.TrimSuffix(msg, ".")) {
	case "not found", "forbidden", "unauthorized", "missing authentication token", "too many requests",
		"internal server error", "service unavailable", "bad gateway", "gateway timeout", "endpoint request timed out",
		"limit exceeded", "not authorized", "method not allowed", "bad request":
		return true
	}
	return h.Reason != "" && strings.EqualFold(msg, h.Reason)
}

// statusFault reads google.rpc.Status in its HTTP form {"error":{code,status,message,details}} (1.0 §11.6).
func (r *Reader) statusFault(root jsontree.Node, at Place, h *capture.Head) *Fault {
	e := root.Get("error")
	if !e.IsObject() {
		return nil
	}
	code, hasCode := e.Get("code").Int()
	details := e.Get("details")
	status := e.Get("status")
	if !hasCode && !status.IsString() && !details.IsArray() {
		return nil
	}
	at = at.Below("/error")
	f := r.newFault("status-plain", at)
	f.Status = clip(status.Str(), shortLimit)
	f.Message = clip(e.Get("message").Text(), messageLimit)
	if details.IsArray() {
		r.readDetails(f, details, at.Below("/details"))
	}
	if f.HasInfo {
		f.Shape = "status-errorinfo"
		if r.c.Tentative {
			r.confirm(at, "error-info")
		}
	}
	if h.MediaType() == "application/problem+json" {
		f.Shape = "status-under-problem"
	}
	if hasCode && code < 0 { // a JSON-RPC code in the place of the HTTP one
		f.Code = code
		if f.A2A == "" && f.Std == "" {
			r.nameByCode(f)
		}
	}
	if f.A2A == "" && f.Std == "" && !f.HasInfo && !statusWord(f.Status) && code >= 0 && int(code) != f.HTTP {
		return r.foreignFault(nil)
	}
	return f
}

// statusWord reports whether a word is the name of a canonical status.
func statusWord(s string) bool {
	if s == "" {
		return false
	}
	for i := 1; i <= 16; i++ {
		if spec.GRPCStatusName(i) == s {
			return true
		}
	}
	return false
}

// problemFault reads problem details (RFC 9457), the form of the 1.0 draft.
func (r *Reader) problemFault(root jsontree.Node, at Place, h *capture.Head) *Fault {
	typ, title := root.Get("type"), root.Get("title")
	is := h.MediaType() == "application/problem+json" && (title.IsString() || typ.IsString() || root.Has("detail"))
	if !is && !(title.IsString() && root.Get("status").Exists() && typ.IsString()) {
		return nil
	}
	f := r.newFault("problem", at)
	f.Type = clip(typ.Str(), 4*shortLimit)
	f.Message = clip(firstOf(root.Get("detail").Str(), title.Str()), messageLimit)
	if info, ok := spec.ErrorByProblemType(typ.Str()); ok {
		f.A2A = info.Name
		r.faultSignal(evProblemType, at.Below("/type"), f.Type)
		if r.c.Tentative && r.c.Binding == spec.HTTPJSON {
			r.confirm(at.Below("/type"), "problem-type")
		}
		return f
	}
	// Without A2A's type only the words can tell, if they do.
	for _, text := range [...]string{title.Str(), f.Message} {
		if info, ok := spec.ErrorByName(strings.ReplaceAll(text, " ", "")); ok {
			f.A2A, f.Sure = info.Name, Possible
			return f
		}
	}
	f.Sure = Possible
	return f
}

// inlineFault finds an error object inside a body that came with a good status:
// a REST stream's error event, or {"error":{…}} with HTTP 200.
func (r *Reader) inlineFault(root jsontree.Node, at Place) *Fault {
	e := root.Get("error")
	if !e.IsObject() || r.response == nil {
		return nil
	}
	code, hasCode := e.Get("code").Int()
	if hasCode && code < 0 && e.Get("message").Exists() {
		return r.rpcFault(e, at.Below("/error"))
	}
	if !hasCode && !e.Get("details").IsArray() {
		return nil
	}
	f := r.newFault("status-plain", at.Below("/error"))
	f.Status = clip(e.Get("status").Str(), shortLimit)
	f.Message = clip(e.Get("message").Text(), messageLimit)
	r.readDetails(f, e.Get("details"), at.Below("/error/details"))
	if f.HasInfo {
		f.Shape = "status-errorinfo"
	}
	return f
}

// foreignFault is an error answer of no A2A shape.
func (r *Reader) foreignFault(x *capture.Exchange) *Fault {
	f := r.newFault("foreign", "response/line")
	if x != nil {
		f.HTTP = statusOf(x)
		if b := x.Body(capture.Server); b != nil {
			f.Message = clip(firstLine(b.Data), 200)
			f.At = FramePlace("response", 0, "")
		}
	} else if root := r.c.ResponseDoc.Root(); root.Exists() {
		f.At = FramePlace("response", 0, "")
		for _, member := range [...]string{"message", "detail", "error", "error_description"} {
			if n := root.Get(member); n.IsString() {
				f.Message = clip(n.Str(), 200)
				break
			}
		}
	}
	return f
}

// firstLine returns the first line of text that is not blank, valid UTF-8.
func firstLine(b []byte) string {
	if len(b) > 2000 {
		b = b[:2000]
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line, "\uFFFD")
		}
	}
	return ""
}
