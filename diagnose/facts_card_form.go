package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"a2ascope/decode"
	"a2ascope/internal/jsontree"
)

// CardFormFacts is what stands out in the members of the card of this
// exchange. Contents of extension params are never looked at.
type CardFormFacts struct {
	Binding    string   `cel:"binding"`       // a protocolBinding or transport that is a core one misspelled
	Meant      string   `cel:"binding_meant"` // the one it means
	BindingAt  string   `cel:"binding_at"`
	Incomplete []string `cel:"incomplete"` // what the first incomplete entry of supportedInterfaces lacks: url, protocolBinding, protocolVersion
	EntryAt    string   `cel:"incomplete_at"`
	Patch      string   `cel:"patch"`     // protocolVersion of an entry with more than Major.Minor: 1.0.1, v1.0
	PatchFor   string   `cel:"patch_for"` // the Major.Minor in it
	PatchAt    string   `cel:"patch_at"`
	Missing    []string `cel:"missing"`  // required members that are not there; skills[0].tags for those of a skill
	Empty      []string `cel:"empty"`    // required lists that are there without an element
	HasURL     bool     `cel:"has_url"`  // the top-level url of 0.3
	URL        string   `cel:"url"`      // its value
	Listed     bool     `cel:"listed"`   // an entry of supportedInterfaces has that url and binding
	Listed03   bool     `cel:"listed03"` // one that declares 0.x
	Other03    string   `cel:"other03"`  // the url of a 0.x entry of that binding with another url
	Other03At  string   `cel:"other03_at"`
	Entry03    bool     `cel:"entry03"`     // supportedInterfaces has a 0.x entry
	Old        []string `cel:"old_members"` // top-level members of 0.3: url, preferredTransport, additionalInterfaces, protocolVersion
	OldAt      string   `cel:"old_at"`      // place of the first
	ExtFlag    string   `cel:"ext_flag"`    // a former name of capabilities.extendedAgentCard that is true, while that is not
	ExtFlagAt  string   `cel:"ext_flag_at"`
	Security   []string `cel:"security_old"` // members in which security is written as in 0.3
	SecurityAt string   `cel:"security_at"`
	Flow       string   `cel:"flow"` // implicit, password: OAuth flows that 1.0 deprecates
	FlowScheme string   `cel:"flow_scheme"`
	FlowAt     string   `cel:"flow_at"`
	DefaultAt  string   `cel:"default_at"`  // of a signed card: the first member that is written with its default value
	ForeignAt  string   `cel:"nonascii_at"` // of a signed card: the first text that is not ASCII
	Default    string   `cel:"default"`     // the name of that member
	Foreign    string   `cel:"nonascii"`
}

// maxListed bounds what is listed of one card.
const maxListed = 12

// fillCardForm looks at the members of a card.
func fillCardForm(f *CardFormFacts, a *decode.AgentCard) {
	if d := a.Node.Doc(); d == nil || d.Err != nil {
		return // of a broken text nobody knows what it lacks
	}
	old := a.Vocabulary == "0.3" || a.Vocabulary == "0.2"
	f.entries(a)
	f.required(a, old)
	f.blend(a)
	if !old {
		f.flags(a)
		f.security(a)
	}
	if a.Signatures > 0 {
		f.signature(a)
	}
}

// cardPlace is the place of a node of a card.
func cardPlace(a *decode.AgentCard, n jsontree.Node) string {
	frame, _, _ := strings.Cut(string(a.At), "#")
	return frame + "#" + n.PointerTo()
}

// entries looks at each interface of either vocabulary.
func (f *CardFormFacts) entries(a *decode.AgentCard) {
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		member := "/transport"
		switch e.From {
		case "supportedInterfaces":
			member = "/protocolBinding"
		case "url":
			if a.Preferred == "" {
				member = ""
			}
		}
		if b := bindingWord(e.Binding); f.Binding == "" && b != e.Binding && member != "" {
			f.Binding, f.Meant = e.Binding, b
			if f.BindingAt = string(e.At.Below(member)); e.From == "url" {
				f.BindingAt = string(a.At.Below("/preferredTransport"))
			}
		}
		if e.From != "supportedInterfaces" {
			continue
		}
		if f.Incomplete == nil {
			f.incomplete(e)
		}
		if f.Patch == "" {
			if mm := patched(e.RawVer); mm != "" {
				f.Patch, f.PatchFor, f.PatchAt = e.RawVer, mm, string(e.At.Below("/protocolVersion"))
			}
		}
	}
}

func (f *CardFormFacts) incomplete(e *decode.Interface) {
	for _, m := range [...]struct{ name, value string }{{"url", e.URL}, {"protocolBinding", e.Binding}, {"protocolVersion", e.RawVer}} {
		if m.value == "" {
			f.Incomplete = append(f.Incomplete, m.name)
			f.EntryAt = string(e.At)
		}
	}
}

// patched returns the Major.Minor of a version that is written with a patch
// number or a leading v, "" for every other text.
func patched(v string) string {
	bare := strings.TrimPrefix(strings.TrimPrefix(v, "v"), "V")
	p := strings.SplitN(bare, ".", 4)
	if len(p) > 3 || len(p) < 3 && bare == v {
		return ""
	}
	for _, s := range p {
		if _, err := strconv.ParseUint(s, 10, 16); err != nil {
			return ""
		}
	}
	if len(p) == 1 {
		return p[0] + ".0"
	}
	return p[0] + "." + p[1]
}

var (
	required10 = [...]string{"name", "description", "supportedInterfaces", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"}
	required03 = [...]string{"name", "description", "url", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills", "protocolVersion"}
	// members that stay in the canonical form whatever their value is: they are required
	always  = [...]string{"name", "description", "version", "url", "supportedInterfaces", "capabilities", "defaultInputModes", "defaultOutputModes", "skills", "id", "tags", "protocolBinding", "protocolVersion"}
	ofSkill = [...]string{"id", "name", "description", "tags"}
)

// required looks for the members a card must have (1.0 §4.4.1, JSON schema of 0.3).
func (f *CardFormFacts) required(a *decode.AgentCard, old bool) {
	names := required10[:]
	if old {
		if names = required03[:]; a.Vocabulary == "0.2" {
			names = names[:len(names)-1] // cards up to 0.2.4 have no protocolVersion
		}
	}
	for _, name := range names {
		switch n := a.Node.Get(name); {
		case !n.Exists() || n.Kind() == jsontree.Null:
			f.Missing = append(f.Missing, name)
		case n.IsArray() && n.Len() == 0:
			f.Empty = append(f.Empty, name)
		}
	}
	i := 0
	for s := range a.Node.Get("skills").Children() {
		if i == maxListed || len(f.Missing) >= maxListed || !s.IsObject() {
			break
		}
		for _, name := range ofSkill {
			if !s.Has(name) {
				f.Missing = append(f.Missing, "skills["+strconv.Itoa(i)+"]."+name)
			}
		}
		i++
	}
}

// blend compares what the two vocabularies of a card say.
func (f *CardFormFacts) blend(a *decode.AgentCard) {
	for _, name := range [...]string{"url", "preferredTransport", "additionalInterfaces", "protocolVersion"} {
		if n := a.Node.Get(name); n.Exists() {
			if f.Old = append(f.Old, name); f.OldAt == "" {
				f.OldAt = cardPlace(a, n)
			}
		}
	}
	top := a.Node.Get("url")
	f.HasURL, f.URL = top.IsString(), top.Str()
	binding := bindingWord(firstOf(a.Preferred, "JSONRPC"))
	at := parseAddress(f.URL)
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		if e.From != "supportedInterfaces" {
			continue
		}
		v03 := generation(e.Version) == "0.3"
		f.Entry03 = f.Entry03 || v03
		if !f.HasURL || bindingWord(e.Binding) != binding {
			continue
		}
		u := parseAddress(e.URL)
		switch {
		case u.authority == at.authority && u.path == at.path:
			f.Listed = true
			f.Listed03 = f.Listed03 || v03
		case v03 && f.Other03 == "":
			f.Other03, f.Other03At = e.URL, string(e.At.Below("/url"))
		}
	}
}

// flags looks for the former names of capabilities.extendedAgentCard.
func (f *CardFormFacts) flags(a *decode.AgentCard) {
	if a.Node.Path("capabilities", "extendedAgentCard").Bool() {
		return
	}
	for _, name := range [...]string{"supportsExtendedAgentCard", "supportsAuthenticatedExtendedCard"} {
		if n := a.Node.Get(name); n.Bool() {
			f.ExtFlag, f.ExtFlagAt = name, cardPlace(a, n)
			return
		}
	}
}

// security looks for security in the words of 0.3, and for flows that 1.0 deprecates.
func (f *CardFormFacts) security(a *decode.AgentCard) {
	note := func(what string, n jsontree.Node) {
		if len(f.Security) < maxListed {
			if f.Security = append(f.Security, what); f.SecurityAt == "" {
				f.SecurityAt = cardPlace(a, n)
			}
		}
	}
	if n := a.Node.Get("security"); n.Exists() {
		note("security", n)
	}
	for s := range a.Node.Get("securitySchemes").Children() {
		if n := s.Get("type"); n.IsString() {
			note("securitySchemes."+cut(s.Key())+".type", n)
		}
		flows := s.Path("oauth2SecurityScheme", "flows")
		if !flows.Exists() {
			flows = s.Get("flows")
		}
		for _, name := range [...]string{"implicit", "password"} {
			if n := flows.Get(name); f.Flow == "" && n.IsObject() {
				f.Flow, f.FlowScheme, f.FlowAt = name, cut(s.Key()), cardPlace(a, n)
			}
		}
	}
	i := 0
	for s := range a.Node.Get("skills").Children() {
		if n := s.Get("security"); n.Exists() {
			note("skills["+strconv.Itoa(i)+"].security", n)
		}
		i++
	}
}

// signature looks for what signers and verifiers treat differently.
func (f *CardFormFacts) signature(a *decode.AgentCard) {
	var walk func(n jsontree.Node)
	walk = func(n jsontree.Node) {
		for c := range n.Children() {
			if f.DefaultAt != "" && f.ForeignAt != "" {
				return
			}
			if key := c.Key(); key == "signatures" || key == "params" {
				continue
			}
			if f.DefaultAt == "" && defaultValue(c) && n.IsObject() && !slices.Contains(always[:], c.Key()) {
				f.DefaultAt, f.Default = cardPlace(a, c), c.Key()
			}
			if f.ForeignAt == "" && c.IsString() && foreignText(c.Raw()) {
				f.ForeignAt, f.Foreign = cardPlace(a, c), firstOf(c.Key(), n.Key())
			}
			walk(c)
		}
	}
	walk(a.Node)
}

// defaultValue: what canonical forms that drop default values leave out (1.0 §8.4.1).
func defaultValue(n jsontree.Node) bool {
	switch n.Kind() {
	case jsontree.Null:
		return true
	case jsontree.Bool:
		return !n.Bool()
	case jsontree.Number:
		v, ok := n.Int()
		return ok && v == 0
	case jsontree.String:
		return len(n.Raw()) == 2
	case jsontree.Array, jsontree.Object:
		return n.Len() == 0
	}
	return false
}

// foreignText: a text with characters beyond ASCII, written as they are or escaped.
func foreignText(raw []byte) bool {
	for i, c := range raw {
		if c >= 0x80 || c == 'u' && i > 0 && raw[i-1] == '\\' {
			return true
		}
	}
	return false
}
