package proxy

import "bytes"

// cutter walks over one direction of an HTTP/1 connection (RFC 9112) and cuts
// it into pieces. It never changes a byte, and every byte it is given comes out
// in exactly one piece, in order. The caller reads the head and says with body
// what follows it.
type cutter struct {
	state  cutState
	remain int64
	line   int    // bytes of the current line, for blank lines and limits
	digits int    // of the chunk size
	carry  []byte // an incomplete head
	seen   int    // how much of carry was searched
}

type cutState uint8

const (
	cutHead cutState = iota
	cutLength
	cutSize    // digits of a chunk size
	cutExt     // the rest of its line
	cutData    // data of a chunk
	cutDataEnd // line end behind it
	cutTrailer
	cutUntilEnd
	cutRaw
)

type pieceKind uint8

const (
	pieceNone    pieceKind = iota // taken into carry: a head that is not complete
	pieceBlank                    // line ends before a head
	pieceHead                     // a complete head, blank line included
	pieceContent                  // content of a body
	pieceFraming                  // chunk sizes and line ends
	pieceTrailer                  // field lines behind the last chunk, and the blank line
	pieceRaw                      // the place is lost, or another protocol
)

// piece is a part of a direction; data may point into carry until the next call.
type piece struct {
	kind pieceKind
	data []byte
	last bool // a message ends with it
}

// maxHead is what the head of a message may take. Beyond it nothing is looked
// at any more: servers refuse heads above 8 to 64 KiB.
const maxHead = 512 << 10

// maxSizeLine bounds the line with the size of a chunk.
const maxSizeLine = 16 << 10

// what follows a head
type following struct {
	state  cutState // cutHead: nothing; cutLength; cutSize: chunks; cutUntilEnd; cutRaw
	length int64
}

// body says what follows the head that was cut last. It reports whether the
// message is over with its head.
func (c *cutter) body(f following) (over bool) {
	c.state, c.remain = f.state, f.length
	c.line, c.digits = 0, 0
	if f.state == cutLength && f.length == 0 {
		c.state = cutHead
	}
	return c.state == cutHead
}

// next cuts one piece off in and returns how much of in it took.
func (c *cutter) next(in []byte) (piece, int) {
	switch c.state {
	case cutHead:
		return c.head(in)
	case cutLength, cutData:
		n := int(min(c.remain, int64(len(in))))
		c.remain -= int64(n)
		p := piece{kind: pieceContent, data: in[:n]}
		if c.remain == 0 {
			if c.state == cutLength {
				c.state, p.last = cutHead, true
			} else {
				c.state, c.line = cutDataEnd, 0
			}
		}
		return p, n
	case cutSize, cutExt, cutDataEnd:
		return c.framing(in)
	case cutTrailer:
		return c.trailer(in)
	case cutUntilEnd:
		return piece{kind: pieceContent, data: in}, len(in)
	}
	return piece{kind: pieceRaw, data: in}, len(in)
}

// end says that no more comes and returns an incomplete head.
func (c *cutter) end() []byte {
	b := c.carry
	c.carry, c.seen = nil, 0
	return b
}

// lose gives up: what follows passes as it is.
func (c *cutter) lose() { c.state = cutRaw }

func (c *cutter) head(in []byte) (piece, int) {
	if len(c.carry) == 0 {
		// Empty lines before a message are to be skipped (RFC 9112 section 2.2).
		i := 0
		for i < len(in) && (in[i] == '\r' || in[i] == '\n') {
			i++
		}
		if i > 0 {
			return piece{kind: pieceBlank, data: in[:i]}, i
		}
		if !likeHead(in) {
			c.lose()
			return piece{kind: pieceRaw, data: in}, len(in)
		}
		end := headEnd(in, 0)
		if end > 0 && end <= maxHead {
			return piece{kind: pieceHead, data: in[:end]}, end
		}
		if end > 0 || len(in) > maxHead {
			c.lose()
			return piece{kind: pieceRaw, data: in}, len(in)
		}
		c.carry, c.seen = append(c.carry, in...), len(in)
		return piece{}, len(in)
	}
	had := len(c.carry)
	c.carry = append(c.carry, in...)
	end := headEnd(c.carry, c.seen)
	if end > 0 && end <= maxHead && likeHead(c.carry) {
		p := piece{kind: pieceHead, data: c.carry[:end]}
		c.carry, c.seen = nil, 0
		return p, end - had
	}
	if end > 0 || len(c.carry) > maxHead || !likeHead(c.carry) {
		c.lose()
		p := piece{kind: pieceRaw, data: c.carry}
		c.carry, c.seen = nil, 0
		return p, len(in)
	}
	c.seen = len(c.carry)
	return piece{}, len(in)
}

// headEnd returns the index behind the blank line that ends a head, or -1; b was searched up to seen.
func headEnd(b []byte, seen int) int {
	for i := max(seen-3, 0); ; {
		j := bytes.IndexByte(b[i:], '\n')
		if j < 0 {
			return -1
		}
		i += j + 1
		if i < len(b) && b[i] == '\n' {
			return i + 1
		}
		if i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n' {
			return i + 2
		}
	}
}

// likeHead reports whether b may begin a message: it is not held back otherwise.
// A method is a short word, and both kinds of start lines name the protocol.
func likeHead(b []byte) bool {
	word := false
	for _, c := range b[:min(len(b), maxMethod)] {
		if c == ' ' {
			word = true
			break
		}
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	if !word {
		return len(b) < maxMethod
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return bytes.Contains(b[:i], []byte("HTTP/"))
	}
	return true
}

// maxMethod bounds the first word of a message.
const maxMethod = 32

// framing cuts the line with the size of a chunk, or the line end behind its data.
func (c *cutter) framing(in []byte) (piece, int) {
	for i, b := range in {
		if c.line++; c.line > maxSizeLine {
			c.lose()
			return piece{kind: pieceRaw, data: in}, len(in)
		}
		switch c.state {
		case cutDataEnd:
			switch {
			case b == '\n':
				c.state, c.line, c.digits, c.remain = cutSize, 0, 0, 0
			case b != '\r' || c.line > 1:
				c.lose()
				return piece{kind: pieceRaw, data: in}, len(in)
			}
		case cutSize:
			if v := hexDigit(b); v >= 0 && c.digits < 15 {
				c.remain, c.digits = c.remain<<4|int64(v), c.digits+1
				continue
			}
			if c.digits == 0 || hexDigit(b) >= 0 || b != '\n' && b != '\r' && b != ';' && b != ' ' && b != '\t' {
				c.lose()
				return piece{kind: pieceRaw, data: in}, len(in)
			}
			c.state = cutExt
			fallthrough
		case cutExt:
			if b != '\n' {
				continue
			}
			c.line = 0
			c.state = cutData
			if c.remain == 0 {
				c.state = cutTrailer
			}
			return piece{kind: pieceFraming, data: in[:i+1]}, i + 1
		}
	}
	return piece{kind: pieceFraming, data: in}, len(in)
}

func hexDigit(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

func (c *cutter) trailer(in []byte) (piece, int) {
	for i, b := range in {
		switch b {
		case '\n':
			if c.line == 0 {
				c.state = cutHead
				return piece{kind: pieceTrailer, data: in[:i+1], last: true}, i + 1
			}
			c.line = 0
		case '\r':
		default:
			c.line++
		}
	}
	return piece{kind: pieceTrailer, data: in}, len(in)
}
