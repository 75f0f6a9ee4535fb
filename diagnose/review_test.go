package diagnose_test

import (
	"testing"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/rules"
)

// builtIn loads the rules and the questions of the program.
func builtIn(t *testing.T) (*diagnose.Set, *diagnose.Questions) {
	t.Helper()
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	ask, err := diagnose.LoadQuestions(rules.FS, set)
	if err != nil {
		t.Fatal(err)
	}
	return set, ask
}

// TestExhausted: a question that compares bindings cannot be answered by an
// agent with one, and says so instead of asking for more.
func TestExhausted(t *testing.T) {
	set, ask := builtIn(t)
	const (
		answer = "\n+ 5ms\n< 200\n< Content-Type: application/json\n<\n< "
		head   = "> GET /.well-known/agent-card.json\n> Host: agent.example.com\n" + answer +
			`{"name":"a","description":"a","version":"1","supportedInterfaces":[{"url":"http://agent.example.com/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`
		second = `,{"url":"http://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}`
		tail   = `],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}` + "\n\n+ 1s\n"
		call   = "> POST /rpc\n> Host: agent.example.com\n> A2A-Version: 1.0\n> Content-Type: application/json\n>\n" +
			`> {"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}` + "\n" +
			answer + `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}` + "\n"
	)
	for _, tt := range []struct {
		name, play string
		want       bool
		spared     int
	}{
		{"one binding", head + tail + call, true, 2},
		{"two bindings", head + second + tail + call, false, 1},
		{"no card", call, false, 0},
	} {
		o, err := ruletest.Play(set, "x.play", []byte(tt.play), diagnose.Options{Questions: ask})
		if err != nil {
			t.Fatal(err)
		}
		s := o.Review.Agents[0].Coverage[0]
		spared := 0
		for _, p := range s.Parts {
			if p.Spared {
				spared++
			}
		}
		if s.Question.ID != "I1" || s.Answer != diagnose.Partly || s.Exhausted() != tt.want || spared != tt.spared {
			t.Errorf("%s: %s is %s, exhausted %t, spares %d parts", tt.name, s.Question.ID, s.Answer, s.Exhausted(), spared)
		}
	}
}
