package wire

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// feed is a reader that says errMoreInput where others would block.
type feed struct {
	p    []byte
	over bool // no more comes
}

func (f *feed) Read(b []byte) (int, error) {
	if len(f.p) == 0 {
		if f.over {
			return 0, io.EOF
		}
		return 0, errMoreInput
	}
	n := copy(b, f.p)
	f.p = f.p[n:]
	return n, nil
}

// unbrotli relies on brotli.Reader keeping its state when its source returns an error.
// Where that finds the stream broken, it has not passed on what it decoded of the
// piece so far: so what comes in pieces is given to it byte by byte, at a third of
// the speed, and how it was cut makes no difference.
type unbrotli struct {
	step  int // bytes at once
	src   feed
	r     *brotli.Reader
	buf   []byte
	g     gauge
	limit int64
}

func newUnbrotli(step int, limit int64) *unbrotli {
	u := &unbrotli{step: step, limit: limit, buf: make([]byte, 4<<10)}
	u.r = brotli.NewReader(&u.src)
	return u
}

func (u *unbrotli) push(p []byte, sink func([]byte) error) error {
	for len(p) > 0 {
		n := min(u.step, len(p))
		if err := u.read(p[:n], sink); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

func (u *unbrotli) read(p []byte, sink func([]byte) error) error {
	u.src.p = p
	u.g.in += int64(len(p))
	for {
		n, err := u.r.Read(u.buf)
		u.g.out += int64(n)
		if n > 0 {
			if e := sink(bytes.Clone(u.buf[:n])); e != nil {
				return e
			}
		}
		switch {
		case u.g.bomb(u.limit):
			return errBomb
		case err == errMoreInput:
			return nil
		case err != nil:
			return err
		}
	}
}

func (u *unbrotli) end(sink func([]byte) error) error {
	if u.g.in == 0 {
		return nil
	}
	u.src.over = true
	err := u.read(nil, sink)
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errPartial
	}
	return err
}

// unzstd decodes from the beginning of the stream whenever enough has come:
// the decoder at hand cannot stop for want of input and go on. It decodes
// where a block ends (RFC 8878 section 3.1.1.2): at every block while the
// stream is short, then each time it has grown by a sixteenth, so that the work
// stays in proportion. Which blocks these are depends on the stream alone.
type unzstd struct {
	keep  store
	limit int64
	state zstdState
	next  int64 // offset at which the current header or block ends
	sum   int64 // length of the checksum behind the frame
	last  bool  // the current block is the last of its frame
	out   int64 // bytes passed on
	at    int64 // offset at the last decoding
	r     *zstd.Decoder
}

type zstdState uint8

const (
	zstdMagic zstdState = iota
	zstdHeader
	zstdBlockHead
	zstdBlock
	zstdSkip
)

// zstdShort is the length up to which a stream is decoded at every block.
const zstdShort = 64 << 10

func (u *unzstd) push(p []byte, sink func([]byte) error) error {
	if u.keep.size == 0 {
		u.next = 4
	}
	for {
		if have := u.keep.size; have < u.next {
			if len(p) == 0 {
				return nil
			}
			n := min(u.next-have, int64(len(p)))
			u.keep.add(p[:n])
			p = p[n:]
			if u.keep.cut() {
				return errors.New("it is too long to be decoded while it runs")
			}
			continue
		}
		if err := u.part(sink); err != nil {
			return err
		}
	}
}

// part handles a header or block that is there as a whole.
func (u *unzstd) part(sink func([]byte) error) error {
	b := u.keep.bytes()
	at := u.next
	switch u.state {
	case zstdMagic:
		m := b[at-4:]
		switch {
		case m[0] == 0x28 && m[1] == 0xb5 && m[2] == 0x2f && m[3] == 0xfd:
			u.state, u.next = zstdHeader, at+1
		case m[0]&0xf0 == 0x50 && m[1] == 0x2a && m[2] == 0x4d && m[3] == 0x18:
			u.state, u.next = zstdSkip, at+4
		default:
			return errors.New("not a zstd frame")
		}
	case zstdSkip:
		m := b[at-4:]
		size := int64(m[0]) | int64(m[1])<<8 | int64(m[2])<<16 | int64(m[3])<<24
		u.state, u.next = zstdMagic, at+size+4
	case zstdHeader:
		u.state, u.next = zstdBlockHead, at+zstdHeaderSize(b[at-1])+3
		u.sum = int64(b[at-1]) & 4
	case zstdBlockHead:
		h := int64(b[at-3]) | int64(b[at-2])<<8 | int64(b[at-1])<<16
		size := h >> 3
		if h>>1&3 == 1 {
			size = 1
		}
		u.last = h&1 == 1
		u.state, u.next = zstdBlock, at+size
	case zstdBlock:
		if u.last && u.sum > 0 {
			// The decoder gives the last block only together with the checksum.
			u.state, u.next, u.sum = zstdBlock, at+u.sum, 0
			return nil
		}
		if at <= zstdShort || u.last || at-u.at > u.at/16 {
			if err := u.decode(sink); err != nil {
				return err
			}
		}
		if u.state, u.next = zstdBlockHead, at+3; u.last {
			u.state, u.next = zstdMagic, at+4
		}
	}
	return nil
}

// zstdHeaderSize returns the length of what follows the frame header descriptor.
func zstdHeaderSize(d byte) int64 {
	n := [4]int64{0, 1, 2, 4}[d&3] + [4]int64{0, 2, 4, 8}[d>>6]
	if d&0x20 == 0 {
		n++ // window descriptor
	} else if d>>6 == 0 {
		n++ // one byte of content size
	}
	return n
}

// decode decodes all that is there and passes on what is new.
func (u *unzstd) decode(sink func([]byte) error) error {
	u.at = u.keep.size
	if u.r == nil {
		// With one worker the decoder starts no goroutine.
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20)) // RFC 9659: no more over HTTP
		if err != nil {
			return err
		}
		u.r = r
	}
	if err := u.r.Reset(bytes.NewReader(u.keep.bytes())); err != nil {
		return err
	}
	var seen int64
	for {
		b := make([]byte, 32<<10)
		n, err := u.r.Read(b)
		if old := u.out - seen; int64(n) > old {
			if e := sink(b[max(old, 0):n:n]); e != nil {
				return e
			}
			u.out = seen + int64(n)
		}
		seen += int64(n)
		g := gauge{in: u.keep.size, out: seen}
		switch {
		case g.bomb(u.limit):
			return errBomb
		case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (u *unzstd) end(sink func([]byte) error) error {
	size := u.keep.size
	u.keep.take(0)
	// A frame's end leaves the search for the next magic number, possibly after the checksum.
	if u.state != zstdMagic || size != u.next-4 && size != 0 {
		return errPartial
	}
	return nil
}
