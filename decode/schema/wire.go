package schema

import "google.golang.org/protobuf/encoding/protowire"

// raw is one value as it stands on the wire.
type raw struct {
	typ protowire.Type
	v   uint64 // varint, i64, i32
	b   []byte // len: payload; group: content with its end tag
	// missing bytes of a payload that the input ends in
	missing int
}

// next reads one field; n < 0 says that b does not begin with one.
func next(b []byte) (num int32, r raw, n int) {
	tag, n := varint(b)
	if n < 0 || tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return 0, raw{}, -1
	}
	num, r.typ = int32(tag>>3), protowire.Type(tag&7)
	rest := b[n:]
	m := 0
	switch r.typ {
	case protowire.VarintType:
		r.v, m = varint(rest)
	case protowire.Fixed64Type:
		r.v, m = protowire.ConsumeFixed64(rest)
	case protowire.Fixed32Type:
		var v uint32
		v, m = protowire.ConsumeFixed32(rest)
		r.v = uint64(v)
	case protowire.BytesType:
		size, k := varint(rest)
		if k < 0 || size > uint64(len(rest)-k) {
			return num, r, -1
		}
		r.b, m = rest[k:k+int(size)], k+int(size)
	case protowire.StartGroupType:
		m = protowire.ConsumeFieldValue(protowire.Number(num), r.typ, rest)
		if m >= 0 {
			r.b = rest[:m]
		}
	default:
		return num, r, -1
	}
	if m < 0 {
		return num, r, -1
	}
	return num, r, n + m
}

// cutField reads a length-delimited field whose payload goes beyond the end of b.
func cutField(b []byte) (num int32, r raw, ok bool) {
	tag, n := varint(b)
	if n < 0 || protowire.Type(tag&7) != protowire.BytesType || tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return 0, raw{}, false
	}
	size, k := varint(b[n:])
	if k < 0 {
		return 0, raw{}, false
	}
	payload := b[n+k:]
	const most = 1 << 30 // a larger length is no length
	if size <= uint64(len(payload)) || size > most {
		return 0, raw{}, false
	}
	return int32(tag >> 3), raw{typ: protowire.BytesType, b: payload, missing: int(size) - len(payload)}, true
}

func varint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return protowire.ConsumeVarint(b)
}

// outline is what a first look over the tags of a message tells.
type outline struct {
	end       int    // where the message stops being protobuf; its length when it never does
	seen      uint32 // bit n: field n of the type is there
	scattered bool   // a repeated field comes again after another field
	twice     uint32 // bit n: a field that is not repeated is there more than once
	twoOf     string // a oneof of which two members are there
}

// scan looks over the tags of a message without going into its values.
func scan(t *messageType, b []byte) outline {
	o := outline{}
	var last int32
	one := ""
	for o.end < len(b) {
		num, _, n := next(b[o.end:])
		if n < 0 {
			return o
		}
		o.end += n
		if f := t.field(num); f != nil {
			bit := uint32(1) << num
			switch {
			case o.seen&bit == 0:
			case !f.repeated && !f.isMap:
				o.twice |= bit
			case num != last:
				o.scattered = true
			}
			if f.oneof != "" && o.seen&bit == 0 {
				if one == f.oneof {
					o.twoOf = one
				}
				one = f.oneof
			}
			o.seen |= bit
		}
		last = num
	}
	return o
}

func wireName(t protowire.Type) string {
	switch t {
	case protowire.VarintType:
		return "varint"
	case protowire.Fixed64Type:
		return "i64"
	case protowire.BytesType:
		return "len"
	case protowire.StartGroupType:
		return "group"
	case protowire.Fixed32Type:
		return "i32"
	}
	return ""
}

func (r *raw) size() int {
	switch r.typ {
	case protowire.VarintType:
		return protowire.SizeVarint(r.v)
	case protowire.Fixed64Type:
		return 8
	case protowire.Fixed32Type:
		return 4
	}
	return len(r.b)
}
