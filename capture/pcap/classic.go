package pcap

import (
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"time"

	"a2ascope/capture"
)

// packet is one record of a capture file.
type packet struct {
	at   time.Time
	link uint32 // link type
	data []byte // captured bytes; cap is len
	n    int64  // number in the file, from 1
	off  int64  // where its record begins
	mark string // comments that are read back, see mark.go
}

// records walks a capture file. next returns io.EOF at the end, *broken when
// the rest cannot be read, another error when the medium failed.
type records interface {
	next(*packet) error
}

// broken says that the walk ends here because of the file, not of us.
type broken struct{ capture.Damage }

func (b *broken) Error() string { return b.Detail }

func breakAt(what, format string, args ...any) error {
	return &broken{capture.Damage{What: what, Detail: fmt.Sprintf(format, args...)}}
}

// short explains why a record could not be taken whole: the stream failed, or
// the file ends inside it.
func short(in *input, n, off int64, want int) error {
	switch {
	case in.err == nil || errors.Is(in.err, io.EOF):
	case errors.Is(in.err, io.ErrUnexpectedEOF):
		// Only an unpacker says so: the packed file ends too early.
	case unpackFailed(in.err):
		return breakAt("truncated", "the gzip data is damaged (%v): packet %d at byte %d and all after it are lost", in.err, n, off)
	default:
		return in.err
	}
	return breakAt("truncated", "the capture ends inside packet %d, which begins at byte %d: %d bytes are missing; the %d packets before it were read",
		n, off, want-(in.w-in.r), n-1)
}

// unpackFailed says whether err is the unpacker's judgement of the packed data.
func unpackFailed(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)
}

// classic is the walk over a pcap file. Formats:
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-05.html
type classic struct {
	in     *input
	swap   bool // big-endian
	nano   bool
	header int // length of a record header
	link   uint32
	n      int64
}

// magic of the three flavours, little-endian as read from a little-endian file.
const (
	magicMicro    = 0xa1b2c3d4
	magicNano     = 0xa1b23c4d
	magicModified = 0xa1b2cd34 // records carry interface and protocol too
)

func classicMagic(b []byte) (c classic, ok bool) {
	m := binary.LittleEndian.Uint32(b)
	c.header = 16
	for _, c.swap = range []bool{false, true} {
		switch m {
		case magicMicro:
			return c, true
		case magicNano:
			c.nano = true
			return c, true
		case magicModified:
			c.header = 24
			return c, true
		}
		m = bits.ReverseBytes32(m)
	}
	return c, false
}

func (c *classic) u32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if c.swap {
		return bits.ReverseBytes32(v)
	}
	return v
}

func newClassic(in *input) (*classic, error) {
	const size = 24
	h := in.take(size)
	if h == nil {
		return nil, fmt.Errorf("the file header is cut short: %d of %d bytes are there", in.w-in.r, size)
	}
	c, _ := classicMagic(h)
	c.in = in
	// The upper half of the field says how long the frame check sequence is;
	// it follows the IP packet, where it does no harm.
	c.link = c.u32(h[20:]) & 0xffff
	return &c, nil
}

func (c *classic) next(p *packet) error {
	p.off = c.in.pos()
	h := c.in.take(c.header)
	if h == nil {
		if c.in.w == c.in.r && (c.in.err == nil || c.in.err == io.EOF) {
			return io.EOF
		}
		return short(c.in, c.n+1, p.off, c.header)
	}
	n := c.u32(h[8:])
	if n > maxPacket {
		return breakAt("bad-record", "packet %d at byte %d claims to be %d bytes long, more than any packet is: the file is damaged there; the %d packets before it were read",
			c.n+1, p.off, n, c.n)
	}
	data := c.in.take(int(n))
	if data == nil {
		return short(c.in, c.n+1, p.off, int(n))
	}
	frac := int64(c.u32(h[4:]))
	if !c.nano {
		frac *= 1000
	}
	c.n++
	p.n, p.link, p.data = c.n, c.link, data
	p.at = time.Unix(int64(c.u32(h)), frac).UTC()
	return nil
}
