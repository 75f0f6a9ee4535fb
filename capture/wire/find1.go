package wire

import (
	"bytes"
	"slices"

	"a2ascope/capture"
)

// verdict answers whether bytes are something, given what is there of them.
// A yes or no never changes when more bytes come.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// methods are those at which the search for a request stops when the place in
// the stream is not known. At the begin of a connection any token will do.
var methods = [...]string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE"}

// requestStart judges bytes that should begin with a request line.
func requestStart(b []byte) verdict {
	i := 0
	for i < len(b) && tokenChars[b[i]] {
		if i++; i > 32 {
			return no
		}
	}
	if i == len(b) {
		return maybe
	}
	if i == 0 || b[i] != ' ' {
		return no
	}
	line := b
	end := bytes.IndexByte(b, '\n')
	if end >= 0 {
		line = bytes.TrimSuffix(b[:end], []byte{'\r'})
	} else if len(b) > maxLine {
		return no
	}
	spaces := 0
	for k, c := range line {
		if c < ' ' && !(c == '\r' && k == len(line)-1 && end < 0) {
			return no
		}
		if c == ' ' {
			spaces++
		}
	}
	if spaces > 2 && !slices.Contains(methods[:], string(b[:i])) {
		return no // words of a text
	}
	if end < 0 {
		return maybe
	}
	j := bytes.LastIndexByte(line, ' ')
	if j > i && isVersion(line[j+1:]) && len(bytes.Trim(line[i:j], " ")) > 0 {
		return yes
	}
	return no
}

func isVersion(v []byte) bool {
	return len(v) == 8 && string(v[:5]) == "HTTP/" && digit(v[5]) && v[6] == '.' && digit(v[7])
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// statusStart judges bytes that should begin with a status line.
func statusStart(b []byte) verdict {
	const form = "HTTP/#.# ###"
	for i := range len(form) {
		switch {
		case i == len(b):
			return maybe
		case form[i] == '#' && !digit(b[i]), form[i] != '#' && form[i] != b[i]:
			return no
		}
	}
	if len(b) == len(form) {
		return maybe
	}
	if c := b[len(form)]; c == ' ' || c == '\r' || c == '\n' {
		return yes
	}
	return no
}

// findStart searches bytes for the next start line. It returns where it found
// one, or where one may begin when more comes; before that there is none.
func findStart(b []byte, from capture.Side) (int, verdict) {
	if from == capture.Server {
		return findStatus(b)
	}
	return findRequest(b)
}

func findStatus(b []byte) (int, verdict) {
	for off := 0; off < len(b); off++ {
		i := bytes.IndexByte(b[off:], 'H')
		if i < 0 {
			break
		}
		off += i
		if v := statusStart(b[off:]); v != no {
			return off, v
		}
	}
	return len(b), no
}

func findRequest(b []byte) (int, verdict) {
	ls := 0
	for {
		e := bytes.IndexByte(b[ls:], '\n')
		if e < 0 {
			break
		}
		line := bytes.TrimSuffix(b[ls:ls+e], []byte{'\r'})
		if n := len(line) - 9; n > 0 && isVersion(line[n+1:]) && line[n] == ' ' {
			// The target has no spaces: go back to the one before it, and from there over the method.
			if t := bytes.LastIndexByte(line[:n], ' '); t > 0 && t < n-1 {
				m := methodBefore(line[:t])
				if m > 0 && e+1-(t-m) <= maxLine && visible(line[t-m:]) {
					return ls + t - m, yes
				}
			}
		}
		ls += e + 1
	}
	// In the unfinished line a request may begin with a method and go on in visible characters.
	s := len(b)
	for s > ls && len(b)-s < maxLine && (b[s-1] >= ' ' && b[s-1] < 0x7f || b[s-1] == '\r' && s == len(b)) {
		s--
	}
	for i := s; i < len(b); i++ {
		if c := b[i]; c < 'C' || c > 'T' {
			continue
		}
		for _, m := range methods {
			t := b[i:]
			if len(t) <= len(m) && string(t) == m[:len(t)] || len(t) > len(m) && string(t[:len(m)]) == m && t[len(m)] == ' ' {
				return i, maybe
			}
		}
	}
	return len(b), no
}

func visible(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// methodBefore returns the length of the method b ends with, or 0.
func methodBefore(b []byte) int {
	best := 0
	for _, m := range methods {
		if len(m) > best && bytes.HasSuffix(b, []byte(m)) {
			best = len(m)
		}
	}
	return best
}
