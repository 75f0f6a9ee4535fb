package wire

import (
	"fmt"
	"strconv"

	"a2ascope/capture"
)

// h2stream is one exchange of an HTTP/2 connection.
type h2stream struct {
	id    uint32
	x     *exchange
	body  [2]body
	begun [2]bool // the final head of the side, or data without one, was seen
}

// headed reports whether the final head of the side was seen.
func (st *h2stream) headed(from capture.Side) bool {
	if st == nil {
		return false
	}
	if from == capture.Client {
		return st.x.req != nil
	}
	return st.x.answered
}

// keepOver is how many stream numbers back a stream is remembered to be over.
const keepOver = 4096

// ended reports whether frames of the stream come late: it is over.
func (h *http2) ended(id uint32) bool {
	_, ok := h.over[id]
	return ok || id+keepOver < h.highest && h.streams[id] == nil
}

func (h *http2) drop(st *h2stream) {
	delete(h.streams, st.id)
	h.over[st.id] = struct{}{}
	if len(h.over) > keepOver {
		for id := range h.over {
			if id+keepOver < h.highest {
				delete(h.over, id)
			}
		}
	}
}

func (h *http2) add(id uint32) *h2stream {
	if len(h.streams) >= h.c.lim.Streams {
		old := h.open()[0]
		old.x.breach(capture.Client, capture.BreachTooLarge, "more than %d streams are open: the oldest is not followed any further", h.c.lim.Streams)
		h.abort(old)
		old.x.close(capture.Client, capture.EndStillOpen, 0, "not followed any further")
		h.drop(old)
	}
	st := &h2stream{id: id, x: h.c.begin()}
	h.streams[id] = st
	h.highest = max(h.highest, id)
	return st
}

// stream returns the stream to which data of a side belongs, or nil. Where the
// capture began inside the connection, data may belong to a stream whose head
// was not seen.
func (h *http2) stream(from capture.Side, id uint32) *h2stream {
	st := h.streams[id]
	if st == nil {
		inside := h.lowest == 0 || id < h.lowest || id > h.highest
		if !h.midstream || id&1 == 0 || !inside || h.ended(id) {
			return nil
		}
		st = h.add(id)
		st.x.breach(from, capture.BreachNoRequest, "the beginning of stream %d is not in the capture", id)
	}
	if st.x.done[from] {
		return nil
	}
	if !st.begun[from] {
		st.begun[from] = true
		st.body[from].start(st.x, from, nil, nil)
		if !h.midstream {
			st.x.breach(from, capture.BreachHTTP2, "stream %d has DATA before HEADERS", id)
		} else if h.lowest != 0 && id >= h.lowest && !st.x.torn[from] {
			st.x.lost(from, -1, "where the "+messageOf(from)+" began")
		}
	}
	return st
}

// fields handles a complete header block.
func (h *http2) fields(from capture.Side, id uint32, fields capture.Fields, end bool, bad *faults) {
	if id&1 == 0 || h.ended(id) {
		return // pushed, or late
	}
	st := h.streams[id]
	if st != nil && st.x.done[from] {
		return
	}
	if h.isTrailer(from, st, fields) {
		if st == nil {
			if st = h.stream(from, id); st == nil {
				return
			}
		}
		h.trailer(from, st, fields, end, bad)
		return
	}
	if st == nil {
		st = h.add(id)
		if from == capture.Server {
			st.x.breach(from, capture.BreachNoRequest, "a response whose request is not in the capture")
		}
	}
	head := h.head(from, st, fields, bad)
	st.x.emit(from, head)
	h.faults(from, st, fields, bad)
	if from == capture.Client {
		if st.x.req = head; h.lowest == 0 || id < h.lowest {
			h.lowest = id
		}
	} else if head.Status < 200 {
		return
	} else {
		st.x.answered = true
	}
	if !st.begun[from] { // else data came before the head: its reading goes on
		st.begun[from] = true
		b := &st.body[from]
		b.start(st.x, from, head, nil)
		if b.mode == modeSniff && from == capture.Server && st.body[capture.Client].msgs != nil {
			b.setGRPC(false, false)
		}
	}
	if end {
		if _, ok := fields.Lookup("grpc-status"); ok && from == capture.Server {
			st.x.emit(from, &capture.Trailer{Fields: head.Fields, Only: true})
		}
		h.endStream(from, st)
	}
	if h.foreign != "" && h.streams[id] != nil {
		h.rejected(st)
	}
}

// isTrailer tells a trailer block from a head.
func (h *http2) isTrailer(from capture.Side, st *h2stream, fields capture.Fields) bool {
	pseudo := len(fields) > 0 && (fields[0].Name != "" && fields[0].Name[0] == ':' || fields[0].Unknown && (st == nil || !st.begun[from]))
	if pseudo {
		return st.headed(from) // a second head, which nobody may send: it ends the first one's message
	}
	if st != nil && st.begun[from] {
		return true
	}
	_, status := fields.Lookup("grpc-status")
	return from == capture.Server && status && h.midstream
}

func (h *http2) trailer(from capture.Side, st *h2stream, fields capture.Fields, end bool, bad *faults) {
	st.body[from].end(true)
	st.x.emit(from, &capture.Trailer{Fields: fields})
	if len(fields) > 0 && fields[0].Name != "" && fields[0].Name[0] == ':' {
		bad.add("a second header block has %s, which trailers must not have (RFC 9113 section 8.1)", fields[0].Name)
	}
	if !end {
		bad.add("a second header block does not end the stream (RFC 9113 section 8.1)")
	}
	h.faults(from, st, fields, bad)
	h.endStream(from, st)
}

// head builds a head from a header block.
func (h *http2) head(from capture.Side, st *h2stream, fields capture.Fields, bad *faults) *capture.Head {
	head := &capture.Head{Proto: "HTTP/2", Stream: st.id, Torn: fields.Unknown()}
	pseudo := 0
	for i := range fields {
		if n := fields[i].Name; n != "" && n[0] == ':' {
			pseudo = i + 1 // what is not known between them is one of them, too
		} else if !fields[i].Unknown {
			break
		}
	}
	keep := fields[pseudo:]
	for _, f := range fields[:pseudo] {
		switch f.Name {
		case ":method":
			head.Method = f.Value
		case ":scheme":
			head.Scheme = f.Value
		case ":authority":
			head.Authority = f.Value
		case ":path":
			head.Target = f.Value
		case ":status":
			head.Status, _ = strconv.Atoi(f.Value)
		}
	}
	for i := range keep {
		if n := keep[i].Name; n != "" && n[0] == ':' {
			bad.add("%s comes after other fields (RFC 9113 section 8.3)", n)
		}
	}
	head.Fields = keep
	if head.Authority == "" {
		head.Authority = keep.Get("host")
	}
	if from == capture.Server {
		if head.Status < 100 || head.Status > 599 {
			if head.Status = capture.StatusUnknown; !head.Torn {
				bad.add("the response has no valid :status")
			}
		}
	} else if head.Status = 0; !head.Torn && (head.Method == "" || head.Target == "" && head.Method != "CONNECT") {
		bad.add("the request has no :method or no :path")
	}
	return head
}

// faults reports what is wrong with a header block.
func (h *http2) faults(from capture.Side, st *h2stream, fields capture.Fields, bad *faults) {
	for i := range fields {
		if hasUpper(fields[i].Name) && !fields[i].Unknown {
			st.x.breach(from, capture.BreachUpperCaseField,
				"the field name %q has upper-case letters, which HTTP/2 forbids (RFC 9113 section 8.2.1)", fields[i].Name)
		}
	}
	if bad.n > 0 {
		st.x.breach(from, capture.BreachHTTP2, "%s", bad)
	}
}

func hasUpper(s string) bool {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// endStream handles END_STREAM.
func (h *http2) endStream(from capture.Side, st *h2stream) {
	st.body[from].end(true)
	st.x.torn[from] = false
	if from == capture.Server && st.x.req == nil {
		st.x.done[capture.Client] = true // it was not seen and will not be
	}
	st.x.complete(from, st.body[from].size)
	if st.x.ended {
		h.abort(st)
		h.drop(st)
	}
}

// abort ends the bodies of a stream before their time.
func (h *http2) abort(st *h2stream) {
	for s := range st.body {
		st.body[s].end(false)
	}
}

// reset handles RST_STREAM.
func (h *http2) reset(from capture.Side, id uint32, code uint32) {
	st := h.streams[id]
	if st == nil {
		return
	}
	h.abort(st)
	if code == 0 && st.x.done[capture.Server] {
		// The response is complete and the rest of the request not wanted (RFC 9113 section 8.1).
		st.x.close(from, capture.EndDone, 0, "the rest of the request was not wanted (RST_STREAM NO_ERROR)")
	} else {
		st.x.close(from, capture.EndReset, code, "RST_STREAM "+errorName(code))
	}
	h.drop(st)
}

// goAway ends the streams the server will not work on.
func (h *http2) goAway(from capture.Side, last, code uint32, debug []byte) {
	text := "GOAWAY " + errorName(code)
	if len(debug) > 0 {
		text += fmt.Sprintf(": %.200q", debug)
	}
	if code != 0 {
		h.c.lastWords = text
	}
	if from != capture.Server {
		return
	}
	for _, st := range h.open() {
		if st.id <= last {
			continue
		}
		h.abort(st)
		st.x.close(from, capture.EndGoAway, code, text)
		h.drop(st)
	}
}

// errorNames are those of RFC 9113 section 7.
var errorNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

func errorName(code uint32) string {
	if code < uint32(len(errorNames)) {
		return errorNames[code]
	}
	return fmt.Sprintf("error 0x%x", code)
}
