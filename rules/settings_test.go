package rules_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/rules"
)

// judged runs a play with settings, and returns what is found.
func judged(t *testing.T, play, settings string) map[string]*diagnose.Finding {
	t.Helper()
	set, errs := diagnose.Load(rules.FS, true)
	set, more := diagnose.LoadOnto(set, fstest.MapFS{diagnose.SettingsFile: {Data: []byte(settings)}}, diagnose.Folder{Path: "my"})
	if errs = append(errs, more...); len(errs) > 0 {
		t.Fatal(errs)
	}
	q, err := diagnose.LoadQuestions(rules.FS, set) // the questions name rules; also those that are off
	if err != nil {
		t.Fatal(err)
	}
	out, err := ruletest.Play(set, "refused.play", []byte(play), diagnose.Options{Questions: q})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*diagnose.Finding{}
	for _, f := range out.Findings {
		found[f.Rule.ID] = f
	}
	return found
}

const refused = `> POST /a2a
> Host: agent.example.com
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"m1","parts":[{"kind":"text","text":"hi"}]}}}

< 500 Internal Server Error
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}
`

const answered = `> POST /a2a
> Host: agent.example.com
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}

< 200 OK
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}
`

const fallback = "error/unexplained-failure"

// A rule that was made milder still explains the failure; one that is off does
// not, and then the failure is unexplained; unless that is off too.
func TestSettingsAndTheRoot(t *testing.T) {
	asIs := judged(t, refused, "")
	cause := ""
	for id, f := range asIs {
		if f.Root {
			cause = id
		}
	}
	if cause == "" || cause == fallback || asIs[fallback] != nil || asIs[cause].Severity != diagnose.Error || asIs[cause].Was != "" {
		t.Fatalf("the example has no root that is an error: %v", names(asIs))
	}
	mild := judged(t, refused, "severity: {"+cause+": info}")
	if f := mild[cause]; f == nil || !f.Root || f.Severity != diagnose.Info || f.Was != diagnose.Error || mild[fallback] != nil {
		t.Errorf("made milder: %+v, %v", f, names(mild))
	}
	for id, f := range asIs {
		if m := mild[id]; m == nil || (m.FollowsFrom == nil) != (f.FollowsFrom == nil) {
			t.Errorf("%s stands otherwise once %s is milder", id, cause)
		}
	}
	// Off, one after the other, until nothing but the fallback can say anything.
	off := []string{}
	for id, f := range asIs {
		if f.Severity == diagnose.Error || f.FollowsFrom != nil || f.Root {
			off = append(off, id)
		}
	}
	slices.Sort(off)
	gone := judged(t, refused, "disable: ["+strings.Join(append(off, "call/*", "version/*"), ", ")+"]")
	if f := gone[fallback]; f == nil || f.FollowsFrom != nil || gone[cause] != nil {
		t.Errorf("with %v off: %v", off, names(gone))
	}
	silent := judged(t, refused, "disable: ["+strings.Join(append(off, "call/*", "version/*", fallback), ", ")+"]")
	for id, f := range silent {
		if f.Severity == diagnose.Error {
			t.Errorf("%s is still an error", id)
		}
	}
}

// A warning that is made an error counts as one, and takes part in what explains a failure.
func TestSettingsMakeGraver(t *testing.T) {
	for id, f := range judged(t, answered, "") {
		if f.Severity != diagnose.Warning || f.FollowsFrom != nil {
			continue
		}
		g := judged(t, answered, "severity: {"+id+": error}")[id]
		if g == nil || g.Severity != diagnose.Error || g.Was != diagnose.Warning || !g.Root && !g.AlsoSeen && g.FollowsFrom == nil {
			t.Errorf("%s as an error: %+v", id, g)
		}
		return
	}
	t.Fatal("the example has no warning")
}

func names(found map[string]*diagnose.Finding) []string {
	var out []string
	for id, f := range found {
		out = append(out, id+" "+string(f.Severity)+" "+diagnose.Standing(f))
	}
	slices.Sort(out)
	return out
}
