package translate

import (
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// A body that has the version already, under a name of the other version, is
// no translation: it is only written as its version wants it.

// repair writes an object of a version as that version spells it.
func (w *walker) repair(n jsontree.Node, name string) tree {
	if !n.IsObject() {
		return w.odd(n, name)
	}
	name = union(n, w.from, name)
	s := shapeOf(w.from, name)
	out := object()
	for c := range n.Children() {
		key := c.Key()
		f, known := fieldOf(s, key)
		if !known {
			w.stranger(&out, c, s)
			continue
		}
		w.enter(f.JSON)
		v := w.repaired(c, f)
		w.leave()
		code := ByName
		if key != f.JSON && spec.Camel(key) == f.JSON {
			code = BySnake
		}
		w.put(&out, c, f.JSON, code, v)
	}
	for _, f := range s.Fields {
		switch {
		case out.has(f.JSON) || !f.Required || w.routed && len(w.path) == 0 && inPath(f.JSON):
		case f.Const != "":
			out.put(f.JSON, text(f.Const))
			w.note(Added, Kind, f.JSON, spot{}, w.here(f.JSON))
		default:
			w.note(Unsaid, Missing, f.JSON, w.at(n), w.here(f.JSON))
		}
	}
	return out
}

// union picks the object of the 0.3 schema that is meant where it allows several.
func union(n jsontree.Node, d spec.Dialect, name string) string {
	if d != spec.DialectJ {
		return name
	}
	switch name {
	case "Part":
		switch {
		case n.Has("file"):
			return "FilePart"
		case n.Has("data"):
			return "DataPart"
		}
		return "TextPart"
	case "File":
		if n.Has("bytes") {
			return "FileWithBytes"
		}
		return "FileWithUri"
	}
	return name
}

// repaired writes the value of a member.
func (w *walker) repaired(c jsontree.Node, f spec.Field) tree {
	one := func(n jsontree.Node) tree {
		switch {
		case f.Const != "":
			if n.Str() != f.Const {
				w.note(Changed, Kind, f.JSON, w.at(n), w.here(""))
			}
			return text(f.Const)
		case f.Type == "Role":
			return w.enum(n, f, Role, roleNumber, roleWord)
		case f.Type == "TaskState":
			return w.enum(n, f, State, stateNumber, stateWord)
		case f.Type == "Part", f.Type == "File", len(shapeOf(w.from, f.Type).Fields) > 0:
			return w.repair(n, f.Type)
		}
		return asIs(n)
	}
	if f.Repeated && c.Kind() != jsontree.Null {
		return w.each(c, one)
	}
	if f.Map || c.Kind() == jsontree.Null {
		return asIs(c)
	}
	return one(c)
}
