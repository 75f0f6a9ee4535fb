package diagnose

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"a2ascope/decode"
)

// ground is what a condition rests on, and so what a finding can be no surer
// than. Of terms that must hold together the least sure counts; of alternatives
// the surest that holds, for the finding would stand without the others. What
// is negated refutes and proves nothing, as with unless. Values for the texts
// are no ground either: a finding is not less true because a fact that fills a
// hole is a guess.
type ground struct {
	all, any []ground
	holds    boolFn
	sure     []strFn // of a single term
}

// groundsOf reads what a condition rests on; nothing where cel-go has to run it.
func groundsOf(expr string, builtIn bool) ground {
	if expr == "" {
		return ground{}
	}
	if builtIn {
		if e := quickParse(expr); e != nil {
			return groundOf(e)
		}
	}
	env, err := ruleEnv()
	if err != nil {
		return ground{}
	}
	parsed, issues := env.Compile(expr)
	if issues.Err() != nil {
		return ground{}
	}
	return groundOf(parsed.NativeRep().Expr())
}

func groundOf(e ast.Expr) ground {
	if e.Kind() == ast.CallKind {
		switch c := e.AsCall(); c.FunctionName() {
		case operators.LogicalAnd:
			return ground{all: groundsOfEach(c.Args())}
		case operators.LogicalOr:
			return ground{any: groundsOfEach(c.Args())}
		case operators.LogicalNot:
			c, _ := closures(e)
			return ground{holds: c.fn.b}
		}
	}
	c, _ := closures(e)
	return ground{holds: c.fn.b, sure: c.sure}
}

func groundsOfEach(es []ast.Expr) []ground {
	gs := make([]ground, len(es))
	for i, e := range es {
		gs[i] = groundOf(e)
	}
	return gs
}

// stands reports whether the term holds. One that only cel-go can run is taken to hold.
func (g *ground) stands(s *scope) bool {
	switch {
	case g.all != nil:
		for i := range g.all {
			if !g.all[i].stands(s) {
				return false
			}
		}
		return true
	case g.any != nil:
		for i := range g.any {
			if g.any[i].stands(s) {
				return true
			}
		}
		return false
	}
	return g.holds == nil || g.holds(s)
}

// weight is the grade of the ground: 3 where nothing lowers it.
func (g *ground) weight(s *scope) int {
	least := weight(decode.Certain)
	switch {
	case g.all != nil:
		for i := range g.all {
			least = min(least, g.all[i].weight(s))
		}
	case g.any != nil:
		most := 0
		for i := range g.any {
			if g.any[i].stands(s) {
				most = max(most, g.any[i].weight(s))
			}
		}
		if most > 0 {
			return most
		}
		for i := range g.any { // none holds any more: the finding stands from before
			least = min(least, g.any[i].weight(s))
		}
	default:
		for _, sure := range g.sure {
			if w := weight(decode.Sure(sure(s))); w > 0 {
				least = min(least, w)
			}
		}
	}
	return least
}
