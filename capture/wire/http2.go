package wire

import (
	"encoding/binary"
	"slices"

	"a2ascope/capture"
)

// http2 reads HTTP/2 in clear (RFC 9113). Each half walks over its frames;
// DATA is passed on as it arrives, other frames are collected. Streams are in
// http2_stream.go, missing bytes in http2_gap.go.
type http2 struct {
	c         *Conn
	half      [2]h2half
	streams   map[uint32]*h2stream
	over      map[uint32]struct{} // streams that ended, of the last ones
	highest   uint32              // highest stream the client began
	lowest    uint32              // lowest stream whose request was seen
	midstream bool                // the beginning of a side, or something later, was not seen
	foreign   string              // the server answered in another protocol
	code      string              // breach code for it
}

type h2half struct {
	state  h2state
	head   [frameHead]byte
	nhead  int
	kind   byte
	flags  byte
	stream uint32
	remain int // of the payload
	pad    int // at the end of it
	began  bool
	carry  []byte // incomplete payload, or bytes being searched
	block  headerBlock
	table  hpackDecoder
}

// headerBlock collects HEADERS or PUSH_PROMISE and their CONTINUATIONs.
type headerBlock struct {
	open   bool
	push   bool
	stream uint32
	flags  byte
	b      []byte
	size   int
}

type h2state uint8

const (
	h2Head    h2state = iota // nine bytes of a frame
	h2PadLen                 // length of the padding of DATA
	h2Data                   // payload of DATA
	h2Payload                // payload that is collected
	h2Skip                   // payload or padding nobody needs
	h2Preface                // rest of the client's preface
	h2Resync                 // the place is lost: search for frames
	h2Ignore
)

func newHTTP2(c *Conn) *http2 {
	h := &http2{c: c, streams: map[uint32]*h2stream{}, over: map[uint32]struct{}{}}
	for s := range h.half {
		h.half[s].table = newHPACK(c.lim.Table)
	}
	return h
}

// tearWhere says on which sides bytes came before those that now follow.
func (h *http2) tearWhere(client, server bool) {
	for s, torn := range [2]bool{client, server} {
		if torn {
			h.begunBefore(&h.half[s])
			h.half[s].state = h2Resync
		}
	}
}

// begunBefore says that the half began before the capture did.
func (h *http2) begunBefore(f *h2half) {
	h.midstream, f.began = true, true
	f.table.begunBefore()
}

// adopt makes an HTTP/1 request the first stream (RFC 7540 section 3.2).
func (h *http2) adopt(x *exchange) {
	st := &h2stream{id: 1, x: x}
	st.begun[capture.Client] = true
	h.streams[1] = st
	h.highest, h.lowest = 1, 1
}

func (h *http2) bytes(from capture.Side, p []byte) {
	for len(p) > 0 {
		p = h.step(from, p)
	}
}

// step handles the first part of p and returns the rest.
func (h *http2) step(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	switch f.state {
	case h2Head:
		n := copy(f.head[f.nhead:], p)
		f.nhead += n
		if !f.began && h.otherProtocol(from, f.head[:f.nhead]) {
			return nil
		}
		if f.nhead == frameHead {
			h.frameHead(from)
		}
		return p[n:]
	case h2PadLen:
		f.pad = int(p[0])
		if f.remain--; f.pad > f.remain {
			h.breach(from, f.stream, "the padding of a DATA frame is longer than the frame")
			f.pad = f.remain
		}
		f.state = h2Data
		h.dataDone(from)
		return p[1:]
	case h2Data:
		n := min(f.remain-f.pad, len(p))
		f.remain -= n
		h.data(from, p[:n:n])
		h.dataDone(from)
		return p[n:]
	case h2Skip:
		n := min(f.remain, len(p))
		if f.remain -= n; f.remain == 0 {
			f.state, f.nhead = h2Head, 0
		}
		return p[n:]
	case h2Payload:
		n := min(f.remain, len(p))
		if f.remain -= n; f.remain > 0 {
			f.carry = append(f.carry, p[:n]...)
			return nil
		}
		b := p[:n]
		if len(f.carry) > 0 {
			b = append(f.carry, b...)
		}
		f.carry, f.state, f.nhead = nil, h2Head, 0
		h.frame(from, b)
		return p[n:]
	case h2Preface:
		n := min(f.remain, len(p))
		if f.remain -= n; f.remain == 0 {
			f.state = h2Head
		}
		return p[n:]
	case h2Resync:
		return h.resync(from, p)
	}
	return nil // h2Ignore
}

// frameHead begins a frame.
func (h *http2) frameHead(from capture.Side) {
	f := &h.half[from]
	f.nhead = 0
	isPreface := string(f.head[:]) == preface[:frameHead]
	if !f.began {
		// A client begins with the preface, a server with its SETTINGS (RFC 9113 section 3.4).
		f.began = true
		if from == capture.Client && !isPreface ||
			from == capture.Server && (f.head[3] != frameSettings || f.head[4] != 0) {
			h.begunBefore(f)
		}
	}
	if isPreface {
		f.state, f.remain = h2Preface, len(preface)-frameHead
		return
	}
	f.remain = int(f.head[0])<<16 | int(f.head[1])<<8 | int(f.head[2])
	f.kind, f.flags, f.stream = f.head[3], f.head[4], binary.BigEndian.Uint32(f.head[5:])&(1<<31-1)
	f.pad = 0
	switch {
	case f.kind == frameData:
		h.dataBegins(from)
	case f.kind > frameContinuation, f.kind == framePriority, f.kind == frameWindowUpdate, f.kind == framePing:
		// Nothing of it is shown. Unknown types are to be skipped (RFC 9113 section 5.5).
		f.state = h2Skip
	case f.remain > h.c.lim.Control:
		h.breach(from, f.stream, "a frame of type %d has %d bytes", f.kind, f.remain)
		if f.kind == frameHeaders || f.kind == framePush || f.kind == frameContinuation {
			f.table.forget()
			f.block = headerBlock{}
		}
		f.state = h2Skip
	default:
		f.state = h2Payload
	}
	if f.remain == 0 && f.state == h2Payload {
		f.state = h2Head
		h.frame(from, nil)
	} else if f.remain == 0 && f.state == h2Skip {
		f.state = h2Head
	}
}

// dataBegins opens a DATA frame.
func (h *http2) dataBegins(from capture.Side) {
	f := &h.half[from]
	if st := h.stream(from, f.stream); st != nil {
		st.body[from].boundary()
	}
	f.state = h2Data
	if f.flags&flagPadded != 0 && f.remain > 0 {
		f.state = h2PadLen
		return
	}
	h.dataDone(from)
}

// data passes on a piece of a DATA frame.
func (h *http2) data(from capture.Side, p []byte) {
	if st := h.stream(from, h.half[from].stream); st != nil {
		st.body[from].write(p)
	}
}

// dataDone goes on when the contents of a DATA frame are complete.
func (h *http2) dataDone(from capture.Side) {
	f := &h.half[from]
	if f.remain > f.pad {
		return
	}
	f.state, f.nhead = h2Skip, 0
	if f.remain == 0 {
		f.state = h2Head
	}
	if f.flags&flagEndStream != 0 {
		if st := h.stream(from, f.stream); st != nil {
			h.endStream(from, st)
		}
	}
}

// frame handles a collected frame.
func (h *http2) frame(from capture.Side, b []byte) {
	f := &h.half[from]
	switch f.kind {
	case frameHeaders, framePush:
		h.headersFrame(from, b)
	case frameContinuation:
		h.addBlock(from, b, f.flags)
	case frameRST:
		if len(b) == 4 {
			h.reset(from, f.stream, binary.BigEndian.Uint32(b))
		}
	case frameGoAway:
		if len(b) >= 8 {
			h.goAway(from, binary.BigEndian.Uint32(b)&(1<<31-1), binary.BigEndian.Uint32(b[4:]), b[8:])
		}
	}
	// SETTINGS: the encoder tells a new table size in its next block (RFC 7541
	// section 4.2), so that a reader need not follow them.
}

// headersFrame takes the fragment out of HEADERS or PUSH_PROMISE.
func (h *http2) headersFrame(from capture.Side, b []byte) {
	f := &h.half[from]
	if f.block.open {
		h.breach(from, f.block.stream, "a header block is not finished before the next one")
		f.table.forget()
	}
	f.block = headerBlock{open: true, push: f.kind == framePush, stream: f.stream, flags: f.flags}
	pad, skip := 0, 0
	if f.flags&flagPadded != 0 {
		if len(b) > 0 {
			pad, b = int(b[0]), b[1:]
		}
	}
	if f.kind == framePush {
		skip = 4
	} else if f.flags&flagPriority != 0 {
		skip = 5
	}
	if skip+pad > len(b) {
		h.breach(from, f.stream, "a HEADERS frame is shorter than its padding and priority")
		f.table.forget()
		f.block = headerBlock{}
		return
	}
	h.addBlock(from, b[skip:len(b)-pad], f.flags)
}

// addBlock adds a fragment; the last one completes the block.
func (h *http2) addBlock(from capture.Side, b []byte, flags byte) {
	f := &h.half[from]
	k := &f.block
	if !k.open || k.stream != f.stream {
		f.table.forget() // the beginning of the block was not seen
		*k = headerBlock{}
		return
	}
	k.size += len(b)
	if room := h.c.lim.Head - len(k.b); len(b) > room {
		b = b[:room]
	}
	last := flags&flagEndHeaders != 0
	switch {
	case len(k.b) == 0 && last:
		k.b = b
	default:
		k.b = append(k.b, b...)
	}
	if !last {
		return
	}
	block := *k
	*k = headerBlock{}
	bad := &faults{}
	fields := f.table.decode(block.b, h.c.lim.Fields, bad)
	if block.size > len(block.b) {
		bad = &faults{}
		bad.add("only the first %d of %d bytes of the header block were read", len(block.b), block.size)
		f.table.forget()
	}
	if !block.push {
		h.fields(from, block.stream, fields, block.flags&flagEndStream != 0, bad)
	}
}

// otherProtocol notices a server that does not speak HTTP/2 by its first bytes.
func (h *http2) otherProtocol(from capture.Side, head []byte) bool {
	f := &h.half[from]
	if from != capture.Server || h.midstream {
		return false
	}
	text := ""
	switch {
	case len(head) >= 7 && string(head[:7]) == "HTTP/1.":
		h.code, text = capture.BreachHTTP1Answer, "the connection is HTTP/2 and the answer is HTTP/1"
	case len(head) >= 5 && tlsRecordStart(head) == yes && head[0] == recordAlert && head[3] == 0 && head[4] == 2:
		h.code, text = capture.BreachTLS, "the connection is HTTP/2 without TLS and the answer is a TLS alert"
	default:
		return false
	}
	h.foreign = text
	f.state = h2Ignore
	for _, st := range h.open() {
		h.rejected(st)
	}
	if h.c.count == 0 {
		h.c.info = text
	}
	return true
}

// rejected ends a stream on a connection whose server does not speak HTTP/2.
func (h *http2) rejected(st *h2stream) {
	st.x.breach(capture.Server, h.code, "%s", h.foreign)
	h.abort(st)
	st.x.close(capture.Server, capture.EndClosed, 0, h.foreign)
	h.drop(st)
}

// open returns the open streams in order.
func (h *http2) open() []*h2stream {
	list := make([]*h2stream, 0, len(h.streams))
	for _, st := range h.streams {
		list = append(list, st)
	}
	slices.SortFunc(list, func(a, b *h2stream) int { return int(a.id) - int(b.id) })
	return list
}

func (h *http2) breach(from capture.Side, stream uint32, format string, args ...any) {
	if st := h.streams[stream]; st != nil {
		st.x.breach(from, capture.BreachHTTP2, format, args...)
	}
}

func (h *http2) halfClosed(capture.Side) {}
