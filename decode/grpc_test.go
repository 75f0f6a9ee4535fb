package decode

import (
	"encoding/base64"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode/schema"
)

func details(t *testing.T, json string) string {
	t.Helper()
	b, err := schema.EncodeStatus([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

func TestGRPC(t *testing.T) {
	info := details(t, `{"code":9,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]}`)
	for _, c := range []struct{ name, text, want string }{
		{"1.0 send", `grpc /lf.a2a.v1.A2AService/SendMessage
a2a-version: 1.0

{"message":{"messageId":"m","contextId":"c","role":"ROLE_USER","parts":[{"text":"x"}]},"tenant":"acme"}
---
200
content-type: application/grpc+proto

{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
===
grpc-status: 0`, `
kind call a2a certain
binding GRPC
operation SendMessage
outcome ok
request 1.0 certain
100 1.0 grpc-package at request/line /lf.a2a.v1.A2AService/SendMessage
response 1.0 certain
declared set "1.0" version 1.0 from metadata
grpc lf.a2a.v1 A2AService SendMessage schema 1.0 status 0
task t
context c
tenant acme at request/frame/0#/tenant
dialect 1.0
!problem…`},
		{"0.3 by the resource name", `grpc /a2a.v1.A2AService/GetTask

{"name":"tasks/t"}
---
200
content-type: application/grpc

{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"}}
===
grpc-status: 0`, `
operation GetTask
request 0.3 likely
40 0.3 grpc-field-1 at request/frame/0#/name tasks/t
response 0.3 certain
grpc a2a.v1 A2AService GetTask schema 0.3 status 0
task t
dialect P`},
		{"draft by the bare id", `grpc /a2a.v1.A2AService/GetTask

hex 0a 03 74 2d 31
---
200
content-type: application/grpc

===
grpc-status: 5
grpc-message: task%20not found`, `
request 1.0-draft likely
grpc a2a.v1 A2AService GetTask schema 1.0-draft status 5 task not found
task t-1
outcome a2a-error
fault grpc-bare at response/trailer/grpc-status http 200 grpc 5 code 0 a2a TaskNotFoundError std - sure likely message "task not found"`},
		{"draft by its method", `grpc /a2a.v1.A2AService/SubscribeToTask

hex 0a 01 74
---
200
content-type: application/grpc

===
grpc-status: 12
grpc-message: unknown method`, `
operation SubscribeToTask
request 1.0-draft certain
outcome std-error
fault grpc-bare at response/trailer/grpc-status http 200 grpc 12 code 0 a2a - std - sure certain message "unknown method"`},
		{"0.3 by its method", `grpc /a2a.v1.A2AService/TaskSubscription

{"name":"tasks/t"}`, `
operation SubscribeToTask
request 0.3 certain
task t
flags streaming`},
		{"0.3 send with text alone is assumed", `grpc /a2a.v1.A2AService/SendMessage

{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]}}`, `
request 0.3 possible
grpc a2a.v1 A2AService SendMessage schema 0.3 status -1`},
		{"0.3 send with a file", `grpc /a2a.v1.A2AService/SendMessage

{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithUri":"http://x","mimeType":"a/b"}}]}}`, `
request 0.3 likely
40 0.3 grpc-fields…`},
		{"error with details, trailers only", `grpc /lf.a2a.v1.A2AService/GetTask

{"id":"t"}
---
200
content-type: application/grpc
grpc-status: 9
grpc-message: no
grpc-status-details-bin: ` + info + `

`, `
outcome a2a-error
response 1.0 certain
fault grpc-errorinfo at response/header/grpc-status http 200 grpc 9 code 0 a2a VersionNotSupportedError std - reason VERSION_NOT_SUPPORTED domain a2a-protocol.org details type.googleapis.com/google.rpc.ErrorInfo sure certain info message "no"`},
		{"class name in the message", `grpc /a2a.v1.A2AService/CreateTaskPushNotificationConfig

{"parent":"tasks/t","configId":"c","config":{"name":"n","pushNotificationConfig":{"url":"http://w"}}}
---
200
content-type: application/grpc
grpc-status: 12
grpc-message: PushNotificationNotSupportedError: no

`, `
outcome a2a-error
push url http://w config c task t token false bare false
fault grpc-bare at response/header/grpc-status http 200 grpc 12 code 0 a2a PushNotificationNotSupportedError std - sure likely message "PushNotificationNotSupportedError: no"`},
		{"gateway before gRPC", `grpc /lf.a2a.v1.A2AService/GetTask

{"id":"t"}
---
502
content-type: text/html

<html>bad`, `
outcome http-error
fault foreign at response/frame/0# http 502 grpc -1 code 0 a2a - std - sure certain message "<html>bad"`},
		{"web page before gRPC", `grpc /lf.a2a.v1.A2AService/GetTask

{"id":"t"}
---
200
content-type: text/html

<html>`, `outcome foreign-error`},
		{"unknown fields", `grpc /lf.a2a.v1.A2AService/GetTask

hex 12 01 74 98 06 07
---
200
content-type: application/grpc

===
grpc-status: 0`, `
task t
problem grpc-field-unknown at request/frame/0#…`},
		{"stream", `grpc /lf.a2a.v1.A2AService/SendStreamingMessage

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/grpc

{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}
===
grpc-status: 0`, `
outcome ok
flags streaming
event 0 task at response/frame/0#/task version 1.0 task t context c state TASK_STATE_WORKING member
event 1 statusUpdate at response/frame/1#/statusUpdate version 1.0 task t context c state TASK_STATE_COMPLETED member
task t`},
		{"stream that fails", `grpc /lf.a2a.v1.A2AService/SendStreamingMessage

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/grpc

{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}
===
grpc-status: 13
grpc-message: boom`, `
outcome std-error
event 0 task…
fault grpc-bare at response/trailer/grpc-status http 200 grpc 13 code 0 a2a - std - sure certain in-band message "boom"`},
		{"package of one's own", "grpc /my.pkg.A2AService/GetTask\n\nhex 12 01 74", `
kind call a2a possible
tentative or grpc-other
binding GRPC
operation GetTask`},
		{"health", "grpc /grpc.health.v1.Health/Check\n\n", "kind infra grpc-other possible"},
		{"other", "grpc /helloworld.Greeter/SayHello\n\n", "kind other grpc-other certain"},
		{"unknown method of a known service", "grpc /lf.a2a.v1.A2AService/Foo\n\n", `
kind call a2a certain
!operation…
request 1.0 certain`},
		{"extended card", `grpc /a2a.v1.A2AService/GetAgentCard

{}
---
200
content-type: application/grpc

{"protocolVersion":"0.3.0","name":"n","description":"d","url":"u","version":"1","skills":[{"id":"s"}]}
===
grpc-status: 0`, `
operation GetExtendedAgentCard
card 0.3 "n"… `},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, strings.TrimRight(c.want, " ")) })
	}
}

// The path of a call can be in an HPACK entry that was sent before the capture began.
func TestGRPCLostPath(t *testing.T) {
	es := events(t, `grpc /lf.a2a.v1.A2AService/SendMessage
a2a-version: 1.0

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","mediaType":"text/plain"}]}}
---
200
content-type: application/grpc

{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}
===
grpc-status: 0`)
	h := *es[0].Body.(*capture.Head)
	h.Target = "\u2039:path unknown\u203a"
	es[0].Body = &h
	cs := readAll(es)
	c := cs[len(cs)-1].call
	if !c.GRPC.SchemaGuessed || c.GRPC.Schema != "1.0" || c.Operation != "SendMessage" || c.Response.Value != "1.0" || c.Outcome != "ok" {
		t.Errorf("guessed:\n%s", Dump(c))
	}
}
