package wire

import (
	"bytes"
	"fmt"
	"hash/maphash"

	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// hpackDecoder reads header blocks of one direction (RFC 7541) and never gives
// up: what refers to entries it has not seen gets a stable name of its own, so
// that equal names are equal entries.
//
// Entries are numbered from 1 as they are inserted. An index counts back from
// the newest, so entries from before the capture have the numbers 0, -1, … and
// stay recognisable for as long as the peer keeps them.
type hpackDecoder struct {
	entries  []hpackEntry // the newest last
	size     int
	max      int
	limit    int
	inserted int
	unknown  bool // the table held entries before the first one seen
	base     int  // number of the last entry whose content is lost
	gaps     int
	buf      bytes.Buffer
	fields   capture.Fields  // of the block at hand, reused
	texts    *[64]cachedText // strings as they were read last
}

// cachedText is a string that a peer sent as a literal. One that does not use
// the table sends the same names and values with each request.
type cachedText struct {
	coded      bool // by Huffman
	sent, text string
}

var textSeed = maphash.MakeSeed()

// maxCached bounds the strings that are kept: longer ones seldom come again.
const maxCached = 64

type hpackEntry struct {
	name, value string
	unknown     bool
}

// entryCost is what an entry counts beyond its text (RFC 7541 section 4.1).
const entryCost = 32

func newHPACK(limit int) hpackDecoder { return hpackDecoder{max: 4096, limit: limit} }

// begunBefore says that the peer may have filled the table before the capture.
func (d *hpackDecoder) begunBefore() {
	d.unknown = true
	// The size in force is unknown; a table that is too large does no harm, as
	// indexes count from the newest entry.
	d.max = d.limit
}

// forget says that insertions may have been lost.
func (d *hpackDecoder) forget() {
	d.begunBefore()
	d.entries, d.size = nil, 0
	d.base = d.inserted
	d.gaps++
}

// staticTable is the table of RFC 7541 appendix A.
var staticTable = func() []hpackEntry {
	t := make([]hpackEntry, 1, 62)
	dec := hpack.NewDecoder(0, func(f hpack.HeaderField) {
		t = append(t, hpackEntry{name: f.Name, value: f.Value})
	})
	for i := byte(1); i < 62; i++ {
		// Cannot fail: these are the indexes the table has.
		_, _ = dec.Write([]byte{0x80 | i})
	}
	return t
}()

// entry returns the entry with an index.
func (d *hpackDecoder) entry(i uint64) (hpackEntry, bool) {
	if i < uint64(len(staticTable)) {
		return staticTable[i], i > 0
	}
	if i > 1<<30 {
		return hpackEntry{name: fmt.Sprintf("<no entry %d>", i), unknown: true}, false
	}
	back := int(i) - len(staticTable) // 0: the newest
	if back < len(d.entries) {
		return d.entries[len(d.entries)-1-back], true
	}
	number := d.inserted - back
	switch {
	case !d.unknown:
		return hpackEntry{name: fmt.Sprintf("<no entry %d>", i), unknown: true}, false
	case d.gaps == 0:
		return hpackEntry{name: fmt.Sprintf("<before capture #%d>", 1-number), unknown: true}, true
	}
	return hpackEntry{name: fmt.Sprintf("<before gap %d #%d>", d.gaps, d.base+1-number), unknown: true}, true
}

func (d *hpackDecoder) insert(e hpackEntry) {
	d.inserted++
	d.entries = append(d.entries, e)
	d.size += len(e.name) + len(e.value) + entryCost
	d.evict()
}

func (d *hpackDecoder) evict() {
	n := 0
	for d.size > d.max && n < len(d.entries) {
		d.size -= len(d.entries[n].name) + len(d.entries[n].value) + entryCost
		n++
	}
	if n > 0 {
		clear(d.entries[:n])
		d.entries = d.entries[n:]
		if cap(d.entries) < 16 || len(d.entries) < cap(d.entries)/4 {
			d.entries = append(make([]hpackEntry, 0, 2*len(d.entries)+8), d.entries...)
		}
	}
}

// decode reads one block. Problems are told through bad; what was read stays.
func (d *hpackDecoder) decode(b []byte, limit int, bad *faults) capture.Fields {
	d.fields = d.read(b, limit, bad, d.fields[:0])
	own := append(capture.Fields(nil), d.fields...)
	clear(d.fields)
	if len(own) > 64 { // an unusual block
		d.fields = nil
	}
	return own
}

func (d *hpackDecoder) read(b []byte, limit int, bad *faults, fields capture.Fields) capture.Fields {
	for len(b) > 0 {
		var e hpackEntry
		var ok bool
		switch c := b[0]; {
		case c&0x80 != 0: // indexed
			var i uint64
			if i, b, ok = hpackInt(b, 7); !ok {
				bad.add("a header block ends inside a field")
				return fields
			}
			if e, ok = d.entry(i); !ok {
				bad.add("a header block refers to entry %d, which its table does not have", i)
			}
		case c&0xe0 == 0x20: // size update
			var n uint64
			if n, b, ok = hpackInt(b, 5); !ok {
				bad.add("a header block ends inside a table size update")
				return fields
			}
			if d.max = int(min(n, uint64(d.limit))); n == 0 {
				d.unknown = false // whatever it held, it is empty now
			} else if d.unknown {
				d.max = d.limit
			}
			d.evict()
			continue
		default:
			prefix := uint(4)
			if c&0x40 != 0 {
				prefix = 6
			}
			if e, b, ok = d.literal(b, prefix, bad); !ok {
				return fields
			}
			if c&0x40 != 0 {
				d.insert(e)
			}
		}
		if len(fields) >= limit {
			if len(fields) == limit {
				bad.add("only the first %d fields were kept", limit)
			}
			continue
		}
		fields = append(fields, capture.Field{Name: e.name, Value: e.value, Unknown: e.unknown})
	}
	return fields
}

// literal reads a field with a literal value.
func (d *hpackDecoder) literal(b []byte, prefix uint, bad *faults) (e hpackEntry, rest []byte, ok bool) {
	i, b, ok := hpackInt(b, prefix)
	if ok && i > 0 {
		var known bool
		if e, known = d.entry(i); !known {
			bad.add("a header block refers to entry %d, which its table does not have", i)
		}
	} else if ok {
		e.name, b, ok = d.text(b, bad)
	}
	if ok {
		e.value, b, ok = d.text(b, bad)
	}
	if !ok {
		bad.add("a header block ends inside a field")
	}
	return e, b, ok
}

// text reads a string.
func (d *hpackDecoder) text(b []byte, bad *faults) (string, []byte, bool) {
	if len(b) == 0 {
		return "", nil, false
	}
	coded := b[0]&0x80 != 0
	n, b, ok := hpackInt(b, 7)
	if !ok || n > uint64(len(b)) {
		return "", nil, false
	}
	s, rest := b[:n], b[n:]
	if n > maxCached {
		text, _ := d.plain(s, coded, bad)
		return text, rest, true
	}
	slot := d.slot(s, coded)
	if slot.coded != coded || slot.sent != string(s) {
		text, valid := d.plain(s, coded, bad)
		if !valid {
			return text, rest, true
		}
		*slot = cachedText{coded, text, text}
		if coded {
			slot.sent = string(s)
		}
	}
	return slot.text, rest, true
}

// slot is where a string is kept, or another one.
func (d *hpackDecoder) slot(s []byte, coded bool) *cachedText {
	if d.texts == nil {
		d.texts = &[64]cachedText{}
	}
	h := maphash.Bytes(textSeed, s)
	if coded {
		h++
	}
	return &d.texts[h%uint64(len(d.texts))]
}

// plain decodes a string.
func (d *hpackDecoder) plain(s []byte, coded bool, bad *faults) (text string, valid bool) {
	if !coded {
		return string(s), true
	}
	d.buf.Reset()
	if _, err := hpack.HuffmanDecode(&d.buf, s); err != nil {
		bad.add("a string of the header block is not valid Huffman code")
		return fmt.Sprintf("<undecodable %x>", s[:min(len(s), 16)]), false
	}
	return d.buf.String(), true
}

// hpackInt reads an integer with a prefix of n bits (RFC 7541 section 5.1).
func hpackInt(b []byte, n uint) (uint64, []byte, bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	mask := uint64(1)<<n - 1
	v := uint64(b[0]) & mask
	b = b[1:]
	if v < mask {
		return v, b, true
	}
	for shift := uint(0); len(b) > 0 && shift < 56; shift += 7 {
		c := b[0]
		b = b[1:]
		v += uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			return v, b, true
		}
	}
	return 0, nil, false
}
