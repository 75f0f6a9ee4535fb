package remake

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"strings"
)

// coder puts a stream into a content coding without compressing it: the result
// is simple, and the same whatever library read it before.
type coder interface {
	write(p []byte) []byte
	end() []byte
}

// coderOf returns the coder of a list of codings, nil when there is nothing to
// do or one is unknown: what is in it was not decoded either.
func coderOf(codings []string) coder {
	var all chain
	for _, name := range codings {
		switch name {
		case "gzip", "x-gzip":
			all = append(all, &deflate{gzip: true})
		case "deflate":
			all = append(all, &deflate{adler: 1})
		case "br":
			all = append(all, &brotli{})
		case "zstd":
			all = append(all, &zstd{})
		default:
			return nil
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// codingsOf splits a list such as "gzip, br"; identity is dropped.
func codingsOf(list []string) []string {
	var cs []string
	for _, l := range list {
		for c := range strings.SplitSeq(l, ",") {
			if c = strings.ToLower(strings.TrimSpace(c)); c != "" && c != "identity" && c != "chunked" {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

// chain applies codings, the first one first.
type chain []coder

func (c chain) write(p []byte) []byte {
	for _, k := range c {
		p = k.write(p)
	}
	return p
}

func (c chain) end() []byte {
	var p []byte
	for _, k := range c {
		if len(p) > 0 {
			p = k.write(p)
		}
		p = append(p, k.end()...)
	}
	return p
}

// deflate writes gzip (RFC 1952) or zlib (RFC 1950) around stored blocks (RFC 1951 section 3.2.4).
type deflate struct {
	gzip  bool
	begun bool
	crc   uint32
	adler uint32
	size  uint32
}

func (d *deflate) write(p []byte) []byte {
	var out []byte
	if !d.begun {
		d.begun = true
		if out = []byte{0x78, 0x01}; d.gzip {
			out = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}
		}
	}
	d.crc = crc32.Update(d.crc, crc32.IEEETable, p)
	d.size += uint32(len(p))
	d.adler = adler(d.adler, p)
	for len(p) > 0 {
		n := min(len(p), 0xffff)
		out = append(out, 0)
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(n))
		out = append(out, p[:n]...)
		p = p[n:]
	}
	return out
}

func (d *deflate) end() []byte {
	out := append(d.write(nil), 1, 0, 0, 0xff, 0xff)
	if d.gzip {
		out = binary.LittleEndian.AppendUint32(out, d.crc)
		return binary.LittleEndian.AppendUint32(out, d.size)
	}
	return binary.BigEndian.AppendUint32(out, d.adler)
}

// adler goes on with a checksum. The library has no way to do so but by its
// saved state: a name, then the sum.
func adler(sum uint32, p []byte) uint32 {
	h := adler32.New()
	if u, ok := h.(interface{ UnmarshalBinary([]byte) error }); ok {
		if u.UnmarshalBinary(binary.BigEndian.AppendUint32([]byte("adl\x01"), sum)) == nil {
			_, _ = h.Write(p)
			return h.Sum32()
		}
	}
	return sum
}

// zstd writes a frame of raw blocks (RFC 8878 section 3.1.1).
type zstd struct{ begun bool }

func (z *zstd) write(p []byte) []byte {
	const most = 128 << 10
	var out []byte
	if !z.begun {
		z.begun = true
		out = []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x50} // no checksum, no size, a window of 1 MiB
	}
	for len(p) > 0 {
		n := min(len(p), most)
		out = append(out, byte(n<<3), byte(n>>5), byte(n>>13))
		out = append(out, p[:n]...)
		p = p[n:]
	}
	return out
}

func (z *zstd) end() []byte { return append(z.write(nil), 1, 0, 0) }

// brotli writes meta-blocks that are not compressed (RFC 7932 section 9.2).
type brotli struct{ begun bool }

func (b *brotli) write(p []byte) []byte {
	var out []byte
	for len(p) > 0 {
		n := min(len(p), 1<<16)
		// From the lowest bit: not the last, four nibbles, the length less one, not compressed.
		bits := uint32(n-1)<<3 | 1<<19
		if !b.begun {
			b.begun = true
			bits <<= 1 // a window of 16 bits
		}
		out = append(out, byte(bits), byte(bits>>8), byte(bits>>16))
		out = append(out, p[:n]...)
		p = p[n:]
	}
	return out
}

func (b *brotli) end() []byte {
	if !b.begun {
		b.begun = true
		return []byte{0x06}
	}
	return []byte{0x03} // the last one, empty
}
