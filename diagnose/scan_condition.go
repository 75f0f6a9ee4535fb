package diagnose

import "strings"

// condition is what decides whether a rule speaks.
type condition struct{ when, unless, check string }

// scanCondition picks the condition out of a rule file in the forms it is
// written in: one line, plain or in single quotes, or a block. False for
// everything else: the file is then read as YAML. A test holds the two against
// each other for every built-in rule.
func scanCondition(text string) (c condition, ok bool) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		key, value, found := strings.Cut(lines[i], ":")
		var into *string
		switch {
		case !found:
			continue
		case key == "if":
			into = &c.when
		case key == "unless":
			into = &c.unless
		case key == "check":
			into = &c.check
		default:
			continue
		}
		below := i+1 < len(lines) && (strings.HasPrefix(lines[i+1], " ") || strings.HasPrefix(lines[i+1], "\t"))
		value = strings.TrimSpace(value)
		switch {
		case value == "|" || value == "|-" || value == ">-" || value == ">":
			var block []string
			for i+1 < len(lines) && (lines[i+1] == "" || lines[i+1][0] == ' ') {
				i++
				block = append(block, strings.TrimSpace(lines[i]))
			}
			*into = strings.TrimSpace(strings.Join(block, " "))
		case value == "" || below:
			return condition{}, false
		case value[0] == '\'':
			inner, whole := strings.CutSuffix(value[1:], "'")
			if !whole || strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
				return condition{}, false
			}
			*into = strings.ReplaceAll(inner, "''", "'")
		case strings.IndexByte("\"[{>|*&!%@`", value[0]) >= 0 || strings.Contains(value, " #") || strings.Contains(value, ": "):
			return condition{}, false
		default:
			*into = value
		}
	}
	return c, true
}
