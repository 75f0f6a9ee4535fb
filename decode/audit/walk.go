package audit

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Bounds of a walk: what is beyond repeats what is before.
const (
	maxSlips = 32
	maxItems = 64 // of one array
	maxDepth = 12
	maxValue = 64
)

// walker goes through one body beside the shapes of a dialect.
type walker struct {
	d     dialect
	side  string // "request" or "response", as in places
	frame int
	grpc  bool // values equal to the default are not written
	rest  bool // ids and tenant may stand in the path

	slips []Slip
}

func (w *walker) add(k Kind, s *shape, member, value, want string, at jsontree.Node, below string) {
	for i := range w.slips {
		if x := &w.slips[i]; x.Kind == k && x.Shape == s.name && x.Member == member {
			x.Count++
			return
		}
	}
	if len(w.slips) == maxSlips {
		return
	}
	if len(value) > maxValue {
		value = strings.ToValidUTF8(value[:maxValue], "") + "…"
	}
	w.slips = append(w.slips, Slip{Kind: k, Shape: s.name, Member: member, Value: value, Want: want, Count: 1,
		Place: decode.FramePlace(w.side, w.frame, at.PointerTo()).Below(below)})
}

// object compares an object with a shape; root is true for the outermost.
func (w *walker) object(n jsontree.Node, s *shape, root bool, depth int) {
	if s == nil || depth > maxDepth {
		return
	}
	if !n.IsObject() {
		if root && n.Kind() == jsontree.Null {
			return // how peers write that there is nothing to say
		}
		w.add(WrongType, s, s.name, "", "object", n, "")
		return
	}
	s = w.union(n, s)
	var seen uint64
	var groups [4]uint8 // how many members of each oneof are there
	for c := range n.Children() {
		key := c.KeyText()
		i, f := s.field(key)
		if f == nil {
			if i := w.stranger(c, key, s); i >= 0 {
				seen |= 1 << i
			}
			continue
		}
		if w.value(c, f, s, depth) {
			seen |= 1 << i
		}
		if int(f.oneof) < len(groups) && c.Kind() != jsontree.Null {
			groups[f.oneof]++
		}
	}
	for i := range s.fields {
		f := &s.fields[i]
		if f.required && seen&(1<<i) == 0 && !(root && w.rest && inPath(f.json)) && !(w.grpc && f.mayBeEmpty()) {
			w.add(Missing, s, f.json, "", f.json, n, "")
		}
	}
	for g := uint8(1); g <= s.groups && int(g) < len(groups); g++ {
		if groups[g] != 1 {
			w.add(OneOf, s, s.oneof(g), counted(groups[g]), s.oneof(g), n, "")
		}
	}
}

// oneof names the members of a group: "text, raw, url, data".
func (s *shape) oneof(g uint8) string {
	var names []string
	for i := range s.fields {
		if s.fields[i].oneof == g {
			names = append(names, s.fields[i].json)
		}
	}
	return strings.Join(names, ", ")
}

func counted(n uint8) string {
	if n == 0 {
		return "none"
	}
	return "several"
}

// inPath: members that a REST route carries instead of the body.
func inPath(name string) bool {
	return name == "id" || name == "taskId" || name == "name" || name == "parent"
}

// union picks the object of the 0.3 schema that is meant where it allows several.
func (w *walker) union(n jsontree.Node, s *shape) *shape {
	if w.d != old {
		return s
	}
	pick := s.name
	switch s.name {
	case "Part":
		switch n.Get("kind").Str() {
		case "file":
			pick = "FilePart"
		case "data":
			pick = "DataPart"
		case "text":
			pick = "TextPart"
		default:
			switch {
			case n.Has("file"):
				pick = "FilePart"
			case n.Has("data"):
				pick = "DataPart"
			default:
				pick = "TextPart"
			}
		}
	case "File":
		pick = "FileWithUri"
		if n.Has("bytes") || n.Has("fileWithBytes") {
			pick = "FileWithBytes"
		}
	}
	if to := tables()[old][pick]; to != nil {
		return to
	}
	return s
}

// stranger sorts a member that the shape does not have. It returns the field
// that is meant, -1 when it is none.
func (w *walker) stranger(c jsontree.Node, key []byte, s *shape) int {
	name := string(key)
	switch {
	case strings.HasPrefix(name, "?"):
		w.add(Undecoded, s, name, "", "", c, "")
		return -1
	case strings.Contains(name, "_"):
		if i, _ := s.field([]byte(spec.Camel(strings.TrimLeft(name, "_")))); i >= 0 {
			w.add(Snake, s, name, "", s.fields[i].json, c, "")
			return i
		}
	}
	for _, d := range []dialect{young, old, oldP, draft} {
		if d == w.d {
			continue
		}
		for _, as := range namesakes(s.name) {
			if d.has(as, key) {
				w.add(Other, s, name, "", d.version(), c, "")
				return -1
			}
		}
	}
	w.add(Unknown, s, name, "", "", c, "")
	return -1
}

// value compares a member; false when it counts as missing.
func (w *walker) value(c jsontree.Node, f *field, s *shape, depth int) bool {
	switch {
	case c.Kind() == jsontree.Null:
		return false
	case f.list:
		if !c.IsArray() {
			w.add(WrongType, s, f.json, c.Kind().String(), "array", c, "")
			return true
		}
		i := 0
		for item := range c.Children() {
			if i == maxItems {
				break
			}
			w.single(item, f, s, depth)
			i++
		}
		return i > 0 || f.mayBeEmpty()
	case f.table:
		if f.form == object {
			for item := range c.Children() {
				w.single(item, f, s, depth)
			}
		}
		return c.Len() > 0
	}
	return w.single(c, f, s, depth)
}

func (w *walker) single(c jsontree.Node, f *field, s *shape, depth int) bool {
	switch f.form {
	case text:
		if !c.IsString() {
			w.add(WrongType, s, f.json, c.Kind().String(), "string", c, "")
			return true
		}
		if f.constant != "" && c.Str() != f.constant {
			w.add(Constant, s, f.json, c.Str(), f.constant, c, "")
		}
		return len(c.Raw()) > 2 || f.mayBeEmpty()
	case stamp:
		if !c.IsString() {
			w.add(WrongType, s, f.json, c.Kind().String(), "string", c, "")
			return true
		}
		raw := c.Raw()
		if raw = raw[1 : len(raw)-1]; len(raw) > 0 {
			if want := stampIn(raw); want != "" {
				w.add(Form, s, f.json, string(raw), want, c, "")
			}
		}
		return len(raw) > 0
	case number: // ProtoJSON reads numbers written as text, too
		if k := c.Kind(); k != jsontree.Number && k != jsontree.String {
			w.add(WrongType, s, f.json, k.String(), "number", c, "")
		}
	case boolean:
		if k := c.Kind(); k != jsontree.Bool {
			w.add(WrongType, s, f.json, k.String(), "bool", c, "")
		}
	case object:
		w.object(c, f.shape, false, depth+1)
	case role, state:
		w.enum(c, f, s)
	}
	return true
}

// enum compares a role or a state with the spelling of the dialect.
func (w *walker) enum(c jsontree.Node, f *field, s *shape) {
	switch c.Kind() {
	case jsontree.Number:
		w.add(EnumNumber, s, f.json, c.Text(), w.spelling(c, f), c, "")
		return
	case jsontree.String:
	default:
		w.add(WrongType, s, f.json, c.Kind().String(), "string", c, "")
		return
	}
	raw := c.Raw()
	word := raw[1 : len(raw)-1]
	for _, v := range spellings(w.d, f.form) {
		if string(word) == v {
			return
		}
	}
	value := c.Str()
	if want := w.spelling(c, f); want != "" {
		kind := EnumOther
		if _, wrong := spec.WrongState(value); wrong && f.form == state {
			kind = EnumWrong
		}
		w.add(kind, s, f.json, value, want, c, "")
		return
	}
	w.add(EnumWrong, s, f.json, value, "", c, "")
}

// spelling is how the dialect writes the value that is meant, "" when none is near.
func (w *walker) spelling(c jsontree.Node, f *field) string {
	n := -1
	if c.Kind() == jsontree.Number {
		if v, ok := c.Int(); ok {
			n = int(v)
		}
	} else if f.form == state {
		st, _, ok := spec.StateByWord(c.Str())
		if !ok {
			st, ok = spec.WrongState(c.Str())
		}
		if ok {
			n = st.Number
		}
	} else if r, _, ok := spec.RoleByWord(c.Str()); ok {
		n = r.Number
	}
	if list := spellings(w.d, f.form); n >= 0 && n < len(list) {
		return list[n]
	}
	return ""
}
