package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"a2ascope/decode"
)

// header is what the index needs of a rule before its file is read.
type header struct {
	at       []decode.Checkpoint
	kinds    For
	rank     int
	fallback bool
}

// scanHeader reads at, for, rank and fallback from the lines of a built-in rule
// in the forms they are written in: words, [lists] and one level of mapping.
// False for everything else: the file is then read as YAML at once. It takes
// microseconds where YAML takes a tenth of a millisecond, for hundreds of files.
func scanHeader(text string) (header, bool) {
	var h header
	var inFor bool
	var open string // key of for whose list stands below it
	for line := range strings.Lines(text) {
		if line[0] == ' ' && !inFor {
			continue // most lines are texts
		}
		line = strings.TrimRight(line, "\r\n")
		trim := strings.TrimLeft(line, " ")
		if trim == "" || trim[0] == '#' {
			continue
		}
		if trim != line || strings.HasPrefix(trim, "- ") {
			if !inFor {
				continue
			}
			if item, ok := strings.CutPrefix(trim, "- "); ok && open != "" {
				if !h.filter(open, item) {
					return h, false
				}
				continue
			}
			k, v, ok := strings.Cut(trim, ":")
			if open = ""; ok && strings.TrimSpace(v) == "" {
				open = k
				continue
			}
			if !ok || !h.filter(k, v) {
				return h, false
			}
			continue
		}
		key, v, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.IndexFunc(key, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) >= 0 {
			return h, false
		}
		inFor, open = false, ""
		switch key {
		case "at":
			words, ok := headerWords(v, checkpointWords)
			if !ok || h.at != nil {
				return h, false
			}
			for _, w := range words {
				h.at = append(h.at, decode.Checkpoint(w))
			}
		case "for":
			if inFor = strings.TrimSpace(v) == ""; inFor {
				continue
			}
			if !h.flow(v) {
				return h, false
			}
		case "rank":
			n, err := strconv.Atoi(strings.TrimSpace(v))
			if err != nil {
				return h, false
			}
			h.rank = n
		case "attached_to": // few, and all of the file is wanted to know when it is judged
			return h, false
		case "fallback":
			switch strings.TrimSpace(v) {
			case "true":
				h.fallback = true
			case "false":
			default:
				return h, false
			}
		}
	}
	return h, len(h.at) > 0 && len(h.kinds.Kind) > 0 && h.rank > 0 && h.rank < userRank
}

// flow reads {kind: [call], binding: [GRPC]}.
func (h *header) flow(v string) bool {
	v = strings.TrimSpace(v)
	if len(v) < 2 || v[0] != '{' || v[len(v)-1] != '}' {
		return false
	}
	v = v[1 : len(v)-1]
	for strings.TrimSpace(v) != "" {
		k, rest, ok := strings.Cut(v, ":")
		if !ok {
			return false
		}
		end := strings.IndexByte(rest, ',')
		if i := strings.IndexByte(rest, '['); i >= 0 && (end < 0 || i < end) {
			j := strings.IndexByte(rest, ']')
			if j < 0 {
				return false
			}
			end = j + 1
		}
		if end < 0 {
			end = len(rest)
		}
		if !h.filter(strings.TrimSpace(k), rest[:end]) {
			return false
		}
		v = strings.TrimLeft(rest[end:], " ")
		if v != "" && v[0] != ',' {
			return false
		}
		v = strings.TrimPrefix(v, ",")
	}
	return true
}

// filter reads one list of for.
func (h *header) filter(key, v string) bool {
	f := &h.kinds
	for _, x := range []struct {
		key   string
		words []string
		into  *[]string
	}{
		{"kind", kindWords, &f.Kind}, {"binding", bindingWords, &f.Binding}, {"operation", operationWords, &f.Operation},
		{"outcome", outcomeWords, &f.Outcome}, {"version", versionWords, &f.Version},
	} {
		if x.key == key {
			words, ok := headerWords(v, x.words)
			*x.into = append(*x.into, words...)
			return ok
		}
	}
	return false
}

// headerWords reads a word or a [list] of known words.
func headerWords(v string, known []string) ([]string, bool) {
	if i := strings.Index(v, " #"); i >= 0 {
		v = v[:i]
	}
	v = strings.TrimSpace(v)
	if inner, ok := strings.CutPrefix(v, "["); ok {
		if v, ok = strings.CutSuffix(inner, "]"); !ok {
			return nil, false
		}
	}
	var words []string
	for w := range strings.SplitSeq(v, ",") {
		w = strings.TrimSpace(w)
		if n := len(w); n > 2 && (w[0] == '"' || w[0] == '\'') && w[n-1] == w[0] {
			w = w[1 : n-1]
		}
		if !slices.Contains(known, w) {
			return nil, false
		}
		words = append(words, w)
	}
	return words, true
}
