package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// RefusalFacts is what a refusal of the request says of the request: told from
// violations where the server lists them, else from loose patterns of its
// message. It is filled only where the request was refused as invalid.
type RefusalFacts struct {
	Field   string   `cel:"field"`   // path of the member the server names as wrong: message.parts[0], pageSize
	Member  string   `cel:"member"`  // its last name
	Says    string   `cel:"says"`    // the description of the violation, else the message
	Place   string   `cel:"place"`   // of that text
	Unknown string   `cel:"unknown"` // the member refused because the server does not know it
	Demands []string `cel:"demands"` // words of the other generation that the server asks for: ROLE_USER, kind, …
	Part    string   `cel:"part"`    // kind of the part (file, data, raw, url) that is refused
	PartAt  string   `cel:"part_at"` // where that part is
	Invalid bool     `cel:"invalid"` // in the form for invalid parameters: -32602, HTTP 422 (400 where it names a field), INVALID_ARGUMENT, and no A2A error
}

func fillRefusal(r *RefusalFacts, c *decode.Call, k *CallFacts) {
	f := c.Fault
	if f == nil || !k.Refused && f.Std != "InvalidParamsError" && f.Std != "JSONParseError" && f.Std != "InvalidRequestError" {
		return
	}
	r.Says, r.Place = f.Message, k.Fault.MessageAt
	said := f.Message
	if d := freeData(c); d != "" {
		said += "\n" + d
	}
	for i := range f.Violations {
		v := &f.Violations[i]
		if i == 0 {
			r.Field = v.Field
			r.Says = firstOf(v.Description, f.Message)
		}
		said += "\n" + v.Field + " " + v.Description
	}
	m := lower(said)
	r.Unknown = unknownMember(said, m)
	if r.Field == "" {
		r.Field = namedMember(said)
	}
	r.Field = firstOf(r.Field, r.Unknown)
	r.Member = lastName(r.Field)
	r.Invalid = refusedAsInvalid(c, r.Field, k.Request.Asked)
	r.Demands = demands(m, k.Request.Asked, r.Demands)
	r.fillPart(c, k, m)
}

// freeData is error.data where it is a text, as some servers put their parser's words there.
func freeData(c *decode.Call) string {
	if c.Fault.Shape != "rpc-freeform" {
		return ""
	}
	d := c.ResponseDoc.Root().Get("error").Get("data")
	if !d.IsString() {
		d = d.Get("error")
	}
	s := d.Str()
	if len(s) > maxSaid {
		s = s[:maxSaid]
	}
	return s
}

// maxSaid bounds what is read of a server's words.
const maxSaid = 2000

// unknownWords are how parsers refuse a member they do not know.
//
//	Python   Message type "lf.a2a.v1.Message" has no field named "kind" at "SendMessageRequest.message"
//	Java     Cannot find field: kind in message lf.a2a.v1.Message · Unrecognized field "kind"
//	Go       proto: (line 1:60): unknown field "kind" · json: unknown field "kind"
//	Rust     unknown field `kind`, expected one of …
//	JS       unrecognized_keys, Unrecognized key: "kind"
//	schema   must NOT have additional properties · Additional properties are not allowed ('kind' was unexpected)
//	Google   Invalid JSON payload received. Unknown name "kind" at 'message'
var unknownWords = [...]string{"no field named", "cannot find field", "unknown field", "unrecognized field", "unrecognised field", "unrecognized key", "unknown name",
	"unknown property", "unknown key", "unexpected property", "unexpected field", "no such field", "additional properties are not allowed"}

func unknownMember(said, m string) string {
	for _, w := range unknownWords {
		i := strings.Index(m, w)
		if i < 0 || len(said) != len(m) {
			continue
		}
		if name := wordIn(said[i+len(w):]); name != "" {
			return name
		}
	}
	return ""
}

// wordIn takes the first name out of a text: quoted, or after a colon.
func wordIn(s string) string {
	if len(s) > 80 {
		s = s[:80]
	}
	for _, q := range [...]byte{'"', '\'', '`'} {
		if i := strings.IndexByte(s, q); i >= 0 && i < 24 {
			if j := strings.IndexByte(s[i+1:], q); j > 0 && isMember(s[i+1:i+1+j]) {
				return s[i+1 : i+1+j]
			}
		}
	}
	s = strings.TrimLeft(s, `:( `)
	if i := strings.IndexFunc(s, func(c rune) bool { return !memberRune(c) }); i >= 0 {
		s = s[:i]
	}
	if isMember(s) {
		return s
	}
	return ""
}

func memberRune(c rune) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isMember(s string) bool {
	return s != "" && len(s) <= 48 && strings.IndexFunc(s, func(c rune) bool { return !memberRune(c) }) < 0
}

// namedMember finds a path of members in a message: message.parts[0].text, params/message/role.
func namedMember(said string) string {
	if len(said) > maxSaid {
		said = said[:maxSaid]
	}
	for word := range strings.FieldsFuncSeq(said, func(c rune) bool {
		return !memberRune(c) && c != '.' && c != '[' && c != ']' && c != '/'
	}) {
		word = strings.Trim(word, "./")
		for _, prefix := range [...]string{"params.", "params/", "request.", "configuration.", "configuration/", "message.", "message/", "pushNotificationConfig."} {
			if rest, ok := strings.CutPrefix(word, prefix); ok && isMember(strings.Trim(lastName(rest), "[]")) && rest != "json" {
				return word
			}
		}
	}
	return ""
}

// lastName is the last member of a path: parts of message.parts[0].
func lastName(path string) string {
	path = strings.TrimRight(path, "]0123456789[")
	path = strings.TrimRight(path, "./")
	return path[strings.LastIndexAny(path, "./")+1:]
}

// demands lists the words of the other generation that a message asks for.
func demands(m, asked string, list []string) []string {
	if asked == "0.3" {
		for _, w := range [...]string{"role_user", "role_agent", "task_state_"} {
			if strings.Contains(m, w) {
				list = append(list, strings.ToUpper(w))
			}
		}
		return list
	}
	if asked != "1.0" {
		return list
	}
	words := []string{"kind"}
	if strings.Contains(m, "expected") || strings.Contains(m, "must be") || strings.Contains(m, "should be") || strings.Contains(m, "one of") {
		words = []string{"kind", "user", "agent"}
	}
	for _, w := range words {
		for _, q := range [...]string{`"`, `'`, "`"} {
			if strings.Contains(m, q+w+q) {
				list = addOnce(list, w)
			}
		}
	}
	if strings.Contains(m, ".kind") || strings.Contains(m, "kind is required") || strings.Contains(m, "missing kind") || strings.Contains(m, "kind: ") {
		list = addOnce(list, "kind")
	}
	for _, w := range [...]string{"input-required", "auth-required"} {
		if strings.Contains(m, w) {
			list = append(list, w)
		}
	}
	return list
}

// textOnlyWords are how servers say that they take text alone.
var textOnlyWords = [...]string{"expected text", "only text", "text only", "text parts", "text part", "textpart", "part kind", "part type", "unsupported part", "not a text",
	"file part", "data part", "filepart", "datapart"}

// fillPart finds the part that is refused: by its index, else by words that speak of kinds of parts.
func (r *RefusalFacts) fillPart(c *decode.Call, k *CallFacts, m string) {
	if len(k.Body.Parts) == 0 || len(k.Body.Parts) == 1 && k.Body.Parts[0] == "text" {
		return
	}
	msg := c.Params.Get("message")
	if i, ok := partIndex(m); ok {
		parts := msg.Get("parts")
		if !parts.Exists() {
			parts = msg.Get("content")
		}
		if p := parts.Index(i); p.Exists() && partKind(p) != "text" {
			r.Part, r.PartAt = partKind(p), string(c.ParamsAt.Below(pointerBelow(c.Params, p)))
		}
		return
	}
	for _, w := range textOnlyWords {
		if !strings.Contains(m, w) {
			continue
		}
		for p := range partsOf(msg) {
			if kind := partKind(p); kind != "text" && kind != "other" {
				r.Part, r.PartAt = kind, string(c.ParamsAt.Below(pointerBelow(c.Params, p)))
				return
			}
		}
	}
}

// partIndex reads parts[2], parts.2 and parts/2.
func partIndex(m string) (int, bool) {
	for _, w := range [...]string{"parts[", "parts.", "parts/", "content["} {
		i := strings.Index(m, w)
		if i < 0 {
			continue
		}
		s := m[i+len(w):]
		n := 0
		for n < len(s) && n < 4 && digit(s[n]) {
			n++
		}
		if v, ok := number(s[:n]); ok {
			return v, true
		}
	}
	return 0, false
}

// refusedAsInvalid: the form of a refusal of parameters, in any binding. A 400 of
// 1.0 that names nothing is none: seven A2A errors share that status.
func refusedAsInvalid(c *decode.Call, field, asked string) bool {
	f := c.Fault
	if f.A2A != "" || f.Shape == "foreign" {
		return false
	}
	switch c.Binding {
	case spec.GRPC:
		return f.GRPC == 3
	case spec.HTTPJSON:
		return f.HTTP == 422 || f.Code == -32602 || f.HTTP == 400 && (field != "" || asked == "0.3")
	}
	return f.Code == -32602
}
