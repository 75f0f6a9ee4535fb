package decode

import "testing"

const rpcHead = "POST /a2a\ncontent-type: application/json\n"

func TestJSONRPC(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"1.0 send", rpcHead + `a2a-version: 1.0

{"jsonrpc":"2.0","id":"7","method":"SendMessage","params":{"tenant":"acme","message":{"messageId":"m","taskId":"t-1","contextId":"c-1","role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{"returnImmediately":true}}}
---
200 OK
content-type: application/json

{"jsonrpc":"2.0","id":"7","result":{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}}`, `
kind call a2a certain
!tentative…
binding JSONRPC
operation SendMessage
method SendMessage
outcome ok
request 1.0 certain
100 1.0 method-name at request/frame/0#/method SendMessage
40 1.0 role-enum at request/frame/0#/params/message/role ROLE_USER
40 1.0 return-immediately at request/frame/0#/params/configuration/returnImmediately true
40 1.0 tenant at request/frame/0#/params/tenant acme
response 1.0 likely
40 1.0 result-wrapper at response/frame/0#/result/task task
40 1.0 state-enum at response/frame/0#/result/task/status/state TASK_STATE_COMPLETED
declared set "1.0" version 1.0 from header
dialect 1.0
rpc id "7" answer "7" batch 0
task t-1
context c-1
tenant acme at request/frame/0#/params/tenant
params object of 3 at request/frame/0#/params
result object of 1 at response/frame/0#/result`},
		{"0.3 send, answered as text/plain", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":{"blocking":true,"pushNotificationConfig":{"url":"http://w","token":"secret","authentication":{"schemes":["Bearer"]}}}}}
---
200 OK
content-type: text/plain; charset=utf-8

{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}}`, `
operation SendMessage
outcome ok
request 0.3 certain
40 0.3 kind at request/frame/0#/params/message/parts/0/kind text
40 0.3 role-lower at request/frame/0#/params/message/role user
15 0.3 blocking at request/frame/0#/params/configuration/blocking true
40 0.3 auth-schemes at request/frame/0#/params/configuration/pushNotificationConfig/authentication/schemes schemes
response 0.3 certain
40 0.3 result-bare at response/frame/0#/result task
40 0.3 state-lower at response/frame/0#/result/status/state completed
dialect J
task t
push url http://w config - task - token true bare false`},
		{"0.1 by its name", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"t1","sessionId":"s1","message":{"role":"user","parts":[{"type":"text","text":"x"}]}}}
---
200 OK

{"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"bad state"}}`, `
operation SendMessage
request 0.1 certain
40 0.1 part-type at request/frame/0#/params/message/parts/0/type text
40 0.1 session-id at request/frame/0#/params/sessionId s1
task t1
context s1
outcome a2a-error
fault rpc-nodata at response/frame/0#/error http 200 grpc -1 code -32009 a2a InvalidTaskStateError std - sure certain message "bad state"`},
		{"0.1 body under a name of all versions", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","parts":[{"type":"text","text":"x"}]}}}`, `
request 0.1 likely`},
		{"names new, shapes old", rpcHead + `a2a-version: 1.0

{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"file","file":{"uri":"http://x","mimeType":"a/b"}}]}}}`, `
request mixed(name 1.0, body 0.3) certain
40 0.3 part-file at request/frame/0#/params/message/parts/0/file/uri uri
dialect J`},
		{"names old, shapes new", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"url":"http://x","mediaType":"a/b"}]}}}`, `
request mixed(name 0.3, body 1.0) likely
40 1.0 part-flat at request/frame/0#/params/message/parts/0/url http://x`},
		{"0.3 ProtoJSON copied into JSON-RPC", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithUri":"http://x"}},{"data":{"data":{"a":1}}}]}}}`, `
request 0.3 certain
100 0.3 content-with-role-enum at request/frame/0#/params/message/content content
100 0.3 part-file-with at request/frame/0#/params/message/content/0/file/fileWithUri fileWithUri
40 0.3 part-data-nested at request/frame/0#/params/message/content/1/data {data:{data}}
dialect P`},
		{"draft name", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"SetTaskPushNotificationConfig","params":{"taskId":"t","configId":"c","config":{"url":"http://w"}}}`, `
operation CreateTaskPushNotificationConfig
request 1.0-draft certain
40 1.0-draft push-config-id at request/frame/0#/params/config {…}
push url http://w config c task t token false bare false
dialect draft`},
		{"push get of 1.0", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTaskPushNotificationConfig","params":{"taskId":"t","id":"c"}}`, `
request 1.0 certain
task t
push url - config c task t token false bare false`},
		{"push get with old ids under the new name", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTaskPushNotificationConfig","params":{"id":"t","pushNotificationConfigId":"c"}}`, `
request mixed(name 1.0, body 0.3) certain
task t
push url - config c task t token false bare false`},
		{"push create flat", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"t","id":"c","url":"http://w","token":"x","authentication":{"scheme":"Bearer","credentials":"s"}}}`, `
request 1.0 certain
40 1.0 push-flat at request/frame/0#/params/url http://w
40 1.0 auth-scheme at request/frame/0#/params/authentication/scheme Bearer
push url http://w config c task t token true bare false`},
		{"push create wrapped with id and taskId", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"id":"c","taskId":"t","pushNotificationConfig":{"url":"http://w"}}}`, `
request mixed(name 1.0, body 1.0-draft) likely`},
		{"list answered as array", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/list","params":{"id":"t"}}
---
200 OK

{"jsonrpc":"2.0","id":1,"result":[{"taskId":"t","pushNotificationConfig":{"url":"u"}}]}`, `
operation ListTaskPushNotificationConfigs
response 0.3 likely
40 0.3 push-list-array at response/frame/0#/result […]
40 0.3 push-wrapped at response/frame/0#/result/0/pushNotificationConfig pushNotificationConfig`},
		{"near miss of a name, with a message", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"sendMessage","params":{"message":{"parts":[{"text":"x"}]}}}`, `
kind call a2a likely
operation SendMessage
flags misnamed
!tentative…`},
		{"near miss alone", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"message.send","params":{}}`, `
tentative or jsonrpc-other
operation SendMessage
flags misnamed`},
		{"unknown method with a header of A2A", rpcHead + `a2a-version: 1.0

{"jsonrpc":"2.0","id":1,"method":"myorg.ext/do","params":{}}`, `
kind call a2a likely
binding JSONRPC
!operation…
!tentative…`},
		{"unknown method", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"doit","params":{}}`, `
kind call a2a possible
tentative or jsonrpc-other`},
		{"unknown method answered with a task", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"doit","params":{}}
---
200

{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"working"}}}`, `
!tentative…
task t`},
		{"batch", rpcHead + `
[{"jsonrpc":"2.0","id":1,"method":"foo"},{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"id":"t"}}]
---
200

{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`, `
operation GetTask
rpc id 2 answer null batch 2
params object of 1 at request/frame/0#/1/params
outcome std-error
fault rpc-nodata at response/frame/0#/error http 200 grpc -1 code -32600 a2a - std InvalidRequestError sure certain message "no batches"`},
		{"no jsonrpc member", rpcHead + `
{"id":1,"method":"message/send","params":{"message":{"role":"user","parts":[]}}}`, `
kind call a2a certain
operation SendMessage
!rpc…`},
		{"no jsonrpc member and a method of nobody", rpcHead + `
{"method":"card","params":{"x":1}}`, `
tentative or http-other`},
		{"not JSON but names a method", rpcHead + `
jsonrpc=2.0&method=message/send`, `
kind call a2a possible
tentative or http-other
binding JSONRPC`},
		{"body breaks off", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"us`, `
operation SendMessage
problem json-cut at request/frame/0#: the request body ends inside its JSON: byte 79: text ends inside a string`},
		{"extended card", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}
---
200

{"jsonrpc":"2.0","id":1,"result":{"name":"n","description":"d","version":"1","url":"http://x","preferredTransport":"JSONRPC","protocolVersion":"0.3.0","capabilities":{},"skills":[],"defaultInputModes":[],"defaultOutputModes":[]}}`, `
operation GetExtendedAgentCard
response 0.3 likely
card 0.3 "n" version 1 protocol 0.3.0 preferred JSONRPC streaming - push - extended-card - secured false signatures 0 extended`},
		{"1.0 error", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
---
200

{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`, `
outcome a2a-error
response 1.0 likely
40 1.0 error-info at response/frame/0#/error/data/0 TASK_NOT_FOUND
fault rpc-array at response/frame/0#/error http 200 grpc -1 code -32001 a2a TaskNotFoundError std - reason TASK_NOT_FOUND domain a2a-protocol.org details type.googleapis.com/google.rpc.ErrorInfo sure certain info message "no"`},
		{"foreign 404", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
---
404 Not Found
content-type: text/html

<html>
<body>Cannot POST /a2a</body>`, `
outcome foreign-error
fault foreign at response/frame/0# http 404 grpc -1 code 0 a2a - std - sure certain message "<html>"`},
		{"gateway", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
---
502 Bad Gateway

<html>`, `
outcome http-error`},
		{"JSON-RPC error with HTTP 500", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
---
500 Internal Server Error

{"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"no"}}`, `
outcome a2a-error
15 1.0 error-code at response/frame/0#/error/code -32009`},
		{"redirect", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
---
301 Moved Permanently
location: /x

<html>`, `
outcome http-error`},
		{"the POST became a GET behind a redirect", `GET /agent/

---
200

{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_REQUEST","domain":"a2a-protocol.org"}]}}`, `
kind call a2a likely
binding JSONRPC
!operation…
outcome std-error`},
		{"HTML with 200", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
---
200
content-type: text/html

<html>`, `
outcome foreign-error
problem not-json at response/frame/0#: the answer is text/html where JSON was due`},
		{"response only", `none
---
200

{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}`, `
kind call a2a likely
binding JSONRPC
response 1.0 likely`},
		{"no answer", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
--- closed server`, `
outcome no-response`},
		{"reset", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}
--- reset server`, `
outcome transport-error`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, c.want) })
	}
}

func TestOtherRPC(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"MCP method", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `
kind other mcp certain
!binding…
method tools/list`},
		{"MCP task by taskId", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"x"}}`, `
kind other mcp certain`},
		{"MCP task by header", rpcHead + `mcp-session-id: 1

{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{}}`, `
kind other mcp certain`},
		{"undecided", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{"cursor":"x"}}`, `
kind call a2a possible
tentative or jsonrpc-other
operation ListTasks`},
		{"undecided until the answer: MCP", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/list"}
---
200

{"jsonrpc":"2.0","id":1,"result":{"tasks":[{"taskId":"x","status":"working","ttl":1}]}}`, `
kind other mcp certain
!operation…
!request…`},
		{"undecided until the answer: A2A", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/list"}
---
200

{"jsonrpc":"2.0","id":1,"result":{"tasks":[{"id":"x","status":{"state":"working"}}]}}`, `
kind call a2a likely
!tentative…
operation ListTasks`},
		{"A2A task", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}`, `
kind call a2a certain
task x
operation GetTask`},
		{"Ethereum", rpcHead + `
{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[]}`, `
kind other jsonrpc-other certain`},
		{"an answer as request", rpcHead + `
{"jsonrpc":"2.0","id":1,"result":{}}`, `
kind other jsonrpc-other certain`},
		{"model API", `POST /v1/chat/completions
content-type: application/json

{"model":"m","messages":[]}
---
200
content-type: text/event-stream

data: {"id":"1","choices":[]}

data: [DONE]`, `
kind other openai-like certain
outcome ok
!event…`},
		{"health", "GET /healthz\n\n---\n200\n\n{}", `
kind infra http-other possible
tentative or http-other`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, c.want) })
	}
}

func TestDeclared(t *testing.T) {
	body := "\n" + `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`
	for _, c := range []struct{ name, head, want string }{
		{"absent", "POST /\n", "!declared…"},
		{"empty", "POST /\nA2A-VERSION:  \n", `declared empty "" version - from header`},
		{"patch", "POST /\na2a-version: 1.0.1\n", `declared set "1.0.1" version 1.0 from header patch`},
		{"malformed", "POST /\na2a-version: v1.0\n", `declared set "v1.0" version - from header malformed`},
		{"major alone", "POST /\na2a-version: 1\n", `declared set "1" version - from header malformed`},
		{"unknown version", "POST /\na2a-version: 9.9\n", `declared set "9.9" version 9.9 from header`},
		{"two", "POST /\na2a-version: 1.0\nA2A-Version: 0.3\n", `declared set "1.0, 0.3" version - from header multi`},
		{"joined", "POST /\na2a-version: 1.0,0.3\n", `declared set "1.0,0.3" version - from header multi`},
		{"twice the same", "POST /\na2a-version: 1.0\na2a-version: 1.0\n", `declared set "1.0, 1.0" version 1.0 from header`},
		{"query", "POST /?x=1&a2a-version=1%2E0\n", `declared set "1.0" version 1.0 from query`},
		{"query and header", "POST /?A2A-Version=1.0\na2a-version: 0.3\n", `declared set "0.3" version 0.3 from header query "1.0"`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.head+body, c.want) })
	}
}
