package redact

import "strings"

// Rest masks text that should have been JSON and is not: besides what Text
// finds, the string behind every secret member name, to its closing quote or
// to the end where it was cut.
func (y Style) Rest(s string) string {
	if y.off {
		return s
	}
	var b strings.Builder
	last := 0
	for i := 0; i < len(s); {
		if s[i] != '"' {
			i++
			continue
		}
		end := closing(s, i+1)
		name := s[i+1 : end]
		j := skipSpace(s, min(end+1, len(s)))
		if j >= len(s) || s[j] != ':' {
			i = end + 1
			continue
		}
		j = skipSpace(s, j+1)
		if j < len(s) && s[j] == '"' && IsSecretMember(name) {
			stop := closing(s, j+1)
			b.WriteString(y.Text(s[last : j+1]))
			b.WriteString(y.Secret(s[j+1 : stop]))
			last, i = stop, stop+1
			continue
		}
		i = j
	}
	if last > len(s) {
		last = len(s)
	}
	b.WriteString(y.Text(s[last:]))
	return b.String()
}

// closing returns the position of the quote that ends a string which began before i, len(s) when none does.
func closing(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s)
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}
