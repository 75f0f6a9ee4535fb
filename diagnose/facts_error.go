package diagnose

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// FaultFormFacts is how an answer's envelope and its error are written, held
// against JSON-RPC 2.0 §5 and 1.0 §9.5, §10.6, §11.6. Of a success only the
// envelope is looked at.
type FaultFormFacts struct {
	// Envelope is what is wrong with the envelope of a JSON-RPC answer, in this
	// order: version ("jsonrpc":"2.0" is not there), neither (of result and
	// error), both, error (no object), code (no integer), message (no text).
	Envelope   []string `cel:"envelope"`
	EnvelopeAt string   `cel:"envelope_at"` // place of the first of them, or of the object where it had to stand
	IDDiffers  bool     `cel:"id_differs"`  // the answer's id is another value, or of another type, than the request's
	InSuccess  bool     `cel:"in_success"`  // REST: an A2A error under a status of success

	Data        string `cel:"data"`         // JSON-RPC: kind of error.data: absent, null, object, array, string, …; "" without an error
	DataAt      string `cel:"data_at"`      // its place
	WrongMember string `cel:"wrong_member"` // details in JSON-RPC, data over REST: the other binding's name for the details
	WrongAt     string `cel:"wrong_at"`
	Untyped     string `cel:"untyped"`    // kind of the first entry of the details that is no object with @type
	UntypedAt   string `cel:"untyped_at"` // its place

	A2AInfo     bool   `cel:"a2a_info"`     // an ErrorInfo with A2A's domain is among the details
	OtherDomain bool   `cel:"other_domain"` // the reason is one of the nine, and no ErrorInfo has A2A's domain
	InfoAt      string `cel:"info_at"`      // place of the first ErrorInfo
	ReasonNear  string `cel:"reason_near"`  // the reason of the nine that an unknown reason means by its letters
	CodeError   string `cel:"code_error"`   // JSON-RPC: the A2A error of the code
	ReasonError string `cel:"reason_error"` // the A2A error of the reason
	BodyCode    int    `cel:"body_code"`    // REST: error.code
	HasBodyCode bool   `cel:"has_body_code"`
	Details     string `cel:"details"`      // gRPC, grpc-status-details-bin: broken, several (values), differ (its code is not grpc-status)
	DetailsCode int    `cel:"details_code"` // the code in it
	CardName    string `cel:"card_name"`    // -32007 is named as in 0.3 (authenticated) or 1.0 (extended)
}

// maxDetails bounds the entries of an error's details that are looked at.
const maxDetails = 16

func fillFaultForm(f *FaultFormFacts, c *decode.Call) {
	if c.Kind != spec.KindCall {
		return
	}
	if c.Binding == spec.JSONRPC {
		f.fillEnvelope(c)
	}
	if c.Fault == nil {
		if c.Binding == spec.HTTPJSON && c.Outcome == spec.OK {
			f.InSuccess = errorAsResult(c.Result)
		}
		return
	}
	x := c.Fault
	if e, ok := spec.ErrorByReason(x.Reason); ok && x.Reason != "" {
		f.ReasonError = e.Name
	} else if x.Reason != "" {
		f.ReasonNear = nearReason(x.Reason)
	}
	if x.A2A == "ExtendedAgentCardNotConfiguredError" || x.Code == -32007 {
		f.CardName = cardNameIn(c, x)
	}
	switch c.Binding {
	case spec.GRPC:
		f.fillGRPCDetails(c, x)
	case spec.JSONRPC:
		f.fillRPCError(c, x)
	case spec.HTTPJSON:
		f.InSuccess = !x.InBand && len(c.Events) == 0 && x.HTTP >= 200 && x.HTTP < 300 && x.Shape != "foreign"
		f.fillRESTError(c, x)
	}
}

// fillEnvelope looks at the envelope of a unary answer (of a batch, at its first
// member). An HTTP error without an envelope is no JSON-RPC answer at all, and
// a notification wants none.
func (f *FaultFormFacts) fillEnvelope(c *decode.Call) {
	if !c.RPC.IsEnvelope || c.RPC.ID == "" || c.ResponseDoc == nil || c.ResponseDoc.Err != nil || len(c.Events) > 0 {
		return
	}
	root, below := c.ResponseDoc.Root(), ""
	if root.IsArray() {
		root, below = root.Index(0), "/0"
	}
	if !root.IsObject() {
		return
	}
	version, id, result, fault := root.Get("jsonrpc"), root.Get("id"), root.Get("result"), root.Get("error")
	if !version.Exists() && c.Exchange.Response != nil && c.Exchange.Response.Status >= 300 {
		return
	}
	add := func(what, pointer string) {
		if len(f.Envelope) == 0 {
			f.EnvelopeAt = string(decode.FramePlace("response", bodyIndex(c.Exchange.Received), below+pointer))
		}
		f.Envelope = append(f.Envelope, what)
	}
	// A member that is null stands for one that is left out: serializers print it, and readers take it so.
	failed := fault.Exists() && fault.Kind() != jsontree.Null
	two := version.IsString() && version.StrLike("2.0") == "2.0"
	if !two {
		add("version", "/jsonrpc")
	}
	switch {
	case !result.Exists() && !fault.Exists():
		add("neither", "")
	case failed && result.Exists() && result.Kind() != jsontree.Null:
		add("both", "/error")
	}
	switch {
	case !failed:
	case !fault.IsObject():
		add("error", "/error")
	default:
		if _, whole := fault.Get("code").Int(); !whole {
			add("code", "/error/code")
		}
		if !fault.Get("message").IsString() {
			add("message", "/error/message")
		}
	}
	f.IDDiffers = two && c.RPC.Batch == 0 && c.RPC.ResponseID != c.RPC.ID && !sameID(c.RPC.ID, id)
}

// sameID compares ids by value and type: 1 and "1" differ, 1 and 1.0 do not.
func sameID(sent string, got jsontree.Node) bool {
	if !got.Exists() {
		return false
	}
	asked := jsontree.Parse([]byte(sent)).Root()
	if asked.Kind() != got.Kind() {
		return false
	}
	switch got.Kind() {
	case jsontree.String:
		return asked.Str() == got.Str()
	case jsontree.Number:
		a, aok := asked.Int()
		b, bok := got.Int()
		return aok && bok && a == b || strings.TrimSuffix(sent, ".0") == strings.TrimSuffix(string(got.Raw()), ".0")
	}
	return false
}

// bodyIndex is the frame of an answer's one body.
func bodyIndex(frames []capture.Timed[*capture.Frame]) int {
	for i := range frames {
		if frames[i].V.Form == capture.WholeBody {
			return i
		}
	}
	return 0
}

// errorAsResult reports whether what came as a REST result is an error of 0.3:
// {"code":-32001,"message":…} or {"error":"TaskNotFoundError","message":…}.
func errorAsResult(n jsontree.Node) bool {
	if !n.IsObject() {
		return false
	}
	if code, ok := n.Get("code").Int(); ok {
		return code <= -31000 && n.Get("message").IsString()
	}
	if e := n.Get("error"); e.IsString() {
		_, ok := spec.ErrorByName(e.Str())
		return ok
	}
	return false
}

// errorNode is the error object as it was sent.
func errorNode(c *decode.Call, x *decode.Fault) jsontree.Node {
	_, pointer, ok := strings.Cut(string(x.At), "#")
	if !ok {
		return jsontree.Node{}
	}
	if c.ResponseDoc != nil {
		return c.ResponseDoc.Root().Pointer(pointer)
	}
	for i := len(c.Events) - 1; i >= 0; i-- {
		if e := &c.Events[i]; e.Fault == x && e.Doc != nil {
			return e.Doc.Root().Pointer(pointer)
		}
	}
	return jsontree.Node{}
}

func (f *FaultFormFacts) fillRPCError(c *decode.Call, x *decode.Fault) {
	if !strings.HasPrefix(x.Shape, "rpc-") {
		return
	}
	if e, ok := spec.ErrorByCode(x.Code); ok {
		f.CodeError = e.Name
	}
	e := errorNode(c, x)
	if !e.IsObject() {
		return
	}
	data := e.Get("data")
	f.Data, f.DataAt = data.Kind().String(), string(x.At.Below("/data"))
	if !data.Exists() && e.Has("details") {
		f.WrongMember, f.WrongAt = "details", string(x.At.Below("/details"))
	}
	f.fillDetails(data, x.At.Below("/data"), x)
}

func (f *FaultFormFacts) fillRESTError(c *decode.Call, x *decode.Fault) {
	if !strings.HasPrefix(x.Shape, "status-") {
		return
	}
	e := errorNode(c, x)
	if !e.IsObject() {
		return
	}
	code, ok := e.Get("code").Int()
	f.BodyCode, f.HasBodyCode = int(code), ok
	details := e.Get("details")
	if data := e.Get("data"); data.Exists() && data.Kind() != jsontree.Null && !details.Exists() {
		f.WrongMember, f.WrongAt = "data", string(x.At.Below("/data"))
	}
	f.fillDetails(details, x.At.Below("/details"), x)
}

// fillDetails looks at the entries of an error's details, which are
// google.protobuf.Any in JSON: objects with @type.
func (f *FaultFormFacts) fillDetails(list jsontree.Node, at decode.Place, x *decode.Fault) {
	if !list.IsArray() {
		return
	}
	i := 0
	for d := range list.Children() {
		if i == maxDetails {
			break
		}
		here := func() string { return string(at.Below("/" + itoa(int64(i)))) }
		if f.Untyped == "" && (!d.IsObject() || d.Get("@type").Str() == "") {
			f.Untyped, f.UntypedAt = d.Kind().String(), here()
		}
		if reason := d.Get("reason"); reason.IsString() {
			if f.InfoAt == "" {
				f.InfoAt = here()
			}
			f.A2AInfo = f.A2AInfo || d.Get("domain").Str() == spec.ErrorDomain
		}
		i++
	}
	f.OtherDomain = f.ReasonError != "" && !f.A2AInfo
}

// fillGRPCDetails looks at grpc-status-details-bin.
func (f *FaultFormFacts) fillGRPCDetails(c *decode.Call, x *decode.Fault) {
	for i := range c.Problems {
		switch p := &c.Problems[i]; p.Code {
		case "grpc-details-broken":
			f.Details = "broken"
		case "grpc-details-differ":
			f.Details, f.DetailsCode = "differ", x.DetailsCode
		}
	}
	if f.Details == "" && severalValues(c.Exchange, "grpc-status-details-bin") {
		f.Details = "several"
	}
	infos := 0
	for _, d := range x.Details {
		if strings.HasSuffix(d, "google.rpc.ErrorInfo") {
			infos++
		}
	}
	if x.Reason != "" {
		f.InfoAt = string(decode.TrailerPlace("grpc-status-details-bin"))
	}
	f.A2AInfo = x.HasInfo
	f.OtherDomain = f.ReasonError != "" && !x.HasInfo && infos == 1
}

// severalValues: a trailer came more than once, or joined with commas.
func severalValues(x *capture.Exchange, name string) bool {
	n := 0
	count := func(fields capture.Fields) {
		for i := range fields {
			if len(fields[i].Name) == len(name) && isName(fields[i].Name, name) {
				n += 1 + strings.Count(fields[i].Value, ",")
			}
		}
	}
	if x.Trailer != nil {
		count(x.Trailer.Fields)
	}
	if x.Response != nil && (x.Trailer == nil || !x.Trailer.Only) {
		count(x.Response.Fields)
	}
	return n > 1
}

// nearReason finds the reason that another spelling means: TaskNotFoundError, taskNotFound, TASK-NOT-FOUND.
func nearReason(reason string) string {
	letters := strings.TrimSuffix(onlyLetters(reason), "error")
	if letters == "" {
		return ""
	}
	for _, e := range spec.Errors() {
		if onlyLetters(e.Reason) == letters || e.In03 && strings.TrimSuffix(onlyLetters(e.Name03), "error") == letters {
			return e.Reason
		}
	}
	return ""
}

// onlyLetters keeps the letters of a word, in lower case.
func onlyLetters(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && i < maxWordBytes; i++ {
		c := s[i] | 0x20
		if c >= 'a' && c <= 'z' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// cardNameIn tells by which of its two names an answer calls the missing
// extended card: in the class, the reason or the words.
func cardNameIn(c *decode.Call, x *decode.Fault) string {
	class := ""
	if x.Shape == "error-string" && c.ResponseDoc != nil {
		class = c.ResponseDoc.Root().Get("error").Str()
	}
	for _, text := range [...]string{class, x.Reason, x.Type, x.Message} {
		switch t := onlyLetters(text); {
		case strings.Contains(t, "authenticatedextendedcard"), strings.Contains(t, "authenticatedextendedagentcard"):
			return "authenticated"
		case strings.Contains(t, "extendedagentcardnotconfigured"), strings.Contains(t, "extendedagentcardisnotconfigured"):
			return "extended"
		}
	}
	return ""
}
