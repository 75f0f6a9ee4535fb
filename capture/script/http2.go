package script

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
	"a2ascope/capture/h2"
)

// h2conn is an HTTP/2 connection: what its two ends remember of the fields they sent.
type h2conn struct {
	buf    [2]bytes.Buffer
	enc    [2]*hpack.Encoder
	acked  bool // the client has acknowledged the server's SETTINGS
	newest uint32
}

// startHTTP2 emits the beginning of the connection. Both ends open their
// windows wide, so that nobody needs to send WINDOW_UPDATE later.
func (e *encoder) startHTTP2(a *act) *h2conn {
	h := &h2conn{acked: a.conn.midstream}
	for s := range h.enc {
		h.enc[s] = hpack.NewEncoder(&h.buf[s])
	}
	if a.conn.midstream {
		return h
	}
	const window = 1<<31 - 1
	settings := binary.BigEndian.AppendUint32([]byte{0, 4}, window) // SETTINGS_INITIAL_WINDOW_SIZE
	hello := h2.Append(nil, h2.Settings, 0, 0, settings)
	hello = h2.Append(hello, h2.WindowUpdate, 0, 0, binary.BigEndian.AppendUint32(nil, window-65535))
	say := func(from capture.Side, data []byte) {
		e.chunk(&act{at: a.at, conn: a.conn, from: from}, capture.Chunk{Kind: capture.Bytes, Data: data})
	}
	say(capture.Client, append([]byte(h2.Preface), hello...))
	say(capture.Server, h2.Append(bytes.Clone(hello), h2.Settings, h2.Ack, 0, nil))
	return h
}

// act returns the bytes of an act.
func (h *h2conn) act(e *encoder, a *act) []byte {
	var out []byte
	if a.from == capture.Client && !h.acked {
		h.acked = true
		out = h2.Append(out, h2.Settings, h2.Ack, 0, nil)
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
		out = h2.AppendData(out, stream, e.bodies[m].parts[a.n], 0, last)
	case actEnd:
		if last {
			out = h2.AppendData(out, stream, nil, 0, true)
		}
	case actVerdict:
		fields := m.verdict.fields()
		if !m.sent { // Trailers-Only
			fields = append(m.headFields(), fields...)
		}
		return h.headers(out, a.from, stream, fields, true)
	case actRST:
		return h2.Append(out, h2.RST, 0, stream, binary.BigEndian.AppendUint32(nil, uint32(a.n)))
	case actGoAway:
		p := binary.BigEndian.AppendUint32(nil, 0)
		if a.from == capture.Server { // the client opened streams, the server did not
			p = binary.BigEndian.AppendUint32(nil, h.newest)
		}
		return h2.Append(out, h2.GoAway, 0, 0, binary.BigEndian.AppendUint32(p, uint32(a.n)))
	}
	if a.ends && !last {
		out = h.headers(out, a.from, stream, m.trailers, true)
	}
	return out
}

func (h *h2conn) headers(b []byte, from capture.Side, stream uint32, fields []field, ends bool) []byte {
	buf := &h.buf[from]
	buf.Reset()
	for _, f := range fields {
		_ = h.enc[from].WriteField(hpack.HeaderField{Name: f.name, Value: f.value}) // a Buffer takes everything
	}
	return h2.AppendBlock(b, stream, buf.Bytes(), ends)
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
