package explain_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/internal/explain"
	"a2ascope/internal/lang"
	"a2ascope/rules"
)

func loadRules(t *testing.T) *diagnose.Set {
	t.Helper()
	set, errs := diagnose.Load(rules.FS, true)
	for _, err := range errs {
		t.Fatal(err)
	}
	return set
}

// plays runs every example of the rules.
func plays(t *testing.T, set *diagnose.Set, do func(name string, out *ruletest.Outcome)) {
	t.Helper()
	n := 0
	tree := os.DirFS("../../rules") // the examples are not part of the program
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".txtar") || strings.HasPrefix(name, "review/") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for _, f := range txtar.Parse(text).Files {
			if !strings.HasSuffix(f.Name, ".play") {
				continue
			}
			n++
			out, err := ruletest.Play(set, name, f.Data, diagnose.Options{})
			if err != nil {
				return err
			}
			do(name+" "+f.Name, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 100 {
		t.Fatalf("only %d plays were run", n)
	}
}

// Everything the plays of the rules hold can be explained in both languages,
// with a reason for each signal and nothing left unfilled.
func TestEveryPlayIsExplained(t *testing.T) {
	set := loadRules(t)
	w := lang.ExplainWords("zh")
	unknown := map[string]string{}
	plays(t, set, func(name string, out *ruletest.Outcome) {
		for _, c := range out.Calls {
			for _, list := range [][]decode.Signal{c.Identity, c.Request.Signals, c.Response.Signals, c.Card.Signals} {
				for _, g := range list {
					if w.SignalWords(g.Why) == "" {
						unknown[g.Why] = name
					}
				}
			}
		}
		for _, l := range []diagnose.Lang{diagnose.EN, diagnose.ZH} {
			for _, c := range out.Calls {
				sound(t, name, explain.Exchange(c, nil, explain.Options{Lang: l}), "what")
			}
			for _, f := range out.Findings {
				sound(t, name+" "+f.Rule.ID, explain.Finding(f, out.Calls[f.Key.Exchange], explain.Options{Lang: l}), "why", "grade", "refute", "rule")
			}
		}
	})
	for code, name := range unknown {
		t.Errorf("there are no words for the signal %q, seen in %s", code, name)
	}
	for _, r := range set.Rules() {
		for _, l := range []diagnose.Lang{diagnose.EN, diagnose.ZH} {
			sound(t, r.ID, explain.Rule(r, explain.Options{Lang: l}), "why", "refute", "rule")
		}
	}
}

// sound reports empty or unfilled parts and sections that are missing.
func sound(t *testing.T, name string, e explain.Explanation, sections ...string) {
	t.Helper()
	if e.Title == "" {
		t.Errorf("%s: no title", name)
	}
	var ids []string
	for _, s := range e.Sections {
		ids = append(ids, s.ID)
		for _, p := range s.Parts {
			if strings.Contains(p.Text, "%!") || p.Text+p.Code+p.Paste == "" && p.Table == nil {
				t.Errorf("%s, %s: a part is empty or unfilled: %q", name, s.ID, p.Text)
			}
			if p.Table == nil {
				continue
			}
			for _, r := range p.Table.Rows {
				if len(r.Cells) != len(p.Table.Head) {
					t.Errorf("%s, %s: a row has %d cells, want %d", name, s.ID, len(r.Cells), len(p.Table.Head))
				}
			}
		}
	}
	for _, want := range sections {
		if !slices.Contains(ids, want) {
			t.Errorf("%s: there is no section %q, only %v", name, want, ids)
		}
	}
}

func play(t *testing.T, text string) *ruletest.Outcome {
	t.Helper()
	out, err := ruletest.Play(loadRules(t), "test.play", []byte(text), diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const subscribe = `= a name agent.example.test
> GET /tasks/t1:subscribe
> Host: agent.example.test
> Authorization: Bearer s3cr3t-t0ken-of-somebody
> A2A-Version: 1.0.1
< 405
< Allow: POST
< Content-Type: text/html
<
< <html>no</html>
`

func TestExchangeSaysWhatTheTablesHold(t *testing.T) {
	for _, c := range play(t, subscribe).Calls {
		e := explain.Exchange(c, nil, explain.Options{Lang: diagnose.EN})
		all := flat(e)
		for _, want := range []string{
			"/lf.a2a.v1.A2AService/SubscribeToTask", "/a2a.v1.A2AService/TaskSubscription", "tasks/resubscribe", "GET /v1/tasks/{id}:subscribe",
			"1.0 a2a.proto", "GET /tasks/{id}:subscribe", "capabilities.streaming",
			"has a patch number", "no media type of A2A", "Bearer [masked",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("the explanation does not say %q:\n%s", want, all)
			}
		}
		if strings.Contains(all, "s3cr3t") {
			t.Error("the explanation shows a secret")
		}
		if !strings.Contains(flat(explain.Exchange(c, nil, explain.Options{Plain: true})), "s3cr3t") {
			t.Error("without masking the value is shown")
		}
	}
}

func TestVersionVerdict(t *testing.T) {
	for _, c := range play(t, subscribe).Calls {
		v := &diagnose.VersionVerdict{Sent: "", Exposes: []string{"1.0"}, Expected: diagnose.Refuse, Did: diagnose.AsNew}
		if got := flat(explain.Exchange(c, v, explain.Options{})); !strings.Contains(got, "does not agree with the rule") {
			t.Errorf("a call that had to be refused and was not:\n%s", got)
		}
		v.Did = diagnose.Refuse
		if got := flat(explain.Exchange(c, v, explain.Options{})); !strings.Contains(got, "agrees with the rule") {
			t.Errorf("a call that was refused as it had to be:\n%s", got)
		}
	}
}

func flat(e explain.Explanation) string {
	var b strings.Builder
	for _, s := range e.Sections {
		b.WriteString(s.Title + "\n")
		for _, p := range s.Parts {
			b.WriteString(p.Text + p.Code + p.Paste + "\n")
			if p.Table != nil {
				for _, r := range p.Table.Rows {
					b.WriteString(strings.Join(r.Cells, " | ") + "\n")
				}
			}
		}
	}
	return b.String()
}

func TestPastes(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Send the protocolVersion of the entry: A2A-Version: 1.0.", []string{"A2A-Version: 1.0"}},
		{"请发送：A2A-Version: 1.0，不要带修订号。", []string{"A2A-Version: 1.0"}},
		{`Answer with {"reason": "X", "domain": "a2a-protocol.org"}.`, []string{`{"reason": "X", "domain": "a2a-protocol.org"}`}},
		{`Write "protocolBinding": "JSONRPC" into the card.`, []string{`"protocolBinding": "JSONRPC"`}},
		{"At this server that is: url + POST /message:send", []string{"POST /message:send"}},
		{"call /lf.a2a.v1.A2AService/GetTask, then `a` and ```go\nx := 1\n```", []string{"/lf.a2a.v1.A2AService/GetTask", "a", "x := 1"}},
		{"push configurations as {taskId, id} and \"quoted\" words", nil},
		{"POST /tasks/{id}:cancel and POST /tasks/{id}:cancel", []string{"POST /tasks/{id}:cancel"}},
		{"", nil},
	} {
		if got := explain.Pastes(c.text); !slices.Equal(got, c.want) {
			t.Errorf("Pastes(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFactsLeaveTextsOut(t *testing.T) {
	r := &diagnose.Rule{If: `call.fault.code == -32601 && call.method != "call.method.x"`, Unless: `iface.served`}
	if got, want := explain.Facts(r), []string{"call.fault.code", "call.method", "iface.served"}; !slices.Equal(got, want) {
		t.Errorf("Facts = %v, want %v", got, want)
	}
}
