package ruletest

import (
	"strings"
	"testing"
	"testing/fstest"

	"a2ascope/diagnose"
)

const rule = `at: response
for: {kind: [call]}
if: call.fault.code == -32601
severity: error
blame: client
sure: certain
evidence: [response/frame/0#/error/code]
symptom: Method not found.
cause: The server does not know it.
fix: {client: Use another.}
spec: [x]
`

const refused = `> POST /
> Host: agent.example.com
>
> {"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}

< 200 OK
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}

`

var fine = strings.Replace(refused, `"error":{"code":-32601,"message":"no"}`, `"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}`, 1)

// files makes a folder of rules of a user.
func files(yaml, txtar string) fstest.MapFS {
	fs := fstest.MapFS{"mine.yaml": {Data: []byte(yaml)}}
	if txtar != "" {
		fs["mine.txtar"] = &fstest.MapFile{Data: []byte(txtar)}
	}
	return fs
}

func run(t *testing.T, fs fstest.MapFS, o Options) *Report {
	t.Helper()
	set, errs := diagnose.Load(fs, false)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	rep, err := Run(set, fs, o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestGood(t *testing.T) {
	rep := run(t, files(rule, "-- hit/a.play --\n"+refused+"-- hit/a.want --\n1 mine error root\n-- miss/b.play --\n"+fine), Options{})
	if len(rep.Failures) > 0 || rep.Rules != 1 || rep.Plays != 2 {
		t.Errorf("%+v", rep)
	}
}

// TestFailures: everything that can be wrong with examples is said.
func TestFailures(t *testing.T) {
	hit, want, miss := "-- hit/a.play --\n"+refused, "-- hit/a.want --\n1 mine error root\n", "-- miss/b.play --\n"+fine
	for name, tt := range map[string]struct{ yaml, txtar, want string }{
		"no examples":      {rule, "", "mine: no examples: mine.txtar with at least one"},
		"no hit":           {rule, miss, "mine: no hit/….play"},
		"no miss":          {rule, hit + want, "mine: no miss/….play"},
		"no want":          {rule, hit + miss, "mine, hit/a: the findings are not those of hit/a.want\n    + 1 mine error root"},
		"other want":       {rule, hit + "-- hit/a.want --\n1 mine warning\n" + miss, "    - 1 mine warning\n    + 1 mine error root"},
		"hit is silent":    {rule, "-- hit/a.play --\n" + fine + miss, "mine, hit/a: the rule does not speak, but this is a hit; the findings are\n    (none)"},
		"miss is hit":      {rule, hit + want + "-- miss/b.play --\n" + refused + "-- miss/b.want --\n1 mine error root\n", "mine, miss/b: the rule speaks, but this is a miss"},
		"bad name":         {rule, hit + want + miss + "-- hits/c.play --\n" + refused, "mine, hits/c.play: an example is named"},
		"want of nothing":  {rule, hit + want + miss + "-- hit/c.want --\nx\n", "mine, hit/c.want: an example is named"},
		"bad play":         {rule, hit + want + "-- miss/b.play --\n> POST /\nnonsense\n", "mine.txtar:16:1: "},
		"no evidence":      {strings.Replace(rule, "/error/code", "/error/nope", 1), hit + want + miss, "mine, hit/a: mine: no evidence was found at its places"},
		"empty hole":       {strings.Replace(rule, "symptom: Method not found.", "let: {x: call.tenant}\nsymptom: In {x}.", 1), hit + want + miss, "mine: hole {x} is empty"},
		"empty on purpose": {strings.Replace(rule, "symptom: Method not found.", "let: {x: 'call.ok ? \"a\" : \"\"'}\nsymptom: In {x}.", 1), hit + want + miss, ""},
		"runtime error":    {strings.Replace(rule, "-32601", "-32601 || iface.versions[9] == \"\"", 1), hit + want + miss, "mine: its condition could not be evaluated on mine"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range run(t, files(tt.yaml, tt.txtar), Options{}).Failures {
				got = append(got, f.Error())
			}
			all := strings.Join(got, "\n")
			if !strings.Contains(all, tt.want) || tt.want == "" && all != "" {
				t.Errorf("got\n%s\nwant\n%s", all, tt.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	before := "About.\n\n-- hit/a.play --\n" + refused + "-- miss/b.play --\n" + fine + "-- miss/b.want --\n1 stale\n"
	fs := files(rule, before)
	var after string
	run(t, fs, Options{Update: func(name string, text []byte) error {
		if name != "mine.txtar" {
			t.Errorf("updates %s", name)
		}
		after = string(text)
		return nil
	}})
	if want := "About.\n\n-- hit/a.play --\n" + refused + "-- hit/a.want --\n1 mine error root\n-- miss/b.play --\n" + fine; after != want {
		t.Errorf("got\n%s\nwant\n%s", after, want)
	}
	fs["mine.txtar"].Data = []byte(after)
	if rep := run(t, fs, Options{}); len(rep.Failures) > 0 {
		t.Error(rep.Failures)
	}
	if rep := run(t, fs, Options{Update: func(string, []byte) error { t.Error("nothing changed, yet it writes"); return nil }}); rep.Changed != 0 {
		t.Errorf("%d changed", rep.Changed)
	}
}

func TestRuleWithoutFile(t *testing.T) {
	rep := run(t, fstest.MapFS{"lost.txtar": {Data: []byte("-- hit/a.play --\n" + refused)}}, Options{})
	if len(rep.Failures) != 1 || !strings.Contains(rep.Failures[0].Error(), "lost.yaml is missing") {
		t.Errorf("%v", rep.Failures)
	}
}

// TestFacts: writers of rules see the facts of each checkpoint.
func TestFacts(t *testing.T) {
	var seen strings.Builder
	run(t, files(rule, "-- hit/a.play --\n"+refused+"-- hit/a.want --\n1 mine error root\n-- miss/b.play --\n"+fine), Options{Facts: func(text string) { seen.WriteString(text) }})
	for _, want := range []string{"mine hit/a, exchange on connection 1, at response\n", "call.fault.code = -32601\n", `call.method = "message/send"` + "\n", "at end\n"} {
		if !strings.Contains(seen.String(), want) {
			t.Errorf("%q is missing in\n%s", want, seen.String())
		}
	}
	if strings.Contains(seen.String(), "call.tenant") {
		t.Error("facts that are zero are listed")
	}
}
