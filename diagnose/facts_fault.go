package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

func fillGRPC(g *GRPCFacts, c *decode.Call) {
	if c.Binding != spec.GRPC {
		return
	}
	f := &c.GRPC
	g.Package, g.Service, g.Method, g.Status, g.Message = f.Package, f.Service, f.Method, f.Status, f.Message
	g.Web, g.SchemaGuessed = f.Web, f.SchemaGuessed
	g.HasStatus = f.Status >= 0
	if g.HasStatus {
		g.StatusName = spec.GRPCStatusName(f.Status)
	}
	if r := c.Exchange.Response; r != nil {
		g.Content = strings.HasPrefix(r.MediaType(), "application/grpc")
	}
	other := spec.V03
	if f.Package == "a2a.v1" {
		other = spec.V10
	}
	if c.Operation != "" {
		own := spec.V10
		if other == spec.V10 {
			own = spec.V03
		}
		g.Counterpart = spec.NameIn(c.Operation, other, spec.GRPC)
		name := spec.NameIn(c.Operation, own, spec.GRPC)
		g.OwnName = name[strings.LastIndexByte(name, '/')+1:]
	}
	g.Details = c.Fault != nil && len(c.Fault.Details) > 0
	if f.Status == 12 {
		g.UnknownService, g.UnknownMethod, g.UnknownPath = unknownGRPC(f.Message, f)
		g.Unknown = g.UnknownService || g.UnknownMethod || g.UnknownPath
	}
	g.NamesError = namesA2AError(f.Message) != ""
}

// unknownGRPC reads the message of an UNIMPLEMENTED status. Stacks word it
// differently:
//
//	Go          unknown service lf.a2a.v1.A2AService · unknown method X for service Y · method X not implemented
//	grpc-js     The server does not implement the method /lf.a2a.v1.A2AService/SendMessage
//	Java        Method not found: lf.a2a.v1.A2AService/SendMessage · Method X is unimplemented
//	Python, C++ Method not found! · Method not implemented!
//	.NET        Service is unimplemented. · Method is unimplemented.
//	Rust        (empty)
//	Swift       Requested RPC isn't implemented by this server.
//
// path is set where the message does not tell a missing service from a missing method.
func unknownGRPC(msg string, f *decode.GRPCFact) (service, method, path bool) {
	m := lower(msg)
	switch {
	case m == "":
		return false, false, false
	case strings.Contains(m, "unknown service"), strings.Contains(m, "service is unimplemented"),
		strings.Contains(m, "service not found"), strings.Contains(m, "no such service"), strings.Contains(m, "service unknown"),
		strings.Contains(m, "service ") && strings.Contains(m, " is not registered"):
		return true, false, false
	case strings.Contains(m, "unknown method"), strings.Contains(m, "method is unimplemented"), strings.Contains(m, "method not implemented"),
		strings.Contains(m, "method "+lower(f.Method)+" not implemented"),
		strings.Contains(m, "method ") && strings.Contains(m, " is unimplemented"):
		return false, true, false
	case strings.Contains(m, "does not implement the method"), strings.Contains(m, "method not found"), strings.Contains(m, "no such method"),
		strings.Contains(m, "isn't implemented by this server"), strings.Contains(m, "unimplemented method"),
		strings.Contains(m, "no handler") && strings.Contains(m, "a2aservice"):
		return false, false, true
	}
	return false, false, false
}

// namesA2AError returns the A2A error whose class name a message begins with:
// the way 0.3 servers name it where no detail carries it.
func namesA2AError(msg string) string {
	word := msg
	if i := strings.IndexAny(word, ": (,"); i >= 0 {
		word = word[:i]
	}
	if !strings.HasSuffix(word, "Error") {
		return ""
	}
	if i := strings.LastIndexAny(word, ".$"); i >= 0 {
		word = word[i+1:]
	}
	if e, ok := spec.ErrorByName(word); ok {
		return e.Name
	}
	return ""
}

func fillFault(f *FaultFacts, c *decode.Call, d *DeclaredFacts) {
	x := c.Fault
	if x == nil {
		return
	}
	f.Present = true
	f.Shape, f.Foreign = x.Shape, x.Shape == "foreign"
	f.A2A, f.Std, f.Code, f.HTTP, f.GRPC = x.A2A, x.Std, int(x.Code), x.HTTP, x.GRPC
	f.Status, f.Reason, f.Domain, f.HasInfo, f.Type = x.Status, x.Reason, x.Domain, x.HasInfo, x.Type
	f.Message, f.Sure, f.InBand, f.Details, f.Place = x.Message, string(x.Sure), x.InBand, x.Details, string(x.At)
	f.CodeAt, f.MessageAt = faultPlaces(x)
	if x.Reason != "" {
		_, f.Nine = spec.ErrorByReason(x.Reason)
	}
	f.Version = x.A2A == "VersionNotSupportedError"
	f.Violations = contains(x.Details, "type.googleapis.com/google.rpc.BadRequest")
	f.StatusTable = statusTable(c, x)
	f.Shared = sharedStatus(c, x)
	fillSays(f, c, d)
}

// faultPlaces says where an error's number and its words stand.
func faultPlaces(x *decode.Fault) (code, message string) {
	at := string(x.At)
	switch {
	case x.GRPC > 0 && !x.InBand:
		return string(decode.TrailerPlace("grpc-status")), string(decode.TrailerPlace("grpc-message"))
	case x.Shape == "foreign", x.Shape == "problem", x.Shape == "message-only", x.Shape == "error-string", !strings.Contains(at, "#"):
		return "response/line", at
	}
	return at + "/code", at + "/message"
}

// fillSays reads the message for the patterns that rules name. Patterns are
// loose: a message alone never makes a finding.
func fillSays(f *FaultFacts, c *decode.Call, d *DeclaredFacts) {
	if f.Message == "" {
		return
	}
	m := lower(f.Message)
	if strings.Contains(m, "version") {
		f.SaysVersion = f.Version || d.Raw != "" && strings.Contains(m, lower(d.Raw))
		for _, w := range spokenVersionWords {
			f.SaysVersion = f.SaysVersion || strings.Contains(m, w)
		}
		if f.SaysVersion {
			f.Refuses, f.Offers = versionsNamed(m)
		}
	}
	f.SaysMethod = saysOtherMethod(m, c)
	f.SaysMissing = strings.Contains(m, "not found") || strings.Contains(m, "no such") || strings.Contains(m, "does not exist") || strings.Contains(m, "unknown task")
	f.SaysUnimplemented = strings.Contains(m, "not implemented") || strings.Contains(m, "unimplemented") || strings.Contains(m, "notimplemented")
	f.SaysMediaType = strings.Contains(m, "content-type") || strings.Contains(m, "content type") || strings.Contains(m, "media type")
	f.Names = namesA2AError(f.Message)
}

// spokenVersionWords are how messages speak of the protocol's version, and not of a schema's or a field's.
var spokenVersionWords = [...]string{"a2a version", "a2a-version", "a2a protocol version", "protocol version", "version of a2a", "version of the protocol", "version not supported"}

// offerWords begin the part of a message that lists what is supported.
var offerWords = [...]string{"supported version", "supported protocol", "supported:", "supported are", "supports", "supported by", "expected", "available", "use one of", "must be"}

// versionsNamed tells the version a message refuses from those it offers:
// "A2A version "0.3" is not supported, supported versions: 1.0".
func versionsNamed(m string) (refuses string, offers []string) {
	split := len(m)
	for _, w := range offerWords {
		for from := 0; ; {
			i := strings.Index(m[from:], w)
			if i < 0 {
				break
			}
			i += from
			if !strings.HasSuffix(m[:i], "un") && !strings.HasSuffix(m[:i], "not ") {
				split = min(split, i)
				break
			}
			from = i + len(w)
		}
	}
	said := numbersIn(m[:split], nil)
	offers = numbersIn(m[split:], nil)
	if len(said) > 0 {
		return said[0], offers
	}
	// "supported versions: 1.0, got 0.3"
	for _, w := range [...]string{"got ", "received ", "but was ", "requested "} {
		if i := strings.LastIndex(m, w); i >= split {
			if n := numbersIn(m[i:], nil); len(n) > 0 {
				return n[0], numbersIn(m[split:i], nil)
			}
		}
	}
	return "", offers
}

// numbersIn lists the Major.Minor numbers of a text; a patch number is part of its number.
func numbersIn(m string, list []string) []string {
	for i := 0; i < len(m) && len(list) < maxValues; {
		if !digit(m[i]) || i > 0 && (digit(m[i-1]) || m[i-1] == '.') {
			i++
			continue
		}
		j, dots := i, 0
		for j < len(m) && (digit(m[j]) || m[j] == '.' && j+1 < len(m) && digit(m[j+1])) {
			if m[j] == '.' {
				dots++
			}
			j++
		}
		if dots == 1 || dots == 2 {
			list = addOnce(list, m[i:j])
		}
		i = j
	}
	return list
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// methodWords are how the two generations name methods and request types.
var (
	oldMethodWords = [...]string{"message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe", "pushnotificationconfig/", "messagesendparams", "taskqueryparams", "taskidparams", "sendmessagerequest"}
	newMethodWords = [...]string{"sendmessage", "sendstreamingmessage", "gettask", "listtasks", "canceltask", "subscribetotask", "taskpushnotificationconfig", "getextendedagentcard"}
)

// saysOtherMethod: the message speaks of a method or request type and names one
// that is not of the generation the call was made in.
func saysOtherMethod(m string, c *decode.Call) bool {
	words := newMethodWords[:]
	if generation(string(c.CallVersion.Value)) == "1.0" || c.CallVersion.Value == spec.V01 {
		words = oldMethodWords[:]
		if !strings.Contains(m, "/") && !strings.Contains(m, "params") && !strings.Contains(m, "request") {
			return false
		}
	}
	own := lower(c.Method)
	for _, w := range words {
		if w != own && namesMethod(m, w) && !(w == "sendmessagerequest" && !strings.Contains(m, "method")) {
			return true
		}
	}
	return false
}

// namesMethod reports whether a message names a method. The types of 0.3 have
// names such as GetTaskRequest too: those are no methods of 1.0.
func namesMethod(m, word string) bool {
	for {
		i := strings.Index(m, word)
		if i < 0 {
			return false
		}
		m = m[i+len(word):]
		if strings.ContainsRune(word, '/') || !strings.HasPrefix(m, "request") && !strings.HasPrefix(m, "response") && !strings.HasPrefix(m, "success") {
			return true
		}
	}
}

// statusTable says in which of the two tables of 1.0 the status stands for the
// A2A error; "" when there is nothing to judge: no A2A error told by its
// reason, a peer of another generation, JSON-RPC.
func statusTable(c *decode.Call, f *decode.Fault) string {
	if f.InBand {
		return ""
	}
	e, ok := spec.ErrorByReason(f.Reason)
	if !ok || !f.HasInfo {
		if e, ok = spec.ErrorByProblemType(f.Type); !ok || f.Type == "" {
			return ""
		}
	}
	var got, now, then int
	switch c.Binding {
	case spec.HTTPJSON:
		got, now, then = f.HTTP, e.HTTP, e.HTTP100
	case spec.GRPC:
		got, now, then = f.GRPC, e.GRPC, e.GRPC100
	default:
		return ""
	}
	if got <= 0 {
		return ""
	}
	if then == 0 {
		then = now
	}
	switch {
	case got == now && got == then:
		return "both"
	case got == now:
		return "1.0.1"
	case got == then:
		return "1.0.0"
	}
	return "none"
}

// sharedStatus: the status alone does not tell which error it is.
func sharedStatus(c *decode.Call, f *decode.Fault) bool {
	switch c.Binding {
	case spec.HTTPJSON:
		return f.HTTP == 400
	case spec.GRPC:
		return f.GRPC == 9 || f.GRPC == 12
	}
	return false
}
