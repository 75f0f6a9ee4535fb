package spec

import (
	"strconv"
	"strings"
	"sync"
)

// row is one field of a message in the three protobuf schemas.
//
// Name is the proto name; "update:message" gives a JSON name that is not the
// lowerCamelCase of it, "content/parts" a second name that peers use for it.
// Type is a scalar, a message or enum of the same version, or a google.* type;
// "[]T" is repeated, "map[T]" a map from string. The last three cells are field
// numbers: "" absent, "!" required by the spec, "?" proto3 optional, "+" not in
// the tag but in the protos that SDKs of that version ship.
type row struct {
	Name, Type, Oneof string
	V03, Draft, V10   string
}

// message is one message type with its rows; Spec says where it is defined.
type message struct {
	Name, Spec string
	Rows       []row
}

// messageTables are all tables of message fields, in the order of the specification.
func messageTables() [][]message {
	return [][]message{dataMessages, eventMessages, pushMessages, cardMessages, securityMessages, requestMessages}
}

// Field is one field of a message in one version.
type Field struct {
	Number   int32  // 0 in the 0.3 JSON dialect, which has no numbers
	Name     string // proto name
	JSON     string
	Alias    string // another JSON name that peers use, or ""
	Type     string // scalar, message or enum name
	Oneof    string
	Repeated bool
	Map      bool // from string to Type
	Optional bool // proto3 optional: presence is told apart from the default
	Required bool
	Later    bool   // added after the tag; SDKs of this version have it
	Const    string // 0.3 JSON dialect: the only value allowed
}

// Shape is a message type in one version.
type Shape struct {
	Name, Spec string
	Fields     []Field
}

// ByJSON finds a field by its JSON name.
func (s *Shape) ByJSON(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.JSON == name {
			return f, true
		}
	}
	return Field{}, false
}

// Shapes returns the message types of a protobuf schema: V03, V10Draft or V10.
// The result is shared and must not be changed.
func Shapes(v Version) []Shape {
	switch v {
	case V02, V03: // 0.2 has the field numbers of 0.3
		return shapes03()
	case V10Draft:
		return shapesDraft()
	case V10:
		return shapes10()
	}
	return nil
}

// ShapeOf finds a message type by its name. Dialect J looks into the objects of
// the 0.3 JSON schema, every other dialect into the protobuf schema of v.
func ShapeOf(v Version, d Dialect, name string) (*Shape, bool) {
	list := Shapes(v)
	if d == DialectJ {
		list = shapesJ()
	}
	for i := range list {
		if list[i].Name == name {
			return &list[i], true
		}
	}
	return nil, false
}

var (
	shapes03    = sync.OnceValue(func() []Shape { return column(func(r row) string { return r.V03 }, V03) })
	shapesDraft = sync.OnceValue(func() []Shape { return column(func(r row) string { return r.Draft }, V10Draft) })
	shapes10    = sync.OnceValue(func() []Shape { return column(func(r row) string { return r.V10 }, V10) })
)

// column reads one version out of the tables.
func column(cell func(row) string, v Version) []Shape {
	var out []Shape
	for _, table := range messageTables() {
		for _, m := range table {
			s := Shape{Name: m.Name, Spec: m.Spec}
			for _, r := range m.Rows {
				if c := cell(r); c != "" {
					s.Fields = append(s.Fields, r.field(c))
				}
			}
			if len(s.Fields) > 0 || emptyMessageOf(m.Name) == v {
				out = append(out, s)
			}
		}
	}
	return out
}

// emptyMessageOf names the version that has a message without any field.
func emptyMessageOf(name string) Version {
	if name == "GetAgentCardRequest" {
		return V03
	}
	return NoVersion
}

func (r row) field(cell string) Field {
	digits := strings.TrimRight(cell, "!?+")
	n, _ := strconv.Atoi(digits) // a test refuses cells that are no number
	f := Field{
		Number: int32(n), Oneof: r.Oneof,
		Required: strings.Contains(cell, "!"), Optional: strings.Contains(cell, "?"), Later: strings.Contains(cell, "+"),
	}
	name, alias, _ := strings.Cut(r.Name, "/")
	name, json, renamed := strings.Cut(name, ":")
	if !renamed {
		json = Camel(name)
	}
	f.Name, f.JSON, f.Alias = name, json, alias
	f.Type = r.Type
	if t, ok := strings.CutPrefix(f.Type, "[]"); ok {
		f.Type, f.Repeated = t, true
	} else if t, ok := strings.CutPrefix(f.Type, "map["); ok {
		f.Type, f.Map = strings.TrimSuffix(t, "]"), true
	}
	return f
}

// Camel turns a proto name into the JSON name ProtoJSON gives it.
func Camel(name string) string {
	out := make([]byte, 0, len(name))
	up := false
	for i := range len(name) {
		c := name[i]
		if c == '_' {
			up = true
			continue
		}
		if up && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		up = false
		out = append(out, c)
	}
	return string(out)
}
