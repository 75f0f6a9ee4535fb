package audit

import (
	"sync"

	"a2ascope/decode/spec"
)

// dialect is a table to compare with.
type dialect uint8

const (
	none  dialect = iota
	old           // 0.3 JSON-RPC: the JSON schema
	oldP          // 0.3 ProtoJSON and gRPC
	draft         // 1.0-draft
	young         // 1.0
	dialects
)

// form is how a value of a field is written in JSON.
type form uint8

const (
	anything form = iota // not looked into: struct, value, metadata
	text
	stamp // a point in time
	number
	boolean
	object
	role
	state
)

// field of a shape.
type field struct {
	json, alias string
	form        form
	shape       *shape // form object
	list, table bool   // an array of it; an object whose values are it
	required    bool
	constant    string
	oneof       uint8 // number of the group, 0 for none
}

// shape of an object.
type shape struct {
	name   string
	fields []field
	groups uint8 // oneofs, numbered from 1
}

func (s *shape) field(key []byte) (int, *field) {
	for i := range s.fields {
		f := &s.fields[i]
		if len(f.json) == len(key) && f.json == string(key) || f.alias != "" && f.alias == string(key) {
			return i, f
		}
	}
	return -1, nil
}

// mayBeEmpty: required members whose empty value says something: the last page,
// a list without tasks (1.0 §3.1.4).
func (f *field) mayBeEmpty() bool {
	return f.json == "nextPageToken" || f.json == "tasks" || f.form == number || f.form == boolean
}

// shapes of a dialect by name.
type shapes map[string]*shape

var tables = sync.OnceValue(func() [dialects]shapes {
	var out [dialects]shapes
	out[oldP], out[draft], out[young] = build(spec.V03, spec.DialectP), build(spec.V10Draft, spec.DialectDraft), build(spec.V10, spec.Dialect10)
	out[old] = build(spec.V03, spec.DialectJ)
	return out
})

func build(v spec.Version, d spec.Dialect) shapes {
	list := spec.Shapes(v)
	if d == spec.DialectJ {
		list = spec.ShapesJ()
	}
	out := shapes{}
	for i := range list {
		out[list[i].Name] = &shape{name: list[i].Name}
	}
	if d == spec.DialectJ {
		for _, union := range []string{"Part", "File"} {
			out[union] = &shape{name: union}
		}
	}
	for i := range list {
		out.fill(out[list[i].Name], &list[i])
	}
	return out
}

func (t shapes) fill(s *shape, from *spec.Shape) {
	groups := map[string]uint8{}
	for _, f := range from.Fields {
		g := field{json: f.JSON, alias: f.Alias, list: f.Repeated, table: f.Map, required: f.Required, constant: f.Const}
		switch f.Type {
		case "google.protobuf.Timestamp":
			g.form = stamp
		case "string", "bytes":
			g.form = text
			if from.Name == "TaskStatus" && f.JSON == "timestamp" { // the 0.3 schema has strings only
				g.form = stamp
			}
		case "int32", "int64", "double", "int":
			g.form = number
		case "bool":
			g.form = boolean
		case "Role":
			g.form = role
		case "TaskState":
			g.form = state
		default:
			if to := t[f.Type]; to != nil {
				g.form, g.shape = object, to
			}
		}
		if f.Oneof != "" {
			if groups[f.Oneof] == 0 {
				groups[f.Oneof] = uint8(len(groups) + 1)
			}
			g.oneof = groups[f.Oneof]
		}
		s.fields = append(s.fields, g)
	}
	s.groups = uint8(len(groups))
}

// has reports whether the shape of that name in another dialect has a member.
func (d dialect) has(shape string, key []byte) bool {
	s := tables()[d][shape]
	if s == nil {
		return false
	}
	_, f := s.field(key)
	return f != nil
}
