package pcap

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"time"
)

// The blocks of pcapng that matter here; all others are passed over. Format:
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html
const (
	blockInterface  = 0x00000001
	blockPacket     = 0x00000002 // obsolete, still found
	blockSimple     = 0x00000003
	blockStatistics = 0x00000005
	blockEnhanced   = 0x00000006
	blockSecrets    = 0x0000000a
	blockSection    = 0x0a0d0d0a // the same in both byte orders
)

var magicPcapng = []byte{0x0a, 0x0d, 0x0d, 0x0a}

// iface is what an interface description block says.
type iface struct {
	link    uint32
	snaplen uint32
	units   uint64 // ticks of the clock in a second
	offset  int64  // seconds to add
}

// blocks is the walk over a pcapng file.
type blocks struct {
	in      *input
	swap    bool // the section is big-endian
	section bool // a section header was seen
	own     bool // and says that this program wrote it
	ifaces  []iface
	n       int64
	last    time.Time // simple packet blocks carry no time

	dropped     uint64 // by the capture program, as interface statistics say
	dropping    []uint64
	secrets     []Secret
	secretBytes int
}

func (b *blocks) u16(p []byte) uint16 {
	v := binary.LittleEndian.Uint16(p)
	if b.swap {
		return bits.ReverseBytes16(v)
	}
	return v
}

func (b *blocks) u32(p []byte) uint32 {
	v := binary.LittleEndian.Uint32(p)
	if b.swap {
		return bits.ReverseBytes32(v)
	}
	return v
}

func (b *blocks) next(p *packet) error {
	for {
		off := b.in.pos()
		h := b.in.take(8)
		if h == nil {
			if b.in.w == b.in.r && (b.in.err == nil || b.in.err == io.EOF) {
				return io.EOF
			}
			return short(b.in, b.n+1, off, 8)
		}
		kind := b.u32(h)
		if binary.LittleEndian.Uint32(h) == blockSection {
			kind = blockSection
			if err := b.order(off); err != nil {
				return err
			}
		}
		size := b.u32(h[4:])
		if size < 12 || size > maxBlock {
			return breakAt("bad-block", "the block at byte %d claims to be %d bytes long, which no block is: the file is damaged there; the %d packets before it were read",
				off, size, b.n)
		}
		rest := int(size+3)&^3 - 8 // padded to 32 bits, also by writers that do not count the padding
		switch kind {
		case blockInterface, blockPacket, blockSimple, blockStatistics, blockEnhanced, blockSecrets, blockSection:
		default:
			if k := b.in.skip(int64(rest)); k < int64(rest) {
				return short(b.in, b.n+1, off, rest)
			}
			continue
		}
		body := b.in.take(rest)
		if body == nil {
			return short(b.in, b.n+1, off, rest)
		}
		if again := b.u32(body[rest-4:]); again != size {
			return breakAt("bad-block", "the block at byte %d is %d bytes long at its start and %d at its end: the file is damaged there; the %d packets before it were read",
				off, size, again, b.n)
		}
		body = body[: rest-4 : rest-4]
		found, err := b.block(kind, body, off, p)
		if err != nil {
			return err
		}
		if found {
			b.n++
			p.n, p.off = b.n, off
			b.last = p.at
			return nil
		}
	}
}

// order learns the byte order of a section from the magic that follows the
// length, before the length can be read. Each section has its own interfaces.
func (b *blocks) order(off int64) error {
	m := b.in.peek(4)
	switch {
	case m == nil:
		return short(b.in, b.n+1, off, 4)
	case binary.LittleEndian.Uint32(m) == 0x1a2b3c4d:
		b.swap = false
	case binary.BigEndian.Uint32(m) == 0x1a2b3c4d:
		b.swap = true
	default:
		return breakAt("bad-block", "the section header at byte %d has no valid byte-order magic: the file is damaged there; the %d packets before it were read", off, b.n)
	}
	b.endSection()
	b.section, b.own = true, false
	return nil
}

// endSection forgets the interfaces and adds up what they lost.
func (b *blocks) endSection() {
	for _, n := range b.dropping {
		b.dropped += n
	}
	b.ifaces, b.dropping = b.ifaces[:0], b.dropping[:0]
}

// block reads one block; found says that p is a packet now.
func (b *blocks) block(kind uint32, body []byte, off int64, p *packet) (found bool, err error) {
	if !b.section {
		return false, breakAt("bad-block", "the block at byte %d comes before any section header", off)
	}
	bad := func(what string) error {
		return breakAt("bad-block", "the block at byte %d %s: the file is damaged there; the %d packets before it were read", off, what, b.n)
	}
	var id, n uint32
	var head int
	var ts uint64
	switch kind {
	case blockInterface:
		if len(body) < 8 {
			return false, bad("is too short for an interface")
		}
		if len(b.ifaces) >= maxInterfaces {
			return false, bad("describes one interface too many")
		}
		b.ifaces = append(b.ifaces, b.describe(body))
		return false, nil
	case blockStatistics:
		b.statistics(body)
		return false, nil
	case blockSecrets:
		b.keep(body)
		return false, nil
	case blockSection:
		if len(body) > 16 {
			b.options(body[16:], func(code uint16, v []byte) {
				b.own = b.own || code == 4 && string(v) == ownName // shb_userappl
			})
		}
		return false, nil
	case blockEnhanced, blockPacket:
		head = 20
		if len(body) < head {
			return false, bad("is too short for a packet")
		}
		id = b.u32(body)
		if kind == blockPacket {
			id = uint32(b.u16(body))
		}
		ts = uint64(b.u32(body[4:]))<<32 | uint64(b.u32(body[8:]))
		n = b.u32(body[12:])
	case blockSimple:
		head = 4
		if len(body) < head {
			return false, bad("is too short for a packet")
		}
		n = min(b.u32(body), uint32(len(body)-head))
	}
	if uint64(id) >= uint64(len(b.ifaces)) {
		return false, bad("belongs to an interface that was not described")
	}
	ifc := &b.ifaces[id]
	if kind == blockSimple && ifc.snaplen != 0 {
		n = min(n, ifc.snaplen)
	}
	if uint64(n) > uint64(len(body)-head) || n > maxPacket {
		return false, bad("holds a packet longer than itself")
	}
	p.link = ifc.link
	p.data = body[head : head+int(n) : head+int(n)]
	p.at, p.mark = b.last, ""
	if kind != blockSimple {
		p.at = ifc.time(ts)
	}
	if b.own && kind == blockEnhanced {
		b.options(body[head+min(int(n+3)&^3, len(body)-head):], func(code uint16, v []byte) {
			if code == 1 && isMark(string(v)) && len(p.mark)+len(v) <= maxMarks {
				if p.mark != "" {
					p.mark += markEnd
				}
				p.mark += string(v)
			}
		})
	}
	return true, nil
}

// options calls f for each option of a block, until one does not fit.
func (b *blocks) options(body []byte, f func(code uint16, value []byte)) {
	for len(body) >= 4 {
		code, n := b.u16(body), int(b.u16(body[2:]))
		body = body[4:]
		if code == 0 || n > len(body) {
			return
		}
		f(code, body[:n])
		body = body[min((n+3)&^3, len(body)):]
	}
}

func (b *blocks) describe(body []byte) iface {
	i := iface{link: uint32(b.u16(body)), snaplen: b.u32(body[4:]), units: 1e6}
	b.options(body[8:], func(code uint16, v []byte) {
		switch {
		case code == 9 && len(v) >= 1: // if_tsresol
			if e := v[0] & 0x7f; v[0]&0x80 != 0 && e < 64 {
				i.units = 1 << e
			} else if v[0]&0x80 == 0 && e <= 19 {
				i.units = 1
				for range e {
					i.units *= 10
				}
			}
		case code == 14 && len(v) >= 8: // if_tsoffset
			hi, lo := b.u32(v), b.u32(v[4:])
			if !b.swap {
				hi, lo = lo, hi
			}
			i.offset = int64(uint64(hi)<<32 | uint64(lo))
		}
	})
	return i
}

// lastSecond is the end of the year 9999; later times cannot be written in
// JSON, and no capture is that old.
const lastSecond = 253402300799

func (i *iface) time(ts uint64) time.Time {
	sec, frac := ts/i.units, ts%i.units
	hi, lo := bits.Mul64(frac, 1e9)
	ns, _ := bits.Div64(hi, lo, i.units) // frac < units, so the quotient is below 1e9
	s := int64(min(sec, lastSecond))
	if i.offset > lastSecond || i.offset < -lastSecond {
		i.offset = 0 // damaged
	}
	return time.Unix(min(max(s+i.offset, 0), lastSecond), int64(ns)).UTC()
}

// statistics remembers how many packets the interface dropped (isb_ifdrop).
// The block may come several times, each with the total so far.
func (b *blocks) statistics(body []byte) {
	if len(body) < 12 {
		return
	}
	id := int64(b.u32(body))
	if id >= int64(len(b.ifaces)) {
		return
	}
	b.options(body[12:], func(code uint16, v []byte) {
		if code != 5 || len(v) < 8 {
			return
		}
		hi, lo := b.u32(v), b.u32(v[4:])
		if !b.swap {
			hi, lo = lo, hi
		}
		for int64(len(b.dropping)) <= id {
			b.dropping = append(b.dropping, 0)
		}
		b.dropping[id] = uint64(hi)<<32 | uint64(lo)
	})
}

// Secret is the content of one decryption secrets block.
type Secret struct {
	Type uint32 // SecretTLS, or another kind
	Data []byte // SecretTLS: lines of an NSS key log
}

// SecretTLS is the type of a block that holds an NSS key log ("TLSK").
const SecretTLS = 0x544c534b

func (b *blocks) keep(body []byte) {
	if len(body) < 8 {
		return
	}
	n := b.u32(body[4:])
	if uint64(n) > uint64(len(body)-8) || b.secretBytes+int(n) > maxSecrets {
		return
	}
	b.secretBytes += int(n)
	b.secrets = append(b.secrets, Secret{Type: b.u32(body), Data: bytes.Clone(body[8 : 8+n])})
}
