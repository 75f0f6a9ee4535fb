package wire

import (
	"encoding/binary"
	"fmt"
	"math"

	"a2ascope/capture"
)

// tlsFraming walks over the records of a TLS connection for which there is no
// key (RFC 8446 section 5). It keeps the hellos and the alerts in clear.
type tlsFraming struct {
	c     *Conn
	half  [2]tlsHalf
	over  bool // the server answered without TLS
	hello helloFacts
	alert string
}

type tlsHalf struct {
	head   [5]byte
	nhead  int
	remain int
	first  []byte // begin of the handshake, until the hello is read
	alert  []byte
	parsed bool
	began  bool
	carry  []byte // server: first bytes, until they are known to be TLS
}

const (
	recordCCS       = 20
	recordAlert     = 21
	recordHandshake = 22
	recordData      = 23
	maxRecord       = 16<<10 + 2048 // RFC 5246 section 6.2.3
	maxHello        = 64 << 10      // post-quantum key shares and many extensions still fit
)

func newTLS(c *Conn) *tlsFraming { return &tlsFraming{c: c} }

// findTLS accepts a record only at the begin of a connection: later any bytes may look like one.
func findTLS(b []byte, _ capture.Side, fresh, _ bool) (int, verdict) {
	if !fresh {
		return len(b), no
	}
	v := tlsRecordStart(b)
	if v != yes || b[0] == recordCCS {
		return 0, v
	}
	if len(b) < 6 {
		return 0, maybe
	}
	n := int(binary.BigEndian.Uint16(b[3:]))
	switch {
	case n == 0 || n > maxRecord,
		b[0] == recordHandshake && b[5] != 1 && b[5] != 2,
		b[0] == recordAlert && b[5] != 1 && b[5] != 2 && n == 2:
		return len(b), no
	}
	return 0, yes
}

// tlsRecordStart judges type and version of a record.
func tlsRecordStart(b []byte) verdict {
	switch {
	case len(b) > 0 && (b[0] < recordCCS || b[0] > recordData), len(b) > 1 && b[1] != 3, len(b) > 2 && b[2] > 4:
		return no
	case len(b) < 3:
		return maybe
	}
	return yes
}

func (t *tlsFraming) bytes(from capture.Side, p []byte) {
	if t.over {
		return
	}
	h := &t.half[from]
	if from == capture.Server && !h.began {
		h.carry = append(h.carry, p...)
		p = h.carry
		if t.plainAnswer(p) {
			return
		}
		h.carry = nil
	}
	h.began = true
	for len(p) > 0 {
		if h.nhead < len(h.head) {
			n := copy(h.head[h.nhead:], p)
			h.nhead += n
			p = p[n:]
			if h.nhead == len(h.head) {
				h.remain = int(binary.BigEndian.Uint16(h.head[3:]))
			}
			if h.nhead < len(h.head) || h.remain > 0 {
				continue
			}
		}
		n := min(h.remain, len(p))
		t.record(from, p[:n])
		p = p[n:]
		if h.remain -= n; h.remain == 0 {
			h.nhead = 0
			h.alert = nil
		}
	}
}

// plainAnswer handles a server that does not speak TLS. It reports whether
// reading here is over or has to wait for more bytes.
func (t *tlsFraming) plainAnswer(b []byte) bool {
	const text = "the client began TLS and the server answered without it"
	if b[0] >= recordCCS && b[0] <= recordData || !t.half[capture.Client].began {
		return false
	}
	switch v := statusStart(b); v {
	case maybe:
		return true
	case yes:
		x := t.c.begin()
		x.breach(capture.Server, capture.BreachTLS, "%s: HTTP/1", text)
		x.done[capture.Client] = true
		h := newHTTP1(t.c)
		h.waiting = append(h.waiting, x)
		h.half[capture.Client].state = h1Ignore
		t.over, t.c.f = true, h
		h.bytes(capture.Server, b)
		return true
	}
	switch frameChain(b, false) {
	case maybe:
		return true
	case yes:
		x := t.c.begin()
		x.breach(capture.Server, capture.BreachTLS, "%s: HTTP/2", text)
		x.close(capture.Server, capture.EndClosed, 0, text)
		t.over = true
		return true
	}
	return false
}

// record looks at a piece of a record.
func (t *tlsFraming) record(from capture.Side, p []byte) {
	h := &t.half[from]
	switch h.head[0] {
	case recordHandshake:
		if h.parsed || len(h.first)+len(p) > maxHello {
			h.parsed = true
			return
		}
		h.first = append(h.first, p...)
		if t.hello.read(h.first) {
			h.parsed, h.first = true, nil
		}
	case recordAlert:
		// Two bytes are an alert in clear; encrypted ones are longer.
		if binary.BigEndian.Uint16(h.head[3:]) != 2 {
			return
		}
		if h.alert = append(h.alert, p...); len(h.alert) == 2 && h.alert[1] != 0 {
			t.alert = fmt.Sprintf("the %s sent alert %d (%s)", from, h.alert[1], alertName(h.alert[1]))
		}
	default:
		h.parsed, h.first = true, nil
	}
}

func alertName(a byte) string {
	names := map[byte]string{
		10: "unexpected message", 20: "bad record MAC", 40: "handshake failure", 42: "bad certificate",
		43: "unsupported certificate", 44: "certificate revoked", 45: "certificate expired",
		46: "certificate unknown", 47: "illegal parameter", 48: "unknown CA", 49: "access denied",
		50: "decode error", 51: "decrypt error", 70: "protocol version", 71: "insufficient security",
		80: "internal error", 86: "inappropriate fallback", 90: "user canceled", 109: "missing extension",
		110: "unsupported extension", 112: "unrecognized name", 116: "certificate required",
		120: "no application protocol",
	}
	if n := names[a]; n != "" {
		return n
	}
	return "unknown"
}

func (t *tlsFraming) gap(from capture.Side, _ int64) {
	// The place in the records is lost; the hello may be known already.
	h := &t.half[from]
	h.parsed, h.first, h.carry = true, nil, nil
	h.began, h.nhead, h.remain, h.head = true, len(h.head), math.MaxInt, [5]byte{recordData}
}

func (t *tlsFraming) halfClosed(capture.Side) {}

func (t *tlsFraming) closed(capture.Side, string) {
	if t.over {
		return
	}
	l := *t.c.link
	if t.hello.serverName != "" {
		l.ServerName = t.hello.serverName
	}
	if t.hello.alpn != "" {
		l.ALPN = t.hello.alpn
	}
	if l.TLS == "" {
		l.TLS = t.hello.version()
	}
	t.c.link = &l
	text := "encrypted, no key"
	if t.alert != "" {
		text += "; " + t.alert
	}
	t.c.inform("tls", text)
}

// helloFacts is what the hellos say in clear.
type helloFacts struct {
	serverName string
	alpn       string // what the server chose (TLS 1.2); else what the client offered
	chosen     uint16
}

func (f *helloFacts) version() string {
	switch f.chosen {
	case 0x0304:
		return "1.3"
	case 0x0303:
		return "1.2"
	}
	return "yes"
}

// read reads a hello; false: it is not complete yet.
func (f *helloFacts) read(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	kind, n := b[0], int(b[1])<<16|int(b[2])<<8|int(b[3])
	if kind != 1 && kind != 2 {
		return true
	}
	if len(b)-4 < n {
		return false
	}
	r := reader{b: b[4 : 4+n]}
	version := r.uint16()
	r.bytes(32)             // random
	r.bytes(int(r.uint8())) // session id
	if server := kind == 2; server {
		r.bytes(3) // cipher suite, compression
		f.chosen = version
	} else {
		r.bytes(int(r.uint16())) // cipher suites
		r.bytes(int(r.uint8()))  // compressions
	}
	exts := reader{b: r.bytes(int(r.uint16()))}
	for len(exts.b) > 0 && !exts.short {
		id := exts.uint16()
		e := reader{b: exts.bytes(int(exts.uint16()))}
		switch {
		case id == 0 && kind == 1: // server_name, RFC 6066
			e.uint16()
			if e.uint8() == 0 {
				f.serverName = string(e.bytes(int(e.uint16())))
			}
		case id == 16: // ALPN, RFC 7301
			e.uint16()
			if name := string(e.bytes(int(e.uint8()))); kind == 2 || f.alpn == "" && !moreThan(e.b) {
				f.alpn = name
			}
		case id == 43 && kind == 2: // supported_versions, RFC 8446
			f.chosen = e.uint16()
		}
	}
	return true
}

// moreThan reports whether the client offers further protocols: then its offer says nothing.
func moreThan(b []byte) bool { return len(b) > 0 }

// reader takes numbers and bytes off a slice and never runs over its end.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.short, n = true, len(r.b)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) uint8() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) uint16() uint16 {
	if b := r.bytes(2); len(b) == 2 {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}
