package save

import (
	"bytes"
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/internal/session"
)

// secretPlay has a secret in every place that is known to hold one. Each
// contains the word hunter.
const secretPlay = `= plain
> POST /rpc?access_token=hunter-query&x=1
> Authorization: Bearer hunter-bearer-0123456789
> Cookie: sid=hunter-cookie; theme=dark
> X-API-Key: hunter-key
> Content-Type: application/json
> A2A-Version: 1.0
>
> {"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"log in with Bearer hunter-in-text-0123456789"}]},
> "configuration":{"taskPushNotificationConfig":{"url":"https://u:hunter-pass@c/?token=hunter-url","token":"hunter-push","authentication":{"scheme":"Bearer","credentials":"hunter-cred"}}}}}
< 200
< Content-Type: application/json
< Content-Encoding: gzip
< Set-Cookie: sid=hunter-set; Path=/
<
< {"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"r","role":"ROLE_AGENT","parts":[{"data":{"password":"hunter-gzip","pin":{"secret":"hunter-deep"}}}]}}}

> POST /rpc
> Content-Type: application/json
> A2A-Version: 1.0
>
> {"jsonrpc":"2.0","id":2,"method":"SendStreamingMessage","params":{"message":{"messageId":"m2","role":"ROLE_USER","parts":[{"text":"hi"}]}}}
< 200
< Content-Type: text/event-stream
<
< data: {"jsonrpc":"2.0","id":2,"result":{"message":{"messageId":"r","role":"ROLE_AGENT","parts":[{"text":"a"}],"metadata":{"token":"hunter-sse"}}}}

> POST /rpc?key=1
> X-API-Key: hunter-repeated-key
> Authorization: Basic dTpodW50ZXItaW4tYmFzaWM=
> Content-Type: application/json
> A2A-Version: 1.0
>
> {"jsonrpc":"2.0","id":3,"method":"GetTask","params":{"id":"t-1"}}
< 401 no hunter-repeated-key
< Content-Type: application/json
< X-Refused: hunter-repeated-key
<
< {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"the key hunter-repeated-key is unknown, and so is hunter-in-basic","data":["hunter-repeated-key"]}}

+ 1ms
= grpc
> grpc /lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig
> authorization: Bearer hunter-grpc-bearer-0123456789
> a2a-version: 1.0
> {"taskId":"t1","url":"https://c/","token":"hunter-grpc-token","authentication":{"scheme":"Bearer","credentials":"hunter-grpc-cred"}}
< {"taskId":"t1","id":"c1","url":"https://c/","token":"hunter-grpc-token","authentication":{"scheme":"Bearer","credentials":"hunter-grpc-cred"}}
< status 0

> grpc /lf.a2a.v1.A2AService/GetTask
> a2a-version: 1.0
> {"id":"nope"}
< status 5 no such task
< details [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"token":"hunter-detail"}}]

> grpc /lf.a2a.v1.A2AService/GetTask
> authorization: Bearer hunter-repeated-bearer
> a2a-version: 1.0
> {"id":"t-1"}
< status 16 hunter-repeated-bearer is refused
< details [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNAUTHENTICATED","domain":"a2a-protocol.org","metadata":{"why":"hunter-repeated-bearer"}}]

`

func secretSource(t testing.TB) func() (capture.Source, error) {
	t.Helper()
	p, err := script.Parse("secrets.play", []byte(secretPlay))
	if err != nil {
		t.Fatal(err)
	}
	return func() (capture.Source, error) { return p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}), nil }
}

// clear returns everything in a file that can be read: the text, and what is
// inside base64.
func clear(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := string(b)
	for _, word := range strings.FieldsFunc(all, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '=')
	}) {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
			if d, err := enc.DecodeString(word); err == nil && len(word) > 16 {
				all += string(d)
			}
		}
	}
	return all
}

// richErrors returns the messages in the trailers of a session.
func richErrors(t testing.TB, v *session.View) string {
	t.Helper()
	var all []byte
	for i := range v.Rows.Len() {
		if tr := v.Rows.At(i).Call().Exchange.Trailer; tr != nil {
			b, err := base64.RawStdEncoding.DecodeString(tr.Fields.Get("grpc-status-details-bin"))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
	}
	return string(all)
}

// TestSecrets: no secret reaches a masked file, all are in one that is not, and
// what is no secret stays.
func TestSecrets(t *testing.T) {
	v := view(t, secretSource(t))
	if n := len(told(t, v, true)); n < 4 {
		t.Fatalf("the play has %d lines", n)
	}
	files := map[string]string{}
	for _, ext := range []string{".har", ".pcapng"} {
		for _, plain := range []bool{true, false} {
			name := filepath.Join(t.TempDir(), "s"+ext)
			if _, err := Write(context.Background(), name, v, Options{Plain: plain}); err != nil {
				t.Fatal(err)
			}
			text := clear(t, name)
			if has := strings.Contains(text, "hunter"); has != plain {
				i := max(strings.Index(text, "hunter"), 0)
				t.Errorf("%s, plain %v: %.200q", ext, plain, text[max(i-100, 0):])
			}
			for _, word := range []string{"theme", "SendStreamingMessage", "messageId", "Path=/", "Bearer"} {
				if !strings.Contains(text, word) {
					t.Errorf("%s, plain %v: %s is gone", ext, plain, word)
				}
			}
			if !plain {
				files[ext] = name
			}
			again := view(t, opener(name))
			same(t, name, ext, told(t, again, true), told(t, v, true))
			if details := richErrors(t, again); !strings.Contains(details, "TASK_NOT_FOUND") || strings.Contains(details, "hunter") != plain {
				t.Errorf("%s, plain %v: details %q", ext, plain, details)
			}
		}
	}
	live := record(t, secretSource(t), false)
	if text := clear(t, live); strings.Contains(text, "hunter") {
		t.Error("a recording has a secret")
	}
	same(t, live, "recorded", told(t, view(t, opener(live)), true), told(t, v, true))
	if !strings.Contains(clear(t, record(t, secretSource(t), true)), "hunter-grpc-cred") {
		t.Error("a plain recording has no secret")
	}

	// From one masked form to the other and back.
	for from, to := range map[string]string{".har": "x.pcapng", ".pcapng": "x.har"} {
		name := filepath.Join(t.TempDir(), to)
		if _, err := Write(context.Background(), name, view(t, opener(files[from])), Options{}); err != nil {
			t.Fatal(err)
		}
		same(t, name, from+" to "+to, told(t, view(t, opener(name)), true), told(t, v, true))
	}
}

// TestMaskedGRPC: a message is masked in place, so that its lengths hold, and
// the JSON beside it in a HAR says the same.
func TestMaskedGRPC(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.har")
	if _, err := Write(context.Background(), name, view(t, secretSource(t)), Options{}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	stars := strings.Repeat("*", len("hunter-grpc-token"))
	if want := `"decoded":{"request":{"taskId":"t1","url":"https://c/","token":"` + stars + `"`; !bytes.Contains(b, []byte(want)) && !bytes.Contains(b, []byte(`"token":"`+stars+`"`)) {
		t.Errorf("no %s", want)
	}
	if !strings.Contains(clear(t, name), "\x11"+stars) { // the length of the field, and as many stars
		t.Error("the message is not masked in place")
	}
}
