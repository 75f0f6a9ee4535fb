package schema

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"a2ascope/decode/spec"
)

// TestTexts: every text of a message is found under the names that lead to it.
func TestTexts(t *testing.T) {
	m, _ := RequestOf(spec.V10, "SendMessage")
	wire, err := Encode(m, []byte(`{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"},{"data":{"deep":{"apiKey":"k1","list":["a"]}}}],
		"metadata":{"token":"t1"}},"configuration":{"taskPushNotificationConfig":{"url":"https://c/","token":"t2","authentication":{"scheme":"Bearer","credentials":"c1"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	Texts(m, wire, func(names []string, text []byte) { got[string(text)] = strings.Join(names, "/") })
	for text, want := range map[string]string{
		"m1": "message/messageId", "hello": "message/parts/text", "https://c/": "configuration/taskPushNotificationConfig/url",
		"t2": "configuration/taskPushNotificationConfig/token", "c1": "configuration/taskPushNotificationConfig/authentication/credentials",
		"t1": "message/metadata/fields/token/stringValue",
	} {
		if got[text] != want {
			t.Errorf("%s: under %q, want %q", text, got[text], want)
		}
	}
	if under := got["k1"]; !strings.Contains(under, "/apiKey/") {
		t.Errorf("k1: under %q", under)
	}

	status, err := Encode(StatusMessage(), []byte(`{"code":5,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","metadata":{"secret":"s1"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	Texts(StatusMessage(), status, func(names []string, text []byte) {
		if string(text) == "s1" {
			found = strings.Join(names, "/")
		}
	})
	if !strings.HasSuffix(found, "metadata/secret") {
		t.Errorf("inside an Any: %q", found)
	}
}

// FuzzTexts: pieces of the input, in any input, and writing to them changes no length.
func FuzzTexts(f *testing.F) {
	m, _ := RequestOf(spec.V10, "SendMessage")
	wire, _ := Encode(m, []byte(`{"message":{"messageId":"m1","parts":[{"data":{"a":{"b":"c"}}}],"metadata":{"token":"t1"}}}`))
	f.Add(wire)
	f.Add(wire[:len(wire)-3])
	f.Add([]byte{0x0a, 0x02, 0x0a, 0x00})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range []Message{m, StatusMessage(), {}} {
			seen := 0
			Texts(m, bytes.Clone(data), func(names []string, text []byte) {
				if seen += len(text); seen > len(data) {
					t.Fatalf("%d bytes of texts in %d: %v", seen, len(data), fmt.Sprint(names))
				}
				for i := range text {
					text[i] = '*'
				}
			})
		}
	})
}
