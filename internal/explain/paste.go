package explain

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Pastes finds what can be put into a program as it is in a text that was
// written for people: what stands between back quotes or fences, header lines
// of A2A, routes and gRPC paths, JSON. Each comes once, in the order of the text.
func Pastes(text string) []string {
	var found []span
	take := func(from, to int) {
		from, to = trim(text, from, to)
		if to > from && !slices.ContainsFunc(found, func(s span) bool { return from < s.to && s.from < to }) {
			found = append(found, span{from, to})
		}
	}
	for _, re := range []*regexp.Regexp{fenced, quoted} {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			take(m[2], m[3])
		}
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '{' && text[i] != '"' {
			continue
		}
		if end := jsonAt(text, i); end > 0 {
			take(i, end)
			i = end - 1
		}
	}
	for _, re := range []*regexp.Regexp{headerLine, route, rpcPath} {
		for _, m := range re.FindAllStringIndex(text, -1) {
			take(m[0], m[1])
		}
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var out []string
	for _, s := range found {
		if t := text[s.from:s.to]; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

type span struct{ from, to int }

var (
	fenced = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	quoted = regexp.MustCompile("`([^`\n]+)`")
	// The value of a header ends where the prose goes on: at a comma, a bracket,
	// a Chinese mark, or the end of the sentence.
	headerLine = regexp.MustCompile(`(?i)\b(A2A-Version|A2A-Extensions|X-A2A-Extensions|Content-Type|Accept|Vary|Cache-Control|Allow|WWW-Authenticate|Access-Control-Allow-Headers|Access-Control-Allow-Methods): ?[^\s,;，。；、（）()“”"]+`)
	route      = regexp.MustCompile(`\b(GET|POST|DELETE|PUT|OPTIONS) (https?://|/)[^\s,;，。；、（）()“”"]+`)
	rpcPath    = regexp.MustCompile(`/(lf\.)?a2a\.v1\.A2AService/\w+`)
)

// trim leaves blanks and the full stop of the sentence outside.
func trim(text string, from, to int) (int, int) {
	for from < to && (text[from] == ' ' || text[from] == '\n') {
		from++
	}
	for from < to && strings.IndexByte(" \n.:", text[to-1]) >= 0 {
		to--
	}
	return from, to
}

// jsonAt returns the end of the JSON that begins at i: an object with members,
// or a member ("name": value); 0 when there is none.
func jsonAt(text string, i int) int {
	end := valueEnd(text[i:])
	if end == 0 {
		return 0
	}
	if text[i] == '{' {
		if strings.ContainsRune(text[i:i+end], '"') {
			return i + end
		}
		return 0
	}
	rest := text[i+end:]
	after, ok := strings.CutPrefix(rest, ":")
	if !ok {
		return 0
	}
	value := strings.TrimLeft(after, " ")
	n := valueEnd(value)
	if n == 0 {
		return 0
	}
	return i + end + 1 + len(after) - len(value) + n
}

// valueEnd returns the length of the JSON value that text begins with.
func valueEnd(text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	var v json.RawMessage
	if d.Decode(&v) != nil {
		return 0
	}
	return int(d.InputOffset())
}
