package diagnose

import (
	"errors"
	"sync"
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

func TestFilter(t *testing.T) {
	w := newWorld(t)
	c := w.rpc("Agent.example:80", "/a2a", "SendMessage", fails(spec.StdError, decode.Fault{Code: -32601, Std: "MethodNotFoundError"}), about("Task-77"))
	findings := []*Finding{
		{Rule: &Rule{ID: "call/method-not-found-cross-version"}, Severity: Error, Root: true},
		{Rule: &Rule{ID: "version/x"}, Severity: Warning, FollowsFrom: &Key{}},
	}
	for expr, want := range map[string]bool{
		"":                                       true,
		"sendmessage":                            true,
		"SENDMESSAGE a2a":                        true,
		"sendmessage nope":                       false,
		"task-77":                                true,
		"agent.EXAMPLE":                          true,
		"/a2a":                                   true,
		"200":                                    true,
		"20":                                     false,
		"-32601":                                 true,
		"cross-version":                          true,
		"10.0.0.1":                               true,
		"message/send":                           false,
		`"a2a"`:                                  true,
		`"send message"`:                         false,
		"call.failed":                            true,
		"!call.failed":                           false,
		`call.method == "SendMessage"`:           true,
		`severity == "error"`:                    true,
		`findings.exists(r, r.startsWith("ve"))`: true,
		`"call/x" in findings`:                   false,
		`call.http.status >= 400`:                false,
		`call.params.members[3] == ""`:           false,
	} {
		f, err := CompileFilter(expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := f.Match(c, findings); got != want {
			t.Errorf("%s: %v, want %v", expr, got, want)
		}
	}
	for expr, want := range map[string]string{
		"call.metod == 'x'":        "column 6: undefined field 'metod' — did you mean 'method'?",
		"call.ok &&":               "column 11: the expression ends too early: something is missing here",
		"agent.known":              "column 1: 'agent' is known to rules only; a filter sees call, findings and severity",
		"call.method":              "column 1: a condition must be true or false, this gives a string",
		`"ü" == "ü" && call.metod`: "column 20: undefined field 'metod' — did you mean 'method'?",
	} {
		_, err := CompileFilter(expr)
		var fe *FilterError
		if !errors.As(err, &fe) || err.Error() != want {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
}

// TestFilterConcurrent: the screen filters in the background while it filters new rows.
func TestFilterConcurrent(t *testing.T) {
	w := newWorld(t)
	ok, bad := w.rpc("a:1", "/", "GetTask"), w.rpc("a:1", "/", "GetTask", notFound())
	f, err := CompileFilter(`call.failed && findings.size() == 1`)
	if err != nil {
		t.Fatal(err)
	}
	one := []*Finding{{Rule: &Rule{ID: "x/y"}}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if f.Match(ok, nil) || !f.Match(bad, one) {
					t.Error("wrong match")
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkFilter(b *testing.B) {
	w := newWorld(nil)
	c := w.rpc("agent.example:80", "/a2a", "SendMessage")
	for name, expr := range map[string]string{"words": "sendmessage nothing", "condition": `call.failed && call.binding == "JSONRPC"`} {
		b.Run(name, func(b *testing.B) {
			f, _ := CompileFilter(expr)
			b.ReportAllocs()
			for b.Loop() {
				if f.Match(c, nil) {
					b.Fatal("matched")
				}
			}
		})
	}
}
