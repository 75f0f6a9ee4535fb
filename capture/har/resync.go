package har

import "fmt"

// After an entry whose brackets or quotes do not match, the next entry is
// looked for: an object after a comma that closes and has a request and a
// response. An entry inside a string cannot be taken for one, its quotes are
// escaped there.

const (
	// maxLook bounds one look at a candidate, lookBudget all of them in a file:
	// a text made to be looked at again and again must not cost the square of
	// its length.
	maxLook    = 64 << 20
	lookBudget = 4 << 30
)

// resync reports entry s.n, which starts at s.i, as bad and moves to the next
// entry. When there is none it returns errReported or a reader's error.
func (s *splitter) resync(why error) error {
	at := s.base + int64(s.i)
	if why == errEnds {
		s.looked += int64(len(s.buf) - s.i)
	}
	for i := s.i + 1; s.looked < lookBudget; {
		c, again := candidate(s.buf, i)
		if c < 0 { // what is before again holds no candidate
			s.i = again
			if err := s.fill(); err == nil {
				i = s.i
				continue
			} else if err != errEnds {
				return err
			}
			break
		}
		c, end, v, err := s.look(c)
		if err != nil {
			return err
		}
		s.looked += int64(end - c)
		if v == whole && isEntry(s.buf[c:end]) {
			s.i = c
			s.report("bad-entry", fmt.Sprintf("its brackets or quotes do not match, reading goes on at byte %d", s.base+int64(c)), at)
			return nil
		}
		i = c + 1
	}
	ends := s.base + int64(len(s.buf))
	switch {
	case why == errEnds:
		s.report("truncated", fmt.Sprintf("the file ends inside it, at byte %d", ends), at)
	case s.looked >= lookBudget:
		s.report("bad-entry", "its brackets or quotes do not match, and there are too many such entries to go on", at)
	default:
		s.report("bad-entry", "its brackets or quotes do not match, and no entry follows that could be read", at)
	}
	return errReported
}

func (s *splitter) report(what, text string, at int64) {
	s.damage = append(s.damage, damage{s.n, what, text, at})
}

// look passes the value at s.buf[c:], which moves when more text must be read.
func (s *splitter) look(c int) (at, end int, v verdict, err error) {
	for {
		limit := min(len(s.buf), c+maxLook)
		end, v = skipValue(s.buf[:limit], c)
		if v != cutOff || limit-c == maxLook || s.in == nil {
			return c, end, v, nil
		}
		s.i = c
		err = s.fill()
		c = s.i
		if err == errEnds {
			return c, len(s.buf), v, nil
		}
		if err != nil {
			return c, c, v, err
		}
	}
}

// candidate returns the index of the first '{' from i that follows a comma and
// is followed by a quote, or -1 and the index from which to look again once
// there is more text.
func candidate(s []byte, i int) (at, again int) {
	for j := i; j < len(s); j++ {
		if s[j] != ',' {
			continue
		}
		k := skipSpace(s, j+1)
		if k >= len(s) {
			return -1, j
		}
		if s[k] != '{' {
			continue
		}
		q := skipSpace(s, k+1)
		if q >= len(s) {
			return -1, j
		}
		if s[q] == '"' {
			return k, k
		}
		j = k
	}
	return -1, len(s)
}

// isEntry reports whether the object has a request and a response.
func isEntry(s []byte) bool {
	c := cursor{s: s}
	if !c.enter('{') {
		return false
	}
	var request, response bool
	for first := true; ; first = false {
		name, ok := c.member(first)
		if !ok {
			return c.err == "" && request && response
		}
		switch string(name) {
		case "request":
			request = true
		case "response":
			response = true
		}
		c.skip()
	}
}
