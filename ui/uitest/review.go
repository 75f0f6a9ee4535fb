package uitest

import (
	"context"
	"sync"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/rules"
)

// Asked is a conversation for the review: a card, a call without a version, and
// the same call with one.
const Asked = `> GET /.well-known/agent-card.json
> Host: agent.test
> User-Agent: py-client/1.0

+ 3ms
< 200
< Content-Type: application/json
<
< {"name":"Echo","description":"Echoes","version":"1.0.0","supportedInterfaces":[{"url":"http://agent.test/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"http://agent.test/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}],"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}

+ 1s
> POST /rpc
> Host: agent.test
> User-Agent: py-client/1.0
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}

+ 3ms
< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"version 0.3 is not supported","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]}}

`

// goesOn is what follows it.
const goesOn = `+ 1s
> POST /rpc
> Host: agent.test
> User-Agent: py-client/1.0
> A2A-Version: 1.0
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":2,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hi"}]}}}

+ 3ms
< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":2,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}

+ 1s
= b client 192.0.2.9:50000 server 192.0.2.3:80
> POST /rpc
> Host: old.test
> User-Agent: go-client/2.0
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"hi"}]}}}

+ 3ms
< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t2","contextId":"c2","status":{"state":"completed"}}}

`

// judge is the engine with all rules and questions.
var judge = sync.OnceValue(func() func() session.Engine {
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		panic(errs[0])
	}
	ask, err := diagnose.LoadQuestions(rules.FS, set)
	if err != nil {
		panic(err)
	}
	return func() session.Engine { return diagnose.NewEngine(set, diagnose.Options{Questions: ask}) }
})

// Reviewed is a session that went through everything, with its review.
func Reviewed(text string) *session.View {
	play, err := script.Parse("review.play", []byte(text))
	if err != nil {
		panic(err)
	}
	s := session.New(session.Options{NewEngine: judge(), Workers: 1})
	open := func() (capture.Source, error) { return play.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}), nil }
	if err := s.Run(context.Background(), []session.Input{{Name: "review.play", Open: open}}); err != nil {
		panic(err)
	}
	return s.View()
}
