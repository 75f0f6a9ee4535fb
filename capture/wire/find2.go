package wire

import (
	"bytes"
	"encoding/binary"

	"a2ascope/capture"
)

const (
	frameHead = 9 // RFC 9113 section 4.1

	frameData         = 0
	frameHeaders      = 1
	framePriority     = 2
	frameRST          = 3
	frameSettings     = 4
	framePush         = 5
	framePing         = 6
	frameGoAway       = 7
	frameWindowUpdate = 8
	frameContinuation = 9

	flagEndStream  = 0x01
	flagEndHeaders = 0x04
	flagPadded     = 0x08
	flagPriority   = 0x20

	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

	// maxScanFrame is the longest frame the search believes in: what is allowed
	// before SETTINGS say otherwise (RFC 9113 section 4.2).
	maxScanFrame = 16384
)

// findHTTP2 recognises the preface, or the shape of frames.
func findHTTP2(b []byte, from capture.Side, fresh, final bool) (int, verdict) {
	if fresh && from == capture.Client {
		n := min(len(b), len(preface))
		if string(b[:n]) == preface[:n] {
			if n == len(preface) {
				return 0, yes
			}
			return 0, maybe
		}
	}
	return findFrames(b, final)
}

// findFrames searches for the first offset from which plausible frames follow each other.
func findFrames(b []byte, final bool) (int, verdict) {
	for off := 0; off < len(b); off++ {
		// The length of a plausible frame begins with a zero byte; a preface with P.
		i := bytes.IndexByte(b[off:], 0)
		if i < 0 {
			break
		}
		off += i
		if v := frameChain(b[off:], final); v != no {
			return off, v
		}
	}
	return len(b), no
}

// enough is the weight of evidence at which bytes are taken for frames.
const enough = 4

// frameChain judges whether frames begin here: each must be plausible, and
// together they must weigh enough, as any nine bytes may look like one frame.
func frameChain(b []byte, final bool) verdict {
	weight := 0
	for {
		if len(b) < frameHead {
			if final && weight > 0 && len(b) == 0 {
				return yes
			}
			if final || len(b) > 0 && b[0] != 0 || len(b) > 1 && b[1] > maxScanFrame>>8 {
				return no
			}
			return maybe
		}
		w, v := frameWeight(b)
		if v != yes {
			if v == maybe && final {
				v = no
			}
			return v
		}
		if weight += w; weight >= enough {
			return yes
		}
		n := frameHead + int(b[1])<<8 + int(b[2])
		if n > len(b) {
			if final {
				return no
			}
			return maybe
		}
		b = b[n:]
	}
}

// frameWeight judges one frame head and, where they are telling, its contents.
func frameWeight(b []byte) (int, verdict) {
	n := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
	kind, flags, stream := b[3], b[4], binary.BigEndian.Uint32(b[5:])
	// A connection with more than four million streams is not looked for.
	odd := stream&1 == 1 && stream < 1<<23
	w, ok := 0, false
	switch kind {
	case frameData:
		w, ok = 1, odd && flags&^(flagEndStream|flagPadded) == 0
	case frameHeaders:
		w, ok = 2, odd && flags&^0x2d == 0 && n > 0
	case framePriority:
		w, ok = 1, n == 5 && stream != 0 && stream < 1<<23 && flags == 0
	case frameRST:
		w, ok = 2, n == 4 && odd && flags == 0
	case frameSettings:
		if stream != 0 || flags > 1 || n%6 != 0 || n > 40*6 || flags == 1 && n != 0 {
			return 0, no
		}
		if w, ok = 3, true; n > 0 {
			return settingsWeight(b[frameHead:], n)
		}
	case framePing:
		w, ok = 2, n == 8 && stream == 0 && flags <= 1
	case frameGoAway:
		w, ok = 2, n >= 8 && n < 1024 && stream == 0 && flags == 0
	case frameWindowUpdate:
		w, ok = 2, n == 4 && stream < 1<<23 && flags == 0
	case frameContinuation:
		w, ok = 1, odd && flags&^flagEndHeaders == 0
	}
	if !ok || n > maxScanFrame {
		return 0, no
	}
	return w, yes
}

// settingsWeight looks at the identifiers: registered ones, or reserved for grease.
func settingsWeight(b []byte, n int) (int, verdict) {
	for i := 0; i < n; i += 6 {
		if i+6 > len(b) {
			return 0, maybe
		}
		if id := binary.BigEndian.Uint16(b[i:]); id == 0 || id > 0x20 && id&0x0f0f != 0x0a0a && id < 0xfe00 {
			return 0, no
		}
	}
	return enough, yes
}
