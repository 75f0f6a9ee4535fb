package remake

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/h2"
)

const maxStream = 1<<31 - 1

// http2 is a connection that speaks HTTP/2.
type http2 struct {
	c         *conn
	midstream bool // the capture began inside it: neither side says how it began
	begun     [2]bool
	next      uint32 // a free stream number, for exchanges that have none
	used      map[uint32]bool
	goneAway  bool
}

func isHTTP2(proto string) bool {
	return strings.HasPrefix(proto, "HTTP/2") || strings.HasPrefix(proto, "HTTP/3")
}

// speak takes the protocol of the connection from a head.
func (c *conn) speak(h *capture.Head) {
	if c.h2 != nil || !isHTTP2(h.Proto) {
		return
	}
	unknown := false
	for _, f := range h.Fields {
		unknown = unknown || f.Unknown
	}
	c.speakHTTP2(unknown)
}

func (c *conn) speakHTTP2(midstream bool) {
	c.h2 = &http2{c: c, midstream: midstream || c.link.Midstream, next: 1, used: map[uint32]bool{}}
}

func (c *conn) h2Must() *http2 {
	if c.h2 == nil {
		c.speakHTTP2(false)
	}
	return c.h2
}

// say emits frames, behind what a side begins with.
func (h *http2) say(from capture.Side, b []byte, at time.Time) {
	if !h.begun[from] && !h.midstream {
		if from == capture.Server && !h.begun[capture.Client] {
			h.say(capture.Client, nil, at)
		}
		hello := h2.Append(nil, h2.Settings, 0, 0, nil)
		if from == capture.Client {
			hello = append([]byte(h2.Preface), hello...)
		} else {
			hello = h2.Append(hello, h2.Settings, h2.Ack, 0, nil)
		}
		b = append(hello, b...)
	}
	h.begun[from] = true
	h.c.say(from, b, at)
}

// streamOf is the stream of an exchange: the one it had, or the next free one.
func (h *http2) streamOf(x *exchange) uint32 {
	if x.stream != 0 {
		return x.stream
	}
	for _, s := range x.side {
		if s.h != nil && s.h.Stream != 0 && !h.used[s.h.Stream] {
			x.stream = s.h.Stream
		}
	}
	if x.stream == 0 {
		for h.used[h.next] {
			h.next += 2
		}
		x.stream = h.next
	}
	h.used[x.stream] = true
	return x.stream
}

func (h *http2) head(s *message, length int64, ends bool) {
	fields := pseudo(s.h)
	for _, f := range s.h.Fields {
		if length >= 0 && strings.EqualFold(f.Name, "content-length") {
			f.Value = strconv.FormatInt(length, 10)
		}
		fields = append(fields, f)
	}
	h.headers(s, fields, s.headAt, ends)
}

// pseudo returns the fields of a head that HTTP/2 puts in front (RFC 9113 section 8.3).
func pseudo(h *capture.Head) (fs capture.Fields) {
	add := func(name, value string) {
		if value != "" {
			fs = append(fs, capture.Field{Name: name, Value: value})
		}
	}
	if !h.IsRequest() {
		if h.Status != capture.StatusUnknown {
			add(":status", strconv.Itoa(h.Status))
		}
		return fs
	}
	add(":method", h.Method)
	add(":scheme", h.Scheme)
	if h.Authority != h.Fields.Get("host") {
		add(":authority", h.Authority)
	}
	add(":path", h.Target)
	return fs
}

func (h *http2) headers(s *message, fields capture.Fields, at time.Time, ends bool) {
	var block []byte
	for i := range fields {
		block = literal(block, &fields[i])
	}
	h.say(s.from, h2.AppendBlock(nil, h.streamOf(s.x), block, ends), at)
}

// literal writes a field without the help of a table (RFC 7541 section 6.2.2),
// so that it can be read in the bytes. A field that the capture could only refer
// to is referred to again.
func literal(b []byte, f *capture.Field) []byte {
	if index, ok := lostEntry(f); ok {
		if f.Value == "" {
			return hpackInt(b, 0x80, 7, index)
		}
		return hpackText(hpackInt(b, 0, 4, index), f.Value)
	}
	return hpackText(hpackText(append(b, 0), f.Name), f.Value)
}

// lostEntry returns the index of an entry that was made before the capture
// began. Its name, "<before capture #3>", counts back from the newest; the
// static table has 61 entries.
func lostEntry(f *capture.Field) (uint64, bool) {
	if !f.Unknown {
		return 0, false
	}
	i := strings.LastIndexByte(f.Name, '#')
	n, err := strconv.ParseUint(strings.TrimSuffix(f.Name[i+1:], ">"), 10, 16)
	return 61 + n, i > 0 && err == nil && n > 0
}

func hpackText(b []byte, s string) []byte {
	return append(hpackInt(b, 0, 7, uint64(len(s))), s...)
}

// hpackInt writes an integer behind the bits of first (RFC 7541 section 5.1).
func hpackInt(b []byte, first byte, bits uint, v uint64) []byte {
	most := uint64(1)<<bits - 1
	if v < most {
		return append(b, first|byte(v))
	}
	b = append(b, first|byte(most))
	for v -= most; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// data writes a piece of the body.
func (h *http2) data(s *message, it item, ends bool) {
	lost := 0
	if it.lost > 0 && it.lost < 1<<23 { // what fits into a frame
		lost = int(it.lost)
	}
	if stream := h.streamOf(s.x); len(it.data)+lost > 0 || ends {
		h.say(s.from, h2.AppendData(nil, stream, it.data, lost, ends), it.at)
	}
	if it.lost != 0 {
		h.c.gap(s.from, it.lost, it.at)
	}
}

// finish ends the stream of a side.
func (h *http2) finish(s *message, at time.Time) {
	switch {
	case s.trailers != nil:
		s.flushHead(false)
		h.headers(s, s.trailers.Fields, at, true)
	case s.pending:
		s.flushHead(true)
	default:
		h.data(s, item{at: at}, true)
	}
}

func (h *http2) reset(x *exchange, from capture.Side, code uint32, at time.Time) {
	h.say(from, h2.Append(nil, h2.RST, 0, h.streamOf(x), binary.BigEndian.AppendUint32(nil, code)), at)
}

// goAway says that the stream, and those behind it, are not worked on. Of
// several the first is told first.
func (h *http2) goAway(x *exchange, e *capture.End, at time.Time) {
	if h.goneAway {
		return
	}
	h.goneAway = true
	stream := h.streamOf(x)
	h.say(capture.Server, goAwayFrame(max(stream, 2)-2, e.Code, e.Text), at)
}

// lastWords says why a side closed the connection.
func (h *http2) lastWords(text string, from capture.Side, at time.Time) {
	if h.goneAway {
		return
	}
	h.goneAway = true
	name, _, _ := strings.Cut(strings.TrimPrefix(text, goAwayWord), ":")
	code := uint32(0)
	for i, n := range errorNames {
		if n == name {
			code = uint32(i)
		}
	}
	if hex, ok := strings.CutPrefix(name, "error 0x"); ok {
		n, _ := strconv.ParseUint(hex, 16, 32)
		code = uint32(n)
	}
	h.say(from, goAwayFrame(maxStream, code, text), at)
}

// goAwayFrame carries the debug data that the text of an end quotes.
func goAwayFrame(last, code uint32, text string) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), code)
	if _, quoted, ok := strings.Cut(text, ": "); ok {
		if debug, err := strconv.Unquote(quoted); err == nil {
			b = append(b, debug...)
		}
	}
	return h2.Append(nil, h2.GoAway, 0, 0, b)
}

// errorNames are those of RFC 9113 section 7.
var errorNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}
