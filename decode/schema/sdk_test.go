package schema

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"a2ascope/decode/spec"
)

// differences are the places where our tables and the descriptors of the SDKs
// differ on purpose: line as the SDK says it → line as we say it, "" for a line
// that only one side has. Everything else is a mistake in one of them.
var differences = []struct{ sdk, ours, why string }{
	{"field\t0.3\tMessage\t5\tparts\tPart\trepeated\tparts\t-\t-",
		"field\t0.3\tMessage\t5\tcontent\tPart\trepeated\tcontent\t-\t-",
		"v0.3.0 calls it content and that is what ProtoJSON peers write; the SDK's later proto calls it parts, which we know as an alias"},
	{"", "message\t0.3\tGetAgentCardRequest", "a message without fields is not in the SDK listing"},
}

// The field tables say the same as the SDKs' own descriptors, in both directions.
func TestTablesAgreeWithTheSDKs(t *testing.T) {
	sdk := map[string]bool{}
	f, err := os.Open("testdata/sdk-descriptors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if line := sc.Text(); line != "" && line[0] != '#' {
			sdk[line] = true
		}
	}
	if len(sdk) < 350 {
		t.Fatalf("only %d lines in the listing", len(sdk))
	}
	ours := map[string]bool{}
	for _, v := range []spec.Version{spec.V03, spec.V10} {
		list(t, v, ours)
	}
	for _, d := range differences {
		if d.why == "" {
			t.Errorf("no reason for %q", d.sdk+d.ours)
		}
		if d.sdk != "" && !sdk[d.sdk] || d.ours != "" && !ours[d.ours] {
			t.Errorf("this difference is gone, remove it: %q %q", d.sdk, d.ours)
		}
		delete(sdk, d.sdk)
		delete(ours, d.ours)
	}
	for line := range sdk {
		if !ours[line] {
			t.Errorf("only the SDK has: %s", line)
		}
	}
	for line := range ours {
		if !sdk[line] {
			t.Errorf("only our table has: %s", line)
		}
	}
}

// list writes a schema's descriptors in the form of the listing.
func list(t *testing.T, v spec.Version, out map[string]bool) {
	set := setOf(v)
	files := set.files()
	if files.err != nil {
		t.Fatal(files.err)
	}
	for _, mt := range set.types {
		d, err := files.message(mt)
		if err != nil {
			t.Fatal(err)
		}
		shape, _ := spec.ShapeOf(v, "", mt.name)
		if d.Fields().Len() == 0 {
			out[fmt.Sprintf("message\t%s\t%s", v, mt.name)] = true
		}
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			required := "-"
			if row, _ := shape.ByJSON(f.JSONName()); row.Required {
				required = "required"
			}
			oneof := "-"
			if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
				oneof = string(o.Name())
			}
			out[fmt.Sprintf("field\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s", v, mt.name, f.Number(), f.Name(), typeName(f), labelName(f), f.JSONName(), required, oneof)] = true
		}
	}
	for name := range set.enums {
		e, err := files.registry.FindDescriptorByName(protoreflect.FullName(set.pkg + "." + name))
		if err != nil {
			t.Fatal(err)
		}
		values := e.(protoreflect.EnumDescriptor).Values()
		for i := range values.Len() {
			out[fmt.Sprintf("enum\t%s\t%s\t%d\t%s", v, name, values.Get(i).Number(), values.Get(i).Name())] = true
		}
	}
	for _, op := range spec.Operations() {
		_, _, method, ok := spec.SplitRPCPath(spec.NameIn(op, v, spec.GRPC))
		if !ok && op == spec.ListTasks {
			method, ok = "ListTasks", true // the SDK of 0.3 ships it, the specification does not
		}
		if !ok {
			continue
		}
		req, _ := RequestOf(v, method)
		res, _ := ResponseOf(v, method)
		stream := "unary"
		if spec.Streams(op) {
			stream = "stream"
		}
		out[fmt.Sprintf("rpc\t%s\t%s\t%s\t%s\t%s", v, method, req.Name(), res.Name(), stream)] = true
	}
}

func typeName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		return "map<" + typeName(f.MapKey()) + "," + typeName(f.MapValue()) + ">"
	case f.Message() != nil:
		return shortName(f.Message())
	case f.Enum() != nil:
		return shortName(f.Enum())
	}
	return f.Kind().String()
}

func shortName(d protoreflect.Descriptor) string {
	for _, p := range []string{spec.Package03, spec.Package10} {
		if rest, ok := strings.CutPrefix(string(d.FullName()), p+"."); ok {
			return rest
		}
	}
	return string(d.FullName())
}

func labelName(f protoreflect.FieldDescriptor) string {
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

// Fields marked as later additions are just those that v0.3.0 does not have.
func TestLaterAdditions(t *testing.T) {
	want := map[string]bool{"Part.metadata": true, "FilePart.name": true, "Message.referenceTaskIds": true, "AgentCard.iconUrl": true, "AgentCapabilities.stateTransitionHistory": true}
	for _, v := range []spec.Version{spec.V03, spec.V10Draft, spec.V10} {
		for _, s := range spec.Shapes(v) {
			for _, f := range s.Fields {
				is := want[s.Name+"."+f.JSON] || strings.HasPrefix(s.Name, "ListTasksRe")
				if f.Later != (v == spec.V03 && is) {
					t.Errorf("%s %s.%s: later addition = %v", v, s.Name, f.JSON, f.Later)
				}
			}
		}
	}
}

func TestTheDraftHasDescriptorsToo(t *testing.T) {
	files := setDraft().files()
	if files.err != nil {
		t.Fatal(files.err)
	}
	for _, mt := range setDraft().types {
		d, err := files.message(mt)
		if err != nil {
			t.Fatal(err)
		}
		if d.FullName().Parent() != spec.Package03 || d.Fields().Len() != len(mt.fields) {
			t.Errorf("%s: %d fields", d.FullName(), d.Fields().Len())
		}
	}
}
