package decode

import (
	"fmt"
	"strconv"
	"strings"
)

// Where is a place taken apart.
type Where struct {
	Side    string // "request", "response", "exchange"
	Part    string // "", "line", "header", "query", "frame", "trailer"
	Name    string // header, trailer, query parameter
	Index   int    // of the frame; of the header among those of its name
	Pointer string // JSON pointer inside the frame
	Inside  bool   // a pointer was written ("#"), maybe the empty one
}

// ParsePlace reads a place as rules and tests write it. The error is a sentence
// that says what is wrong with it and what may stand there.
func ParsePlace(s string) (Place, error) {
	if _, err := Place(s).Parse(); err != nil {
		return "", err
	}
	return Place(s), nil
}

// Parse takes a place apart.
func (p Place) Parse() (Where, error) {
	s := string(p)
	side, rest, more := strings.Cut(s, "/")
	w := Where{Side: side}
	switch side {
	case "request", "response":
	case "exchange":
		if more {
			return w, fmt.Errorf("place %q: nothing stands below exchange", s)
		}
		return w, nil
	default:
		return w, fmt.Errorf("place %q: it must begin with request, response or exchange", s)
	}
	if !more {
		return w, nil
	}
	w.Part, rest, more = strings.Cut(rest, "/")
	switch w.Part {
	case "line":
		if more {
			return w, fmt.Errorf("place %q: nothing stands below line", s)
		}
	case "header":
		return w, w.header(s, rest)
	case "trailer":
		if side == "request" {
			return w, fmt.Errorf("place %q: only a response has trailers here", s)
		}
		return w, w.header(s, rest)
	case "query":
		if side == "response" {
			return w, fmt.Errorf("place %q: only a request has query parameters", s)
		}
		w.Name = rest
		if rest == "" {
			return w, fmt.Errorf("place %q: the name of the query parameter is missing", s)
		}
	case "frame":
		return w, w.frame(s, rest)
	case "":
		return w, fmt.Errorf("place %q: line, header, query, frame or trailer must follow %s/", s, side)
	default:
		return w, fmt.Errorf("place %q: unknown part %q; use line, header, query, frame or trailer", s, w.Part)
	}
	return w, nil
}

func (w *Where) header(s, rest string) error {
	name, index, indexed := strings.Cut(rest, "/")
	w.Name = name
	switch {
	case name == "":
		return fmt.Errorf("place %q: the name of the %s is missing", s, w.Part)
	case name != strings.ToLower(name):
		return fmt.Errorf("place %q: write the name of the %s in lower case", s, w.Part)
	case !indexed:
		return nil
	}
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return fmt.Errorf("place %q: %q is no number of a %s (0 is the first of its name)", s, index, w.Part)
	}
	w.Index = n
	return nil
}

func (w *Where) frame(s, rest string) error {
	number, pointer, inside := strings.Cut(rest, "#")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return fmt.Errorf("place %q: %q is no frame number (the first is 0)", s, number)
	}
	w.Index, w.Pointer, w.Inside = n, pointer, inside
	if pointer != "" && pointer[0] != '/' {
		return fmt.Errorf("place %q: a JSON pointer begins with / (it is %q)", s, pointer)
	}
	for i := 0; i < len(pointer); i++ {
		if pointer[i] == '~' && (i+1 == len(pointer) || pointer[i+1] != '0' && pointer[i+1] != '1') {
			return fmt.Errorf("place %q: in a JSON pointer ~ is written ~0 and / inside a name ~1", s)
		}
	}
	return nil
}
