package script

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// Frame types and flags (RFC 9113 section 6).
const (
	frameData, frameHeaders, frameRST, frameSettings  = 0x0, 0x1, 0x3, 0x4
	frameGoAway, frameWindowUpdate, frameContinuation = 0x7, 0x8, 0x9
	flagEndStream, flagAck, flagEndHeaders            = 0x1, 0x1, 0x4
	maxFrame                                          = 16384 // SETTINGS_MAX_FRAME_SIZE as it is without being said
	preface                                           = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// h2 is an HTTP/2 connection: what its two ends remember of the fields they sent.
type h2 struct {
	buf    [2]bytes.Buffer
	enc    [2]*hpack.Encoder
	acked  bool // the client has acknowledged the server's SETTINGS
	newest uint32
}

// startHTTP2 emits the beginning of the connection. Both ends open their
// windows wide, so that nobody needs to send WINDOW_UPDATE later.
func (e *encoder) startHTTP2(a *act) *h2 {
	h := &h2{acked: a.conn.midstream}
	for s := range h.enc {
		h.enc[s] = hpack.NewEncoder(&h.buf[s])
	}
	if a.conn.midstream {
		return h
	}
	const window = 1<<31 - 1
	settings := binary.BigEndian.AppendUint32([]byte{0, 4}, window) // SETTINGS_INITIAL_WINDOW_SIZE
	hello := frame(nil, frameSettings, 0, 0, settings)
	hello = frame(hello, frameWindowUpdate, 0, 0, binary.BigEndian.AppendUint32(nil, window-65535))
	say := func(from capture.Side, data []byte) {
		e.chunk(&act{at: a.at, conn: a.conn, from: from}, capture.Chunk{Kind: capture.Bytes, Data: data})
	}
	say(capture.Client, append([]byte(preface), hello...))
	say(capture.Server, frame(bytes.Clone(hello), frameSettings, flagAck, 0, nil))
	return h
}

func frame(b []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	n := len(payload)
	b = append(b, byte(n>>16), byte(n>>8), byte(n), kind, flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(b, payload...)
}

// act returns the bytes of an act.
func (h *h2) act(e *encoder, a *act) []byte {
	var out []byte
	if a.from == capture.Client && !h.acked {
		h.acked = true
		out = frame(out, frameSettings, flagAck, 0, nil)
	}
	stream := uint32(0)
	if a.ex != nil {
		stream = a.ex.stream()
	}
	m := a.msg
	last := a.ends && m != nil && len(m.trailers) == 0 // this frame ends the stream
	switch a.kind {
	case actHead:
		out = h.headers(out, a.from, stream, m.headFields(), last)
		h.newest = max(h.newest, stream)
	case actBody:
		out = data(out, stream, e.bodies[m].parts[a.n], last)
	case actEnd:
		if last {
			out = data(out, stream, nil, true)
		}
	case actVerdict:
		fields := m.verdict.fields()
		if !m.sent { // Trailers-Only
			fields = append(m.headFields(), fields...)
		}
		return h.headers(out, a.from, stream, fields, true)
	case actRST:
		return frame(out, frameRST, 0, stream, binary.BigEndian.AppendUint32(nil, uint32(a.n)))
	case actGoAway:
		p := binary.BigEndian.AppendUint32(nil, 0)
		if a.from == capture.Server { // the client opened streams, the server did not
			p = binary.BigEndian.AppendUint32(nil, h.newest)
		}
		return frame(out, frameGoAway, 0, 0, binary.BigEndian.AppendUint32(p, uint32(a.n)))
	}
	if a.ends && !last {
		out = h.headers(out, a.from, stream, m.trailers, true)
	}
	return out
}

func data(b []byte, stream uint32, p []byte, ends bool) []byte {
	for len(p) > maxFrame {
		b = frame(b, frameData, 0, stream, p[:maxFrame])
		p = p[maxFrame:]
	}
	flags := byte(0)
	if ends {
		flags = flagEndStream
	}
	return frame(b, frameData, flags, stream, p)
}

func (h *h2) headers(b []byte, from capture.Side, stream uint32, fields []field, ends bool) []byte {
	buf := &h.buf[from]
	buf.Reset()
	for _, f := range fields {
		_ = h.enc[from].WriteField(hpack.HeaderField{Name: f.name, Value: f.value}) // a Buffer takes everything
	}
	block := buf.Bytes()
	kind, flags := byte(frameHeaders), byte(0)
	if ends {
		flags = flagEndStream
	}
	for len(block) > maxFrame {
		b = frame(b, kind, flags, stream, block[:maxFrame])
		block, kind, flags = block[maxFrame:], frameContinuation, 0
	}
	return frame(b, kind, flags|flagEndHeaders, stream, block)
}

// headFields returns the fields of a head: pseudo-fields first, each as it was
// written or as it follows from the first line, then the rest in order.
func (m *message) headFields() []field {
	var pseudo []field
	if m.from == capture.Client {
		scheme := "http"
		if m.conn.tls != "" {
			scheme = "https"
		}
		pseudo = []field{{":method", m.ex.method}, {":scheme", scheme}, {":authority", m.conn.authority()}, {":path", m.ex.path}}
	} else {
		pseudo = []field{{":status", strconv.Itoa(m.status)}}
	}
	var rest []field
	for _, f := range m.fields {
		name := f.name
		if name == "host" {
			name = ":authority" // how HTTP/2 says it (RFC 9113 section 8.3.1)
		}
		if !strings.HasPrefix(name, ":") {
			rest = append(rest, f)
			continue
		}
		found := false
		for i := range pseudo {
			if pseudo[i].name == name {
				pseudo[i].value, found = f.value, true
			}
		}
		if !found {
			pseudo = append(pseudo, field{name, f.value})
		}
	}
	if m.grpc {
		if m.from == capture.Client {
			if _, ok := m.get("te"); !ok {
				rest = append([]field{{"te", "trailers"}}, rest...)
			}
		}
		if _, ok := m.get("content-type"); !ok {
			rest = append([]field{{"content-type", "application/grpc"}}, rest...)
		}
	}
	return append(pseudo, rest...)
}

// fields returns the trailers of a gRPC call.
func (v *verdict) fields() []field {
	fs := []field{{"grpc-status", strconv.Itoa(v.code)}}
	if v.text != "" {
		fs = append(fs, field{"grpc-message", percentEncode(v.text)})
	}
	if v.details != nil {
		fs = append(fs, field{"grpc-status-details-bin", base64.RawStdEncoding.EncodeToString(statusMessage(v))})
	}
	return append(fs, v.extra...)
}

// percentEncode writes grpc-message as gRPC over HTTP/2 wants it: everything
// outside printable ASCII, and '%', as %XX.
func percentEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			b.WriteString("%" + strings.ToUpper(hexByte(c)))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func hexByte(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}
