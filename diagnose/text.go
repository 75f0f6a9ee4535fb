package diagnose

import (
	"strings"

	"a2ascope/decode"
)

// zhSuffix marks the Chinese value of a hole whose words differ by language.
// No name of a hole can hold it.
const zhSuffix = "@zh"

// fill puts the values of holes into a text. {name} is a hole, {{name}} stands
// for the literal {name}; every other brace is itself, so that JSON can be
// written as it is.
func fill(text string, args map[string]string, l Lang) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 32)
	scanHoles(text, func(plain string) { b.WriteString(plain) }, func(name string, _ int) {
		v, ok := args[name+zhSuffix]
		if l != ZH || !ok {
			v = args[name]
		}
		b.WriteString(v)
	})
	return b.String()
}

// Unfilled is a text of a rule without a finding: an ellipsis stands where a
// finding has a value.
func Unfilled(text string) string {
	var b strings.Builder
	scanHoles(text, func(plain string) { b.WriteString(plain) }, func(string, int) { b.WriteString("…") })
	return b.String()
}

// scanHoles walks a text: plain gets what stands between the holes, hole the
// name of each and the byte offset of its brace.
func scanHoles(text string, plain func(string), hole func(name string, at int)) {
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '{' {
			continue
		}
		if name, ok := holeAt(text, i+1); ok && i > 0 && text[i-1] == '{' && strings.HasPrefix(text[i+1+len(name):], "}}") {
			// {{name}}: one pair of braces goes, the other stays.
			plain(text[from : i-1])
			plain("{" + name + "}")
			i += len(name) + 2
			from = i + 1
			continue
		} else if ok && !(i+1 < len(text) && text[i+1] == '{') {
			plain(text[from:i])
			hole(name, i)
			i += len(name) + 1
			from = i + 1
		}
	}
	plain(text[from:])
}

// holeAt reads a hole's name that begins at i and ends with a brace.
func holeAt(text string, i int) (string, bool) {
	j := i
	for j < len(text) && (text[j] >= 'a' && text[j] <= 'z' || text[j] == '_' || j > i && text[j] >= '0' && text[j] <= '9') {
		j++
	}
	if j == i || j >= len(text) || text[j] != '}' {
		return "", false
	}
	return text[i:j], true
}

// holesOf lists the holes of a text, each once, in order.
func holesOf(text string) []string {
	var names []string
	scanHoles(text, func(string) {}, func(name string, _ int) { names = addOnce(names, name) })
	return names
}

// hedge softens a cause that rests on weaker evidence than the rule's wording
// assumes (below "likely" a message says "may").
func hedge(cause string, f *Finding, l Lang) string {
	if cause == "" || f.Sure != decode.Possible || f.Rule.Sure == decode.Possible {
		return cause
	}
	if l == ZH {
		return "可能的原因：" + cause
	}
	return "Possibly: " + cause
}
