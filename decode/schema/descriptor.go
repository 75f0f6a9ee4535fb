package schema

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// files is a schema as protobuf descriptors. Each schema has a registry of its
// own, since 0.3 and the draft share a package name. Err is our own mistake in
// a table; the tests build every schema.
type files struct {
	registry *protoregistry.Files
	err      error
}

// message returns the descriptor of a type.
func (f *files) message(t *messageType) (protoreflect.MessageDescriptor, error) {
	if f.err != nil {
		return nil, f.err
	}
	d, err := f.registry.FindDescriptorByName(protoreflect.FullName(t.full))
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", t.version, err)
	}
	return d.(protoreflect.MessageDescriptor), nil
}

// buildFiles turns a set into descriptors: one file per package.
func buildFiles(s *set) *files {
	out := &files{registry: &protoregistry.Files{}}
	sets := []*set{s}
	if s.base != nil {
		sets = []*set{s.base, s}
	}
	var imports []string
	for _, part := range sets {
		for _, f := range part.fileProtos(imports) {
			d, err := protodesc.NewFile(f, out.registry)
			if err == nil {
				err = out.registry.RegisterFile(d)
			}
			if err != nil {
				out.err = fmt.Errorf("schema %s: %w", s.version, err)
				return out
			}
			imports = append(imports, f.GetName())
		}
	}
	return out
}

// fileProtos describes the types of a set, a file for each package. A later file may import the earlier ones.
func (s *set) fileProtos(imports []string) []*descriptorpb.FileDescriptorProto {
	var out []*descriptorpb.FileDescriptorProto
	for _, t := range s.types {
		pkg, name := splitFull(t, s.pkg)
		f := fileOf(&out, pkg, imports)
		if outer, inner, nested := strings.Cut(name, "."); nested {
			for _, m := range f.MessageType {
				if m.GetName() == outer {
					m.NestedType = append(m.NestedType, s.messageProto(t, inner))
				}
			}
			continue
		}
		f.MessageType = append(f.MessageType, s.messageProto(t, name))
	}
	for _, name := range []string{"Role", "TaskState", "google.protobuf.NullValue"} {
		e := s.enums[name]
		if e == nil {
			continue
		}
		pkg, short := s.pkg, name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			pkg, short = name[:i], name[i+1:]
		}
		f := fileOf(&out, pkg, imports)
		p := &descriptorpb.EnumDescriptorProto{Name: proto.String(short)}
		for n, v := range e.values {
			p.Value = append(p.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(strings.Trim(v, `"`)), Number: proto.Int32(int32(n))})
		}
		f.EnumType = append(f.EnumType, p)
	}
	return out
}

// fileOf finds or adds the file of a package; it imports those before it.
func fileOf(list *[]*descriptorpb.FileDescriptorProto, pkg string, imports []string) *descriptorpb.FileDescriptorProto {
	deps := append([]string(nil), imports...)
	for _, f := range *list {
		if f.GetPackage() == pkg {
			return f
		}
		deps = append(deps, f.GetName())
	}
	f := &descriptorpb.FileDescriptorProto{
		Name: proto.String(pkg + ".proto"), Package: proto.String(pkg), Syntax: proto.String("proto3"), Dependency: deps,
	}
	*list = append(*list, f)
	return f
}

// splitFull splits a full name into its package and the name below it.
func splitFull(t *messageType, pkg string) (string, string) {
	if pkg != "" {
		return pkg, t.name
	}
	for _, p := range []string{"google.protobuf", "google.rpc"} {
		if rest, ok := strings.CutPrefix(t.full, p+"."); ok {
			return p, rest
		}
	}
	return "", t.full
}

func (s *set) messageProto(t *messageType, name string) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
	for i := range t.fields {
		if o := t.fields[i].oneof; o != "" && oneofIndex(m, o) < 0 {
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(o)})
		}
	}
	for i := range t.fields {
		f := &t.fields[i]
		p := &descriptorpb.FieldDescriptorProto{
			Name: proto.String(f.name), Number: proto.Int32(f.number), JsonName: proto.String(f.json),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
		s.typeOf(f, p)
		switch {
		case f.isMap:
			m.NestedType = append(m.NestedType, s.entryProto(t, f, p))
		case f.repeated:
			p.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		case f.oneof != "":
			p.OneofIndex = proto.Int32(int32(oneofIndex(m, f.oneof)))
		case f.optional: // proto3 optional is a oneof of one, after the real ones
			p.Proto3Optional = proto.Bool(true)
			p.OneofIndex = proto.Int32(int32(len(m.OneofDecl)))
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("_" + f.name)})
		}
		m.Field = append(m.Field, p)
	}
	return m
}

func oneofIndex(m *descriptorpb.DescriptorProto, name string) int {
	for i, o := range m.OneofDecl {
		if o.GetName() == name {
			return i
		}
	}
	return -1
}

// typeOf sets type and type name of a field.
func (s *set) typeOf(f *fieldType, p *descriptorpb.FieldDescriptorProto) {
	switch f.kind {
	case kindString:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
	case kindBytes:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
	case kindBool:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum()
	case kindInt32:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum()
	case kindInt64:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_INT64.Enum()
	case kindDouble:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_DOUBLE.Enum()
	case kindEnum:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
		name := f.enum.name
		if s.pkg != "" {
			name = s.pkg + "." + name
		}
		p.TypeName = proto.String("." + name)
	case kindMessage:
		p.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
		p.TypeName = proto.String("." + f.msg.full)
	}
}

// entryProto describes the entry message of a map field and makes p refer to it.
func (s *set) entryProto(t *messageType, f *fieldType, p *descriptorpb.FieldDescriptorProto) *descriptorpb.DescriptorProto {
	name := strings.ToUpper(f.json[:1]) + f.json[1:] + "Entry"
	value := proto.CloneOf(p)
	value.Name, value.Number, value.JsonName = proto.String("value"), proto.Int32(2), proto.String("value")
	p.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	p.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	p.TypeName = proto.String("." + t.full + "." + name)
	return &descriptorpb.DescriptorProto{
		Name: proto.String(name),
		Field: []*descriptorpb.FieldDescriptorProto{
			{Name: proto.String("key"), Number: proto.Int32(1), JsonName: proto.String("key"),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()},
			value,
		},
		Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
	}
}
