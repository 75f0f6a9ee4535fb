package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// ruleText writes a rule: its condition and the lines that are special to it.
func ruleText(rank int, cond string, more ...string) string {
	lines := map[string]string{
		"at": "response", "severity": "error", "blame": "client", "sure": "certain", "for": "{kind: [call]}",
		"evidence": "[request/header/a2a-version]", "symptom": "{en: S, zh: S}", "cause": "{en: C, zh: C}",
		"fix": "{client: {en: F, zh: F}}", "spec": "[x]", "if": "'" + cond + "'", "rank": fmt.Sprint(rank),
	}
	for _, m := range more {
		k, v, _ := strings.Cut(m, ": ")
		lines[k] = v
	}
	var b strings.Builder
	for _, k := range ruleKeys() {
		if v := lines[k.name]; v != "" {
			fmt.Fprintf(&b, "%s: %s\n", k.name, v)
		}
	}
	return b.String()
}

// bench is an engine with rules of the test, and a world that makes calls.
type bench struct {
	*world
	e    *Engine
	last map[Key]*Finding // newest of each key
	said int              // findings handed out
}

func newBench(t *testing.T, rules map[string]string) *bench {
	t.Helper()
	files := fstest.MapFS{}
	for id, text := range rules {
		files[id+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	set, errs := Load(files, true)
	for _, err := range append(errs, set.Compile()...) {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	return &bench{world: newWorld(t), e: NewEngine(set, Options{}), last: map[Key]*Finding{}}
}

func (b *bench) take(fs []*Finding) {
	for _, f := range fs {
		b.last[f.Key] = f
		b.said++
	}
}

// pass takes a call through its checkpoints.
func (b *bench) pass(c *decode.Call) *decode.Call {
	asked := *c
	asked.Outcome, asked.Fault, asked.AgentCard = "", nil, nil
	b.take(b.e.Observe(&asked, decode.AtRequest).Findings)
	b.take(b.e.Observe(c, decode.AtResponse).Findings)
	v := b.e.Observe(c, decode.AtEnd)
	b.take(v.Findings)
	if !v.Kept {
		c.Shed() // as the session does
	}
	return c
}

// of describes the findings of an exchange as the golden files do.
func (b *bench) of(c *decode.Call) string {
	var lines []string
	for k, f := range b.last {
		if k.Exchange == c.Exchange.ID {
			lines = append(lines, strings.TrimSpace(f.Rule.ID+" "+string(f.Severity)+" "+Standing(f)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func (b *bench) expect(c *decode.Call, want string) {
	b.t.Helper()
	if got := b.of(c); got != want {
		b.t.Errorf("got  %s\nwant %s", got, want)
	}
}

func (b *bench) finding(c *decode.Call, rule string) *Finding {
	b.t.Helper()
	for k, f := range b.last {
		if k.Exchange == c.Exchange.ID && k.Rule == rule {
			return f
		}
	}
	b.t.Fatalf("no finding of %s", rule)
	return nil
}

func TestHealthy(t *testing.T) {
	b := newBench(t, map[string]string{"call/a": ruleText(1, "call.failed")})
	b.expect(b.pass(b.rpc("a:1", "/", "SendMessage")), "")
	if b.said != 0 || b.e.states.len() != 0 {
		t.Errorf("%d findings, %d exchanges kept", b.said, b.e.states.len())
	}
}

func TestRootAndConsequences(t *testing.T) {
	b := newBench(t, map[string]string{
		"reach/a":   ruleText(1, "call.failed", "severity: warning", "silences: [call/b]"),
		"call/b":    ruleText(2, "call.failed", "silences: [call/c]"), // follows from reach/a
		"call/c":    ruleText(3, "call.failed"),                       // root: what would silence it is silenced
		"call/d":    ruleText(4, "call.failed", "blame: either"),      // also seen
		"call/e":    ruleText(5, "call.failed", "blame: server"),      // another side: a second root
		"call/f":    ruleText(6, "call.failed", "blame: hop"),         // two roots are enough
		"payload/g": ruleText(7, "true", "severity: warning"),         // remark on the form of an explained failure
		"error/h":   ruleText(8, "true", "severity: info"),
		"push/i":    ruleText(9, "true", "severity: info"), // stays
	})
	c := b.pass(b.rpc("a:1", "/", "SendMessage", notFound()))
	b.expect(c, "call/b error follows reach/a; call/c error root; call/d error also; call/e error root; call/f error also; "+
		"error/h info follows call/c; payload/g warning follows call/c; push/i info; reach/a warning")
	for rule, counts := range map[string]bool{"call/b": false, "call/c": true, "call/d": false, "call/e": true, "error/h": false, "push/i": true} {
		if got := b.finding(c, rule).Counts(); got != counts {
			t.Errorf("%s counts: %v", rule, got)
		}
	}
}

// TestTopological: a finding that is silenced silences nothing, however the ranks lie.
func TestTopological(t *testing.T) {
	b := newBench(t, map[string]string{
		"call/a": ruleText(1, "true"),
		"call/b": ruleText(2, "true", "silences: [call/a]"),
		"call/c": ruleText(3, "true", "silences: [call/b]"),
		"call/d": ruleText(4, "true", "silenced_by: [call/c]"),
	})
	b.expect(b.pass(b.rpc("a:1", "/", "SendMessage", notFound())), "call/a error root; call/b error follows call/c; call/c error also; call/d error follows call/c")
}

func TestConditionalSilence(t *testing.T) {
	rules := map[string]string{
		"version/a": ruleText(1, "call.failed", "silences_if: [{rule: call/b, if: 'call.declared.set'}]"),
		"call/b":    ruleText(2, "call.failed", "silences: [version/a]"),
	}
	b := newBench(t, rules)
	b.expect(b.pass(b.rpc("a:1", "/", "SendMessage", notFound())), "call/b error root; version/a error follows call/b")
	b.expect(b.pass(b.rpc("a:1", "/", "SendMessage", notFound(), declared("0.3"))), "call/b error follows version/a; version/a error root")
}

func TestMemberSilence(t *testing.T) {
	rules := map[string]string{
		"params/a":                          ruleText(1, "call.failed", `let: {member: '"kind"'}`, "symptom: {en: '{member}', zh: '{member}'}"),
		"params/required-field-missing":     ruleText(2, "call.failed", `let: {member: '"kind"'}`, "symptom: {en: '{member}', zh: '{member}'}"),
		"params/request-refused-as-invalid": ruleText(3, "call.failed", `let: {member: '"role"'}`, "symptom: {en: '{member}', zh: '{member}'}"),
	}
	b := newBench(t, rules)
	b.expect(b.pass(b.rpc("a:1", "/", "SendMessage", notFound())),
		"params/a error root; params/request-refused-as-invalid error also; params/required-field-missing error follows params/a")
}

func TestFallback(t *testing.T) {
	rules := map[string]string{
		"caps/refusal":  ruleText(1, `call.fault.a2a == "TaskNotFoundError"`, "severity: info", "blame: none", "explains: true"),
		"error/unknown": ruleText(212, "true", "at: end", "fallback: true"),
		"error/late":    ruleText(213, "client.gave_up", "at: silent", "for: {kind: [card]}"),
	}
	b := newBench(t, rules)
	b.expect(b.pass(b.rpc("a:1", "/", "GetTask", fails(spec.A2AError, decode.Fault{A2A: "TaskNotFoundError"}))), "caps/refusal info root")
	b.expect(b.pass(b.rpc("a:1", "/", "GetTask", notFound())), "error/unknown error root")
	b.expect(b.pass(b.rpc("a:1", "/", "GetTask")), "")
}

func TestEscalate(t *testing.T) {
	b := newBench(t, map[string]string{
		"call/a": ruleText(1, "true", "severity: warning", "escalate: [{if: 'call.fault.code == -32601', severity: error, blame: server}, {if: 'call.failed', severity: info}]"),
	})
	b.expect(b.pass(b.rpc("a:1", "/", "GetTask")), "call/a warning")
	c := b.pass(b.rpc("a:1", "/", "GetTask", notFound()))
	b.expect(c, "call/a error root")
	check(t, "blame", b.finding(c, "call/a").Blame, BlameServer)
	c = b.pass(b.rpc("a:1", "/", "GetTask", fails(spec.StdError, decode.Fault{Code: -32603})))
	b.expect(c, "call/a info")
}

// TestEscalateLater: what only the future tells raises a finding under the same key.
func TestEscalateLater(t *testing.T) {
	b := newBench(t, map[string]string{
		"discover/a": ruleText(1, `call.card.vocabulary == "0.3"`, "at: [card, silent]", "for: {kind: [card]}", "severity: info",
			"escalate: [{if: client.gave_up, severity: error}]"),
	})
	c := b.card("a:1", card03("http://a:1/", "JSONRPC"))
	b.pass(c)
	b.expect(c, "discover/a info")
	b.take(b.e.Finish(b.now.Add(time.Minute)))
	b.expect(c, "discover/a error root")
	if len(b.last) != 1 {
		t.Errorf("%d keys", len(b.last))
	}
}

func TestTableRows(t *testing.T) {
	b := newBench(t, map[string]string{
		"call/a": ruleText(1, "true", `table: [3, {row: 1, if: call.failed}, {row: 2, if: call.ok}]`),
	})
	check(t, "failed", fmt.Sprint(b.finding(b.pass(b.rpc("a:1", "/", "GetTask", notFound())), "call/a").Table), "[3 1]")
	check(t, "ok", fmt.Sprint(b.finding(b.pass(b.rpc("a:1", "/", "GetTask")), "call/a").Table), "[3 2]")
}

func TestFold(t *testing.T) {
	rules := map[string]string{
		"call/a":   ruleText(1, "call.failed", "let: {method: call.method}", "symptom: {en: '{method}', zh: '{method}'}"),
		"parity/b": ruleText(2, "call.failed", "severity: warning", "per_peer: true"),
	}
	b := newBench(t, rules)
	first := b.pass(b.rpc("a:1", "/", "GetTask", notFound()))
	var same []*decode.Call
	for range 4 {
		same = append(same, b.pass(b.rpc("a:1", "/", "GetTask", notFound())))
	}
	other := b.pass(b.rpc("a:1", "/", "CancelTask", notFound()))
	elsewhere := b.pass(b.rpc("b:1", "/", "GetTask", notFound()))
	stranger := b.pass(b.rpc("a:1", "/", "GetTask", notFound(), userAgent("client/2")))

	f := b.finding(first, "call/a")
	check(t, "count", f.Count, 5)
	check(t, "examples", fmt.Sprint(f.Examples), fmt.Sprint([]capture.ExchangeID{first.Exchange.ID, same[0].Exchange.ID, same[1].Exchange.ID}))
	if !f.Last.After(f.At) || !f.Counts() {
		t.Errorf("first at %v, last %v, counts %v", f.At, f.Last, f.Counts())
	}
	for _, c := range same {
		g := b.finding(c, "call/a")
		if g.FoldedInto == nil || *g.FoldedInto != f.Key || g.Counts() || !g.Root {
			t.Errorf("not folded: %+v", g)
		}
	}
	for name, c := range map[string]*decode.Call{"other words": other, "other peer": elsewhere, "other client": stranger} {
		if b.finding(c, "call/a").FoldedInto != nil {
			t.Errorf("%s: folded", name)
		}
	}
	check(t, "peer rule", b.finding(first, "parity/b").Count, 7)
}

func TestRecoveredFindings(t *testing.T) {
	b := newBench(t, map[string]string{"call/a": ruleText(1, "call.failed")})
	b.pass(b.card("a:1", card10(entry("JSONRPC", "1.0", "http://a:1/"), entry("JSONRPC", "0.3", "http://a:1/old"))))
	c := b.pass(b.rpc("a:1", "/", "SendMessage", notFound()))
	b.expect(c, "call/a error root")
	good := b.pass(b.rpc("a:1", "/old", "message/send"))
	b.expect(c, "call/a info root recovered")
	f := b.finding(c, "call/a")
	if f.RecoveredBy == nil || *f.RecoveredBy != good.Exchange.ID {
		t.Errorf("recovered by %v", f.RecoveredBy)
	}
}

// TestRecoveredHome: when the finding that equal ones are folded into is
// recovered, those that were not are not lost with it.
func TestRecoveredHome(t *testing.T) {
	stream := func(b *bench, text string) *decode.Call {
		return b.pass(b.rpc("a:1", "/", "SendStreamingMessage", notFound(), params(`{"message":{"parts":[{"text":"`+text+`"}]}}`)))
	}
	send := func(b *bench, text string) *decode.Call {
		return b.pass(b.rpc("a:1", "/", "SendMessage", params(`{"message":{"parts":[{"text":"`+text+`"}]}}`)))
	}
	b := newBench(t, map[string]string{"call/a": ruleText(1, "call.failed")})
	first, second, third := stream(b, "one"), stream(b, "two"), stream(b, "three")
	send(b, "three") // one that is folded is made good: the home stays
	b.expect(third, "call/a info root folded recovered")
	b.expect(first, "call/a error root")
	fourth := stream(b, "four")
	check(t, "count", b.finding(first, "call/a").Count, 4)
	b.pass(b.rpc("a:1", "/", "SendMessage", notFound())) // so that what comes is not the next message
	send(b, "one")                                       // the home is made good
	b.expect(first, "call/a info root recovered")
	b.expect(second, "call/a error root")
	b.expect(fourth, "call/a error root folded")
	home := b.finding(second, "call/a")
	check(t, "count of the new home", home.Count, 2)
	check(t, "count of the old one", b.finding(first, "call/a").Count, 2)
	check(t, "the new home counts", home.Counts(), true)
	check(t, "folded into", *b.finding(fourth, "call/a").FoldedInto, home.Key)
	check(t, "examples", fmt.Sprint(home.Examples), fmt.Sprint([]capture.ExchangeID{second.Exchange.ID, fourth.Exchange.ID}))
	fifth := stream(b, "five") // and gathers what comes
	b.expect(fifth, "call/a error root folded")
	check(t, "count of the new home", b.finding(second, "call/a").Count, 3)
	b.pass(b.rpc("a:1", "/", "SendMessage", notFound()))
	send(b, "two")
	send(b, "four")
	b.expect(second, "call/a info root recovered")
	b.expect(fifth, "call/a error root")
}

// TestPeerRoot: a finding about the card explains calls before and after it.
func TestPeerRoot(t *testing.T) {
	rules := map[string]string{
		"discover/card":  ruleText(30, "call.card.has_v03", "at: card", "for: {kind: [card]}", "silences: [call/refused]", "silences_peer: true"),
		"call/refused":   ruleText(90, "call.failed"),
		"version/header": ruleText(60, "call.failed", "severity: warning"),
	}
	b := newBench(t, rules)
	before := b.pass(b.rpc("a:1", "/", "SendMessage", notFound()))
	b.expect(before, "call/refused error root; version/header warning")
	card := b.pass(b.card("a:1", card03("http://a:1/", "JSONRPC")))
	after := b.pass(b.rpc("a:1", "/", "GetTask", notFound()))
	strange := b.pass(b.rpc("b:1", "/", "GetTask", notFound()))
	b.expect(card, "discover/card error root")
	b.expect(before, "call/refused error follows discover/card; version/header warning")
	b.expect(after, "call/refused error follows discover/card; version/header warning")
	b.expect(strange, "call/refused error root; version/header warning")
	if k := b.finding(after, "call/refused").FollowsFrom; k == nil || k.Exchange != card.Exchange.ID {
		t.Errorf("follows from %v", k)
	}
}

func TestFrames(t *testing.T) {
	b := newBench(t, map[string]string{
		"stream/a": ruleText(1, `call.stream.kind == "other"`, "at: frame", "let: {k: call.stream.kind}", "symptom: {en: '{k} in {frame}', zh: '{frame}'}"),
	})
	c := b.rpc("a:1", "/", "SendStreamingMessage")
	for i := range 9 {
		kind := "other"
		if i == 0 {
			kind = "task"
		}
		c.Events = append(c.Events, decode.StreamEvent{Frame: i, Kind: kind})
		b.take(b.e.Observe(c, decode.AtFrame).Findings)
	}
	if b.said != 4 { // first, and when the count reaches 2, 4, 8
		t.Errorf("handed out %d times", b.said)
	}
	b.take(b.e.Observe(c, decode.AtEnd).Findings)
	f := b.finding(c, "stream/a")
	check(t, "frame", f.Key.Frame, 1)
	check(t, "count", f.Count, 8)
	check(t, "text", f.Texts(EN).Symptom, "other in 1")
	check(t, "keys", len(b.last), 1)
}

func TestEvidenceAndTexts(t *testing.T) {
	b := newBench(t, map[string]string{
		"call/a": ruleText(1, "true",
			`let: {at: '"request/frame/0#/params/id"', gone: '""', name: {en: '"English"', zh: '"中文"'}}`,
			`evidence: ["{at}", "{gone}", request/frame/0#/nope, "!request/frame/0#/absent"]`,
			`symptom: {en: 'Hello {name}, {{name}} {"a": 1} {', zh: '你好 {name}'}`),
	})
	c := b.rpc("a:1", "/", "GetTask", func(c *decode.Call) {
		text := []byte(`{"params":{"id":"` + strings.Repeat("é", 300) + `"}}`)
		c.RequestDoc = jsontree.Parse(text)
		c.Exchange.Sent = []capture.Timed[*capture.Frame]{{V: &capture.Frame{Form: capture.WholeBody, Data: text}}}
	})
	b.pass(c)
	f := b.finding(c, "call/a")
	check(t, "en", f.Texts(EN).Symptom, `Hello English, {name} {"a": 1} {`)
	check(t, "zh", f.Texts(ZH).Symptom, "你好 中文")
	if len(f.Evidence) != 2 || f.Evidence[0].Place != "request/frame/0#/params/id" || f.Evidence[1].Place != "request/frame/0#/absent" {
		t.Fatalf("evidence %v", f.Evidence)
	}
	check(t, "something is there", f.Evidence[0].Absent, false)
	check(t, "nothing is there", f.Evidence[1].Absent, true)
	check(t, "cut value", f.Evidence[0].Value, strings.Repeat("é", maxValue/2)+"…")
}

func TestGrade(t *testing.T) {
	b := newBench(t, map[string]string{
		"call/a": ruleText(1, `call.request.version == "1.0" && call.failed`, "cause: {en: it is broken, zh: 坏了}"),
		"call/b": ruleText(2, `call.failed`),
	})
	c := b.rpc("a:1", "/", "GetTask", notFound(), func(c *decode.Call) { c.Request.Sure = decode.Possible })
	b.pass(c)
	check(t, "a", b.finding(c, "call/a").Sure, decode.Possible)
	check(t, "b", b.finding(c, "call/b").Sure, decode.Certain)
	check(t, "cause", b.finding(c, "call/a").Texts(EN).Cause, "Possibly: it is broken")
	check(t, "cause zh", b.finding(c, "call/a").Texts(ZH).Cause, "可能的原因：坏了")
	check(t, "cause b", b.finding(c, "call/b").Texts(EN).Cause, "C")
}

// TestGradeRestsOnTheCondition: only what the condition needs lowers a grade.
func TestGradeRestsOnTheCondition(t *testing.T) {
	guess := `call.request.version == "1.0"`
	for name, tt := range map[string]struct {
		cond string
		more []string
		want decode.Sure
	}{
		"a hole":                   {"call.failed", []string{"let: {v: call.request.version}", "symptom: {en: 'S {v}', zh: 'S {v}'}"}, decode.Certain},
		"an escalation":            {"call.failed", []string{"escalate: [{if: 'call.request.version == \"0.3\"', severity: warning}]"}, decode.Certain},
		"another alternative":      {guess + " || call.failed", nil, decode.Certain},
		"an alternative not there": {guess + ` || call.binding == "GRPC"`, nil, decode.Possible},
		"alternatives within":      {"call.failed && (" + guess + " && call.failed || call.fault.present)", nil, decode.Certain},
		"a negation":               {`call.failed && !(call.request.version == "0.3")`, nil, decode.Certain},
		"unless":                   {"call.failed", []string{"unless: 'call.request.version == \"0.3\"'"}, decode.Certain},
		"the condition":            {"call.failed && " + guess, nil, decode.Possible},
		"both alternatives guess":  {guess + ` || call.request.gen == "1.0"`, nil, decode.Possible},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"call/a": ruleText(1, tt.cond, tt.more...)})
			c := b.rpc("a:1", "/", "GetTask", notFound(), func(c *decode.Call) { c.Request.Sure = decode.Possible })
			b.pass(c)
			check(t, "sure", b.finding(c, "call/a").Sure, tt.want)
		})
	}
}

func TestBrokenRule(t *testing.T) {
	b := newBench(t, map[string]string{
		"call/a": ruleText(1, `iface.versions[3] == "1.0"`),
		"call/b": ruleText(2, "call.failed"),
	})
	c := b.pass(b.rpc("a:1", "/", "GetTask", notFound()))
	b.expect(c, "call/b error root")
	if s := b.e.Stats(); s.Broken["call/a"] != 1 || s.Broken["call/b"] != 0 {
		t.Errorf("broken: %v", s.Broken)
	}
}

// TestNeverTakenBack: whatever comes later, a key that was handed out stays.
func TestNeverTakenBack(t *testing.T) {
	b := newBench(t, map[string]string{"call/a": ruleText(1, `call.outcome == ""`, "at: [request, response]", "severity: warning")})
	c := b.pass(b.rpc("a:1", "/", "GetTask"))
	b.expect(c, "call/a warning")
	check(t, "said", b.said, 1)
}

// TestCompilesOnUse: a rule that no exchange selects is never compiled.
func TestCompilesOnUse(t *testing.T) {
	files := fstest.MapFS{
		"call/a.yaml": {Data: []byte(ruleText(1, "call.failed", "for: {kind: [call], binding: [GRPC]}"))},
		"call/b.yaml": {Data: []byte(ruleText(2, "call.failed"))},
	}
	set, errs := Load(files, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b := &bench{world: newWorld(t), e: NewEngine(set, Options{}), last: map[Key]*Finding{}}
	b.pass(b.rpc("a:1", "/", "GetTask"))
	check(t, "compiled", b.e.Stats().Compiled, 1)
}

// TestStatesAreBounded: exchanges with findings are kept up to a limit.
func TestStatesAreBounded(t *testing.T) {
	b := newBench(t, map[string]string{"call/a": ruleText(1, "call.failed")})
	for i := range maxStates + 10 {
		b.pass(b.rpc(fmt.Sprintf("a%d:1", i), "/", "GetTask", notFound()))
	}
	check(t, "states", b.e.states.len(), maxStates)
}
