package diagnose_test

import (
	"fmt"
	"strings"
	"testing"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
)

// TestVersionTable is the table "how a server reads A2A-Version" (1.0 §3.6.2),
// and what of it can be said where no card tells which versions there are.
func TestVersionTable(t *testing.T) {
	set, ask := builtIn(t)
	const (
		task   = `"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`
		task03 = `"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}`
		refuse = `"error":{"code":-32009,"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]}`
		other  = `"error":{"code":-32603,"message":"no"}`
	)
	// want: of the last call, as "expected did", with "!" where they disagree.
	for _, tt := range []struct{ card, sent, answer, want string }{
		{"1.0", "", refuse, "refused refused"},
		{"1.0", "", task, "refused 1.0 !"},
		{"1.0", "", other, "refused other"},
		{"1.0 0.3", "", task03, "0.3 0.3"},
		{"0.3", "", task03, "0.3 0.3"},
		{"1.0", "1.0", task, "1.0 1.0"},
		{"1.0", "1.0", refuse, "1.0 refused !"},
		{"1.0", "0.3", refuse, "refused refused"},
		{"1.0 0.3", "0.3", task03, "0.3 0.3"},
		{"1.0", "2.0", refuse, "refused refused"},
		{"1.0 0.3", "9.9", task, "refused 1.0 !"},
		{"1.0", "1.0.1", task, "undefined 1.0"},
		{"1.0", "1.0.1", refuse, "undefined refused"},
		{"0.3", "1.0", task03, "ignored 0.3"},

		// No card: nothing has to be refused for sure.
		{"", "", task, "0.3-refused 1.0 !"},
		{"", "", task03, "0.3-refused 0.3"},
		{"", "", refuse, "0.3-refused refused"},
		{"", "0.3", task03, "0.3-refused 0.3"},
		{"", "1.0", task, " 1.0"},
		{"", "1.0", refuse, " refused"},
		{"", "9.9", task, " 1.0"},
		{"", "1.0.1", refuse, " refused"},
	} {
		t.Run(fmt.Sprintf("%s sends %s gets %.12s", tt.card, tt.sent, tt.answer), func(t *testing.T) {
			o, err := ruletest.Play(set, "x.play", []byte(versionPlay(tt.card, tt.sent, tt.answer)), diagnose.Options{Questions: ask})
			if err != nil {
				t.Fatal(err)
			}
			vs := o.Review.Pairs[0].Versions
			if len(vs) != 1 {
				t.Fatalf("%d rows: %+v", len(vs), vs)
			}
			v := vs[0]
			got := fmt.Sprintf("%s %s", v.Expected, v.Did)
			if !v.Agrees() {
				got += " !"
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if v.Sent != tt.sent || v.Declared != (tt.card != "") || strings.Join(v.Exposes, " ") != tt.card {
				t.Errorf("%+v", v)
			}
		})
	}
}

// versionPlay is a card and a call; the call speaks the version of its answer.
func versionPlay(card, sent, answer string) string {
	var b strings.Builder
	if card != "" {
		var entries []string
		for v := range strings.FieldsSeq(card) {
			entries = append(entries, `{"url":"http://agent.example.com/rpc","protocolBinding":"JSONRPC","protocolVersion":"`+v+`"}`)
		}
		b.WriteString("> GET /.well-known/agent-card.json\n> Host: agent.example.com\n\n+ 5ms\n< 200\n< Content-Type: application/json\n<\n" +
			`< {"name":"a","description":"a","version":"1","supportedInterfaces":[` + strings.Join(entries, ",") + `],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}` + "\n\n+ 1s\n")
	}
	b.WriteString("> POST /rpc\n> Host: agent.example.com\n> Content-Type: application/json\n")
	if sent != "" {
		b.WriteString("> A2A-Version: " + sent + "\n")
	}
	method := "GetTask"
	if strings.Contains(answer, `"kind"`) {
		method = "tasks/get"
	}
	b.WriteString(">\n" + `> {"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"id":"t1"}}` + "\n\n+ 5ms\n< 200\n< Content-Type: application/json\n<\n" +
		`< {"jsonrpc":"2.0","id":1,` + answer + "}\n")
	return b.String()
}

// TestVersionShown: without a card, what an answer showed is known to later
// calls, and calls treated alike stay one row.
func TestVersionShown(t *testing.T) {
	set, ask := builtIn(t)
	one := versionPlay("", "1.0", `"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`)
	o, err := ruletest.Play(set, "x.play", []byte(one+"\n+ 1s\n"+one), diagnose.Options{Questions: ask})
	if err != nil {
		t.Fatal(err)
	}
	vs := o.Review.Pairs[0].Versions
	if len(vs) != 1 || vs[0].Count != 2 || vs[0].Expected != diagnose.AsNew || vs[0].Declared || strings.Join(vs[0].Exposes, " ") != "1.0" {
		t.Errorf("%+v", vs)
	}
}
