package diagnose

import (
	"strings"

	"cel.dev/cel-go/cel"
)

// deepFacts are read from documents and events, which the session does not keep
// of an exchange that has ended: they are read again from its bytes.
var deepFacts = [...]string{
	"call.params", "call.result", "call.stream", "call.http.request", "call.http.response", "call.path.task_id_has_verb",
}

// readDeep sees whether a condition needs what is read again, which costs a
// hundred times what the rest does. Terms joined by && that need nothing of it
// are tried first, so that it is read only of what they leave over.
func (f *Filter) readDeep(expr string) {
	if f.deep = isDeep(expr); !f.deep {
		return
	}
	var cheap []string
	for _, term := range terms(expr) {
		if !isDeep(term) {
			cheap = append(cheap, "("+term+")")
		}
	}
	if len(cheap) == 0 {
		return
	}
	if c := compileExpr(filterEnv, strings.Join(cheap, " && "), cel.BoolType); len(c.errs) == 0 {
		f.cheap = c.fn.b
	}
}

// isDeep reports whether a condition names such a fact. A quoted text that
// looks like one only costs time.
func isDeep(expr string) bool {
	expr = strings.NewReplacer(" ", "", "\t", "", "\n", "").Replace(expr)
	for _, name := range deepFacts {
		for at := expr; ; {
			i := strings.Index(at, name)
			if i < 0 {
				break
			}
			at = at[i+len(name):]
			if at == "" || !isNameByte(at[0]) {
				return true
			}
		}
	}
	return false
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// terms takes a condition apart at its outermost &&. It returns nothing where
// there is an || or ?: beside them, which bind weaker.
func terms(expr string) []string {
	for _, hard := range []string{`\`, `"""`, "'''"} { // quoting that takes more than this to read
		if strings.Contains(expr, hard) {
			return nil
		}
	}
	var out []string
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case strings.HasPrefix(expr[i:], "//"): // a comment
			return nil
		case depth > 0:
		case c == '?' || strings.HasPrefix(expr[i:], "||"):
			return nil
		case strings.HasPrefix(expr[i:], "&&"):
			out = append(out, expr[from:i])
			from, i = i+2, i+1
		}
	}
	return append(out, expr[from:])
}
