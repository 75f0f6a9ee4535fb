package diagnose

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"

	"a2ascope/decode"
)

// Filter selects exchanges: by a condition over the facts of a call, its
// findings and their severity, or by words that must all be found in it. It may
// be used by several goroutines at once.
type Filter struct {
	words []string // lower case; nil: cond decides
	cheap boolFn   // nil, or what must hold before cond is worth a look
	cond  boolFn
	deep  bool      // cond sees facts that a compacted call does not have
	pool  sync.Pool // of *scope
}

// FilterError is what is wrong with a filter.
type FilterError struct {
	Col  int // in characters, from 1
	Text string
}

func (e *FilterError) Error() string { return fmt.Sprintf("column %d: %s", e.Col, e.Text) }

// Column is where the mistake is, in characters from 1.
func (e *FilterError) Column() int { return e.Col }

// CompileFilter reads a filter. Text without operators and without a fact is a
// search for words; everything else is CEL over call, findings (the ids of the
// rules that spoke) and severity (of the worst, "" when none). The error is a
// *FilterError.
func CompileFilter(expr string) (*Filter, error) {
	f := &Filter{}
	f.pool.New = func() any { return &scope{f: NewFacts()} }
	if quoted, ok := phrase(expr); ok {
		f.words = []string{strings.ToLower(quoted)}
		return f, nil
	}
	if !isCondition(expr) {
		f.words = append([]string{}, strings.Fields(strings.ToLower(expr))...)
		return f, nil
	}
	c := compileExpr(filterEnv, expr, cel.BoolType)
	if len(c.errs) > 0 {
		e := c.errs[0]
		return nil, &FilterError{utf8.RuneCountInString(expr[:min(e.offset, len(expr))]) + 1, onlyRules(e.text)}
	}
	f.cond = c.fn.b
	f.readDeep(expr)
	return f, nil
}

// Match reports whether a call with its findings is selected. A condition that
// cannot be evaluated selects nothing.
func (f *Filter) Match(c *decode.Call, findings []*Finding) bool {
	if c == nil || c.Exchange == nil {
		return f.cond == nil && len(f.words) == 0
	}
	if f.cond == nil {
		for _, w := range f.words {
			if !mentions(c, findings, w) {
				return false
			}
		}
		return true
	}
	if f.cheap != nil && !f.holds(f.cheap, c, findings) {
		return false
	}
	if f.deep {
		c = c.Full()
	}
	return f.holds(f.cond, c, findings)
}

// holds evaluates a condition over the facts of a call.
func (f *Filter) holds(cond boolFn, c *decode.Call, findings []*Finding) bool {
	s := f.pool.Get().(*scope)
	defer f.pool.Put(s)
	s.f.reset()
	var sum streamSum
	sum.take(c)
	s.f.fillCall(c, &sum)
	s.findings, s.severity, s.err = s.findings[:0], "", nil
	for _, x := range findings {
		s.findings = append(s.findings, x.Rule.ID)
		if x.Counts() && x.Severity.Rank() > Severity(s.severity).Rank() {
			s.severity = string(x.Severity)
		}
	}
	return cond(s) && s.err == nil
}

// phrase takes the quotes from a text that is nothing but quoted.
func phrase(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' && !strings.Contains(s[1:len(s)-1], `"`) {
		return s[1 : len(s)-1], true
	}
	return "", false
}

// isCondition tells CEL from words. Methods, paths and addresses are words,
// though CEL could read some of them as an expression.
func isCondition(s string) bool {
	for _, op := range []string{"==", "!=", "&&", "||", "<", ">", "(", `"`, "'"} {
		if strings.Contains(s, op) {
			return true
		}
	}
	t := strings.TrimLeft(strings.TrimSpace(s), "! ")
	if t != strings.TrimSpace(s) || strings.HasPrefix(t, "call.") {
		return true
	}
	// agent.known is a fact, agent.example a host.
	name, member, _ := strings.Cut(t, ".")
	for _, r := range roots() {
		if r.name == name {
			_, ok := fieldByTag(r.typ, member)
			return ok
		}
	}
	return false
}

// ruleRoots are the facts that only the engine has while it judges.
func ruleRoots() []string {
	var names []string
	for _, r := range roots() {
		if r.name != "call" {
			names = append(names, r.name)
		}
	}
	return append(names, "tree", "shape")
}

// onlyRules says why a fact that rules have is unknown here.
func onlyRules(text string) string {
	for _, r := range ruleRoots() {
		if strings.HasPrefix(text, "unknown name '"+r+"'") {
			return "'" + r + "' is known to rules only; a filter sees call, findings and severity"
		}
	}
	return text
}

// mentions reports whether a word, in lower case, is found in what a row of the
// list stands for.
func mentions(c *decode.Call, findings []*Finding, word string) bool {
	x := c.Exchange
	if found(c.Method, word) || found(string(c.Operation), word) || found(string(c.Binding), word) || found(string(c.Outcome), word) ||
		found(c.TaskID, word) || found(c.ContextID, word) || found(c.Tenant, word) || found(string(c.Kind), word) || found(string(c.Request.Value), word) {
		return true
	}
	if r := x.Request; r != nil && (found(r.Method, word) || found(r.Target, word) || found(r.Authority, word)) {
		return true
	}
	if r := x.Response; r != nil && isStatus(word, r.Status) {
		return true
	}
	if f := c.Fault; f != nil && (found(f.A2A, word) || found(f.Std, word) || found(f.Reason, word) || f.Code != 0 && found(itoa(f.Code), word)) {
		return true
	}
	if l := x.Link; l != nil && (l.Client.IsValid() && found(l.Client.String(), word) || l.Server.IsValid() && found(l.Server.String(), word) || found(l.ServerName, word)) {
		return true
	}
	for _, f := range findings {
		if found(f.Rule.ID, word) || found(string(f.Severity), word) {
			return true
		}
	}
	return false
}

func isStatus(word string, status int) bool {
	return len(word) == 3 && word[0] >= '1' && word[0] <= '5' && itoa(int64(status)) == word
}

// found looks for a word in lower case, whatever the case of the text. Text
// outside ASCII is lowered first.
func found(text, word string) bool {
	if len(word) > len(text) {
		return false
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word)
		}
	}
	for i := 0; i+len(word) <= len(text); i++ {
		j := 0
		for j < len(word) && lowerByte(text[i+j]) == word[j] {
			j++
		}
		if j == len(word) {
			return true
		}
	}
	return false
}

func lowerByte(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
