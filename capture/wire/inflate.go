package wire

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
)

// inflater removes DEFLATE (RFC 1951) with its gzip (RFC 1952) and zlib (RFC
// 1950) wrappings. Unlike the readers of the standard library it can stop for
// want of input at any bit and go on later, which a compressed event stream
// needs, and it reserves nothing but the 32 KiB of history.
//
// Every step takes at most 48 bits and either takes them all or none, so the
// bit buffer alone carries what is left over between two calls.
type inflater struct {
	wrap  wrapping
	in    []byte
	bits  uint64
	nbits uint
	state inflateState

	out  []byte // fresh output of this call
	hist []byte // output of earlier calls, at least the last 32 KiB

	last     bool // this block is the last
	fixed    bool // lit and dst hold the fixed code
	lit, dst huffman
	lens     [320]byte
	nlit     int
	ndst     int
	nclen    int
	got      int
	copyLen  int
	copyDist int
	stored   int

	flags  byte // gzip header
	extra  int
	crc    uint32
	adler  uint32
	length uint32
	member int // gzip members read
}

type wrapping uint8

const (
	wrapGzip wrapping = iota
	wrapDeflate
)

type inflateState uint8

const (
	atWrapper inflateState = iota
	atGzipTime
	atGzipExtraLen
	atGzipExtra
	atGzipName
	atGzipComment
	atGzipCRC
	atBlock
	atStoredLen
	atStored
	atCodeLens
	atLens
	atSymbol
	atCopy
	atTrailer
	atTrailer2
	atZlibTrailer
	atNextMember
	atEnd
)

var (
	errMoreInput = errors.New("more input needed")
	errInflate   = errors.New("not a valid deflate stream")
	errChecksum  = errors.New("the checksum does not match")
	errWrapper   = errors.New("neither gzip nor zlib header")
)

const window = 32 << 10

// run decodes until max bytes of output, the end of the input (errMoreInput),
// the end of the stream, or an error. The output is d.take's.
func (d *inflater) run(maxOut int) error {
	for d.state != atEnd {
		if len(d.out) >= maxOut {
			return nil
		}
		if err := d.step(maxOut); err != nil {
			return err
		}
	}
	return nil
}

// take returns the output since the last take, which belongs to the caller.
func (d *inflater) take() []byte {
	o := d.out
	d.out = nil
	if len(o) == 0 {
		return nil
	}
	if d.wrap == wrapGzip {
		d.crc = crc32.Update(d.crc, crc32.IEEETable, o)
	} else {
		d.adler = adlerUpdate(d.adler, o)
	}
	d.length += uint32(len(o))
	if len(o) >= window {
		d.hist = append(d.hist[:0], o[len(o)-window:]...)
		return o
	}
	if len(d.hist)+len(o) > 2*window {
		d.hist = append(d.hist[:0], d.hist[len(d.hist)-window:]...)
	}
	d.hist = append(d.hist, o...)
	return o
}

func adlerUpdate(a uint32, p []byte) uint32 {
	if a == 1 {
		return adler32.Checksum(p)
	}
	s1, s2 := a&0xffff, a>>16
	for len(p) > 0 {
		q := p[:min(len(p), 5552)]
		p = p[len(q):]
		for _, b := range q {
			s1 += uint32(b)
			s2 += s1
		}
		s1 %= 65521
		s2 %= 65521
	}
	return s2<<16 | s1
}

func (d *inflater) refill() {
	if len(d.in) >= 8 {
		n := (63 - d.nbits) / 8
		d.bits |= binary.LittleEndian.Uint64(d.in) & (1<<(8*n) - 1) << d.nbits
		d.in = d.in[n:]
		d.nbits += 8 * n
		return
	}
	for d.nbits <= 56 && len(d.in) > 0 {
		d.bits |= uint64(d.in[0]) << d.nbits
		d.in = d.in[1:]
		d.nbits += 8
	}
}

func (d *inflater) need(n uint) bool {
	if d.nbits < n {
		d.refill()
	}
	return d.nbits >= n
}

func (d *inflater) drop(n uint) uint32 {
	v := uint32(d.bits & (1<<n - 1))
	d.bits >>= n
	d.nbits -= n
	return v
}

func (d *inflater) step(maxOut int) error {
	switch d.state {
	case atBlock:
		return d.block()
	case atStoredLen:
		if !d.need(32) {
			return errMoreInput
		}
		v := d.drop(32)
		if v&0xffff != ^v>>16 {
			return errInflate
		}
		d.stored, d.state = int(v&0xffff), atStored
	case atStored:
		return d.copyStored(maxOut)
	case atCodeLens, atLens:
		return d.tables()
	case atSymbol:
		return d.symbols(maxOut)
	case atCopy:
		return d.copyMatch(maxOut)
	default:
		return d.wrapper()
	}
	return nil
}

func (d *inflater) block() error {
	if !d.need(3) {
		return errMoreInput
	}
	kind := d.bits >> 1 & 3
	if kind == 2 && !d.need(17) {
		return errMoreInput
	}
	d.last = d.drop(1) == 1
	d.drop(2)
	switch kind {
	case 0:
		d.drop(d.nbits & 7)
		d.state = atStoredLen
	case 1:
		if !d.fixed {
			d.fixedTables()
		}
		d.state = atSymbol
	case 2:
		d.nlit = int(d.drop(5)) + 257
		d.ndst = int(d.drop(5)) + 1
		d.nclen = int(d.drop(4)) + 4
		d.fixed = false
		if d.nlit > 286 {
			return errInflate
		}
		clear(d.lens[:19])
		d.got, d.state = 0, atCodeLens
	default:
		return errInflate
	}
	return nil
}

func (d *inflater) endBlock() {
	d.state = atBlock
	if d.last {
		d.drop(d.nbits & 7)
		d.state = atTrailer
		if d.wrap == wrapDeflate {
			d.state = atZlibTrailer
		}
	}
}

var (
	lenBase   = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lenExtra  = [29]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase  = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distExtra = [30]byte{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

func (d *inflater) symbols(maxOut int) error {
	for len(d.out) < maxOut {
		d.refill()
		bits, n := d.bits, d.nbits
		sym, ok := d.sym(&d.lit)
		switch {
		case !ok:
			return errMoreInput
		case sym < 0 || sym > 285:
			return errInflate
		case sym < 256:
			d.out = append(d.out, byte(sym))
			continue
		case sym == 256:
			d.endBlock()
			return nil
		}
		e := uint(lenExtra[sym-257])
		if d.nbits >= e {
			d.copyLen = int(lenBase[sym-257]) + int(d.drop(e))
			var ds int
			if ds, ok = d.sym(&d.dst); ok {
				if ds < 0 || ds > 29 {
					return errInflate
				}
				if e = uint(distExtra[ds]); d.nbits >= e {
					d.copyDist = int(distBase[ds]) + int(d.drop(e))
					if d.copyDist > len(d.out)+len(d.hist) {
						return errInflate
					}
					d.state = atCopy
					if err := d.copyMatch(maxOut); err != nil || d.state == atCopy {
						return err
					}
					continue
				}
			}
		}
		d.bits, d.nbits = bits, n
		return errMoreInput
	}
	return nil
}

func (d *inflater) copyMatch(maxOut int) error {
	n := min(d.copyLen, maxOut-len(d.out))
	d.copyLen -= n
	for back := d.copyDist - len(d.out); back > 0 && n > 0; back = d.copyDist - len(d.out) {
		from := len(d.hist) - back
		k := min(n, back)
		d.out = append(d.out, d.hist[from:from+k]...)
		n -= k
	}
	// What a match reaches over itself repeats: each round copies all that is there of it.
	for from := len(d.out) - d.copyDist; n > 0; {
		k := min(n, len(d.out)-from)
		d.out = append(d.out, d.out[from:from+k]...)
		n -= k
	}
	if d.copyLen == 0 {
		d.state = atSymbol
	}
	return nil
}

func (d *inflater) copyStored(maxOut int) error {
	for d.stored > 0 && len(d.out) < maxOut {
		if d.nbits >= 8 {
			d.out = append(d.out, byte(d.drop(8)))
			d.stored--
			continue
		}
		n := min(d.stored, len(d.in), maxOut-len(d.out))
		if n == 0 {
			return errMoreInput
		}
		d.out = append(d.out, d.in[:n]...)
		d.in, d.stored = d.in[n:], d.stored-n
	}
	if d.stored == 0 {
		d.endBlock()
	}
	return nil
}
