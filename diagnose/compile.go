package diagnose

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// scope is what an expression reads while it runs.
type scope struct {
	f        *Facts
	vars     [maxVars]string // of exists, all, filter and map, by depth
	findings []string        // filters only: the rules that spoke
	severity string          // filters only: the worst of them
	err      error           // first error of CEL itself
}

// Compiled expressions. They come in two makes: Go closures over the facts for
// what rules are written with, and cel-go for the rest. A test holds the first
// against the second.
type (
	boolFn func(*scope) bool
	intFn  func(*scope) int64
	strFn  func(*scope) string
	listFn func(*scope) []string
)

// program is a rule, ready to run.
type program struct {
	readyOnce sync.Once
	readyErrs []error
	cond      boolFn // if and not unless; nil: always (a check decides)
	check     *goCheck

	once      sync.Once
	errs      []error
	escalate  []boolFn
	silenceIf []boolFn
	tableIf   []boolFn
	let       []letFn
	grounds   func() ground // what the condition rests on; read when the rule first speaks
	slow      int           // expressions that only cel-go can run
}

type letFn struct {
	name   string
	en, zh strFn
}

// ready prepares the condition alone, once: most rules never speak. That of a
// built-in rule is picked out of its file, which is not read as YAML for it.
func (r *Rule) ready() []error {
	r.prog.readyOnce.Do(func() {
		p := &r.prog
		c, ok := condition{}, false
		if r.text != nil { // not read yet
			c, ok = scanCondition(string(r.text))
		}
		if !ok {
			if p.readyErrs = r.open(); len(p.readyErrs) > 0 {
				return
			}
			c = condition{r.If, r.Unless, r.Check}
		}
		p.cond = both(r.condition("if", c.when), r.condition("unless", c.unless))
		if k, ok := checkByName(c.check); ok {
			p.check = &k
		}
		p.readyErrs, p.errs = p.errs, nil
	})
	return r.prog.readyErrs
}

// compile prepares the whole rule once and returns what is wrong with it.
func (r *Rule) compile() []error {
	ready := r.ready()
	r.prog.once.Do(func() {
		p := &r.prog
		if p.errs = append(p.errs, r.open()...); len(p.errs) > 0 {
			return
		}
		p.errs = append(p.errs, ready...)
		p.grounds = sync.OnceValue(func() ground { return groundsOf(r.If, r.builtIn) })
		for i, e := range r.Escalate {
			p.escalate = append(p.escalate, r.expression("escalate."+strconv.Itoa(i), e.If, cel.BoolType).b)
		}
		for i, e := range r.SilencesIf {
			p.silenceIf = append(p.silenceIf, r.expression("silences_if."+strconv.Itoa(i), e.If, cel.BoolType).b)
		}
		for i, e := range r.TableIf {
			p.tableIf = append(p.tableIf, r.expression("table."+strconv.Itoa(i), e.If, cel.BoolType).b)
		}
		for _, h := range r.let {
			l := letFn{name: h.name, en: r.expression("let."+h.name, h.expr, cel.StringType).s}
			if h.zh != "" {
				l.zh = r.expression("let."+h.name+".zh", h.zh, cel.StringType).s
			}
			p.let = append(p.let, l)
		}
	})
	return r.prog.errs
}

// both is yes and not no; either may be missing.
func both(yes, no boolFn) boolFn {
	switch {
	case no == nil:
		return yes
	case yes == nil:
		return func(s *scope) bool { return !no(s) }
	}
	return func(s *scope) bool { return yes(s) && !no(s) }
}

// condition compiles if or unless; nil where it is left out.
func (r *Rule) condition(key, expr string) boolFn {
	if expr == "" {
		return nil
	}
	return r.expression(key, expr, cel.BoolType).b
}

// expression compiles one expression. Built-in rules were checked by the tests,
// so the quick parser may read them.
func (r *Rule) expression(key, expr string, want *cel.Type) fn {
	if r.builtIn {
		if e := quickParse(expr); e != nil {
			if c, ok := closures(e); ok && (want == cel.BoolType && c.fn.b != nil || want == cel.StringType && c.fn.s != nil) {
				return c.fn
			}
		}
	}
	c := compileExpr(ruleEnv, expr, want)
	r.prog.errs = append(r.prog.errs, r.explain(key, expr, c.errs)...)
	if len(c.errs) > 0 {
		return fn{b: func(*scope) bool { return false }, s: func(*scope) string { return "" }}
	}
	if c.slow {
		r.prog.slow++
	}
	return c.fn
}

// verify checks every expression with cel-go.
func (r *Rule) verify() []error {
	var errs []error
	for _, x := range r.expressions() {
		errs = append(errs, r.explain(x.key, x.text, compileExpr(ruleEnv, x.text, x.want).errs)...)
	}
	return errs
}

// expr is an expression of a rule file.
type expr struct {
	key, text string
	want      *cel.Type
}

// expressions lists those of the rule.
func (r *Rule) expressions() []expr {
	var es []expr
	add := func(key, text string, want *cel.Type) {
		if text != "" {
			es = append(es, expr{key, text, want})
		}
	}
	add("if", r.If, cel.BoolType)
	add("unless", r.Unless, cel.BoolType)
	for i, e := range r.Escalate {
		add("escalate."+strconv.Itoa(i), e.If, cel.BoolType)
	}
	for i, e := range r.SilencesIf {
		add("silences_if."+strconv.Itoa(i), e.If, cel.BoolType)
	}
	for i, e := range r.TableIf {
		add("table."+strconv.Itoa(i), e.If, cel.BoolType)
	}
	for _, h := range r.let {
		add("let."+h.name, h.expr, cel.StringType)
		add("let."+h.name+".zh", h.zh, cel.StringType)
	}
	return es
}

// explain places the errors of an expression in the rule's file.
func (r *Rule) explain(key, text string, found []exprError) []error {
	var errs []error
	for _, e := range found {
		line, col := r.src.locate(r.src.exprs[key], text, e.offset)
		errs = append(errs, &RuleError{File: r.src.file, Line: line, Col: col, Text: e.text})
	}
	return errs
}

// compiled is an expression, checked and ready to run.
type compiled struct {
	fn   fn
	sure []strFn
	slow bool // cel-go runs it
	errs []exprError
}

// exprError is what is wrong in an expression, at a byte offset.
type exprError struct {
	offset int
	text   string
}

// compileExpr checks an expression against an environment and compiles it.
func compileExpr(env func() (*cel.Env, error), expr string, want *cel.Type) compiled {
	e, err := env()
	if err != nil {
		return compiled{errs: []exprError{{0, err.Error()}}}
	}
	ast, issues := e.Compile(expr)
	if issues.Err() != nil {
		return compiled{errs: explain(expr, issues.Errors())}
	}
	if got := ast.OutputType(); !got.IsExactType(want) {
		return compiled{errs: []exprError{{0, wrongResult(got, want)}}}
	}
	if errs := wrongCodes(expr, ast); len(errs) > 0 {
		return compiled{errs: errs}
	}
	if c, ok := closures(ast.NativeRep().Expr()); ok {
		return c
	}
	prog, err := planCEL(e, ast)
	if err != nil {
		return compiled{errs: []exprError{{0, humanize(err.Error())}}}
	}
	return compiled{fn: runCEL(prog, want), slow: true}
}

func planCEL(e *cel.Env, ast *cel.Ast) (cel.Program, error) {
	return e.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
}

// runCEL wraps a program of cel-go. An evaluation that ends in an error gives
// the zero value and leaves the error in the scope.
func runCEL(prog cel.Program, want *cel.Type) fn {
	eval := func(s *scope) (any, bool) {
		v, _, err := prog.Eval(s)
		if err == nil && types.IsError(v) {
			err = fmt.Errorf("%v", v)
		}
		if err != nil {
			if s.err == nil {
				s.err = err
			}
			return nil, false
		}
		return v.Value(), true
	}
	if want == cel.StringType {
		return fn{s: func(s *scope) string {
			v, _ := eval(s)
			text, _ := v.(string)
			return text
		}}
	}
	return fn{b: func(s *scope) bool {
		v, _ := eval(s)
		yes, _ := v.(bool)
		return yes
	}}
}

func wrongResult(got, want *cel.Type) string {
	if want == cel.StringType {
		hint := ""
		if got.IsExactType(cel.IntType) || got.IsExactType(cel.BoolType) {
			hint = ": write string(…)"
		} else if got.Kind() == types.ListKind {
			hint = `: write ….join(", ")`
		}
		return fmt.Sprintf("a hole must give a string, this gives %s%s", typeName(got), hint)
	}
	return fmt.Sprintf("a condition must be true or false, this gives %s", typeName(got))
}

func typeName(t *cel.Type) string {
	switch t.Kind() {
	case types.BoolKind:
		return "a bool"
	case types.IntKind:
		return "an int"
	case types.StringKind:
		return "a string"
	case types.ListKind:
		return "a list"
	case types.StructKind:
		return "a group of facts"
	}
	return t.String()
}

// fieldByTag finds the member of a facts struct by its name in conditions.
func fieldByTag(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	known, ok := fieldsByTag.Load(t)
	if !ok {
		fields := map[string]reflect.StructField{}
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && f.Tag.Get("cel") != "" {
				fields[f.Tag.Get("cel")] = f
			}
		}
		known, _ = fieldsByTag.LoadOrStore(t, fields)
	}
	f, ok := known.(map[string]reflect.StructField)[name]
	return f, ok
}

// fieldsByTag are the members of the types of facts: what reflection says of a
// type never changes, and hundreds of conditions ask.
var fieldsByTag sync.Map
