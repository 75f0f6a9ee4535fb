package wire

import (
	"bytes"

	"a2ascope/capture"
)

// maxSizeLine is the longest line with a chunk size, extensions included.
const maxSizeLine = 4 << 10

// size reads the line with the size of the next chunk (RFC 9112 section 7.1).
func (h *http1) size(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	i := bytes.IndexByte(p, '\n')
	if i < 0 && len(f.carry)+len(p) <= maxSizeLine {
		f.carry = append(f.carry, p...)
		return nil
	}
	if i < 0 || len(f.carry)+i > maxSizeLine {
		b, _ := f.collect(p)
		f.drop()
		h.badChunk(from, "a chunk size line is longer than %d bytes", maxSizeLine)
		return b
	}
	line := p[:i]
	if len(f.carry) > 0 {
		line = append(f.carry, line...)
	}
	f.drop()
	n, ok := chunkSize(line)
	switch {
	case !ok:
		h.badChunk(from, "%.40q is not a chunk size", line)
	case n > 0:
		f.state, f.remain = h1Data, n
	default:
		f.body.end(true)
		f.state = h1Trailers
	}
	return p[i+1:]
}

// chunkSize reads hexadecimal digits; an extension behind ';' is skipped.
func chunkSize(line []byte) (int64, bool) {
	line, _, _ = bytes.Cut(line, []byte{';'})
	line = bytes.TrimSpace(line)
	if len(line) == 0 || len(line) > 15 {
		return 0, false
	}
	var n int64
	for _, c := range line {
		v := hexValue(c)
		if v < 0 {
			return 0, false
		}
		n = n<<4 | int64(v)
	}
	return n, true
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// dataEnd reads the line end behind the data of a chunk.
func (h *http1) dataEnd(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	switch {
	case p[0] == '\n':
		f.state, f.seen = h1Size, 0
	case p[0] == '\r' && f.seen == 0:
		f.seen = 1
	default:
		h.badChunk(from, "the data of a chunk is longer than its size says")
	}
	return p[1:]
}

// badChunk gives up the body: where it ends cannot be known.
func (h *http1) badChunk(from capture.Side, format string, args ...any) {
	f := &h.half[from]
	f.x.breach(from, capture.BreachChunk, format, args...)
	f.body.end(false)
	f.state, f.seen = h1Resync, 0
}

// trailers reads the block behind the last chunk.
func (h *http1) trailers(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	b, old := f.collect(p)
	end := -1
	switch {
	case b[0] == '\n':
		end = 1
	case b[0] == '\r' && len(b) == 1:
		f.keep(b, old)
		return nil
	case b[0] == '\r' && b[1] == '\n':
		end = 2
	default:
		end = headEnd(b, f.seen)
	}
	if end < 0 && len(b) < h.c.lim.Head {
		f.keep(b, old)
		return nil
	}
	if end < 0 || end > h.c.lim.Head {
		f.x.breach(from, capture.BreachTooLarge, "the trailer block is larger than %d bytes", h.c.lim.Head)
		rest := p[h.c.lim.Head-old:]
		f.drop()
		f.state = h1Resync
		return rest
	}
	block := string(b[:end])
	rest := p[end-old:]
	f.drop()
	if fields, bad := parseFields(block, h.c.lim.Fields); len(fields) > 0 {
		f.x.emit(from, &capture.Trailer{Fields: fields})
		if bad.n > 0 {
			f.x.breach(from, capture.BreachHead, "trailer: %s", bad)
		}
	}
	h.endMessage(from)
	return rest
}

// findChunk searches for a size line after missing bytes: at once when atStart,
// else behind a line end. It returns where the size begins, or where a line
// end before it may be.
func findChunk(b []byte, atStart bool) (int, verdict) {
	if atStart {
		if v := sizeLine(b); v != no {
			return 0, v
		}
	}
	for i := 0; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], '\r')
		if j < 0 {
			break
		}
		i += j
		if i+1 == len(b) {
			return i, maybe
		}
		if b[i+1] != '\n' {
			continue
		}
		switch sizeLine(b[i+2:]) {
		case yes:
			return i + 2, yes
		case maybe:
			return i, maybe
		}
	}
	return len(b), no
}

// sizeLine judges bytes that should begin with a size and its line end.
func sizeLine(b []byte) verdict {
	n := 0
	for n < len(b) && n <= 8 && hexValue(b[n]) >= 0 {
		n++
	}
	switch {
	case n > 8:
		return no
	case n == len(b):
		return maybe
	case n == 0 || b[n] != '\r':
		return no
	case n+1 == len(b):
		return maybe
	case b[n+1] == '\n':
		return yes
	}
	return no
}
