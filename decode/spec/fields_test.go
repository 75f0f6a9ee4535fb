package spec

import (
	"strings"
	"testing"
)

func TestFieldTablesAreWhole(t *testing.T) {
	for _, table := range messageTables() {
		for _, m := range table {
			if m.Spec == "" {
				t.Errorf("%s cites no section", m.Name)
			}
			for _, r := range m.Rows {
				if r.V03+r.Draft+r.V10 == "" {
					t.Errorf("%s.%s is in no version", m.Name, r.Name)
				}
				for _, c := range []string{r.V03, r.Draft, r.V10} {
					if c != "" && (strings.Trim(c, "0123456789!?+") != "" || c[0] < '1' || c[0] > '9') {
						t.Errorf("%s.%s: cell %q", m.Name, r.Name, c)
					}
				}
				if strings.HasPrefix(r.Type, "[]") && r.Oneof != "" {
					t.Errorf("%s.%s is repeated and in a oneof", m.Name, r.Name)
				}
			}
		}
	}
	for _, v := range []Version{V03, V10Draft, V10} {
		names := map[string]bool{}
		for _, s := range Shapes(v) {
			if names[s.Name] {
				t.Errorf("%s: message %s twice", v, s.Name)
			}
			names[s.Name] = true
		}
		for _, s := range Shapes(v) {
			numbers, keys := map[int32]bool{}, map[string]bool{}
			for _, f := range s.Fields {
				if numbers[f.Number] || keys[f.JSON] {
					t.Errorf("%s %s.%s: number or name is there twice", v, s.Name, f.Name)
				}
				numbers[f.Number], keys[f.JSON] = true, true
				_, enum := Enum(v, f.Type)
				scalar := f.Type == "string" || f.Type == "bool" || f.Type == "int32" || f.Type == "bytes"
				if !names[f.Type] && !enum && !scalar && !strings.HasPrefix(f.Type, "google.protobuf.") {
					t.Errorf("%s %s.%s: no type %s", v, s.Name, f.Name, f.Type)
				}
				// Repeated numbers would be packed, which decode/schema does not read.
				if f.Repeated && (enum || scalar && f.Type != "string" && f.Type != "bytes") {
					t.Errorf("%s %s.%s: repeated number", v, s.Name, f.Name)
				}
			}
		}
	}
	if Shapes(V01) != nil || len(Shapes(V02)) != len(Shapes(V03)) {
		t.Error("0.1 has no protobuf schema, 0.2 that of 0.3")
	}
}

func TestShapesOfTheJSONDialect(t *testing.T) {
	names := map[string]bool{"Part": true, "File": true, "SecurityScheme": true, "Role": true, "TaskState": true, "string": true, "bool": true, "int": true, "object": true}
	for _, s := range shapesJ() {
		names[s.Name] = true
	}
	for _, s := range shapesJ() {
		seen := map[string]bool{}
		for _, f := range s.Fields {
			if f.Name == "" || seen[f.Name] || !names[f.Type] || strings.ContainsAny(f.Name, "!=:[]") {
				t.Errorf("%s: member %+v", s.Name, f)
			}
			seen[f.Name] = true
		}
	}
	task, ok := ShapeOf(V03, DialectJ, "Task")
	if !ok {
		t.Fatal("no Task")
	}
	kind, _ := task.ByJSON("kind")
	history, _ := task.ByJSON("history")
	if !kind.Required || kind.Const != "task" || !history.Repeated || history.Type != "Message" || history.Required {
		t.Errorf("%+v %+v", kind, history)
	}
	if _, ok := task.ByJSON("createdAt"); ok {
		t.Error("a task has no createdAt")
	}
}

func TestShapeOf(t *testing.T) {
	for _, c := range []struct {
		v           Version
		msg, member string
		number      int32
	}{
		{V03, "TaskStatus", "message", 2}, {V10, "Artifact", "parts", 4}, {V10Draft, "Artifact", "parts", 5}, {V03, "Message", "content", 5},
		{V10, "SendMessageRequest", "message", 2}, {V10Draft, "AgentCard", "supportedInterfaces", 19}, {V03, "SendMessageResponse", "message", 2},
		{V10, "OAuth2SecurityScheme", "oauth2MetadataUrl", 3},
	} {
		s, ok := ShapeOf(c.v, "", c.msg)
		if !ok {
			t.Errorf("%s has no %s", c.v, c.msg)
			continue
		}
		if f, ok := s.ByJSON(c.member); !ok || f.Number != c.number {
			t.Errorf("%s %s.%s = %+v", c.v, c.msg, c.member, f)
		}
	}
	if _, ok := ShapeOf(V10, "", "TaskSubscriptionRequest"); ok {
		t.Error("1.0 has no TaskSubscriptionRequest")
	}
	if _, ok := ShapeOf(V03, "", "GetAgentCardRequest"); !ok {
		t.Error("0.3 has a GetAgentCardRequest, if an empty one")
	}
}
