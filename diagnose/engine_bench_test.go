package diagnose

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/internal/jsontree"
	"a2ascope/rules"
)

// catalogue makes n rules with filters and conditions like those of the
// catalogue: most are for failures, some run on every call of a binding, some
// on forms of the answer.
func catalogue(b testing.TB, n int) *Set {
	fors := []string{
		"{kind: [call], binding: [JSONRPC], outcome: [std-error]}",
		"{kind: [call], binding: [HTTP+JSON], outcome: [foreign-error, a2a-error]}",
		"{kind: [call], binding: [GRPC], outcome: [std-error, a2a-error]}",
		"{kind: [call], outcome: [a2a-error]}",
		"{kind: [card]}",
		"{kind: [push]}",
		"{kind: [call], operation: [SendStreamingMessage, SubscribeToTask]}",
		"{kind: [call], operation: [ListTasks]}",
		"{kind: [call], binding: [JSONRPC], outcome: [ok]}",
		"{kind: [call], operation: [GetTask], outcome: [ok]}",
	}
	conds := []string{
		`call.fault.code == -32601 && call.request.call_certain && !iface.served`,
		`call.request.gen == "1.0" && call.response.gen == "0.3"`,
		`call.declared.set && call.declared.gen != "" && call.request.call_gen != "" && call.declared.gen != call.request.call_gen`,
		`call.result.kind == "task" && call.result.members.exists(m, m == "kind") && call.request.gen == "1.0"`,
		`agent.known && !agent.serves(call.binding, call.request.version)`,
		`call.http.status in [400, 404, 500] && call.fault.foreign`,
	}
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("call/r%d.yaml", i)] = &fstest.MapFile{Data: []byte(ruleText(i+1, conds[i%len(conds)], "for: "+fors[i%len(fors)], "at: "+[]string{"response", "end"}[i%3/2]))}
	}
	set, errs := Load(files, true)
	for _, err := range append(errs, set.Compile()...) {
		b.Fatal(err)
	}
	return set
}

// BenchmarkObserve takes a healthy JSON-RPC call through its checkpoints, as one
// sees it that came in one piece.
func BenchmarkObserve(b *testing.B) {
	own, errs := Load(rules.FS, true)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	ask, err := LoadQuestions(rules.FS, own)
	if err != nil {
		b.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		set     *Set
		ask     *Questions
		publish bool
	}{{name: "no-rules", set: &Set{}}, {name: "own", set: own}, {"own-review", own, ask, false}, {"own-review-published", own, ask, true},
		{name: "295-rules", set: catalogue(b, 295)}} {
		b.Run(tt.name, func(b *testing.B) {
			w := newWorld(nil)
			e := NewEngine(tt.set, Options{Questions: tt.ask})
			c := w.rpc("a:1", "/", "GetTask", declared("1.0"), about("t1"),
				params(`{"id":"t1"}`), result(`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}`))
			c.RequestDoc = jsontree.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`))
			c.ResponseDoc = jsontree.Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`))
			c.RPC.IsEnvelope = true
			asked := *c
			asked.Outcome = ""
			b.ReportAllocs()
			for b.Loop() {
				x, y := *c, asked
				ex := *c.Exchange
				w.next++
				w.now = w.now.Add(time.Millisecond)
				ex.ID = capture.NewExchangeID(capture.ConnID(w.next), 1)
				ex.Started, ex.Answered, ex.Ended = w.now, w.now, w.now
				x.Exchange, y.Exchange = &ex, &ex
				e.Observe(&y, decode.AtRequest)
				if v := e.Observe(&x, decode.AtDone); len(v.Findings) != 0 {
					b.Fatal(v.Findings[0].Rule.ID)
				}
				if tt.publish {
					e.Review()
				}
			}
			s := e.Stats()
			b.ReportMetric(float64(s.Evaluated)/float64(s.Checkpoints)*2, "rules/exchange")
		})
	}
}

// BenchmarkLoad reads and compiles the built-in rules.
func BenchmarkLoad(b *testing.B) {
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			Load(rules.FS, true)
		}
	})
	own, _ := Load(rules.FS, true)
	b.Run("questions", func(b *testing.B) {
		for b.Loop() {
			if _, err := LoadQuestions(rules.FS, own); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			set, _ := Load(rules.FS, true)
			set.Compile()
		}
	})
	set, _ := Load(rules.FS, true)
	b.ReportMetric(float64(len(set.Rules())), "rules")
}
