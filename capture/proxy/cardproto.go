package proxy

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// protoFields says where the addresses of a card are in its protobuf form.
type protoFields struct {
	url        uint64   // string: 0.3's main address
	interfaces []uint64 // messages with the address in field 1
	signatures uint64
}

// protoTable chooses by the gRPC path, never by trial: 1.0 has the package
// lf.a2a.v1 and supported_interfaces 3; 0.3 has a2a.v1 with url 3 and
// additional_interfaces 15; the draft between has a2a.v1 and supported_interfaces 19.
func protoTable(path string) protoFields {
	if strings.Contains(path, "lf.a2a.v1.") {
		return protoFields{interfaces: []uint64{3}, signatures: 13}
	}
	return protoFields{url: 3, interfaces: []uint64{15, 19}, signatures: 17}
}

// rewriteGRPC changes the card in length-prefixed messages (gRPC, gRPC-Web). It
// returns nil when nothing was to change.
func rewriteGRPC(body []byte, encoding string, table protoFields, to mapper, strip bool) ([]byte, places, error) {
	var got places
	var out []byte
	changed := false
	for at := 0; at < len(body); {
		if len(body)-at < 5 {
			return nil, got, errors.New("its gRPC framing is cut")
		}
		flag, n := body[at], int64(binary.BigEndian.Uint32(body[at+1:]))
		if n > int64(len(body)-at-5) {
			return nil, got, errors.New("its gRPC framing is cut")
		}
		end := at + 5 + int(n)
		msg := body[at+5 : end]
		if flag&0x80 != 0 { // gRPC-Web: the trailers
			out = append(out, body[at:end]...)
			at = end
			continue
		}
		if flag&1 != 0 {
			text, _, err := decoded(msg, encoding)
			if err != nil {
				return nil, got, err
			}
			msg = text
		}
		now, ok := rewriteProto(msg, table, to, strip, &got)
		if !ok {
			return nil, got, errors.New("it does not read as protobuf")
		}
		if now == nil {
			out = append(out, body[at:end]...)
		} else {
			changed = true
			// A message may always be sent uncompressed (flag 0).
			out = append(out, flag&^1)
			out = binary.BigEndian.AppendUint32(out, uint32(len(now)))
			out = append(out, now...)
		}
		at = end
	}
	if !changed {
		return nil, got, nil
	}
	return out, got, nil
}

// rewriteProto changes the addresses in a card. Every other field stays byte
// for byte where it is, also those nobody knows. It returns nil when nothing
// changed; ok is false when the message is none.
func rewriteProto(msg []byte, table protoFields, to mapper, strip bool, got *places) (out []byte, ok bool) {
	changed := false
	for at := 0; at < len(msg); {
		num, value, end, ok := protoField(msg, at)
		if !ok {
			return nil, false
		}
		raw := msg[at:end]
		at = end
		switch {
		case value == nil:
		case num == table.url && num != 0:
			if now, ok := got.address(string(value), to); ok {
				out, changed = appendString(out, num, []byte(now)), true
				continue
			}
		case slices.Contains(table.interfaces, num):
			inner, ok := rewriteInterface(value, to, got)
			if !ok {
				return nil, false
			}
			if inner != nil {
				out, changed = appendString(out, num, inner), true
				continue
			}
		case num == table.signatures:
			got.signatures++
			if strip {
				got.stripped, changed = true, true
				continue
			}
		}
		out = append(out, raw...)
	}
	if !changed {
		return nil, true
	}
	if out == nil {
		out = []byte{}
	}
	return out, true
}

// rewriteInterface changes field 1 of an AgentInterface, in all versions its url.
func rewriteInterface(msg []byte, to mapper, got *places) (out []byte, ok bool) {
	changed := false
	for at := 0; at < len(msg); {
		num, value, end, ok := protoField(msg, at)
		if !ok {
			return nil, false
		}
		if num == 1 && value != nil {
			if now, ok := got.address(string(value), to); ok {
				out, changed = appendString(out, 1, []byte(now)), true
				at = end
				continue
			}
		}
		out = append(out, msg[at:end]...)
		at = end
	}
	if !changed {
		return nil, true
	}
	return out, true
}

// protoField reads the field at an offset; value is nil unless it is length-delimited.
func protoField(msg []byte, at int) (num uint64, value []byte, end int, ok bool) {
	tag, n := binary.Uvarint(msg[at:])
	if n <= 0 || tag>>3 == 0 {
		return 0, nil, 0, false
	}
	end = at + n
	switch tag & 7 {
	case 0:
		if _, n = binary.Uvarint(msg[end:]); n <= 0 {
			return 0, nil, 0, false
		}
		end += n
	case 1:
		end += 8
	case 5:
		end += 4
	case 2:
		size, n := binary.Uvarint(msg[end:])
		if n <= 0 || size > uint64(len(msg)-end-n) {
			return 0, nil, 0, false
		}
		end += n
		value = msg[end : end+int(size) : end+int(size)]
		end += int(size)
	default:
		return 0, nil, 0, false
	}
	return tag >> 3, value, end, end <= len(msg)
}

func appendString(out []byte, num uint64, value []byte) []byte {
	out = binary.AppendUvarint(out, num<<3|2)
	out = binary.AppendUvarint(out, uint64(len(value)))
	return append(out, value...)
}
