package diagnose

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"

	"a2ascope/rules"
)

// TestQuickParse holds the quick parser against cel-go: on the expressions of
// closures, and on those that it must leave alone.
func TestQuickParse(t *testing.T) {
	for _, tt := range closureCases {
		e := quickParse(tt.expr)
		if e == nil {
			if !tt.slow {
				t.Errorf("%s: not read", tt.expr)
			}
			continue
		}
		c, ok := closures(e)
		if ok == tt.slow {
			t.Errorf("%s: compiled: %v, want %v", tt.expr, ok, !tt.slow)
		}
		if ok {
			compareWithCEL(t, tt.expr, cel.BoolType, c.fn, 100)
		}
	}
	for _, expr := range []string{
		`call.ok ? true : call.failed ? false : call.misnamed`,
		`call.ok || call.failed && call.misnamed || !call.ok && !call.misnamed`,
		`!!call.ok`, `(call.ok)`, `((call.method)) == ((('b')))`,
		`call.method == "a\"b\\\n\t\'"`, `call.method == 'it"s'`,
		`call.http.status == - 1`, `call.http.status < 0 || call.http.status > 9223372036854775806`,
		"call.ok\n  &&\tcall.failed\r\n", `call.method.size()==3`, `["a"].exists(x,x==call.method)`,
		`"x" in ["x",] || call.ok`, `call.http.status in [-1, 404]`, `call.method+"!"=="ok!"`,
	} {
		e := quickParse(expr)
		if e == nil {
			if !strings.Contains(expr, ",]") && !strings.Contains(expr, "- 1") {
				t.Errorf("%s: not read", expr)
			}
			continue
		}
		c, ok := closures(e)
		if !ok {
			t.Errorf("%s: not compiled", expr)
			continue
		}
		compareWithCEL(t, expr, cel.BoolType, c.fn, 100)
	}
	for _, expr := range []string{
		``, `call.ok &&`, `call.ok call.ok`, `(call.ok`, `call.ok)`, `call..ok`, `.call`, `call.method == "a`, `call.method = "a"`, `call.ok & call.ok`,
		`r"a" == call.method`, `"""a""" == call.method`, `call.method == "\x41"`, `1.5 == 2.0`, `1u == 2u`, `0x10 == 16`, `iface.versions[0] == ""`,
		`{"a": 1}.a == 1`, `null == null`, `in == in`, `iface.versions.exists_one(x, true)`, `has(call)`, `99999999999999999999 == 1`, `call.ok ? true`,
		`call.method == "a` + "\n" + `b"`, `call.ok // comment`, strings.Repeat("(", 200) + "call.ok" + strings.Repeat(")", 200), strings.Repeat("!", 200) + "call.ok",
	} {
		if e := quickParse(expr); e != nil {
			t.Errorf("%s: was read, but is cel-go's or wrong", expr)
		}
	}
}

// TestRuleExpressions holds every expression of the built-in rules, as the
// engine runs it, against cel-go.
func TestRuleExpressions(t *testing.T) {
	set, _ := Load(rules.FS, true)
	for _, r := range set.Rules() {
		for _, x := range r.expressions() {
			if errs := compileExpr(ruleEnv, x.text, x.want).errs; len(errs) > 0 {
				continue // go test ./rules reports it
			}
			e := quickParse(x.text)
			if e == nil {
				t.Logf("%s, %s: left to cel-go: %s", r.ID, x.key, x.text)
				continue
			}
			if c, ok := closures(e); ok {
				compareWithCEL(t, x.text, x.want, c.fn, 40)
			}
		}
	}
}

// FuzzQuickParse: whatever it reads, cel-go reads too, and both agree.
func FuzzQuickParse(f *testing.F) {
	for _, tt := range closureCases {
		f.Add(tt.expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		if len(expr) > 200 {
			return
		}
		e := quickParse(expr)
		if e == nil {
			return
		}
		c, ok := closures(e)
		if !ok || c.fn.b == nil {
			return
		}
		if full := compileExpr(ruleEnv, expr, cel.BoolType); len(full.errs) == 0 {
			compareWithCEL(t, expr, cel.BoolType, c.fn, 5)
		}
	})
}

// TestHeader: what is told from the first look is what the YAML says. (A rule
// written in another form is read at once; few may be, it costs at the start.)
func TestHeader(t *testing.T) {
	var all, unread int
	err := fs.WalkDir(rules.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(rules.FS, name)
		if err != nil {
			return err
		}
		h, ok := scanHeader(string(text))
		full, errs := readRule(name, text, true)
		if len(errs) > 0 {
			return nil // go test ./rules reports it
		}
		if all++; !ok {
			unread++
			t.Logf("%s: its header is not understood at the first look", name)
			return nil
		}
		compareHeader(t, name, h, full)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if unread*10 > all {
		t.Errorf("the headers of %d of %d rules are not understood at the first look", unread, all)
	}
	for name, text := range map[string]string{
		"flow":     ruleText(7, "call.ok", "at: [response, end]", `for: {kind: [call, "card"], binding: GRPC, version: ["0.3", '1.0']}`, "fallback: true"),
		"comments": strings.Replace(ruleText(7, "call.ok"), "rank: 7", "# rank: 3\nrank: 7", 1),
		"rows":     strings.Replace(good, "[call]", "\n    - call\n    - card", 1),
		"block":    strings.Replace(good, "  kind: [call]", "  kind: [call]   # calls only\n\n  # and\n  outcome: [ok, none]", 1),
	} {
		h, ok := scanHeader(text)
		full, errs := readRule("call/x.yaml", []byte(text), true)
		if !ok || len(errs) > 0 {
			t.Errorf("%s: understood %v, errors %v\n%s", name, ok, errs, text)
			continue
		}
		compareHeader(t, name, h, full)
	}
	for name, text := range map[string]string{
		"unknown word": strings.Replace(good, "[call]", "[cal]", 1),
		"no rank":      strings.Replace(good, "rank: 90\n", "", 1),
		"quoted key":   strings.Replace(good, "rank:", `"rank":`, 1),
		"document":     "---\n" + good,
		"at twice":     "at: end\n" + good,
	} {
		if _, ok := scanHeader(text); ok {
			t.Errorf("%s: understood, but YAML should read it", name)
		}
	}
}

func compareHeader(t *testing.T, name string, h header, full *Rule) {
	t.Helper()
	if !reflect.DeepEqual(h.at, full.At) || !reflect.DeepEqual(h.kinds, full.For) || h.rank != full.Rank || h.fallback != full.Fallback {
		t.Errorf("%s: header %+v, YAML says at %v for %+v rank %d fallback %v", name, h, full.At, full.For, full.Rank, full.Fallback)
	}
}
