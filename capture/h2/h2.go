// Package h2 writes frames of HTTP/2, for those who make bytes of messages:
// plays (capture/script) and saved files (capture/remake). Frames that are
// relayed or read are none of its business: their readers tolerate what no
// writer makes.
//
//	fields ── HPACK ─▶ block ─ AppendBlock ─▶ HEADERS CONTINUATION …
//	body   ─────────────────── AppendData ──▶ DATA DATA …
//
// Invariant: no frame is larger than every peer accepts unasked.
package h2

import "encoding/binary"

// Types of frames (RFC 9113 section 6).
const (
	Data         = 0x0
	Headers      = 0x1
	RST          = 0x3
	Settings     = 0x4
	GoAway       = 0x7
	WindowUpdate = 0x8
	Continuation = 0x9
)

// Flags of frames.
const (
	EndStream  = 0x1
	Ack        = 0x1 // SETTINGS
	EndHeaders = 0x4
)

// MaxFrame is SETTINGS_MAX_FRAME_SIZE as it is without being said.
const MaxFrame = 16384

// Preface is what a client begins with.
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// AppendHead appends the head of a frame with n bytes of payload.
func AppendHead(b []byte, kind, flags byte, stream uint32, n int) []byte {
	b = append(b, byte(n>>16), byte(n>>8), byte(n), kind, flags)
	return binary.BigEndian.AppendUint32(b, stream)
}

// Append appends a frame.
func Append(b []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	return append(AppendHead(b, kind, flags, stream, len(payload)), payload...)
}

// AppendBlock appends a header block, in as many frames as it takes.
func AppendBlock(b []byte, stream uint32, block []byte, ends bool) []byte {
	kind, flags := byte(Headers), ending(ends)
	for len(block) > MaxFrame {
		b = Append(b, kind, flags, stream, block[:MaxFrame])
		block, kind, flags = block[MaxFrame:], Continuation, 0
	}
	return Append(b, kind, flags|EndHeaders, stream, block)
}

// AppendData appends a piece of a body, in as many frames as it takes. The last
// one says that lost bytes more are in it, which are not there.
func AppendData(b []byte, stream uint32, p []byte, lost int, ends bool) []byte {
	for len(p) > MaxFrame {
		b = Append(b, Data, 0, stream, p[:MaxFrame])
		p = p[MaxFrame:]
	}
	return append(AppendHead(b, Data, ending(ends), stream, len(p)+lost), p...)
}

func ending(ends bool) byte {
	if ends {
		return EndStream
	}
	return 0
}
