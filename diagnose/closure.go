package diagnose

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// maxVars bounds how deep exists, all, filter and map may nest in a closure.
const maxVars = 3

// fn is a compiled expression: exactly one member is set.
type fn struct {
	b boolFn
	i intFn
	s strFn
	l listFn
}

func (f fn) ok() bool { return f.b != nil || f.i != nil || f.s != nil || f.l != nil }

// builder compiles a checked expression into closures. What it does not know
// makes the whole expression fall back to cel-go.
type builder struct {
	vars []string // iteration variables, outermost first
	sure []strFn
	seen []gradeKey // facts whose grade is in sure
}

// gradeKey tells apart the groups of facts that have a grade.
type gradeKey struct {
	group string
	root  uintptr
	at    uintptr
}

// closures compiles an expression; false when it uses something else than
// comparisons, logic, membership, text functions and facts.
func closures(e ast.Expr) (compiled, bool) {
	var b builder
	f := b.expr(e)
	return compiled{fn: f, sure: b.sure}, f.ok()
}

func (b *builder) expr(e ast.Expr) fn {
	switch e.Kind() {
	case ast.LiteralKind:
		return literal(e)
	case ast.IdentKind:
		return b.ident(e.AsIdent())
	case ast.SelectKind:
		return b.sel(e)
	case ast.ListKind:
		return b.list(e.AsList())
	case ast.CallKind:
		return b.call(e.AsCall())
	case ast.ComprehensionKind:
		return b.comprehension(e.AsComprehension())
	}
	return fn{}
}

func literal(e ast.Expr) fn {
	switch v := e.AsLiteral().(type) {
	case types.Bool:
		return fn{b: func(*scope) bool { return bool(v) }}
	case types.Int:
		return fn{i: func(*scope) int64 { return int64(v) }}
	case types.String:
		return fn{s: func(*scope) string { return string(v) }}
	}
	return fn{}
}

func (b *builder) ident(name string) fn {
	if i := slices.Index(b.vars, name); i >= 0 {
		return fn{s: func(s *scope) string { return s.vars[i] }}
	}
	switch name {
	case "findings":
		return fn{l: func(s *scope) []string { return s.findings }}
	case "severity":
		return fn{s: func(s *scope) string { return s.severity }}
	}
	return fn{}
}

// path resolves a chain of members from a root.
func (b *builder) path(e ast.Expr) (fieldPath, reflect.Type, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		if slices.Contains(b.vars, e.AsIdent()) {
			return fieldPath{}, nil, false
		}
		for _, r := range roots() {
			if r.name == e.AsIdent() {
				return fieldPath{last: r.at.Offset}, r.typ, true
			}
		}
	case ast.SelectKind:
		p, t, ok := b.path(e.AsSelect().Operand())
		if !ok || t.Kind() != reflect.Pointer {
			return fieldPath{}, nil, false
		}
		f, ok := fieldByTag(t, e.AsSelect().FieldName())
		if !ok {
			return fieldPath{}, nil, false
		}
		b.grade(p, t, f.Name)
		return p.below(f), f.Type, true
	}
	return fieldPath{}, nil, false
}

// grade remembers the grade of a fact the expression rests on: that of a
// version, and that of the name of a fault. A code or a status is seen, not told.
func (b *builder) grade(p fieldPath, t reflect.Type, field string) {
	name := t.Elem().Name()
	if field == "Sure" || name != "VersionFacts" && (name != "FaultFacts" || field != "A2A") {
		return
	}
	f, ok := fieldByTag(t, "sure")
	if !ok {
		return
	}
	at := p.below(f)
	key := gradeKey{name, at.hops[0], p.last}
	if slices.Contains(b.seen, key) {
		return
	}
	if read, ok := readField(at, f.Type); ok {
		b.seen = append(b.seen, key)
		b.sure = append(b.sure, read.s)
	}
}

func (b *builder) sel(e ast.Expr) fn {
	p, t, ok := b.path(e)
	if !ok {
		return fn{}
	}
	if e.AsSelect().IsTestOnly() {
		h, _ := hasField(p, t)
		return fn{b: h}
	}
	f, _ := readField(p, t)
	return f
}

// list compiles a list of strings; one of constants is built once.
func (b *builder) list(l ast.ListExpr) fn {
	var consts []string
	var parts []strFn
	for _, e := range l.Elements() {
		f := b.expr(e)
		if f.s == nil || len(l.OptionalIndices()) > 0 {
			return fn{}
		}
		parts = append(parts, f.s)
		if e.Kind() == ast.LiteralKind {
			consts = append(consts, f.s(nil))
		}
	}
	if len(consts) == len(parts) {
		return fn{l: func(*scope) []string { return consts }}
	}
	return fn{l: func(s *scope) []string {
		list := make([]string, len(parts))
		for i, p := range parts {
			list[i] = p(s)
		}
		return list
	}}
}

func (b *builder) call(c ast.CallExpr) fn {
	name, args := c.FunctionName(), c.Args()
	if name == operators.In && args[1].Kind() == ast.ListKind {
		if f, ok := b.inInts(args[0], args[1].AsList()); ok {
			return f
		}
	}
	if f, ok := b.ours(c); ok {
		return f
	}
	var in []fn
	if c.IsMemberFunction() {
		in = append(in, b.expr(c.Target()))
	}
	for _, a := range args {
		in = append(in, b.expr(a))
	}
	for _, f := range in {
		if !f.ok() {
			return fn{}
		}
	}
	switch len(in) {
	case 1:
		return unary(name, in[0])
	case 2:
		if name == "matches" && !isConst(args[len(args)-1]) {
			return fn{}
		}
		return binary(name, in[0], in[1])
	case 3:
		if name == operators.Conditional {
			return conditional(in[0].b, in[1], in[2])
		}
	}
	return fn{}
}

func isConst(e ast.Expr) bool { return e.Kind() == ast.LiteralKind }

// inInts compiles x in [1, 2].
func (b *builder) inInts(x ast.Expr, l ast.ListExpr) (fn, bool) {
	var consts []int64
	for _, e := range l.Elements() {
		f := b.expr(e)
		if f.i == nil || e.Kind() != ast.LiteralKind {
			return fn{}, false
		}
		consts = append(consts, f.i(nil))
	}
	f := b.expr(x)
	if f.i == nil || len(consts) == 0 {
		return fn{}, false
	}
	return fn{b: func(s *scope) bool { return slices.Contains(consts, f.i(s)) }}, true
}

func unary(name string, x fn) fn {
	switch {
	case name == operators.LogicalNot && x.b != nil:
		return fn{b: func(s *scope) bool { return !x.b(s) }}
	case name == operators.Negate && x.i != nil:
		return fn{i: func(s *scope) int64 { return -x.i(s) }}
	case name == "size" && x.s != nil:
		return fn{i: func(s *scope) int64 { return int64(utf8.RuneCountInString(x.s(s))) }}
	case name == "size" && x.l != nil:
		return fn{i: func(s *scope) int64 { return int64(len(x.l(s))) }}
	case name == "string" && x.i != nil:
		return fn{s: func(s *scope) string { return itoa(x.i(s)) }}
	case name == "string" && x.s != nil:
		return x
	}
	return fn{}
}

func binary(name string, x, y fn) fn {
	switch name {
	case operators.LogicalAnd:
		return fn{b: func(s *scope) bool { return x.b(s) && y.b(s) }}
	case operators.LogicalOr:
		return fn{b: func(s *scope) bool { return x.b(s) || y.b(s) }}
	case operators.Equals:
		return fn{b: equal(x, y)}
	case operators.NotEquals:
		eq := equal(x, y)
		if eq == nil {
			return fn{}
		}
		return fn{b: func(s *scope) bool { return !eq(s) }}
	case operators.In:
		if x.s != nil && y.l != nil {
			return fn{b: func(s *scope) bool { return slices.Contains(y.l(s), x.s(s)) }}
		}
	case operators.Add:
		switch {
		case x.s != nil && y.s != nil:
			return fn{s: func(s *scope) string { return x.s(s) + y.s(s) }}
		case x.l != nil && y.l != nil:
			return fn{l: func(s *scope) []string { return slices.Concat(x.l(s), y.l(s)) }}
		}
	}
	switch {
	case x.i != nil && y.i != nil:
		return compareInts(name, x.i, y.i)
	case x.s != nil && y.s != nil:
		return onTexts(name, x.s, y.s)
	}
	return fn{}
}

func equal(x, y fn) boolFn {
	switch {
	case x.s != nil && y.s != nil:
		return func(s *scope) bool { return x.s(s) == y.s(s) }
	case x.i != nil && y.i != nil:
		return func(s *scope) bool { return x.i(s) == y.i(s) }
	case x.b != nil && y.b != nil:
		return func(s *scope) bool { return x.b(s) == y.b(s) }
	case x.l != nil && y.l != nil:
		return func(s *scope) bool { return slices.Equal(x.l(s), y.l(s)) }
	}
	return nil
}

// compareInts leaves arithmetic to cel-go, which reports overflow.
func compareInts(name string, x, y intFn) fn {
	switch name {
	case operators.Less:
		return fn{b: func(s *scope) bool { return x(s) < y(s) }}
	case operators.LessEquals:
		return fn{b: func(s *scope) bool { return x(s) <= y(s) }}
	case operators.Greater:
		return fn{b: func(s *scope) bool { return x(s) > y(s) }}
	case operators.GreaterEquals:
		return fn{b: func(s *scope) bool { return x(s) >= y(s) }}
	}
	return fn{}
}

func onTexts(name string, x, y strFn) fn {
	switch name {
	case operators.Less:
		return fn{b: func(s *scope) bool { return x(s) < y(s) }}
	case operators.LessEquals:
		return fn{b: func(s *scope) bool { return x(s) <= y(s) }}
	case operators.Greater:
		return fn{b: func(s *scope) bool { return x(s) > y(s) }}
	case operators.GreaterEquals:
		return fn{b: func(s *scope) bool { return x(s) >= y(s) }}
	case "startsWith":
		return fn{b: func(s *scope) bool { return strings.HasPrefix(x(s), y(s)) }}
	case "endsWith":
		return fn{b: func(s *scope) bool { return strings.HasSuffix(x(s), y(s)) }}
	case "contains":
		return fn{b: func(s *scope) bool { return strings.Contains(x(s), y(s)) }}
	case "matches":
		re, err := regexp.Compile(y(nil))
		if err != nil {
			return fn{} // cel-go reports it
		}
		return fn{b: func(s *scope) bool { return re.MatchString(x(s)) }}
	}
	return fn{}
}

func conditional(c boolFn, x, y fn) fn {
	switch {
	case x.s != nil && y.s != nil:
		return fn{s: func(s *scope) string {
			if c(s) {
				return x.s(s)
			}
			return y.s(s)
		}}
	case x.b != nil && y.b != nil:
		return fn{b: func(s *scope) bool {
			if c(s) {
				return x.b(s)
			}
			return y.b(s)
		}}
	case x.i != nil && y.i != nil:
		return fn{i: func(s *scope) int64 {
			if c(s) {
				return x.i(s)
			}
			return y.i(s)
		}}
	case x.l != nil && y.l != nil:
		return fn{l: func(s *scope) []string {
			if c(s) {
				return x.l(s)
			}
			return y.l(s)
		}}
	}
	return fn{}
}
