package diagnose

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"cel.dev/cel-go/common"
)

var (
	undefinedField = regexp.MustCompile(`^undefined field '(\w+)'`)
	undeclared     = regexp.MustCompile(`^undeclared reference to '(\w+)'`)
	noOverload     = regexp.MustCompile(`^found no matching overload for '(.+)' applied to '(.*)'$`)
	noMembers      = regexp.MustCompile(`^type '(\w+)' does not support field selection`)
	notToken       = regexp.MustCompile(`token recognition error at: '(.*)'`)
	unexpected     = regexp.MustCompile(`(?:extraneous|mismatched) input '(.*?)'(?: expecting|$)`)
	missingToken   = regexp.MustCompile(`^missing '(.)' at`)
	noViable       = regexp.MustCompile(`no viable alternative at input '(.*)'`)
	chainEnd       = regexp.MustCompile(`[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`)
	operatorName   = regexp.MustCompile(`_?(==|!=|<=|>=|<|>|&&|\|\||\+|-|\*|/|%|!|\?_?:)_?|@in|_\[_\]`)
)

// explain turns cel-go's reports into sentences with byte offsets. Errors of
// syntax after the first are only its echo and are left out.
func explain(expr string, errs []*common.Error) []exprError {
	var out []exprError
	syntax := false
	for _, e := range errs {
		offset := min(offsetOf(expr, e.Location.Line(), e.Location.Column()), len(strings.TrimRight(expr, " \n")))
		msg := e.Message
		if strings.HasPrefix(msg, "Syntax error: ") {
			if syntax {
				continue
			}
			syntax = true
			out = append(out, explainSyntax(expr, offset, strings.TrimPrefix(msg, "Syntax error: ")))
			continue
		}
		if m := undefinedField.FindStringSubmatch(msg); m != nil {
			// cel-go points at the dot.
			if i := strings.Index(expr[offset:], m[1]); i >= 0 {
				offset += i
			}
			out = append(out, exprError{offset, fmt.Sprintf("undefined field '%s'%s", m[1], didYouMean(m[1], siblings(expr[:offset])))})
			continue
		}
		if m := undeclared.FindStringSubmatch(msg); m != nil {
			// For a function called on something cel-go points at the parenthesis.
			if i := strings.LastIndex(expr[:min(len(expr), offset+len(m[1]))], m[1]); i >= 0 {
				offset = i
			}
			out = append(out, exprError{offset, fmt.Sprintf("unknown name '%s'%s", m[1], didYouMean(m[1], knownNames()))})
			continue
		}
		out = append(out, exprError{offset, humanize(msg)})
	}
	return out
}

func explainSyntax(expr string, offset int, msg string) exprError {
	if m := notToken.FindStringSubmatch(msg); m != nil {
		switch at := m[1]; {
		case strings.HasPrefix(at, "="):
			return exprError{offset, "'=' is no operator: write '==' to compare"}
		case strings.HasPrefix(at, "&"), strings.HasPrefix(at, "|"):
			return exprError{offset, fmt.Sprintf("'%s' is no operator: write '%s'", at[:1], strings.Repeat(at[:1], 2))}
		case strings.HasPrefix(at, `"`), strings.HasPrefix(at, "'"):
			return exprError{offset, "the text that begins here has no closing quote"}
		}
		return exprError{offset, fmt.Sprintf("'%s' cannot stand here", m[1])}
	}
	if m := missingToken.FindStringSubmatch(msg); m != nil {
		return exprError{offset, fmt.Sprintf("'%s' is missing here", m[1])}
	}
	for _, re := range []*regexp.Regexp{unexpected, noViable} {
		if m := re.FindStringSubmatch(msg); m != nil {
			if strings.Contains(m[1], "<EOF>") {
				return exprError{offset, "the expression ends too early: something is missing here"}
			}
			switch word := strings.TrimSpace(m[1]); word {
			case "and", "AND":
				return exprError{offset, "'and' is written '&&'"}
			case "or", "OR":
				return exprError{offset, "'or' is written '||'"}
			default:
				return exprError{offset, fmt.Sprintf("'%s' cannot stand here", word)}
			}
		}
	}
	return exprError{offset, msg}
}

// humanize rewrites the terms of CEL in one message.
func humanize(msg string) string {
	msg = strings.ReplaceAll(msg, "diagnose.", "")
	if m := noOverload.FindStringSubmatch(msg); m != nil {
		name := plainOperators(m[1])
		args := strings.TrimSuffix(strings.TrimPrefix(m[2], "("), ")")
		if a, b, ok := strings.Cut(args, ", "); ok && (name == "==" || name == "!=" || name == "<" || name == ">" || name == "<=" || name == ">=") {
			return fmt.Sprintf("'%s' cannot compare %s with %s", name, a, b)
		}
		if on, args, ok := strings.Cut(m[2], ".("); ok {
			return fmt.Sprintf("'%s' of %s does not take (%s", name, on, args)
		}
		return fmt.Sprintf("'%s' does not take (%s)", name, args)
	}
	if m := noMembers.FindStringSubmatch(msg); m != nil {
		return fmt.Sprintf("a value of type %s has no members", m[1])
	}
	return plainOperators(msg)
}

// plainOperators turns CEL's function names into what people write: _==_ into ==.
func plainOperators(s string) string {
	return operatorName.ReplaceAllStringFunc(s, func(op string) string {
		if op == "@in" {
			return "in"
		}
		return strings.ReplaceAll(op, "_", "")
	})
}

// siblings lists the members of what stands before the dot at the end of text.
func siblings(text string) []string {
	text = strings.TrimRight(text, ". \t\n?")
	chain := chainEnd.FindString(text)
	if chain == "" {
		return nil
	}
	parts := strings.Split(chain, ".")
	for _, r := range roots() {
		if r.name != parts[0] {
			continue
		}
		t := r.typ
		for _, p := range parts[1:] {
			f, ok := fieldByTag(t, p)
			if !ok {
				return nil
			}
			t = f.Type
		}
		return membersOf(t)
	}
	return nil
}

// membersOf lists the names of a facts struct.
func membersOf(t reflect.Type) []string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("cel"); tag != "" && tag != "-" {
			names = append(names, tag)
		}
	}
	return names
}

// knownNames lists the roots and the functions.
func knownNames() []string {
	names := []string{"tree", "shape", "findings", "severity", "has", "size", "startsWith", "endsWith", "contains", "matches", "exists", "all", "filter", "map", "string"}
	for _, r := range roots() {
		names = append(names, r.name)
	}
	for _, f := range functions() {
		names = append(names, f.name)
	}
	return names
}

// offsetOf maps a line from 1 and a column in characters from 0 to a byte offset.
func offsetOf(text string, line, col int) int {
	pos := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[pos:], '\n')
		if i < 0 {
			break
		}
		pos += i + 1
	}
	return pos + min(byteOfColumn(text[pos:], col+1), len(text)-pos)
}
