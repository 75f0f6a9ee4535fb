package proxy

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// Frame types of RFC 9113 section 6 that the relay looks at.
const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePush         = 5
	frameWindow       = 8
	frameContinuation = 9
)

// Flags of frames.
const (
	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

const (
	frameHead  = 9
	clientHi   = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	maxPayload = 16384   // what every peer takes in one frame
	maxControl = 4 << 10 // payload of a SETTINGS frame that is read
)

// frames is the passer of one direction of an HTTP/2 hop. It copies every
// frame as it comes, except header blocks in which something has to change:
// HPACK's tables belong to a hop, so from the first change on the direction's
// blocks are written anew, without a table. Stream numbers, flow control,
// settings, pings, resets and goodbyes stay between the two peers.
type frames struct {
	p      *Proxy
	hop    *hop
	at     *listener
	to     dest
	from   capture.Side
	shared *shared

	preface bool // the client's, still to come
	seen    int  // bytes of it

	head   [frameHead]byte
	nhead  int
	whole  bool // the head lies in the input as a whole, and is not yet passed
	remain int
	kind   byte
	flags  byte
	stream uint32

	later []byte // the input from a DATA frame on that waits for the client's window

	held  []byte // the frame (and block) that is kept back, as it came
	mark  int    // where the current frame's payload begins in held
	mode  frameMode
	split splice

	block   []byte // fragments of the header block that is open
	opened  blockHead
	dec     *hpack.Decoder
	enc     *hpack.Encoder
	encoded bytes.Buffer
	fields  []hpack.HeaderField
	editing bool
	plain   bool
	taking  *cardStream // whose DATA the current frame is
	flow    int         // bytes of the current DATA frame that count for flow control
	pad     int
	padRead bool
}

type frameMode uint8

const (
	framePass frameMode = iota // bytes go on as they come
	frameCopy                  // as framePass, and the payload is looked at when complete
	frameHold                  // kept until complete
	frameTake                  // DATA of a stream that is kept back
	frameScan                  // DATA of a request that may ask for a card
	frameWait                  // DATA the client's window has no room for yet
)

// blockHead is what the frame said that began a header block.
type blockHead struct {
	open     bool
	kind     byte
	flags    byte
	stream   uint32
	priority []byte // 5 bytes, or the promised stream of PUSH_PROMISE
}

// newFrames returns the two directions of an HTTP/2 hop.
func newFrames(p *Proxy, h *hop, at *listener, to dest) (up, down *frames) {
	s := newShared(h, at)
	up = &frames{p: p, hop: h, at: at, to: to, from: capture.Client, shared: s, preface: true}
	down = &frames{p: p, hop: h, at: at, to: to, from: capture.Server, shared: s}
	for _, f := range []*frames{up, down} {
		f.dec = hpack.NewDecoder(4096, func(hf hpack.HeaderField) { f.fields = append(f.fields, hf) })
		f.dec.SetMaxStringLength(maxHead)
		f.enc = hpack.NewEncoder(&f.encoded)
		f.enc.SetMaxDynamicTableSize(0)
	}
	// Nothing may be put in before the client's preface is through.
	h.toAgent.mu.Lock()
	h.toAgent.mid = true
	h.toAgent.mu.Unlock()
	h.framed.Store(true)
	return up, down
}

// mid reports whether what was passed on so far ends inside a frame.
func (f *frames) mid() bool {
	return !f.plain && (f.preface || f.remain > 0 && f.nhead == frameHead && (f.mode == framePass || f.mode == frameCopy || f.mode == frameScan))
}

func (f *frames) pass(in []byte) []byte {
	if f.plain {
		return in
	}
	if len(f.later) > 0 {
		in = append(f.later, in...)
		f.later = nil
	}
	f.split = splice{in: in, out: f.split.out[:0]}
	s := &f.split
	for s.at < len(in) {
		switch {
		case f.plain:
			s.keep(len(in) - s.at)
		case f.preface:
			f.hi(in[s.at:])
		case f.nhead < frameHead:
			if f.whole = f.nhead == 0 && len(in)-s.at >= frameHead; f.whole {
				f.nhead = copy(f.head[:], in[s.at:])
				f.begin()
				break
			}
			n := copy(f.head[f.nhead:], in[s.at:])
			f.nhead += n
			s.drop(n)
			if f.nhead == frameHead {
				f.begin()
			}
		default:
			n := min(f.remain, len(in)-s.at)
			f.payload(in[s.at:s.at+n], n)
		}
		switch {
		case f.nhead < frameHead:
		case f.mode == frameWait:
			f.postpone()
		case f.remain == 0:
			f.complete()
		}
	}
	out := s.take()
	if s.own && cap(out) > 2*bufferSize {
		s.out = nil
	} else if s.own {
		s.out = out[:0]
	}
	return out
}

// postpone keeps a DATA frame and what follows it until the client's window has
// room. Nothing more is read of the agent in the meantime.
func (f *frames) postpone() {
	f.dropHead()
	f.later = append(append([]byte(nil), f.head[:]...), f.split.in[f.split.at:]...)
	f.nhead, f.remain = 0, 0
	f.split.stop()
}

func (f *frames) waits() bool { return len(f.later) > 0 }

// hi passes the client's preface.
func (f *frames) hi(in []byte) {
	n := min(len(clientHi)-f.seen, len(in))
	if string(in[:n]) != clientHi[f.seen:f.seen+n] {
		f.giveUp()
		return
	}
	f.split.keep(n)
	if f.seen += n; f.seen == len(clientHi) {
		f.preface = false
	}
}

// begin decides what is done with a frame whose head is complete.
func (f *frames) begin() {
	f.remain = int(f.head[0])<<16 | int(f.head[1])<<8 | int(f.head[2])
	f.kind, f.flags = f.head[3], f.head[4]
	f.stream = binary.BigEndian.Uint32(f.head[5:]) & 0x7fffffff
	f.mode = framePass
	switch {
	case f.opened.open && (f.kind != frameContinuation || f.stream != f.opened.stream),
		!f.opened.open && f.kind == frameContinuation && f.reads():
		f.dropHead()
		f.held = append(f.held, f.head[:]...)
		f.giveUp() // no peer goes on after this
		return
	case f.kind == frameHeaders, f.kind == framePush, f.kind == frameContinuation:
		if f.reads() {
			f.mode = frameHold
		}
	case f.kind == frameData:
		f.data()
	case f.kind == frameSettings && f.flags&flagAck == 0 && f.remain <= maxControl:
		f.mode = frameCopy
	case f.kind == frameWindow && f.from == capture.Client && f.remain == 4,
		f.kind == frameReset && f.remain == 4 && f.shared.active.Load() > 0:
		f.mode = frameHold
	}
	switch f.mode {
	case frameWait: // see postpone
	case frameHold:
		f.dropHead()
		f.mark = len(f.held) + frameHead
		f.held = append(f.held, f.head[:]...)
	case frameTake:
		f.dropHead()
		f.pad, f.padRead = 0, f.flags&flagPadded == 0
	case frameScan:
		f.passHead()
		f.pad, f.padRead = 0, f.flags&flagPadded == 0
	case frameCopy:
		f.passHead()
		f.held, f.mark = f.held[:0], 0
	default:
		f.passHead()
	}
}

// reads reports whether the direction's header blocks are looked at.
func (f *frames) reads() bool { return f.from == capture.Client || !f.p.opt.NoCardRewrite }

// passHead sends the head of the frame on, dropHead keeps it back.
func (f *frames) passHead() {
	if f.whole {
		f.split.keep(frameHead)
		return
	}
	f.split.put(f.head[:])
}

func (f *frames) dropHead() {
	if f.whole {
		f.split.drop(frameHead)
	}
}

// payload handles a part of a frame's payload.
func (f *frames) payload(p []byte, n int) {
	f.remain -= n
	switch f.mode {
	case framePass:
		f.split.keep(n)
		return
	case frameCopy:
		f.held = append(f.held, p...)
		f.split.keep(n)
		return
	case frameHold:
		f.held = append(f.held, p...)
		f.split.drop(n)
		if len(f.held) > maxHead {
			f.giveUp()
		}
		return
	case frameTake:
		f.split.drop(n)
	case frameScan:
		f.split.keep(n)
	}
	if !f.padRead && len(p) > 0 {
		f.pad, f.padRead = int(p[0]), true
		p = p[1:]
	}
	// What is left of the frame may be padding.
	if over := f.pad - f.remain; over > 0 {
		p = p[:max(len(p)-over, 0)]
	}
	if f.taking != nil {
		f.shared.keep(f.taking, p)
	}
}

// complete ends a frame.
func (f *frames) complete() {
	f.nhead = 0
	switch f.mode {
	case frameCopy:
		f.shared.settings(f.from, f.held)
		f.held = f.held[:0]
	case frameTake:
		f.shared.taken(f)
	case frameScan:
		f.shared.scanned(f)
	case frameHold:
		switch f.kind {
		case frameHeaders, framePush, frameContinuation:
			f.fragment()
		case frameWindow:
			f.shared.windowUpdate(f, binary.BigEndian.Uint32(f.held[f.mark:])&0x7fffffff)
			f.held = f.held[:0]
		case frameReset:
			f.shared.reset(f)
			f.split.put(f.held)
			f.held = f.held[:0]
		}
	}
	f.taking = nil
}

// giveUp lets everything pass as it is from here on: what came cannot be read,
// and the peer is to see it as it was sent.
func (f *frames) giveUp() {
	f.plain = true
	f.split.put(f.held)
	f.held, f.block, f.opened = nil, nil, blockHead{}
	f.shared.abandon()
}

func (f *frames) end() []byte {
	f.shared.abandon()
	var out []byte
	if len(f.later) > 0 {
		out = append(out, f.pass(nil)...)
	}
	if f.plain {
		return out
	}
	if f.nhead == frameHead && f.mode == frameCopy {
		f.held = nil // it is on its way already
	}
	out = append(out, f.held...)
	if f.nhead > 0 && f.nhead < frameHead {
		out = append(out, f.head[:f.nhead]...)
	}
	f.plain = true
	return out
}

// flush sends on what was passed so far, before the direction waits or others write.
func (f *frames) flush() {
	s := &f.split
	s.part()
	if len(s.out) > 0 {
		_ = f.hop.sendFrames(f.target(), s.out, false)
		s.out = s.out[:0]
	}
}

func (f *frames) target() *leg {
	if f.from == capture.Client {
		return f.hop.agent
	}
	return f.hop.client
}
