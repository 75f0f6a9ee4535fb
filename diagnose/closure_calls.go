package diagnose

import (
	"reflect"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// ours compiles a call of one of our functions; false when it is none.
func (b *builder) ours(c ast.CallExpr) (fn, bool) {
	for _, f := range functions() {
		if f.name != c.FunctionName() || f.member() != c.IsMemberFunction() {
			continue
		}
		var in []fn
		for _, a := range c.Args() {
			in = append(in, b.expr(a))
		}
		return b.bind(f.impl, c, in), true
	}
	return fn{}, false
}

// bind puts compiled arguments into a Go function, one case for each shape a
// function of the list has.
func (b *builder) bind(impl any, c ast.CallExpr, in []fn) fn {
	text := func(i int) strFn {
		if i < len(in) {
			return in[i].s
		}
		return nil
	}
	x, y, z := text(0), text(1), text(2)
	var on fn
	if c.IsMemberFunction() && c.Target().Kind() != ast.IdentKind {
		on = b.expr(c.Target())
	} else if c.IsMemberFunction() {
		on = b.ident(c.Target().AsIdent())
	}
	switch f := impl.(type) {
	case func(Tree, string) string:
		if x != nil {
			return fn{s: func(s *scope) string { return f(Tree{s.f.of}, x(s)) }}
		}
	case func(Tree, string) bool:
		if x != nil {
			return fn{b: func(s *scope) bool { return f(Tree{s.f.of}, x(s)) }}
		}
	case func(Shape, string) string:
		if x != nil {
			return fn{s: func(s *scope) string { return f(Shape{s.f}, x(s)) }}
		}
	case func(Shape, string) []string:
		if x != nil {
			return fn{l: func(s *scope) []string { return f(Shape{s.f}, x(s)) }}
		}
	case func(Shape, string) bool:
		if x != nil {
			return fn{b: func(s *scope) bool { return f(Shape{s.f}, x(s)) }}
		}
	case func(*AgentFacts, string, string) bool:
		if x != nil && y != nil && b.isAgent(c.Target()) {
			return fn{b: func(s *scope) bool { return f(s.f.Agent, x(s), y(s)) }}
		}
	case func(*AgentFacts, string) []string:
		if x != nil && b.isAgent(c.Target()) {
			return fn{l: func(s *scope) []string { return f(s.f.Agent, x(s)) }}
		}
	case func(string, string, string) string:
		if x != nil && y != nil && z != nil {
			return fn{s: func(s *scope) string { return f(x(s), y(s), z(s)) }}
		}
	case func(string) string:
		if on.s != nil {
			return fn{s: func(s *scope) string { return f(on.s(s)) }}
		}
	case func(string, string) string:
		if on.s != nil && x != nil {
			return fn{s: func(s *scope) string { return f(on.s(s), x(s)) }}
		}
	case func([]string, string) string:
		if on.l != nil && x != nil {
			return fn{s: func(s *scope) string { return f(on.l(s), x(s)) }}
		}
	}
	return fn{}
}

func (b *builder) isAgent(e ast.Expr) bool {
	_, t, ok := b.path(e)
	return ok && t == reflect.TypeFor[*AgentFacts]()
}

// comprehension compiles exists, all, filter and map over a list of strings.
// They reach us as CEL's macros wrote them; their form is told from the step.
func (b *builder) comprehension(c ast.ComprehensionExpr) fn {
	over := b.expr(c.IterRange())
	if over.l == nil || c.HasIterVar2() || len(b.vars) == maxVars {
		return fn{}
	}
	at := len(b.vars)
	b.vars = append(b.vars, c.IterVar())
	defer func() { b.vars = b.vars[:at] }()
	if c.LoopStep().Kind() != ast.CallKind {
		return fn{}
	}
	step := c.LoopStep().AsCall()
	accu := func(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == c.AccuVar() }
	if !accu(c.Result()) {
		return fn{} // exists_one
	}
	args := step.Args()
	switch {
	case step.FunctionName() == operators.LogicalOr && accu(args[0]):
		if p := b.expr(args[1]); p.b != nil {
			return fn{b: func(s *scope) bool { return anyOf(s, over.l(s), at, p.b) }}
		}
	case step.FunctionName() == operators.LogicalAnd && accu(args[0]):
		if p := b.expr(args[1]); p.b != nil {
			return fn{b: func(s *scope) bool {
				return !anyOf(s, over.l(s), at, func(s *scope) bool { return !p.b(s) })
			}}
		}
	case step.FunctionName() == operators.Conditional && accu(args[2]):
		keep, item := b.expr(args[0]), b.appended(args[1], accu)
		if keep.b != nil && item != nil {
			return fn{l: func(s *scope) []string { return collect(s, over.l(s), at, keep.b, item) }}
		}
	case step.FunctionName() == operators.Add:
		if item := b.appended(c.LoopStep(), accu); item != nil {
			return fn{l: func(s *scope) []string { return collect(s, over.l(s), at, nil, item) }}
		}
	}
	return fn{}
}

// appended returns x of accumulator + [x].
func (b *builder) appended(e ast.Expr, accu func(ast.Expr) bool) strFn {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Add {
		return nil
	}
	args := e.AsCall().Args()
	if len(args) != 2 || !accu(args[0]) || args[1].Kind() != ast.ListKind || args[1].AsList().Size() != 1 {
		return nil
	}
	return b.expr(args[1].AsList().Elements()[0]).s
}

func anyOf(s *scope, list []string, at int, p boolFn) bool {
	for _, v := range list {
		s.vars[at] = v
		if p(s) {
			return true
		}
	}
	return false
}

func collect(s *scope, list []string, at int, keep boolFn, item strFn) []string {
	var out []string
	for _, v := range list {
		s.vars[at] = v
		if keep == nil || keep(s) {
			out = append(out, item(s))
		}
		s.vars[at] = v
	}
	return out
}
