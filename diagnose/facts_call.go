package diagnose

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// FillCall fills what the exchange alone tells, and nothing of its context:
// enough for a filter over rows.
func (f *Facts) FillCall(c *decode.Call) {
	f.reset()
	var s streamSum
	s.take(c)
	f.fillCall(c, &s)
}

func (f *Facts) fillCall(c *decode.Call, sum *streamSum) {
	f.of = c
	k := f.Call
	k.Kind, k.Protocol, k.Binding = string(c.Kind), string(c.Protocol), string(c.Binding)
	k.Operation, k.Method, k.Misnamed, k.Streaming = string(c.Operation), c.Method, c.Misnamed, c.Streaming
	k.Sure, k.Dialect, k.Phase, k.Outcome = string(c.Sure), string(c.Dialect), string(c.Phase), string(c.Outcome)
	k.OK = c.Outcome == spec.OK
	k.Failed = c.Outcome != "" && !k.OK
	k.Tenant, k.TaskID, k.ContextID = c.Tenant, c.TaskID, c.ContextID
	fillRequestVersion(k.Request, c)
	fillVersion(k.Response, c.Response)
	fillDeclared(k.Declared, &c.Declared)
	k.Declared.Key = versionKey(c.Exchange)
	fillHTTP(k.HTTP, c)
	fillPath(k.Path, c, k.HTTP.Path)
	fillRPC(k.RPC, &c.RPC)
	fillEnvelope(k.Envelope, c)
	fillGRPC(k.GRPC, c)
	fillFault(k.Fault, c, k.Declared)
	fillFaultForm(k.FaultForm, c)
	k.Refused = refused(k)
	*k.Stream = sum.facts
	finishStream(k.Stream, c)
	fillParams(k.Params, c)
	fillResult(k.Result, c)
	fillAsks(k.Asks, c)
	fillAnswer(k.Answer, c, nil)
	fillList(k.List, c)
	fillLayout(k.Layout, c)
	fillAsked(k, c)
	if c.Push != nil {
		p := k.Push
		p.URL, p.ConfigID, p.TaskID, p.Token, p.Bare, p.Kind = c.Push.URL, c.Push.ConfigID, c.Push.TaskID, c.Push.Token, c.Push.Bare, c.Push.Kind
	}
	fillHook(k.Hook, c)
	if c.AgentCard != nil {
		fillCard(k.Card, c.AgentCard)
		fillCardURLs(k.CardURLs, c.AgentCard, c.Exchange)
		fillCardForm(k.CardForm, c.AgentCard)
	}
}

func fillVersion(v *VersionFacts, f decode.VersionFact) {
	v.Version, v.Sure = string(f.Value), string(f.Sure)
	v.Gen = generation(v.Version)
	v.Certain = f.Sure == decode.Certain
	v.Likely = sureEnough(f.Sure)
}

func fillRequestVersion(v *VersionFacts, c *decode.Call) {
	fillVersion(v, c.Request)
	v.Call, v.Body = string(c.CallVersion.Value), string(c.BodyVersion.Value)
	if sureEnough(c.CallVersion.Sure) {
		v.CallGen = generation(v.Call)
		v.CallCertain = c.CallVersion.Sure == decode.Certain
	}
	if sureEnough(c.BodyVersion.Sure) {
		v.BodyGen = generation(v.Body)
	}
	v.Asked = generation(string(requestGeneration(c)))
	if c.Binding == spec.HTTPJSON && v.Call == string(spec.V10) && generation(majorOne(c.Declared.Version)) == "1.0" {
		v.Asked = "1.0" // route and header agree, whatever the body is built like
	}
	v.AskedLikely = v.Asked != "" && (v.Likely || c.Declared.Presence == "set" && generation(majorOne(c.Declared.Version)) == v.Asked)
}

func fillDeclared(d *DeclaredFacts, f *decode.Declared) {
	d.Presence = f.Presence
	if d.Presence == "" {
		d.Presence = "absent"
	}
	d.Set = d.Presence == "set"
	d.Missing = f.Missing()
	d.Raw, d.Version, d.Gen = f.Raw, string(f.Version), generation(majorOne(f.Version))
	d.Patch, d.Malformed, d.Multi = f.Patch, f.Malformed, f.Multi
	d.Source, d.Query, d.Semantic, d.Place = f.Source, f.Query, string(f.Semantic()), string(f.At)
}

func fillRPC(r *RPCFacts, f *decode.RPCFact) {
	r.Envelope, r.ID, r.ResponseID, r.Batch, r.AnswerOK = f.IsEnvelope, f.ID, f.ResponseID, f.Batch, f.AnswerOK
	r.IDMatches = f.ID == f.ResponseID
}

// refused: the request was refused as invalid in one of the forms that servers use for it.
func refused(k *CallFacts) bool {
	if !k.Failed {
		return false
	}
	fa := k.Fault
	switch fa.Code {
	case -32600, -32602, -32603:
		return true
	}
	if k.Binding == "GRPC" {
		return (k.GRPC.Status == 3 || k.GRPC.Status == 13) && fa.A2A == ""
	}
	switch k.HTTP.Status {
	case 400, 422:
		return fa.A2A == "" || fa.A2A == "ContentTypeNotSupportedError"
	case 500:
		return fa.Shape == "message-only"
	}
	return false
}

func fillHTTP(h *HTTPFacts, c *decode.Call) {
	x := c.Exchange
	h.ElapsedMS = -1
	if r := x.Request; r != nil {
		h.Method, h.Version, h.Scheme, h.Authority, h.Path = r.Method, r.Proto, r.Scheme, r.Authority, r.Path()
		h.RequestType = r.MediaType()
		for i := range r.Fields {
			requestField(h, &r.Fields[i])
		}
	} else {
		h.Half = "response"
	}
	if r := x.Response; r != nil {
		h.Status, h.ResponseType = r.Status, r.MediaType()
		if h.Version == "" {
			h.Version = r.Proto
		}
		for i := range r.Fields {
			responseField(h, &r.Fields[i])
		}
		if !x.Answered.IsZero() && x.Answered.After(x.Started) {
			h.ElapsedMS = int(x.Answered.Sub(x.Started).Milliseconds())
		} else {
			h.ElapsedMS = 0
		}
	} else if x.End != nil {
		h.Half = "request"
	}
	h.Request = bodyForm(x.Sent, c.RequestDoc != nil && c.RequestDoc.Err == nil)
	h.Response = bodyForm(x.Received, c.ResponseDoc != nil && c.ResponseDoc.Err == nil)
	h.Complete = x.Complete()
	h.Recorded = x.Link != nil && x.Link.Source == "har"
	if x.End != nil {
		h.End = x.End.Kind.String()
		h.EndedBy = x.EndedBy.String()
	}
	for i := range x.Breaches {
		code := x.Breaches[i].V.V.Code
		h.Breaches = addOnce(h.Breaches, code)
		h.Lost = h.Lost || code == capture.BreachLost
		h.TooLarge = h.TooLarge || code == capture.BreachTooLarge
	}
}

func requestField(h *HTTPFacts, f *capture.Field) {
	n := f.Name
	switch len(n) {
	case 6:
		h.Browser = h.Browser || isName(n, "origin")
		h.Credential = h.Credential || isName(n, "cookie")
	case 14:
		if isName(n, "a2a-extensions") {
			h.Extensions = splitList(h.Extensions, f.Value)
		}
	case 16:
		if isName(n, "x-a2a-extensions") {
			h.XExtensions = splitList(h.XExtensions, f.Value)
		}
	default:
		h.Credential = h.Credential || credentialField(n)
	}
}

func responseField(h *HTTPFacts, f *capture.Field) {
	n := f.Name
	switch len(n) {
	case 4:
		if isName(n, "etag") {
			h.ETag = true
		} else if isName(n, "vary") {
			h.Vary = f.Value
		}
	case 6:
		if isName(n, "server") {
			h.Server = f.Value
		}
	case 8:
		if isName(n, "location") {
			h.Location = f.Value
		}
	case 11:
		if isName(n, "retry-after") {
			h.RetryAfter = f.Value
		}
	case 13:
		if isName(n, "cache-control") {
			h.CacheControl = f.Value
		}
	case 16:
		if isName(n, "www-authenticate") {
			h.Challenge = true
		} else if isName(n, "x-a2a-extensions") {
			h.Activated = splitList(h.Activated, f.Value)
		}
	case 14:
		if isName(n, "a2a-extensions") {
			h.Activated = splitList(h.Activated, f.Value)
		}
	}
}

// isName compares a header's name, of the same length, with a lower-case word.
func isName(name, word string) bool {
	for i := 0; i < len(word); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// splitList splits a comma-separated field value.
func splitList(list []string, v string) []string {
	for part := range strings.SplitSeq(v, ",") {
		list = addOnce(list, strings.TrimSpace(part))
	}
	return list
}

// bodyForm tells what a body is by its content, whatever its media type says.
func bodyForm(frames []capture.Timed[*capture.Frame], isJSON bool) string {
	if len(frames) == 0 {
		return ""
	}
	fr := frames[0].V
	switch fr.Form {
	case capture.SSEEvent, capture.SSEComment:
		return "sse"
	case capture.GRPCMessage:
		return "grpc"
	}
	b := trimSpace(fr.Data)
	switch {
	case len(b) == 0:
		return ""
	case string(b) == "null":
		return "null"
	case isJSON:
		return "json"
	case b[0] == '<':
		return "html"
	}
	for i, ch := range b {
		if ch < ' ' && ch != '\n' && ch != '\r' && ch != '\t' {
			return "other"
		}
		if i > 256 {
			break
		}
	}
	if b[0] == '{' || b[0] == '[' {
		return "broken-json"
	}
	return "text"
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\r' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\n' || b[len(b)-1] == '\r' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
