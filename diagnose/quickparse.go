package diagnose

import (
	"strconv"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// quickParse reads the part of CEL that rules are written in. cel-go needs a
// quarter of a millisecond to parse and check an expression, this a few
// microseconds, and hundreds of expressions are read at the start of a run. It
// is used for built-in rules only, whose expressions the tests check with
// cel-go; nil for everything it does not know, which cel-go then reads.
func quickParse(text string) ast.Expr {
	p := quick{text: text, make: ast.NewExprFactory()}
	p.next()
	e := p.conditional()
	if p.bad || p.kind != tokEnd {
		return nil
	}
	return e
}

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokInt
	tokText
	tokOp
)

// quick is the parser: one token ahead, no way back.
type quick struct {
	text  string
	pos   int
	kind  tokenKind
	word  string // of the token; of a text its value
	bad   bool
	depth int
	make  ast.ExprFactory
}

// maxQuickDepth bounds nesting; deeper expressions are cel-go's.
const maxQuickDepth = 64

func (p *quick) fail() ast.Expr {
	p.bad = true
	return p.make.NewLiteral(0, types.False)
}

func (p *quick) next() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	start := p.pos
	if start == len(p.text) {
		p.kind, p.word = tokEnd, ""
		return
	}
	switch c := p.text[start]; {
	case isLetter(c):
		for p.pos < len(p.text) && (isLetter(p.text[p.pos]) || isDigit(p.text[p.pos])) {
			p.pos++
		}
		p.kind = tokName
		if p.pos < len(p.text) && (p.text[p.pos] == '"' || p.text[p.pos] == '\'') {
			p.bad = true // r"", b""
		}
	case isDigit(c):
		for p.pos < len(p.text) && (isLetter(p.text[p.pos]) || isDigit(p.text[p.pos]) || p.text[p.pos] == '.') {
			p.pos++
		}
		p.kind = tokInt
	case c == '"' || c == '\'':
		p.quoted(c)
		return
	default:
		p.pos++
		p.kind = tokOp
		if two := p.text[start:min(start+2, len(p.text))]; two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "&&" || two == "||" {
			p.pos++
		}
	}
	p.word = p.text[start:p.pos]
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quoted reads a text in simple quotes; the escapes of rules are \\ \" \' \n \t.
func (p *quick) quoted(quote byte) {
	var b strings.Builder
	p.kind = tokText
	if strings.HasPrefix(p.text[p.pos:], strings.Repeat(string(quote), 3)) {
		p.bad = true
	}
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; {
		case c == quote:
			p.pos++
			p.word = b.String()
			return
		case c == '\n':
			p.bad = true
		case c == '\\' && p.pos+1 < len(p.text):
			p.pos++
			i := strings.IndexByte(`\"'nt`, p.text[p.pos])
			if i < 0 {
				p.bad = true
				continue
			}
			b.WriteByte("\\\"'\n\t"[i])
		default:
			b.WriteByte(c)
		}
	}
	p.bad = true
}

// take takes an operator when it is next.
func (p *quick) take(op string) bool {
	if p.kind == tokOp && p.word == op {
		p.next()
		return true
	}
	return false
}

func (p *quick) conditional() ast.Expr {
	if p.depth++; p.depth > maxQuickDepth {
		return p.fail()
	}
	defer func() { p.depth-- }()
	e := p.chain(0)
	if !p.take("?") {
		return e
	}
	yes := p.chain(0)
	if !p.take(":") {
		return p.fail()
	}
	return p.make.NewCall(0, operators.Conditional, e, yes, p.conditional())
}

// levels of the binary operators, loosest first.
var levels = []map[string]string{
	{"||": operators.LogicalOr},
	{"&&": operators.LogicalAnd},
	{"==": operators.Equals, "!=": operators.NotEquals, "<": operators.Less, "<=": operators.LessEquals,
		">": operators.Greater, ">=": operators.GreaterEquals, "in": operators.In},
	{"+": operators.Add, "-": operators.Subtract},
}

func (p *quick) chain(level int) ast.Expr {
	if level == len(levels) {
		return p.unary()
	}
	e := p.chain(level + 1)
	for !p.bad && (p.kind == tokOp || p.kind == tokName) {
		op, ok := levels[level][p.word]
		if !ok {
			break
		}
		p.next()
		e = p.make.NewCall(0, op, e, p.chain(level+1))
	}
	return e
}

func (p *quick) unary() ast.Expr {
	switch {
	case p.take("!"):
		if p.depth++; p.depth > maxQuickDepth {
			return p.fail()
		}
		defer func() { p.depth-- }()
		return p.make.NewCall(0, operators.LogicalNot, p.unary())
	case p.take("-"):
		if p.kind == tokInt {
			return p.member(p.number("-"))
		}
		return p.make.NewCall(0, operators.Negate, p.member(p.primary()))
	}
	return p.member(p.primary())
}

func (p *quick) number(sign string) ast.Expr {
	n, err := strconv.ParseInt(sign+p.word, 10, 64)
	if err != nil {
		return p.fail()
	}
	p.next()
	return p.make.NewLiteral(0, types.Int(n))
}

func (p *quick) primary() ast.Expr {
	switch {
	case p.take("("):
		e := p.conditional()
		if !p.take(")") {
			return p.fail()
		}
		return e
	case p.take("["):
		return p.make.NewList(0, p.list("]"), nil)
	case p.kind == tokInt:
		return p.number("")
	case p.kind == tokText:
		v := p.word
		p.next()
		return p.make.NewLiteral(0, types.String(v))
	case p.kind == tokName:
		name := p.word
		p.next()
		switch {
		case name == "true" || name == "false":
			return p.make.NewLiteral(0, types.Bool(name == "true"))
		case name == "null" || name == "in":
			return p.fail()
		case !p.take("("):
			return p.make.NewIdent(0, name)
		case name == operators.Has:
			return p.has()
		}
		return p.make.NewCall(0, name, p.list(")")...)
	}
	return p.fail()
}

// list reads expressions up to a closing bracket.
func (p *quick) list(end string) []ast.Expr {
	var es []ast.Expr
	for !p.bad && !p.take(end) {
		if len(es) > 0 && !p.take(",") {
			p.fail()
			break
		}
		es = append(es, p.conditional())
	}
	return es
}

func (p *quick) has() ast.Expr {
	args := p.list(")")
	if len(args) != 1 || args[0].Kind() != ast.SelectKind {
		return p.fail()
	}
	s := args[0].AsSelect()
	return p.make.NewPresenceTest(0, s.Operand(), s.FieldName())
}

func (p *quick) member(e ast.Expr) ast.Expr {
	for !p.bad && p.take(".") {
		if p.kind != tokName {
			return p.fail()
		}
		name := p.word
		p.next()
		if !p.take("(") {
			e = p.make.NewSelect(0, e, name)
			continue
		}
		e = p.method(e, name, p.list(")"))
	}
	if p.kind == tokOp && (p.word == "[" || p.word == "{") {
		return p.fail()
	}
	return e
}

// method makes a call on a value, or what CEL's macros make of it.
func (p *quick) method(on ast.Expr, name string, args []ast.Expr) ast.Expr {
	m := p.make
	macro := len(args) > 1 && args[0].Kind() == ast.IdentKind
	if !macro {
		return m.NewMemberCall(0, name, on, args...)
	}
	accu := func() ast.Expr { return m.NewAccuIdent(0) }
	loop := func(init, while, step ast.Expr) ast.Expr {
		return m.NewComprehension(0, on, args[0].AsIdent(), m.AccuIdentName(), init, while, step, accu())
	}
	yes := func(v bool) ast.Expr { return m.NewLiteral(0, types.Bool(v)) }
	item := func(e ast.Expr) ast.Expr {
		return m.NewCall(0, operators.Add, accu(), m.NewList(0, []ast.Expr{e}, nil))
	}
	switch {
	case name == operators.Exists && len(args) == 2:
		return loop(yes(false), m.NewCall(0, operators.NotStrictlyFalse, m.NewCall(0, operators.LogicalNot, accu())),
			m.NewCall(0, operators.LogicalOr, accu(), args[1]))
	case name == operators.All && len(args) == 2:
		return loop(yes(true), m.NewCall(0, operators.NotStrictlyFalse, accu()), m.NewCall(0, operators.LogicalAnd, accu(), args[1]))
	case name == operators.Filter && len(args) == 2:
		return loop(m.NewList(0, nil, nil), yes(true), m.NewCall(0, operators.Conditional, args[1], item(m.NewIdent(0, args[0].AsIdent())), accu()))
	case name == operators.Map && len(args) == 2:
		return loop(m.NewList(0, nil, nil), yes(true), item(args[1]))
	case name == operators.Map && len(args) == 3:
		return loop(m.NewList(0, nil, nil), yes(true), m.NewCall(0, operators.Conditional, args[1], item(args[2]), accu()))
	case name == operators.ExistsOne:
		return p.fail()
	}
	return m.NewMemberCall(0, name, on, args...)
}
