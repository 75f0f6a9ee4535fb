package translate

import (
	"strconv"
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// walker goes through one body beside the shapes of both dialects.
type walker struct {
	changes
	from, to spec.Dialect
	base     decode.Place // of the document the nodes are in, with its "#"
	path     []string     // of the value being written
	routed   bool         // ids and tenant are carried by the path of the request
	taskID   string       // what the path says, for bodies that want it
	configID string
}

func (w *walker) at(n jsontree.Node) spot { return spot{n, w.base} }

// here is the pointer of a member of the value being written.
func (w *walker) here(name string) string {
	p := ""
	for _, s := range w.path {
		p += "/" + jsontree.EscapePointer(s)
	}
	if name != "" {
		p += "/" + jsontree.EscapePointer(name)
	}
	return p
}

func (w *walker) enter(name string) { w.path = append(w.path, name) }
func (w *walker) leave()            { w.path = w.path[:len(w.path)-1] }

// versionOf is the version whose tables hold a dialect.
func versionOf(d spec.Dialect) spec.Version {
	if d == spec.Dialect10 {
		return spec.V10
	}
	return spec.V03
}

func shapeOf(d spec.Dialect, name string) *spec.Shape {
	if s, ok := spec.ShapeOf(versionOf(d), d, name); ok {
		return s
	}
	return &spec.Shape{Name: name}
}

// fieldOf finds a member by its JSON name, its proto name or another name that peers use.
func fieldOf(s *spec.Shape, key string) (spec.Field, bool) {
	if f, ok := s.ByJSON(key); ok {
		return f, true
	}
	for _, f := range s.Fields {
		if f.Name == key || f.Alias != "" && f.Alias == key || f.JSON == spec.Camel(key) {
			return f, true
		}
	}
	return spec.Field{}, false
}

// object translates an object of a known type.
func (w *walker) object(n jsontree.Node, t *spec.Twin) tree {
	if !n.IsObject() {
		return w.odd(n, t.Name(w.from))
	}
	if t.V10 == "Part" {
		return w.part(n)
	}
	src, dst := shapeOf(w.from, t.Name(w.from)), shapeOf(w.to, t.Name(w.to))
	out := object()
	for _, f := range dst.Fields {
		if f.Const != "" {
			out.put(f.JSON, text(f.Const))
			if code := Kind; !n.Has(f.JSON) {
				if f.JSON == "type" {
					code = SchemeType
				}
				w.note(Added, code, f.JSON, spot{}, w.here(f.JSON))
			}
		}
	}
	for c := range n.Children() {
		w.member(&out, c, t, src, dst)
	}
	switch t.V10 {
	case "TaskStatusUpdateEvent":
		w.final(&out, n)
	case "SendMessageConfiguration":
		w.unsetWaiting(&out, t)
	}
	for _, f := range dst.Fields {
		if f.Required && !out.has(f.JSON) && !(w.routed && len(w.path) == 0 && inPath(f.JSON)) {
			w.note(Unsaid, Missing, f.JSON, w.at(n), w.here(f.JSON))
		}
	}
	return out
}

// inPath: members that a REST route carries instead of the body.
func inPath(name string) bool {
	return name == "id" || name == "taskId" || name == "name" || name == "parent"
}

// odd keeps a value of another type than the table has.
func (w *walker) odd(n jsontree.Node, name string) tree {
	if n.Exists() && n.Kind() != jsontree.Null {
		w.note(Unsaid, WrongType, name, w.at(n), w.here(""))
	}
	return asIs(n)
}

// member translates a member of an object, and puts it where it belongs.
func (w *walker) member(out *tree, c jsontree.Node, t *spec.Twin, src, dst *spec.Shape) {
	key := c.Key()
	f, known := fieldOf(src, key)
	if !known {
		w.stranger(out, c, dst)
		return
	}
	if f.Const != "" {
		w.constant(c, f)
		return
	}
	name, how := t.Member(w.from, w.to, f.JSON)
	g, has := dst.ByJSON(name)
	if !has {
		w.gone(c, f, t)
		return
	}
	switch how {
	case spec.Inverted:
		if c.Kind() == jsontree.Bool {
			w.put(out, c, name, Inverted, boolean(!c.Bool()))
			return
		}
	case spec.Listed:
		w.schemes(out, c, name)
		return
	case spec.Resource:
		if w.from == spec.DialectP || w.to == spec.DialectP {
			w.resource(out, c, t)
			return
		}
	case spec.Required:
		w.enter(name)
		v := w.requirements(c)
		w.leave()
		w.put(out, c, name, ByName, v)
		return
	case spec.Wrapped:
		w.enter(name)
		v := w.each(c, w.pushConfig)
		w.leave()
		out.put(name, v)
		return
	}
	if f.JSON == "historyLength" && w.zeroHistory(out, c, name) {
		return
	}
	w.enter(name)
	v := w.field(c, f)
	w.leave()
	if g.Later {
		w.note(Changed, LaterMember, key, w.at(c), w.here(name))
	}
	code := ByName
	if key != f.JSON && spec.Camel(key) == f.JSON {
		code = BySnake
	}
	w.put(out, c, name, code, v)
}

// put adds a member under the name it has in the other version.
func (w *walker) put(out *tree, c jsontree.Node, name string, code Code, v tree) {
	key := c.Key()
	if !out.put(name, v) {
		w.note(Lost, Twice, key, w.at(c), w.here(name))
		return
	}
	if code != ByName {
		w.note(Changed, code, key, w.at(c), w.here(name))
	} else if key != name {
		w.note(Renamed, ByName, key, w.at(c), w.here(name))
	}
}

// stranger keeps a member that the version of the message does not have.
func (w *walker) stranger(out *tree, c jsontree.Node, dst *spec.Shape) {
	key := c.Key()
	effect, code := Kept, UnknownName
	if _, there := dst.ByJSON(key); there { // ignored where it was, and heard there
		effect, code = Differs, OtherVersion
	}
	if !out.put(key, asIs(c)) && code == UnknownName {
		w.note(Lost, Twice, key, w.at(c), w.here(key))
		return
	}
	w.note(effect, code, key, w.at(c), w.here(key))
}

// constant drops a member with only one value: 0.3's kind.
func (w *walker) constant(c jsontree.Node, f spec.Field) {
	code := Kind
	if f.JSON == "type" {
		code = SchemeType
	}
	if c.Str() == f.Const {
		w.note(Dropped, code, f.JSON, w.at(c), "")
		return
	}
	w.note(Lost, code, f.JSON, w.at(c), "")
}

// gone notes a member for which the other version has no place.
func (w *walker) gone(c jsontree.Node, f spec.Field, t *spec.Twin) {
	code := NoPlace
	switch {
	case f.JSON == "final" && t.V10 == "TaskStatusUpdateEvent":
		return // see final
	case f.JSON == "extendedAgentCard":
		return // see capabilities
	case c.Kind() == jsontree.Null || c.IsObject() && c.Len() == 0 || c.IsArray() && c.Len() == 0 || c.IsString() && c.Str() == "":
		return // nothing was said
	case f.JSON == "tenant":
		code = Tenant
	case f.JSON == "metadata":
		code = Metadata
	case f.JSON == "nextPageToken":
		code = PageToken
	}
	w.note(Lost, code, c.Key(), w.at(c), "")
}

// field translates the value of a field: one, a list, or a map.
func (w *walker) field(c jsontree.Node, f spec.Field) tree {
	one := func(n jsontree.Node) tree { return w.value(n, f) }
	switch {
	case c.Kind() == jsontree.Null:
		return asIs(c)
	case f.Repeated:
		return w.each(c, one)
	case f.Map && c.IsObject():
		out := object()
		for m := range c.Children() {
			w.enter(m.Key())
			out.put(m.Key(), one(m))
			w.leave()
		}
		return out
	}
	return one(c)
}

// each translates the elements of an array.
func (w *walker) each(c jsontree.Node, one func(jsontree.Node) tree) tree {
	if !c.IsArray() {
		return w.odd(c, c.Key())
	}
	out := tree{kind: jsontree.Array}
	for item := range c.Children() {
		w.enter(strconv.Itoa(len(out.kids)))
		out.add(one(item))
		w.leave()
	}
	return out
}

func (w *walker) value(n jsontree.Node, f spec.Field) tree {
	switch f.Type {
	case "Role":
		return w.enum(n, f, Role, roleNumber, roleWord)
	case "TaskState":
		return w.enum(n, f, State, stateNumber, stateWord)
	case "google.protobuf.Timestamp":
		return w.stamp(n, f)
	case "SecurityScheme":
		return w.scheme(n)
	}
	if f.JSON == "timestamp" { // the 0.3 schema has strings only
		return w.stamp(n, f)
	}
	if t, ok := spec.TwinOf(w.from, f.Type); ok {
		return w.object(n, t)
	}
	return asIs(n)
}

// enum writes a role or a state as the other version spells it.
func (w *walker) enum(n jsontree.Node, f spec.Field, code Code, number func(jsontree.Node) int, word func(spec.Dialect, int) string) tree {
	i := number(n)
	to := ""
	if i >= 0 {
		to = word(w.to, i)
	}
	switch {
	case to == "":
		w.note(Unsaid, EnumUnknown, f.JSON, w.at(n), w.here(""))
		return asIs(n)
	case n.IsString() && n.Str() == to:
		return asIs(n)
	case code == State && i == 0:
		code = StateUnknown
	}
	w.note(Changed, code, f.JSON, w.at(n), w.here(""))
	return text(to)
}

func roleNumber(n jsontree.Node) int {
	if i, ok := n.Int(); ok && i >= 0 && i < int64(len(spec.Roles())) {
		return int(i)
	}
	if r, _, ok := spec.RoleByWord(n.Str()); ok {
		return r.Number
	}
	return -1
}

func roleWord(d spec.Dialect, i int) string {
	if d == spec.DialectJ {
		return spec.Roles()[i].V03J
	}
	return spec.Roles()[i].V10
}

func stateNumber(n jsontree.Node) int {
	if i, ok := n.Int(); ok && i >= 0 && i < int64(len(spec.States())) {
		return int(i)
	}
	if s, _, ok := spec.StateByWord(n.Str()); ok {
		return s.Number
	}
	return -1
}

func stateWord(d spec.Dialect, i int) string {
	s, _ := spec.StateByNumber(i)
	switch d {
	case spec.DialectJ:
		return s.V03J
	case spec.DialectP:
		return s.V03P
	}
	return s.V10
}

// stamp writes a point in time in UTC, as 1.0 wants it (1.0 §5.6.1); 0.3 takes any form.
func (w *walker) stamp(n jsontree.Node, f spec.Field) tree {
	if w.to != spec.Dialect10 || !n.IsString() {
		return asIs(n)
	}
	s := n.Str()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		w.note(Unsaid, StampUnclear, f.JSON, w.at(n), w.here(""))
		return asIs(n)
	}
	if s[len(s)-1] == 'Z' {
		return asIs(n)
	}
	w.note(Changed, Stamp, f.JSON, w.at(n), w.here(""))
	return text(at.UTC().Format(time.RFC3339Nano))
}

// unsetWaiting: in protobuf unset is false, so an unset blocking says as much as
// returnImmediately. The JSON schema of 0.3 leaves it open.
func (w *walker) unsetWaiting(out *tree, t *spec.Twin) {
	if w.from != spec.DialectP && w.to != spec.DialectP {
		return
	}
	for i := range t.Members {
		if m := &t.Members[i]; m.How == spec.Inverted && out.put(m.Name(w.to), boolean(true)) {
			w.note(Added, Waiting, m.Name(w.to), spot{}, w.here(m.Name(w.to)))
		}
	}
}

// final: 0.3 marks the last event, 1.0 closes the stream.
func (w *walker) final(out *tree, n jsontree.Node) {
	state := stateNumber(n.Path("status", "state"))
	s, _ := spec.StateByNumber(state)
	ends := s.Terminal || s.Interrupted
	if w.to == spec.Dialect10 {
		f := n.Get("final")
		switch {
		case f.Bool() != ends:
			w.note(Lost, Final, "final", w.at(n), "")
		case f.Exists():
			w.note(Dropped, Final, "final", w.at(f), "")
		}
		return
	}
	if (ends || w.to == spec.DialectJ) && out.put("final", boolean(ends)) {
		w.note(Added, Final, "final", spot{}, w.here("final"))
	}
}

// zeroHistory: 0 is no history in 1.0, all of it in the proto of 0.3, and
// undefined in its JSON schema.
func (w *walker) zeroHistory(out *tree, c jsontree.Node, name string) bool {
	i, ok := c.Int()
	if s := c.Str(); s != "" { // ProtoJSON takes numbers as text
		i, ok = 0, s == "0"
	}
	if !ok || i != 0 {
		return false
	}
	if w.from == spec.DialectP {
		w.note(Lost, HistoryZero, "historyLength", w.at(c), "")
		return true // without it the agent decides, which is nearer than none
	}
	w.note(Lost, HistoryZero, "historyLength", w.at(c), w.here(name))
	out.put(name, asIs(c))
	return true
}

// schemes: 1.0 has one scheme, 0.3 a list.
func (w *walker) schemes(out *tree, c jsontree.Node, name string) {
	switch {
	case w.to != spec.Dialect10 && c.IsString():
		w.put(out, c, name, Schemes, tree{kind: jsontree.Array, kids: []tree{asIs(c)}})
	case w.to == spec.Dialect10 && c.IsArray() && c.Len() > 0:
		w.put(out, c, name, Schemes, asIs(c.Index(0)))
		if c.Len() > 1 {
			w.note(Lost, SchemesMany, c.Key(), w.at(c), w.here(name))
		}
	case c.IsArray() && c.Len() == 0:
	default:
		w.odd(c, c.Key())
		out.put(name, asIs(c))
	}
}
