package decode

import "testing"

const okTask = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}}`

func TestREST(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"1.0 send", `POST /agent/message:send
a2a-version: 1.0
content-type: application/json

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}
---
200
content-type: application/a2a+json

{"task":` + okTask + `}`, `
kind call a2a likely
!tentative…
binding HTTP+JSON
operation SendMessage
method POST /message:send
outcome ok
request 1.0 likely
15 1.0 path-no-v1 at request/line /agent/message:send
response 1.0 likely
40 1.0 role-enum at response/frame/0#/task/status/message/role ROLE_AGENT
15 1.0 media-type at response/header/content-type application/a2a+json
!40 1.0 result-wrapper…
path base "/agent" v1 - template message:send rest "/agent"
task t
context c`},
		{"0.3 ProtoJSON", `POST /v1/message:send

{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]}}
---
201

{"task":{"id":"t","status":{"state":"TASK_STATE_CANCELLED","update":{"role":"ROLE_AGENT","content":[{"text":"x"}]}}}}`, `
method POST /v1/message:send
request 0.3 certain
response 0.3 certain
100 0.3 state-cancelled at response/frame/0#/task/status/state TASK_STATE_CANCELLED
dialect P
path base "" v1 ambiguous template message:send rest "/v1"`},
		{"0.3 in snake_case without prefix", `POST /message:send

{"message":{"kind":"message","message_id":"m","context_id":"c","role":"user","parts":[{"kind":"text","text":"x"}]}}`, `
request 0.3 likely
dialect snake
context c`},
		{"1.0 under a base that ends in v1", `POST /v1/message:send
a2a-version: 1.0

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, `
request 1.0 likely`},
		{"a GET says little, the header more", "GET /v1/tasks/t\na2a-version: 1.0\n\n", `
request 1.0 possible
15 1.0 declared at request/header/a2a-version 1.0
operation GetTask
task t
!tentative…`},
		{"the 0.3 layer of a 1.0 client", "GET /tasks/t\na2a-version: 0.3\n\n", `request 0.3 possible`},
		{"generic route unproven", "GET /v1/tasks/77\n\n---\n404\n\n{\"error\":\"no\"}", `
kind call a2a possible
tentative or http-other`},
		{"generic route proven by its answer", "GET /v1/tasks/t\n\n---\n200\n\n" + okTask, `
!tentative…
response 1.0 likely`},
		{"generic list of somebody else", "GET /tasks\n\n---\n200\n\n{\"tasks\":[{\"id\":1,\"title\":\"x\"}]}", `tentative or http-other`},
		{"generic list proven", "GET /tasks?contextId=c&status=TASK_STATE_WORKING\n\n---\n200\n\n{\"tasks\":[" + okTask + "]}", `
!tentative…
operation ListTasks
context c`},
		{"colon route unproven", "POST /tasks/t:cancel\n\n---\n404\n\n<html>", `
tentative or http-other
operation CancelTask
outcome foreign-error`},
		{"id with an escaped colon", "GET /tasks/a%3Acancel\na2a-version: 1.0\n\n", `
operation GetTask
task a:cancel`},
		{"wrong verb", "PUT /tasks/t:cancel\na2a-version: 1.0\n\n", `flags verb-mismatch`},
		{"slash for colon", `POST /v1/message/send

{"message":{"role":"ROLE_USER","parts":[{"text":"x"}]}}`, `
operation SendMessage
flags misnamed
!tentative…`},
		{"message to an unknown path", `POST /chat

{"message":{"role":"user","parts":[{"kind":"text","text":"x"}]}}`, `
kind call a2a possible
tentative or http-other
binding HTTP+JSON
!operation…`},
		{"singular route of the 0.3 proto", `POST /v1/task/t/pushNotificationConfigs

{"parent":"tasks/t","configId":"c","config":{"name":"x","pushNotificationConfig":{"url":"http://w","token":"s"}}}`, `
operation CreateTaskPushNotificationConfig
request 0.3 certain
100 0.3 route-singular at request/line /v1/task/t/pushNotificationConfigs
push url http://w config c task t token true bare false`},
		{"push create of js 0.3: the bare config object", `POST /v1/tasks/t/pushNotificationConfigs

{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"url":"http://w","id":"c"}}`, `
request 0.3 certain
push url http://w config c task t token false bare false`},
		{"push config of 1.0 by path", "DELETE /tasks/t/pushNotificationConfigs/c\na2a-version: 1.0\n\nnull\n---\n200\n\n{}", `
operation DeleteTaskPushNotificationConfig
outcome ok
push url - config c task t token false bare false`},
		{"extended card of 0.3", "GET /v1/card\n\n---\n200\n\n" + card03, `
operation GetExtendedAgentCard
request 0.3 likely
!tentative…
response 0.3 likely`},
		{"extended card of the draft", "GET /v1/extendedAgentCard\n\n", `request 1.0-draft possible`},
		{"tenant in query", "GET /tasks/t?tenant=acme&historyLength=3\na2a-version: 1.0\n\n", `
tenant acme at request/query/tenant
request 1.0 likely`},
		{"tenant in path and body", `POST /base/acme/message:send
a2a-version: 1.0

{"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, `
path base "/base" v1 - template message:send rest "/base/acme"
tenant acme at request/frame/0#/tenant`},
		{"draft error", `POST /tasks/t:cancel

---
404
content-type: application/problem+json

{"type":"https://a2a-protocol.org/errors/task-not-found","title":"Task Not Found","status":404,"detail":"no t"}`, `
outcome a2a-error
!tentative…
response 1.0-draft likely
fault problem at response/frame/0# http 404 grpc -1 code 0 a2a TaskNotFoundError std - type https://a2a-protocol.org/errors/task-not-found sure certain message "no t"`},
		{"1.0 error", `GET /tasks/t

---
404

{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`, `
!tentative…
outcome a2a-error
fault status-errorinfo at response/frame/0#/error http 404 grpc -1 code 0 a2a TaskNotFoundError std - status NOT_FOUND reason TASK_NOT_FOUND domain a2a-protocol.org details type.googleapis.com/google.rpc.ErrorInfo sure certain info message "no"`},
		{"1.0 error without details", `POST /message:send
a2a-version: 1.0

{}
---
400

{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad"}}`, `
outcome std-error
fault status-plain at response/frame/0#/error http 400 grpc -1 code 0 a2a - std - status INVALID_ARGUMENT sure certain message "bad"`},
		{"error of the Go 0.3 layer", `POST /message:send
a2a-version: 0.3

{}
---
404
content-type: application/problem+json

{"error":{"code":404,"status":"NOT_FOUND","message":"no"}}`, `fault status-under-problem at…`},
		{"error of js 0.3", `GET /v1/tasks/t

---
404

{"code":-32001,"message":"Task not found: t"}`, `
!tentative…
outcome a2a-error
fault code-message at response/frame/0# http 404 grpc -1 code -32001 a2a TaskNotFoundError std - sure certain message "Task not found: t"
15 0.3 error-shape at response/frame/0# code-message`},
		{"error of python 0.3", `POST /v1/tasks/t:cancel

---
404

{"message":"Task not found"}`, `
outcome a2a-error
fault message-only at response/frame/0# http 404 grpc -1 code 0 a2a TaskNotFoundError std - sure likely message "Task not found"`},
		{"error of an API gateway", `POST /v1/tasks/t:cancel

---
403

{"message":"Forbidden"}`, `
outcome http-error
fault foreign at…`},
		{"error of java 0.3", `POST /v1/tasks/t:cancel

---
409

{"error":"io.a2a.spec.TaskNotCancelableError","message":"no"}`, `
outcome a2a-error
fault error-string at response/frame/0# http 409 grpc -1 code 0 a2a TaskNotCancelableError std - sure certain message "no"`},
		{"error of Spring", `POST /v1/message:send

{"message":{"role":"user","parts":[]}}
---
404

{"timestamp":"x","status":404,"error":"Not Found","path":"/v1/message:send"}`, `
outcome foreign-error
fault foreign at…`},
		{"error of FastAPI", "POST /message:send\na2a-version: 1.0\n\n{}\n---\n404\n\n{\"detail\":\"Not Found\"}", `
outcome foreign-error
fault foreign at response/frame/0# http 404 grpc -1 code 0 a2a - std - sure certain message "Not Found"`},
		{"JSON-RPC answered a REST call", `POST /message:send
a2a-version: 1.0

{}
---
200

{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`, `
outcome std-error
fault rpc-nodata at response/frame/0#/error http 200 grpc -1 code -32600 a2a - std InvalidRequestError sure certain message "x"`},
		{"unauthorized", "GET /tasks/t\na2a-version: 1.0\n\n---\n401\nwww-authenticate: Bearer\n\n", `outcome http-error`},
		{"look-alike", "POST /v1/models/x:generateContent\n\n{}", "kind other http-other…"},
		{"header of A2A at an unknown path", "POST /nowhere\na2a-version: 1.0\n\n{}", `
kind call a2a possible
tentative or http-other`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, c.want) })
	}
}

const card03 = `{"name":"n","description":"d","version":"1","protocolVersion":"0.3.0","url":"http://x/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"http://x/rest","transport":"HTTP+JSON"}],"capabilities":{"streaming":true},"skills":[],"defaultInputModes":[],"defaultOutputModes":[],"supportsAuthenticatedExtendedCard":true,"security":[{"k":[]}],"securitySchemes":{"k":{"type":"apiKey"}}}`

const card10 = `{"name":"n","description":"d","version":"1","supportedInterfaces":[{"url":"http://x/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"acme"},{"url":"x:50","protocolBinding":"GRPC","protocolVersion":"1.0.1"}],"capabilities":{"pushNotifications":false,"extendedAgentCard":true,"extensions":[{"uri":"urn:x","required":true}]},"skills":[],"defaultInputModes":[],"defaultOutputModes":[]}`

func TestCards(t *testing.T) {
	get := "GET /.well-known/agent-card.json\n\n---\n200\ncontent-type: application/json\n\n"
	for _, c := range []struct{ name, text, want string }{
		{"1.0", get + card10, `
kind card a2a certain
operation GetAgentCard
!binding…
outcome ok
response 1.0 likely
card 1.0 "n" version 1 protocol - preferred - streaming - push false extended-card true secured false signatures 0
interface JSONRPC 1.0 http://x/rpc tenant acme from supportedInterfaces at response/frame/0#/supportedInterfaces/0
interface GRPC 1.0.1 x:50 tenant - from supportedInterfaces at response/frame/0#/supportedInterfaces/1
extension urn:x required true`},
		{"0.3", get + card03, `
response 0.3 likely
card 0.3 "n" version 1 protocol 0.3.0 preferred JSONRPC streaming true push - extended-card true secured true signatures 0
interface JSONRPC 0.3.0 http://x/rpc tenant - from url at response/frame/0#/url
interface HTTP+JSON 0.3.0 http://x/rest tenant - from additionalInterfaces at response/frame/0#/additionalInterfaces/0`},
		{"blended", get + `{"name":"n","description":"d","version":"1","url":"u","supportedInterfaces":[],"capabilities":{},"skills":[],"defaultInputModes":[]}`, `
card blended…
response mixed likely`},
		{"0.2", "GET /.well-known/agent.json\n\n---\n200\n\n" + `{"name":"n","description":"d","version":"1","url":"u","capabilities":{},"skills":[],"defaultInputModes":[]}`, `
card 0.2…
response 0.2 likely`},
		{"0.1", "GET /.well-known/agent.json\n\n---\n200\n\n" + `{"name":"n","version":"1","url":"u","authentication":{"schemes":[]},"capabilities":{},"skills":[],"defaultInputModes":[]}`, `card 0.1…`},
		{"behind a base path", "GET /team/agent/.well-known/agent-card.json\n\n", "kind card a2a certain"},
		{"not modified", "GET /.well-known/agent-card.json\nif-none-match: \"x\"\n\n---\n304\n\n", `
outcome ok
!card…`},
		{"HEAD", "HEAD /.well-known/agent-card.json\n\n---\n200\n\n", `
kind card a2a certain
outcome ok`},
		{"not found", "GET /.well-known/agent-card.json\n\n---\n404\n\nnot here", "outcome foreign-error"},
		{"HTML at the card's path", get + "<html>", `
outcome foreign-error
problem not-json…`},
		{"JSON that is no card", get + `{"status":"up"}`, "problem not-a-card at response/frame/0#: the answer at the card's path is no agent card"},
		{"card at any path", "GET /agents/7\n\n---\n200\n\n" + card10, `
kind card a2a certain
!tentative…
method GET /agents/7`},
		{"card at the root, unproven", "GET /agent.json\n\n", "tentative or http-other"},
		{"card at the root, proven", "GET /agent.json\n\n---\n200\n\n" + card03, "!tentative…"},
		{"preflight of A2A", "OPTIONS /rpc\naccess-control-request-method: POST\naccess-control-request-headers: content-type, A2A-Version\n\n---\n204\n\n", `
kind preflight a2a certain
!tentative…
outcome ok`},
		{"preflight of anybody", "OPTIONS /rpc\naccess-control-request-method: POST\n\n---\n204\n\n", `
kind preflight a2a possible
tentative or http-other`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, c.want) })
	}
}

func TestPushDeliveries(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"1.0 update", `POST /hook
content-type: application/a2a+json

{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
---
204

`, `
kind push a2a likely
!tentative…
!binding…
request 1.0 likely
outcome ok
task t
context c
push url - config - task t token false bare false statusUpdate`},
		{"0.3 task with a token", `POST /hook
X-A2A-Notification-Token: secret

{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}
---
500

no`, `
kind push a2a likely
request 0.3 certain
push url - config - task t token true bare true task
outcome foreign-error`},
		{"message of an agent", `POST /hook

{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}`, `
kind push a2a possible
tentative or http-other`},
		{"a client's message is no delivery", `POST /hook

{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, "kind call a2a possible"},
		{"somebody else's webhook", `POST /hook

{"task":"build","id":7}`, "kind other http-other…"},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, c.text, c.want) })
	}
}
