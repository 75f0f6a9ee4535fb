package uitest

import "strings"

// archive is a txtar archive: parts of text, each under a line "-- name --".
type archive struct{ parts []part }

type part struct{ name, text string }

func parse(s string) archive {
	var a archive
	for line := range strings.Lines(s) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "-- ") && strings.HasSuffix(trimmed, " --") && len(trimmed) > 6 {
			a.parts = append(a.parts, part{name: trimmed[3 : len(trimmed)-3]})
			continue
		}
		if n := len(a.parts); n > 0 {
			a.parts[n-1].text += line
		}
	}
	return a
}

func (a archive) String() string {
	var b strings.Builder
	for _, p := range a.parts {
		b.WriteString("-- " + p.name + " --\n" + p.text)
	}
	return b.String()
}
