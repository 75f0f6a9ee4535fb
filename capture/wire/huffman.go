package wire

// huffman is a canonical code of DEFLATE: short codes are looked up, long ones walked.
type huffman struct {
	fast   [1 << fastBits]uint16 // symbol<<4 | length, 0: longer or none
	count  [16]uint16
	symbol [288]uint16
}

const fastBits = 9

// build reports false when the lengths ask for more codes than there are.
func (h *huffman) build(lens []byte) bool {
	clear(h.fast[:])
	clear(h.count[:])
	for _, l := range lens {
		h.count[l]++
	}
	h.count[0] = 0
	left := 1
	var next [16]uint16 // first code of each length
	var offs [16]uint16
	code := uint16(0)
	for l := 1; l < 16; l++ {
		if left = left<<1 - int(h.count[l]); left < 0 {
			return false
		}
		code = (code + h.count[l-1]) << 1
		next[l] = code
		offs[l] = offs[l-1] + h.count[l-1]
	}
	for s, l := range lens {
		if l == 0 {
			continue
		}
		h.symbol[offs[l]] = uint16(s)
		offs[l]++
		c := next[l]
		next[l]++
		if l > fastBits {
			continue
		}
		for r := reverse(c, uint(l)); r < 1<<fastBits; r += 1 << l {
			h.fast[r] = uint16(s)<<4 | uint16(l)
		}
	}
	return true
}

func reverse(c uint16, n uint) uint16 {
	var r uint16
	for range n {
		r = r<<1 | c&1
		c >>= 1
	}
	return r
}

// sym takes one symbol; -1: no such code; false: more bits are needed and none was taken.
func (d *inflater) sym(h *huffman) (int, bool) {
	if e := h.fast[d.bits&(1<<fastBits-1)]; e != 0 {
		n := uint(e & 15)
		if n > d.nbits {
			return 0, false
		}
		d.drop(n)
		return int(e >> 4), true
	}
	code, first, index := 0, 0, 0
	for l := uint(1); l < 16; l++ {
		if l > d.nbits {
			return 0, false
		}
		code |= int(d.bits >> (l - 1) & 1)
		n := int(h.count[l])
		if code-n < first {
			d.drop(l)
			return int(h.symbol[index+code-first]), true
		}
		index += n
		first = (first + n) << 1
		code <<= 1
	}
	return -1, true
}

// fixedTables builds the code of RFC 1951 section 3.2.6.
func (d *inflater) fixedTables() {
	for i := range 288 {
		switch {
		case i < 144:
			d.lens[i] = 8
		case i < 256:
			d.lens[i] = 9
		case i < 280:
			d.lens[i] = 7
		default:
			d.lens[i] = 8
		}
	}
	d.lit.build(d.lens[:288])
	for i := range 30 {
		d.lens[i] = 5
	}
	d.dst.build(d.lens[:30])
	d.fixed = true
}

var codeOrder = [19]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

func (d *inflater) tables() error {
	for d.state == atCodeLens {
		if d.got == d.nclen {
			if !d.dst.build(d.lens[:19]) {
				return errInflate
			}
			d.got, d.state = 0, atLens
			break
		}
		if !d.need(3) {
			return errMoreInput
		}
		d.lens[codeOrder[d.got]] = byte(d.drop(3))
		d.got++
	}
	for d.got < d.nlit+d.ndst {
		d.refill()
		bits, n := d.bits, d.nbits
		sym, ok := d.sym(&d.dst)
		if !ok {
			return errMoreInput
		}
		rep, val := 1, byte(sym)
		switch sym {
		case 16, 17, 18:
			extra, base := uint(2), 3
			if sym == 17 {
				extra = 3
			} else if sym == 18 {
				extra, base = 7, 11
			}
			if d.nbits < extra {
				d.bits, d.nbits = bits, n
				return errMoreInput
			}
			rep, val = base+int(d.drop(extra)), 0
			if sym == 16 {
				if d.got == 0 {
					return errInflate
				}
				val = d.lens[d.got-1]
			}
		case -1:
			return errInflate
		}
		if d.got+rep > d.nlit+d.ndst {
			return errInflate
		}
		for range rep {
			d.lens[d.got] = val
			d.got++
		}
	}
	if d.lens[256] == 0 || !d.lit.build(d.lens[:d.nlit]) || !d.dst.build(d.lens[d.nlit:d.nlit+d.ndst]) {
		return errInflate
	}
	d.state = atSymbol
	return nil
}
