// Command descriptors prints what the SDKs' own protobuf descriptors say,
// one field a line, in the form of decode/schema/testdata/sdk-descriptors.txt.
// It is a module of its own because the SDK packages bring gRPC with them.
// The committed listing is what this prints:
//
//	go run . | diff - ../../../decode/schema/testdata/sdk-descriptors.txt
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	_ "github.com/a2aproject/a2a-go/a2apb"
	_ "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// packages maps the protobuf packages to the protocol version they belong to.
var packages = []struct {
	version string
	pkg     protoreflect.FullName
}{
	{"0.3", "a2a.v1"},
	{"1.0", "lf.a2a.v1"},
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintln(out, "# What the protobuf descriptors of the SDKs say: a2a-go v0.3.15 (0.3) and a2a-go/v2 v2.3.1 (1.0).")
	fmt.Fprintln(out, "# Made by the program in .ci/peers/descriptors. Tab-separated:")
	fmt.Fprintln(out, "# field  version message number name type label json-name required oneof")
	fmt.Fprintln(out, "# enum   version enum number name")
	fmt.Fprintln(out, "# rpc    version method request response stream")
	for _, p := range packages {
		found := false
		protoregistry.GlobalFiles.RangeFilesByPackage(p.pkg, func(f protoreflect.FileDescriptor) bool {
			found = true
			printFile(out, p.version, f)
			return true
		})
		if !found {
			fmt.Fprintf(os.Stderr, "no descriptor of package %s is linked in\n", p.pkg)
			os.Exit(1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func printFile(out *bufio.Writer, version string, f protoreflect.FileDescriptor) {
	for i := range f.Messages().Len() {
		printMessage(out, version, f.Messages().Get(i))
	}
	for i := range f.Enums().Len() {
		e := f.Enums().Get(i)
		for j := range e.Values().Len() {
			v := e.Values().Get(j)
			fmt.Fprintf(out, "enum\t%s\t%s\t%d\t%s\n", version, e.Name(), v.Number(), v.Name())
		}
	}
	for i := range f.Services().Len() {
		s := f.Services().Get(i)
		for j := range s.Methods().Len() {
			m := s.Methods().Get(j)
			stream := "unary"
			if m.IsStreamingServer() {
				stream = "stream"
			}
			fmt.Fprintf(out, "rpc\t%s\t%s\t%s\t%s\t%s\n", version, m.Name(), short(m.Input()), short(m.Output()), stream)
		}
	}
}

func printMessage(out *bufio.Writer, version string, m protoreflect.MessageDescriptor) {
	if m.IsMapEntry() {
		return
	}
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		fmt.Fprintf(out, "field\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", version, m.Name(),
			f.Number(), f.Name(), typeOf(f), label(f), f.JSONName(), required(f), oneof(f))
	}
	for i := range m.Messages().Len() {
		printMessage(out, version, m.Messages().Get(i))
	}
}

func typeOf(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		return "map<" + typeOf(f.MapKey()) + "," + typeOf(f.MapValue()) + ">"
	case f.Message() != nil:
		return short(f.Message())
	case f.Enum() != nil:
		return short(f.Enum())
	}
	return f.Kind().String()
}

// short drops the package of A2A's own types and keeps that of others.
func short(d protoreflect.Descriptor) string {
	for _, p := range packages {
		if rest, ok := strings.CutPrefix(string(d.FullName()), string(p.pkg)+"."); ok {
			return rest
		}
	}
	return string(d.FullName())
}

func label(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		return "map"
	case f.IsList():
		return "repeated"
	case f.HasOptionalKeyword():
		return "optional"
	}
	return "-"
}

func required(f protoreflect.FieldDescriptor) string {
	behaviours, _ := proto.GetExtension(f.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	for _, b := range behaviours {
		if b == annotations.FieldBehavior_REQUIRED {
			return "required"
		}
	}
	return "-"
}

func oneof(f protoreflect.FieldDescriptor) string {
	if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return string(o.Name())
	}
	return "-"
}
