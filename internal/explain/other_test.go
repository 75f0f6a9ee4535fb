package explain_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/translate"
	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/internal/explain"
	"a2ascope/internal/lang"
)

const listed = `> POST /
> Host: agent.example
> Content-Type: application/json
> Authorization: Bearer abcdefghijklmnop
> A2A-Version: 1.0
>
> {"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"it's"}]}}}

< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}

> POST /
> Host: agent.example
> Content-Type: application/json
> A2A-Version: 1.0
>
> {"jsonrpc":"2.0","id":2,"method":"ListTasks","params":{}}

< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":2,"result":{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}}
`

// inOrder lists the calls of a play.
func inOrder(out *ruletest.Outcome) []*decode.Call {
	ids := slices.Sorted(maps.Keys(out.Calls))
	list := make([]*decode.Call, len(ids))
	for i, id := range ids {
		list[i] = out.Calls[id]
	}
	return list
}

func section(e explain.Explanation, id string) *explain.Section {
	for i := range e.Sections {
		if e.Sections[i].ID == id {
			return &e.Sections[i]
		}
	}
	return nil
}

func TestTheOtherVersion(t *testing.T) {
	set := loadRules(t)
	out, err := ruletest.Play(set, "listed", []byte(listed), diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	calls := inOrder(out)
	for _, l := range []diagnose.Lang{diagnose.EN, diagnose.ZH} {
		w := lang.TranslateWords(string(l))
		e := explain.Exchange(calls[0], nil, explain.Options{Lang: l})
		s := section(e, "request-0.3")
		if s == nil {
			t.Fatalf("%s: no section of the request in %+v", l, e)
		}
		const command = `curl -sS -i -X POST http://agent.example/ \
  -H 'Content-Type: application/json' \
  -H 'Authorization: Bearer [masked 16 bytes]' \
  --data-raw '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"it'\''s"}]}}}'
`
		if s.Parts[0].Paste != command || s.Parts[0].Label != w.Command {
			t.Errorf("%s: the command is\n%s\nwant\n%s", l, s.Parts[0].Paste, command)
		}
		text := flat(explain.Explanation{Sections: []explain.Section{*s}})
		if !strings.Contains(text, w.Masked) || !strings.Contains(text, "\"method\": \"message/send\",\n") {
			t.Errorf("%s: %s", l, text)
		}
		table := s.Parts[len(s.Parts)-1].Table
		if r := table.Rows[0]; r.Code != "lost/tenant" || r.At != "request/frame/0#/params/tenant" || r.Cells[0] != w.Effect["lost"]+lang.ExplainWords(string(l)).Colon+"tenant" {
			t.Errorf("%s: what is lost does not come first: %+v", l, r)
		}
		if a := section(e, "answer-0.3"); a == nil || !strings.Contains(a.Parts[0].Paste, `"kind": "task"`) {
			t.Errorf("%s: the answer in 0.3: %+v", l, a)
		}
		plain := section(explain.Exchange(calls[0], nil, explain.Options{Lang: l, Plain: true}), "request-0.3")
		if !strings.Contains(plain.Parts[0].Paste, "Bearer abcdefghijklmnop") {
			t.Errorf("%s: plain is masked: %s", l, plain.Parts[0].Paste)
		}
		list := section(explain.Exchange(calls[1], nil, explain.Options{Lang: l}), "request-0.3")
		if list == nil || len(list.Parts) != 1 || !strings.Contains(list.Parts[0].Text, "0.3") {
			t.Errorf("%s: 0.3 cannot list tasks: %+v", l, list)
		}
	}
}

func TestCommandSendsItAgain(t *testing.T) {
	set := loadRules(t)
	out, err := ruletest.Play(set, "plain", []byte("> POST /x\n> Host: agent.example\n>\n> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\",\"params\":{\"id\":\"t\"}}\n\n< 200\n<\n"), diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	calls := inOrder(out)
	want := "curl -sS -i -X POST http://agent.example/x \\\n  -H Content-Type: \\\n  --data-raw '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\",\"params\":{\"id\":\"t\"}}'\n"
	if got := explain.Command(calls[0], false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// There is a word for every change in both languages.
func TestChangesHaveWords(t *testing.T) {
	for _, code := range []string{"en", "zh"} {
		w := lang.TranslateWords(code)
		for _, e := range translate.Effects() {
			if w.Effect[string(e)] == "" {
				t.Errorf("%s has no word for %s", code, e)
			}
		}
		for _, c := range translate.Codes() {
			if w.Code[string(c)] == "" {
				t.Errorf("%s has no word for %s", code, c)
			}
		}
		for _, r := range translate.Reasons() {
			if _, ok := w.Reason[string(r)]; !ok {
				t.Errorf("%s does not say what %s is", code, r)
			}
		}
		if len(w.Code) != len(translate.Codes()) || len(w.Effect) != len(translate.Effects()) || len(w.Reason) != len(translate.Reasons()) {
			t.Errorf("%s has words for codes that are not there", code)
		}
	}
}

// What nobody would paste is not shown, but what changes in it is said; what is
// larger still is not read.
func TestLargeMessages(t *testing.T) {
	set := loadRules(t)
	for _, c := range []struct{ size, parts int }{{100 << 10, 2}, {2 << 20, 1}} {
		body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + strings.Repeat("x", c.size) + `"}]}}}`
		out, err := ruletest.Play(set, "large", []byte("> POST /\n> Host: agent.example\n> Content-Type: application/json\n> A2A-Version: 1.0\n>\n> "+body+"\n\n< 200\n<\n"), diagnose.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := section(explain.Exchange(inOrder(out)[0], nil, explain.Options{Lang: diagnose.EN}), "request-0.3")
		if s == nil || !strings.HasPrefix(s.Parts[0].Text, "The text is too large") || (len(s.Parts) > 1) != (c.parts > 1) {
			t.Errorf("%d bytes: %+v", c.size, s)
		}
	}
}

// A card is shown in the other version, whichever operation fetched it.
func TestTheOtherCard(t *testing.T) {
	set := loadRules(t)
	const play = "> GET /.well-known/agent-card.json\n> Host: agent.example\n>\n\n< 200\n< Content-Type: application/json\n<\n< " +
		`{"name":"n","description":"d","version":"1","protocolVersion":"0.3.0","url":"https://agent.example/","capabilities":{},"defaultInputModes":["text"],"defaultOutputModes":["text"],"skills":[]}` + "\n"
	out, err := ruletest.Play(set, "card", []byte(play), diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for l, title := range map[diagnose.Lang]string{diagnose.EN: "The same card in 1.0", diagnose.ZH: "同一张卡片用 1.0 的写法"} {
		s := section(explain.Exchange(inOrder(out)[0], nil, explain.Options{Lang: l}), "card-1.0")
		if s == nil || s.Title != title || !strings.Contains(s.Parts[0].Paste, `"protocolBinding": "JSONRPC"`) {
			t.Errorf("%s: %+v", l, s)
		}
	}
}

// TestTheOtherError: an error is shown where the other version writes it otherwise.
func TestTheOtherError(t *testing.T) {
	for err, want := range map[string]string{
		`{"code":-32001,"message":"no"}`: "google.rpc.ErrorInfo",
		`{"code":-32601,"message":"no"}`: "",
	} {
		out := play(t, `> POST /
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}
< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"error":`+err+`}
`)
		s := section(explain.Exchange(inOrder(out)[0], nil, explain.Options{Lang: diagnose.EN}), "answer-1.0")
		switch {
		case want == "" && s != nil:
			t.Errorf("%s: %v", err, s.Parts)
		case want != "" && (s == nil || !strings.Contains(s.Parts[0].Paste, want)):
			t.Errorf("%s: %v", err, s)
		}
	}
}

// TestTheOtherDelivery: what an agent posts to a webhook is shown, too.
func TestTheOtherDelivery(t *testing.T) {
	for body, want := range map[string]string{
		`{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}`:                   `"task": {`,
		`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`: "posts the whole task",
	} {
		out := play(t, "> POST /hook\n> Content-Type: application/json\n> X-A2A-Notification-Token: abc\n>\n> "+body+"\n< 200\n")
		e := explain.Exchange(inOrder(out)[0], nil, explain.Options{Lang: diagnose.EN})
		s := section(e, "delivery-1.0")
		if strings.Contains(body, "statusUpdate") {
			s = section(e, "delivery-0.3")
		}
		if s == nil || !strings.Contains(s.Parts[0].Paste+s.Parts[0].Text, want) {
			t.Errorf("%s: %+v", body, s)
		}
	}
}
