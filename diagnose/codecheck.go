package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"a2ascope/decode/audit"
)

// wrongCodes reports the codes that conditions ask shape for and that no slip
// can have: such a condition would be false for ever, without a word. Codes
// that are put together from facts are not looked at.
func wrongCodes(expr string, checked *cel.Ast) []exprError {
	if !strings.Contains(expr, "shape.") {
		return nil
	}
	var out []exprError
	tree := checked.NativeRep()
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		c := e.AsCall()
		if !c.IsMemberFunction() || c.Target().Kind() != ast.IdentKind || c.Target().AsIdent() != "shape" ||
			len(c.Args()) != 1 || c.Args()[0].Kind() != ast.LiteralKind {
			return
		}
		code, ok := c.Args()[0].AsLiteral().Value().(string)
		if !ok {
			return
		}
		word, near := audit.UnknownCode(code)
		if word == "" && len(near) == 0 {
			return
		}
		at := tree.SourceInfo().GetStartLocation(c.Args()[0].ID())
		offset := offsetOf(expr, at.Line(), at.Column())
		if i := strings.LastIndex(code, word); i >= 0 {
			offset += 1 + i // the quote before it
		}
		out = append(out, exprError{offset, fmt.Sprintf("no difference of a body is called '%s': '%s' is none%s", code, word, didYouMean(word, near))})
	}))
	slices.SortFunc(out, func(a, b exprError) int { return a.offset - b.offset })
	return out
}
