package audit

import (
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

func send(v spec.Version, b spec.Binding, params string) *decode.Call {
	return &decode.Call{Kind: spec.KindCall, Binding: b, Operation: spec.SendMessage, CallVersion: decode.VersionFact{Value: v, Sure: decode.Certain},
		Params: jsontree.Parse([]byte(params)).Root()}
}

func TestRequest(t *testing.T) {
	for _, c := range []struct {
		name           string
		version        spec.Version
		params         string
		code, at, want string
	}{
		{"missing", spec.V10, `{"message":{"role":"ROLE_USER","parts":[{"text":"a"}]}}`, "missing/messageId", "request/frame/0#/message", "messageId"},
		{"empty is missing", spec.V10, `{"message":{"messageId":"","role":"ROLE_USER","parts":[{"text":"a"}]}}`, "missing/Message.messageId", "request/frame/0#/message", "messageId"},
		{"0.3 role", spec.V10, `{"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]}}`, "enum-other/role", "request/frame/0#/message/role", "ROLE_USER"},
		{"1.0 role", spec.V03, `{"message":{"kind":"message","messageId":"m","role":"ROLE_USER","parts":[{"kind":"text","text":"a"}]}}`, "enum-other/role", "request/frame/0#/message/role", "user"},
		{"number", spec.V10, `{"message":{"messageId":"m","role":1,"parts":[{"text":"a"}]}}`, "enum-number/role", "request/frame/0#/message/role", "ROLE_USER"},
		{"no such role", spec.V10, `{"message":{"messageId":"m","role":"Role.user","parts":[{"text":"a"}]}}`, "enum-wrong/role", "request/frame/0#/message/role", ""},
		{"two contents", spec.V10, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","url":"b"}]}}`, "oneof/Part.*", "request/frame/0#/message/parts/0", "text, raw, url, data"},
		{"0.3 part", spec.V10, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"kind":"text","text":"a"}]}}`, "other/Part.kind", "request/frame/0#/message/parts/0/kind", "0.3 JSON-RPC"},
		{"wrong kind", spec.V03, `{"message":{"kind":"msg","messageId":"m","role":"user","parts":[{"kind":"text","text":"a"}]}}`, "constant/kind", "request/frame/0#/message/kind", "message"},
		{"snake", spec.V10, `{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`, "snake", "request/frame/0#/message/message_id", "messageId"},
		{"unknown", spec.V10, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"mood":1}}`, "unknown", "request/frame/0#/message/mood", ""},
		{"type", spec.V10, `{"message":{"messageId":7,"role":"ROLE_USER","parts":[{"text":"a"}]}}`, "type/messageId", "request/frame/0#/message/messageId", "string"},
		{"no list", spec.V10, `{"message":{"messageId":"m","role":"ROLE_USER","parts":{"text":"a"}}}`, "type/parts", "request/frame/0#/message/parts", "array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			slips := Request(send(c.version, spec.JSONRPC, c.params))
			s := Find(slips, c.code)
			if s == nil {
				t.Fatalf("no %s in %+v", c.code, slips)
			}
			if string(s.Place) != c.at || s.Want != c.want {
				t.Errorf("at %s want %q, not at %s want %q", s.Place, s.Want, c.at, c.want)
			}
		})
	}
}

func TestRightRequestsHaveNone(t *testing.T) {
	for _, c := range []*decode.Call{
		send(spec.V10, spec.JSONRPC, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","metadata":{"kind":"x"}},{"data":{"role":1}}],"metadata":{"snake_case":1}},"configuration":{"returnImmediately":true,"historyLength":"3"}}`),
		send(spec.V03, spec.JSONRPC, `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"a"},{"kind":"file","file":{"uri":"u"}},{"kind":"data","data":{"role":1}}]},"configuration":{"blocking":true}}`),
		send(spec.V03, spec.HTTPJSON, `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"a"}]}}`),
		send(spec.NoVersion, spec.JSONRPC, `{"anything":1}`),
	} {
		if slips := Request(c); len(slips) > 0 {
			t.Errorf("%s %s: %+v", c.CallVersion.Value, c.Binding, slips)
		}
	}
	c := send(spec.V10, spec.JSONRPC, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`)
	Request(c)
	if n := testing.AllocsPerRun(100, func() { Request(c) }); n > 0 {
		t.Errorf("a request without slips allocates %v times", n)
	}
}

func TestSlipsAreBounded(t *testing.T) {
	b := []byte(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]`)
	for i := range 500 {
		b = append(b, []byte(`,"x`+string(rune('a'+i%26))+string(rune('a'+i/26))+`":1`)...)
	}
	slips := Request(send(spec.V10, spec.JSONRPC, string(append(b, "}}"...))))
	if len(slips) != maxSlips {
		t.Errorf("%d slips, not %d", len(slips), maxSlips)
	}
	same := Request(send(spec.V10, spec.JSONRPC, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"kind":"a","text":"a"},{"kind":"a","text":"a"}]}}`))
	if len(same) != 1 || same[0].Count != 2 {
		t.Errorf("equal slips are not counted together: %+v", same)
	}
}
