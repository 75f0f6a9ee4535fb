package diagnose

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"cel.dev/cel-go/cel"

	"a2ascope/decode"
)

// words that random facts are made of: those that conditions compare with, so
// that both outcomes of a comparison are met.
var factWords = []string{"", "call", "JSONRPC", "GRPC", "1.0", "0.3", "message/send", "SendMessage", "a,b", "ok", "ünï", "b"}

// randomFacts fills every fact with something.
func randomFacts(rnd *rand.Rand) *Facts {
	f := NewFacts()
	f.of = &decode.Call{}
	fillRandom(rnd, reflect.ValueOf(f).Elem())
	f.Agent.card = &card{groups: []group{{binding: "JSONRPC", versions: []string{"1.0"}}, {binding: "GRPC", versions: []string{"0.3"}}}}
	return f
}

func fillRandom(rnd *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct {
			fillRandom(rnd, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("cel") != "" {
				fillRandom(rnd, v.Field(i))
			}
		}
	case reflect.String:
		v.SetString(factWords[rnd.IntN(len(factWords))])
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int:
		v.SetInt(int64([]int{-1, 0, 1, 12, 404, -32601}[rnd.IntN(6)]))
	case reflect.Slice:
		n := rnd.IntN(4)
		if n == 0 {
			v.SetZero()
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fillRandom(rnd, v.Index(i))
		}
	}
}

// closureCases are what rules are written with; slow ones are known to need cel-go.
var closureCases = []struct {
	expr string
	slow bool
}{
	{expr: `call.ok`},
	{expr: `!call.ok`},
	{expr: `true`},
	{expr: `call.binding == "JSONRPC" && call.fault.code == -32601`},
	{expr: `call.binding != "JSONRPC" || call.http.status >= 400 && call.http.status < 500`},
	{expr: `call.ok == call.failed`},
	{expr: `call.ok != call.failed`},
	{expr: `call.http.status > 1 && call.http.status <= 404`},
	{expr: `call.method < "b" || call.method >= "ok"`},
	{expr: `call.method <= "b" && call.method > "A"`},
	{expr: `call.binding in ["JSONRPC", "GRPC"]`},
	{expr: `!(call.binding in [])`},
	{expr: `call.fault.code in [-32601, 404, 0]`},
	{expr: `"1.0" in iface.versions`},
	{expr: `call.request.version in iface.versions`},
	{expr: `call.method in [call.binding, "ok"]`},
	{expr: `has(call.method)`},
	{expr: `has(call.fault) && has(call.fault.code) && !has(call.ok)`},
	{expr: `has(iface.versions)`},
	{expr: `size(call.method) == 3`},
	{expr: `size(iface.versions) > 1`},
	{expr: `iface.versions.size() > 1`},
	{expr: `call.method.size() == 3`},
	{expr: `call.method.startsWith("message/")`},
	{expr: `call.method.endsWith("Message")`},
	{expr: `call.method.contains("ess")`},
	{expr: `call.method.matches("^[A-Z].*")`},
	{expr: `call.method.matches(call.binding)`, slow: true},
	{expr: `call.method.lower() == "jsonrpc"`},
	{expr: `call.method.or("none") == "none"`},
	{expr: `iface.versions.join("+") == "1.0+0.3"`},
	{expr: `(call.ok ? call.method : call.binding) == "ok"`},
	{expr: `(call.ok ? call.failed : call.misnamed)`},
	{expr: `(call.ok ? 1 : call.http.status) == 1`},
	{expr: `size(call.ok ? iface.versions : ["x"]) == 1`},
	{expr: `iface.versions.exists(v, v == "1.0")`},
	{expr: `iface.versions.all(v, v != "")`},
	{expr: `iface.versions.exists(v, iface.answered.exists(w, v == w))`},
	{expr: `iface.versions.exists(v, iface.answered.all(w, v == w && v != call.method))`},
	{expr: `iface.versions.filter(v, v != "1.0").size() == 1`},
	{expr: `iface.versions.map(v, v + "!").join(" ") == "1.0! 0.3!"`},
	{expr: `iface.versions.map(v, v != "", v.lower()).size() == 2`},
	{expr: `iface.versions.exists_one(v, v == "1.0")`, slow: true},
	{expr: `iface.versions == ["1.0", "0.3"]`},
	{expr: `iface.versions + ["x"] != ["x"]`},
	{expr: `iface.versions[0] == "1.0"`, slow: true},
	{expr: `call.method + call.binding == "okok"`},
	{expr: `string(call.http.status) == "404"`},
	{expr: `string(call.method) == "ok"`},
	{expr: `-call.http.status == 1`},
	{expr: `call.http.status + 1 == 1`, slow: true},
	{expr: `agent.serves("JSONRPC", "1.0")`},
	{expr: `agent.serves(call.binding, call.request.version)`},
	{expr: `agent.versions("GRPC").join(",") == "0.3"`},
	{expr: `nameIn("SendMessage", call.request.version, call.binding) == "message/send"`},
	{expr: `tree.at("request#/x") == "" && !tree.has("response#/y") && tree.kind("request#") == "absent"`},
	{expr: `call.request.sure == "ok" || call.fault.a2a == ""`},
}

// TestClosures holds the closures against cel-go on random facts.
func TestClosures(t *testing.T) {
	for _, tt := range closureCases {
		c := compileExpr(ruleEnv, tt.expr, cel.BoolType)
		if len(c.errs) > 0 {
			t.Errorf("%s: %v", tt.expr, c.errs)
			continue
		}
		if c.slow != tt.slow {
			t.Errorf("%s: left to cel-go: %v, want %v", tt.expr, c.slow, tt.slow)
		}
		compareWithCEL(t, tt.expr, cel.BoolType, c.fn, 256)
	}
}

// factPool is random facts, made once: filling them takes longer than reading.
var factPool = sync.OnceValue(func() []*Facts {
	rnd := rand.New(rand.NewPCG(1, 2))
	pool := make([]*Facts, 256)
	for i := range pool {
		pool[i] = randomFacts(rnd)
	}
	return pool
})

// compareWithCEL runs an expression both ways on random facts.
func compareWithCEL(t *testing.T, expr string, want *cel.Type, run fn, rounds int) {
	t.Helper()
	env, err := ruleEnv()
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(expr)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	prog, err := planCEL(env, ast)
	if err != nil {
		t.Fatal(err)
	}
	ref := runCEL(prog, want)
	for _, f := range factPool()[:rounds] {
		s := &scope{f: f}
		var got, exp string
		if want == cel.StringType {
			got, exp = run.s(s), ref.s(s)
		} else {
			got, exp = fmt.Sprint(run.b(s)), fmt.Sprint(ref.b(s))
		}
		if s.err == nil && got != exp {
			t.Errorf("%s: closures say %s, cel-go says %s", expr, got, exp)
			return
		}
	}
}

// TestNilFacts: a missing group of facts reads as its zero values, as CEL has it.
func TestNilFacts(t *testing.T) {
	for _, expr := range []string{`call.fault.code == 0`, `call.fault.a2a == ""`, `!has(call.fault)`, `call.stream.unusual.all(x, false)`, `!call.fault.present`} {
		s := &scope{f: NewFacts()}
		s.f.Call.Fault, s.f.Call.Stream = nil, nil
		c := compileExpr(ruleEnv, expr, cel.BoolType)
		if len(c.errs) > 0 {
			t.Fatal(expr, c.errs)
		}
		if !c.fn.b(s) {
			t.Errorf("%s is false on missing facts", expr)
		}
	}
}

// TestRuntimeError: an evaluation that fails gives false and leaves its error.
func TestRuntimeError(t *testing.T) {
	c := compileExpr(ruleEnv, `iface.versions[7] == "x"`, cel.BoolType)
	s := &scope{f: NewFacts()}
	if c.fn.b(s) || s.err == nil {
		t.Errorf("got %v, error %v", c.fn.b(s), s.err)
	}
}

func BenchmarkCondition(b *testing.B) {
	const expr = `call.binding == "JSONRPC" && call.fault.code == -32601 && call.operation != "" && !(iface.speaks in ["", "both"]) && iface.speaks != call.request.call_gen`
	f := NewFacts()
	f.Call.Binding, f.Call.Fault.Code, f.Call.Operation, f.Iface.Speaks, f.Call.Request.CallGen = "JSONRPC", -32601, "GetTask", "0.3", "1.0"
	s := &scope{f: f}
	b.Run("closures", func(b *testing.B) {
		c := compileExpr(ruleEnv, expr, cel.BoolType)
		b.ReportAllocs()
		for b.Loop() {
			if !c.fn.b(s) {
				b.Fatal("false")
			}
		}
	})
	b.Run("cel-go", func(b *testing.B) {
		env, _ := ruleEnv()
		ast, _ := env.Compile(expr)
		prog, _ := planCEL(env, ast)
		run := runCEL(prog, cel.BoolType)
		b.ReportAllocs()
		for b.Loop() {
			if !run.b(s) {
				b.Fatal("false")
			}
		}
	})
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			compileExpr(ruleEnv, expr, cel.BoolType)
		}
	})
}
