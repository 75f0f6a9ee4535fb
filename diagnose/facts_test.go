package diagnose

import (
	"reflect"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// Credentials, tokens and what people wrote never become facts: facts go into
// findings, findings go out.
func TestFactsHoldNoSecrets(t *testing.T) {
	const secret = "s3cr3t"
	w := newWorld(t)
	c := w.rpc("a.example", "/", "CreateTaskPushNotificationConfig", about("t1"),
		params(`{"taskId":"t1","url":"https://c.example/hook","token":"`+secret+`","authentication":{"scheme":"Bearer","credentials":"`+secret+`"},"metadata":{"k":"`+secret+`"}}`),
		result(`{"id":"c1","taskId":"t1","url":"https://c.example/hook","token":"`+secret+`"}`),
		func(c *decode.Call) {
			c.Push = &decode.PushFact{URL: "https://c.example/hook", TaskID: "t1", Token: true}
			for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "A2A-Notification-Token", "Proxy-Authorization"} {
				c.Exchange.Request.Fields = append(c.Exchange.Request.Fields, capture.Field{Name: name, Value: secret})
			}
			c.Exchange.Response.Fields = append(c.Exchange.Response.Fields, capture.Field{Name: "Set-Cookie", Value: secret})
		})
	f := w.run(c)
	check(t, "credential", f.Call.HTTP.Credential, true)
	walkStrings(reflect.ValueOf(f).Elem(), func(path, s string) {
		if strings.Contains(s, secret) {
			t.Errorf("%s holds a secret", path)
		}
	})
	m := w.run(w.rpc("a.example", "/", "SendMessage", params(`{"message":{"parts":[{"text":"`+secret+`"}]}}`), result(`{"message":{"parts":[{"text":"`+secret+`"}]}}`)))
	walkStrings(reflect.ValueOf(m).Elem(), func(path, s string) {
		if strings.Contains(s, secret) {
			t.Errorf("%s holds message text", path)
		}
	})
}

func walkStrings(v reflect.Value, visit func(path, s string)) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct && strings.HasSuffix(v.Type().String(), "Facts") {
				walk(path, v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(path+"."+v.Type().Field(i).Name, v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
		case reflect.String:
			visit(path, v.String())
		}
	}
	walk("", v)
}

// Facts are reused: nothing of an exchange may show in the next one.
func TestFactsAreForgotten(t *testing.T) {
	w := newWorld(t)
	w.run(w.card("a.example", card10(entry("JSONRPC", "1.0", "https://a.example/"))))
	w.look(w.rpc("a.example", "/", "SendMessage", declared("9.9"), about("t1"), fails(spec.A2AError, decode.Fault{Code: -32009, A2A: "VersionNotSupportedError", Message: "A2A version 0.3"})))
	if w.f.Call.Fault.Message == "" || w.f.Iface.URL == "" {
		t.Fatal("facts were not filled")
	}
	x := w.exchange("b.example", "/")
	w.f.FillCall(&decode.Call{Exchange: x, GRPC: decode.GRPCFact{Status: -1}})
	fresh := NewFacts()
	fresh.FillCall(&decode.Call{Exchange: x, GRPC: decode.GRPCFact{Status: -1}})
	if !reflect.DeepEqual(w.f, fresh) {
		t.Error("facts of the last exchange are left over")
	}
}

// Every exported member is named for CEL, each name once, in the types that CEL reads cheaply.
func TestFactTags(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		names := map[string]bool{}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			name := f.Tag.Get("cel")
			if name == "" || names[name] || name != strings.ToLower(name) {
				t.Errorf("%s.%s: tag %q", typ.Name(), f.Name, name)
			}
			names[name] = true
			switch f.Type {
			case reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[bool](), reflect.TypeFor[[]string]():
			default:
				if f.Type.Kind() != reflect.Pointer {
					t.Errorf("%s.%s: type %s", typ.Name(), f.Name, f.Type)
					continue
				}
				walk(f.Type.Elem())
			}
		}
	}
	walk(reflect.TypeFor[Facts]())
}
