package diagnose

import (
	"net/url"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// CapsFacts is what a call needs of the agent's capabilities, extensions,
// schemes and media types, and what it brought along.
type CapsFacts struct {
	Needs             string   `cel:"needs"`              // the capability that the call needs: streaming, pushNotifications, extendedAgentCard; a send with a push configuration needs it too
	MissingExtensions []string `cel:"missing_extensions"` // required by the card and not in A2A-Extensions
	Unconfirmed       []string `cel:"unconfirmed"`        // extensions asked for that the answer (its trailers too) does not confirm
	Confirms          bool     `cel:"confirms"`           // the answer has an extensions field at all
	ExtensionLines    int      `cel:"extension_lines"`    // header lines that list extensions
	ExtensionForm     string   `cel:"extension_form"`     // what is wrong with the list: "", several-lines, quotes, semicolons, spaces
	ExtensionPlace    string   `cel:"extension_place"`    // of the header that lists them
	CardKey           bool     `cel:"card_key"`           // GetExtendedAgentCard: the request carries a key that the card names
	MTLS              bool     `cel:"mtls"`               // GetExtendedAgentCard: the card names client certificates, which are not seen
	InputModes        []string `cel:"input_modes"`        // ContentTypeNotSupported: media types the card accepts
	RefusedModes      []string `cel:"refused_modes"`      // ContentTypeNotSupported: media types of parts that are not among them
	RefusedAt         string   `cel:"refused_at"`         // place where the first of them is named
	// What the error's message says, told from loose patterns.
	SaysExtension bool   `cel:"says_extension"` // speaks of an extension
	SaysLacks     string `cel:"says_lacks"`     // the capability it says is not there: streaming, pushNotifications, extendedAgentCard
	SaysTerminal  bool   `cel:"says_terminal"`  // the task has ended
	SaysOutput    bool   `cel:"says_output"`    // speaks of output modes
	SaysHTTPType  bool   `cel:"says_http_type"` // speaks of the Content-Type of the request
}

func (m *memory) capsFacts(f *CapsFacts, c *decode.Call, s *seen, h *HTTPFacts, required []string) {
	if c.Kind != spec.KindCall {
		return
	}
	if c.Fault != nil {
		m := lower(c.Fault.Message)
		f.says(m)
		f.SaysHTTPType = strings.Contains(m, "content-type") || h.RequestType != "" && h.RequestType != "application/json" && strings.Contains(m, lower(h.RequestType))
	}
	f.Needs = spec.OperationNeeds(c.Operation)
	if f.Needs == "" && c.Push != nil && c.Push.URL != "" {
		f.Needs = "pushNotifications"
	}
	for _, uri := range required {
		if !contains(h.Extensions, uri) {
			f.MissingExtensions = addOnce(f.MissingExtensions, uri)
		}
	}
	if len(h.Extensions)+len(h.XExtensions) > 0 {
		f.extensions(c, h)
	}
	k := s.match.card
	switch {
	case c.Operation == spec.GetExtendedAgentCard && k != nil && !h.Credential:
		f.CardKey, f.MTLS = schemesUsed(k.card.Node, c.Exchange)
	case c.Fault != nil && c.Fault.A2A == "ContentTypeNotSupportedError" && k != nil:
		f.modes(k.card.Node, c)
	}
}

// says reads a message of an error.
func (f *CapsFacts) says(m string) {
	if m == "" {
		return
	}
	f.SaysExtension = strings.Contains(m, "extension")
	f.SaysOutput = strings.Contains(m, "output")
	for _, w := range [...]string{"terminal", "already completed", "already finished", "already ended", "has ended", "final state", "is completed", "is finished"} {
		f.SaysTerminal = f.SaysTerminal || strings.Contains(m, w)
	}
	no := false
	for _, w := range [...]string{"not support", "unsupported", "not enabled", "disabled", "not implemented", "not available", "does not offer"} {
		no = no || strings.Contains(m, w)
	}
	switch {
	case !no:
	case strings.Contains(m, "push"):
		f.SaysLacks = "pushNotifications"
	case strings.Contains(m, "streaming"):
		f.SaysLacks = "streaming"
	case strings.Contains(m, "extended") && strings.Contains(m, "card"):
		f.SaysLacks = "extendedAgentCard"
	}
}

// extensions compares what was asked for with what was confirmed, and looks at
// how the list is written.
func (f *CapsFacts) extensions(c *decode.Call, h *HTTPFacts) {
	done := h.Activated
	if t := c.Exchange.Trailer; t != nil {
		for i := range t.Fields {
			if n := t.Fields[i].Name; len(n) == 14 && isName(n, "a2a-extensions") || len(n) == 16 && isName(n, "x-a2a-extensions") {
				done = splitList(done[:len(done):len(done)], t.Fields[i].Value)
				f.Confirms = true
			}
		}
	}
	f.Confirms = f.Confirms || len(done) > 0
	torn := c.Exchange.AnswerTorn()
	for _, list := range [...][]string{h.Extensions, h.XExtensions} {
		for _, uri := range list {
			if !torn && !contains(done, uri) {
				f.Unconfirmed = addOnce(f.Unconfirmed, uri)
			}
		}
	}
	fields := c.Exchange.Request.Fields
	for i := range fields {
		if n := fields[i].Name; len(n) == 14 && isName(n, "a2a-extensions") || len(n) == 16 && isName(n, "x-a2a-extensions") {
			if f.ExtensionLines++; f.ExtensionPlace == "" {
				f.ExtensionPlace = "request/header/" + lower(n)
			}
			if f.ExtensionForm == "" {
				f.ExtensionForm = oddList(fields[i].Value)
			}
		}
	}
	if f.ExtensionForm == "" && f.ExtensionLines > 1 && (len(h.Extensions) == 0 || len(h.XExtensions) == 0) {
		f.ExtensionForm = "several-lines" // the old and the new name side by side are not several lines
	}
}

// oddList says what is wrong with a list of URIs that ought to be separated by commas.
func oddList(v string) string {
	if strings.ContainsAny(v, `"'`) {
		return "quotes"
	}
	for item := range strings.SplitSeq(v, ",") {
		item = strings.TrimSpace(item)
		switch {
		case strings.Contains(item, ";") && (strings.ContainsAny(item, " \t") || strings.Count(item, "://") > 1):
			return "semicolons"
		case strings.ContainsAny(item, " \t"):
			return "spaces"
		}
	}
	return ""
}

// schemesUsed reports whether a request carries a key that a card names in its
// security schemes, and whether the card names client certificates. Names are
// compared; values are not looked at.
func schemesUsed(card jsontree.Node, x *capture.Exchange) (key, mtls bool) {
	if x.Request == nil {
		return false, false
	}
	n := 0
	for scheme := range card.Get("securitySchemes").Children() {
		if n++; n > maxMembers {
			break
		}
		mtls = mtls || scheme.Get("type").Str() == "mutualTLS" || scheme.Has("mtlsSecurityScheme")
		where, name := scheme.Get("in").Str(), scheme.Get("name").Str() // 0.3, as in OpenAPI
		if k := scheme.Get("apiKeySecurityScheme"); k.IsObject() {
			where, name = k.Get("location").Str(), k.Get("name").Str()
		}
		if name == "" {
			continue
		}
		switch where {
		case "header":
			key = key || sentField(x.Request.Fields, name)
		case "query":
			q, err := url.ParseQuery(x.Request.Query())
			key = key || err == nil && q.Has(name)
		}
	}
	return key, mtls
}

func sentField(fields capture.Fields, name string) bool {
	for i := range fields {
		if strings.EqualFold(fields[i].Name, name) {
			return true
		}
	}
	return false
}

// modes compares the media types of the parts with those of the card.
func (f *CapsFacts) modes(card jsontree.Node, c *decode.Call) {
	take := func(list jsontree.Node) {
		for v := range list.Children() {
			if len(f.InputModes) < maxMembers {
				f.InputModes = addOnce(f.InputModes, cut(v.Str()))
			}
		}
	}
	take(card.Get("defaultInputModes"))
	for skill := range card.Get("skills").Children() {
		take(skill.Get("inputModes"))
	}
	if len(f.InputModes) == 0 {
		return
	}
	msg, of := messageOf(c)
	member := "parts"
	parts := msg.Get(member)
	if !parts.Exists() {
		member = "content" // 0.3 over gRPC and REST
		parts = msg.Get(member)
	}
	i := -1
	for p := range parts.Children() {
		if i++; i >= maxMembers {
			break
		}
		t, named := partType(p)
		if t == "" || accepts(f.InputModes, t) {
			continue
		}
		f.RefusedModes = addOnce(f.RefusedModes, cut(t))
		if f.RefusedAt == "" && named != "" {
			f.RefusedAt = string(c.ParamsAt.Below("/" + of + "/" + member + "/" + itoa(int64(i)) + named))
		}
	}
}

// partType is the media type of a part: the one it names, or the one its
// content has where none is named; named is the pointer to its name below the
// part. What is in the part is not looked at.
func partType(p jsontree.Node) (media, named string) {
	for _, below := range [...]string{"/mediaType", "/media_type", "/file/mimeType", "/file/mime_type"} {
		if t := p.Pointer(below).Str(); t != "" {
			return t, below
		}
	}
	switch {
	case p.Has("text"):
		return "text/plain", ""
	case p.Has("data"):
		return "application/json", ""
	}
	return "", ""
}

// accepts reports whether a list of media types (with ranges such as image/*) covers one.
func accepts(list []string, t string) bool {
	t = essence(t)
	for _, m := range list {
		m = essence(m)
		if m == t || m == "*" || m == "*/*" {
			return true
		}
		if r, ok := strings.CutSuffix(m, "*"); ok && strings.HasSuffix(r, "/") && strings.HasPrefix(t, r) {
			return true
		}
	}
	return false
}

// essence is a media type without its parameters. Some cards name the kind of a part instead.
func essence(t string) string {
	t, _, _ = strings.Cut(lower(t), ";")
	switch t = strings.TrimSpace(t); t {
	case "text":
		return "text/plain"
	case "data", "json":
		return "application/json"
	}
	return t
}
