package schema

import (
	"strconv"
	"strings"
	"sync"

	"a2ascope/decode/spec"
)

// kind is how a field's value is read.
type kind uint8

const (
	kindString kind = iota
	kindBytes
	kindBool
	kindInt32
	kindInt64
	kindDouble
	kindEnum
	kindMessage
)

// scalars are the scalar types of the tables.
var scalars = []struct {
	name string
	kind kind
}{
	{"string", kindString}, {"bytes", kindBytes}, {"bool", kindBool},
	{"int32", kindInt32}, {"int64", kindInt64}, {"double", kindDouble},
}

// special marks the types that ProtoJSON writes in a form of their own.
type special uint8

const (
	plain special = iota
	specialStruct
	specialValue
	specialList
	specialTimestamp
	specialAny
)

// messageType is a shape made ready for reading.
type messageType struct {
	name     string // without package for A2A types
	full     string
	version  spec.Version
	special  special
	fields   []fieldType
	index    [maxField]uint8 // field number → position in fields plus one
	required uint32          // bit n: field n is required
}

func (m *messageType) field(number int32) *fieldType {
	if number < 0 || number >= maxField || m.index[number] == 0 {
		return nil
	}
	return &m.fields[m.index[number]-1]
}

// byKey finds a field by JSON name, proto name or alias.
func (m *messageType) byKey(key string) *fieldType {
	for i := range m.fields {
		f := &m.fields[i]
		if f.json == key || f.name == key || f.alias != "" && f.alias == key {
			return f
		}
	}
	return nil
}

type fieldType struct {
	number            int32
	name, json, alias string
	key               string // JSON name, quoted, with its colon
	member            []byte // JSON name, for paths
	kind              kind
	repeated, isMap   bool
	optional          bool
	oneof             string
	msg               *messageType
	enum              *enumType
	hint              hint
}

// hint says what a string field holds, for scoring.
type hint uint8

const (
	anyText  hint = iota
	resource      // "tasks/…": names of 0.3
	plainID       // an id, which 0.3 would write as a resource name
)

type enumType struct {
	name   string
	values []string // JSON text, quoted
}

// set is the types of one schema.
type set struct {
	version spec.Version
	pkg     string
	types   []*messageType
	names   map[string]*messageType
	enums   map[string]*enumType
	base    *set // google.* types
	files   func() *files
}

func (s *set) byName(name string) *messageType {
	if s == nil {
		return nil
	}
	if t := s.names[name]; t != nil {
		return t
	}
	return s.base.byName(name)
}

// byURL finds the type that an Any's type URL names.
func (s *set) byURL(url string) *messageType {
	name := url[strings.LastIndexByte(url, '/')+1:]
	for c := s; c != nil; c = c.base {
		for _, t := range c.types {
			if t.full == name {
				return t
			}
		}
	}
	return nil
}

func setOf(v spec.Version) *set {
	switch v {
	case spec.V02, spec.V03:
		return set03()
	case spec.V10Draft:
		return setDraft()
	case spec.V10:
		return set10()
	}
	return common()
}

var (
	common   = sync.OnceValue(func() *set { return newSet(spec.NoVersion, "", commonShapes, nil) })
	set03    = sync.OnceValue(func() *set { return newSet(spec.V03, spec.Package03, spec.Shapes(spec.V03), common()) })
	setDraft = sync.OnceValue(func() *set { return newSet(spec.V10Draft, spec.Package03, spec.Shapes(spec.V10Draft), common()) })
	set10    = sync.OnceValue(func() *set { return newSet(spec.V10, spec.Package10, spec.Shapes(spec.V10), common()) })
)

func newSet(v spec.Version, pkg string, shapes []spec.Shape, base *set) *set {
	s := &set{version: v, pkg: pkg, base: base, names: make(map[string]*messageType, len(shapes)), enums: map[string]*enumType{}}
	for _, sh := range shapes {
		t := &messageType{name: sh.Name, full: sh.Name, version: v}
		if pkg != "" {
			t.full = pkg + "." + sh.Name
		} else {
			t.special = specialOf(sh.Name)
		}
		s.names[sh.Name] = t
		s.types = append(s.types, t)
	}
	for i, sh := range shapes {
		t := s.types[i]
		for _, f := range sh.Fields {
			t.fields = append(t.fields, s.fieldType(f))
			t.index[f.Number] = uint8(len(t.fields))
			if f.Required {
				t.required |= 1 << f.Number
			}
		}
	}
	s.files = sync.OnceValue(func() *files { return buildFiles(s) })
	return s
}

func (s *set) fieldType(f spec.Field) fieldType {
	out := fieldType{
		number: f.Number, name: f.Name, json: f.JSON, alias: f.Alias, key: strconv.Quote(f.JSON) + ":", member: []byte(f.JSON),
		repeated: f.Repeated, isMap: f.Map, optional: f.Optional, oneof: f.Oneof,
	}
	switch f.Name {
	case "name", "parent":
		if s.version == spec.V03 && f.Number == 1 {
			out.hint = resource
		}
	case "id", "task_id", "tenant":
		out.hint = plainID
	}
	for _, sc := range scalars {
		if sc.name == f.Type {
			out.kind = sc.kind
			return out
		}
	}
	if values, ok := enumValues(s.version, f.Type); ok {
		if s.enums[f.Type] == nil {
			s.enums[f.Type] = newEnum(f.Type, values)
		}
		out.kind, out.enum = kindEnum, s.enums[f.Type]
		return out
	}
	out.kind, out.msg = kindMessage, s.byName(f.Type)
	return out
}

func enumValues(v spec.Version, name string) ([]string, bool) {
	if name == "google.protobuf.NullValue" {
		return []string{"NULL_VALUE"}, true
	}
	return spec.Enum(v, name)
}

func newEnum(name string, values []string) *enumType {
	e := &enumType{name: name}
	for _, v := range values {
		e.values = append(e.values, strconv.Quote(v))
	}
	return e
}
