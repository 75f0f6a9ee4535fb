package wire

import "a2ascope/capture"

// gap goes on behind missing bytes. Inside the data of one frame the place is
// still known; anywhere else frames may be lost, with insertions into the
// header table among them.
func (h *http2) gap(from capture.Side, n int64) {
	f := &h.half[from]
	switch {
	case f.state == h2Ignore:
		return
	case f.state == h2Data && n >= 0 && n <= int64(f.remain-f.pad):
		f.remain -= int(n)
		if st := h.stream(from, f.stream); st != nil {
			st.x.lost(from, n, LostInside)
			st.body[from].gap(n)
		}
		h.dataDone(from)
		return
	case f.state == h2Skip && n >= 0 && n < int64(f.remain):
		f.remain -= int(n)
		return
	}
	if f.state != h2Resync || f.carry != nil {
		f.table.forget()
	}
	h.midstream, f.began = true, true
	f.block = headerBlock{}
	f.carry, f.nhead, f.remain, f.state = nil, 0, 0, h2Resync
	var hit []*h2stream
	for _, st := range h.open() {
		if !st.x.done[from] {
			hit = append(hit, st)
		}
	}
	if len(hit) > 1 {
		n = -1 // of which stream they were is not known
	}
	for _, st := range hit {
		st.x.lost(from, n, "of the connection, perhaps of this stream")
		st.x.torn[from] = true
		st.body[from].gap(-1)
	}
}

// resync searches for the next frames.
func (h *http2) resync(from capture.Side, p []byte) []byte {
	f := &h.half[from]
	f.carry = append(f.carry, p...)
	off, v := findFrames(f.carry, false)
	return h.resume(f, off, v)
}

func (h *http2) resume(f *h2half, off int, v verdict) []byte {
	b := f.carry
	if v == yes {
		f.carry, f.state, f.nhead = nil, h2Head, 0
		return b[off:]
	}
	if off > 0 {
		f.carry = append([]byte(nil), b[off:]...)
	}
	return nil
}

// closed ends what is open when the connection ends.
func (h *http2) closed(from capture.Side, reason string) {
	for s := range h.half {
		if f := &h.half[s]; f.state == h2Resync && len(f.carry) > 0 {
			off, v := findFrames(f.carry, true)
			h.bytes(capture.Side(s), h.resume(f, off, v))
		}
	}
	for _, st := range h.open() {
		h.abort(st)
		st.x.closeWith(from, reason)
	}
}
