package wire

import (
	"bytes"
	"encoding/binary"

	"a2ascope/capture"
)

// grpcParser cuts a body into length-prefixed messages: one byte of flags, four
// of length (gRPC over HTTP/2, "Length-Prefixed-Message"). In gRPC-Web the
// first bit of the flags marks the trailers, and the -text form is base64.
type grpcParser struct {
	b     *body
	web   bool
	text  *unbase64
	head  [5]byte
	nhead int
	need  int64 // bytes of the message still to come
	in    bool  // inside a message
	lost  int64 // missing bytes of this message
	st    store
	sync  syncState
}

type syncState uint8

const (
	synced    syncState = iota
	waitFrame           // the place is lost; the next DATA frame may begin with a message
	tryFrame            // five bytes of it are being looked at
)

// maxPlausible is the largest message a frame is believed to begin after missing bytes.
const maxPlausible = 16 << 20

func (g *grpcParser) write(p []byte) {
	if g.text != nil {
		out, n := g.text.decode(p)
		g.units(out)
		if n < len(p) {
			if g.b.mode != modeLoose {
				g.broken("byte %d of the text is not base64", g.text.in)
			}
			g.text = nil
			g.b.loose(p[n:])
		}
		return
	}
	g.units(p)
}

func (g *grpcParser) units(p []byte) {
	for len(p) > 0 {
		if g.b.mode == modeLoose {
			g.b.loose(p)
			return
		}
		if g.sync == waitFrame {
			return
		}
		if !g.in {
			n := copy(g.head[g.nhead:], p)
			g.nhead += n
			if p = p[n:]; g.nhead < len(g.head) {
				return
			}
			g.begin()
			continue
		}
		n := min(g.need, int64(len(p)))
		g.st.add(p[:n])
		p = p[n:]
		if g.need -= n; g.need == 0 {
			g.message(false)
		}
	}
}

// begin reads a complete prefix.
func (g *grpcParser) begin() {
	flags, size := g.head[0], int64(binary.BigEndian.Uint32(g.head[1:]))
	valid := flags <= 1 || g.web && flags&0x7e == 0
	if g.sync == tryFrame {
		g.sync = synced
		if !valid || size > maxPlausible {
			g.sync, g.nhead = waitFrame, 0
			return
		}
	}
	if !valid {
		g.broken("a message begins with flags 0x%02x and length %d: not gRPC", flags, size)
		return
	}
	g.in, g.need = true, size
	if size == 0 {
		g.message(false)
	}
}

// broken ends the reading of messages; the one that is not complete is cut.
func (g *grpcParser) broken(format string, args ...any) {
	g.b.x.breach(g.b.side, capture.BreachGRPC, format, args...)
	if g.in {
		g.message(true)
	}
	g.b.mode = modeLoose
	g.b.loose(bytes.Clone(g.head[:g.nhead]))
	g.head, g.nhead = [5]byte{}, 0
}

// message emits the message that is complete, or as complete as it gets.
func (g *grpcParser) message(cut bool) {
	x, size, over := g.b.x, g.st.size+max(g.lost, 0), g.st.cut()
	f := &capture.Frame{
		Form: capture.GRPCMessage, Data: g.st.take(x.c.lim.Message),
		Size: size, WireSize: size + int64(len(g.head)), Lost: g.lost, Cut: cut,
	}
	flags := g.head[0]
	g.in, g.nhead, g.lost = false, 0, 0
	if over {
		x.breach(g.b.side, capture.BreachTooLarge, "%d of %d bytes of the message were kept", len(f.Data), size)
	}
	if flags&1 != 0 && (len(f.Data) > 0 || size == 0) {
		g.decompress(f, over || f.Lost != 0 || cut)
	}
	if flags&0x80 != 0 {
		fields, _ := parseFields(string(f.Data), x.c.lim.Fields)
		x.emit(g.b.side, &capture.Trailer{Fields: fields})
		return
	}
	f.Seq = x.nextFrame(g.b.side)
	x.emit(g.b.side, f)
}

func (g *grpcParser) decompress(f *capture.Frame, partial bool) {
	x, enc := g.b.x, codingsOf(g.b.grpcEnc)
	switch {
	case len(enc) == 1:
		x.uncode(g.b.side, f, enc, enc[0], x.c.lim.Message, partial)
	case bytes.HasPrefix(f.Data, []byte("\x1f\x8b")):
		// The head is from before the capture, or forgot to say.
		if len(enc) == 0 && g.b.grpcEnc == "" && g.b.mode == modeGRPC && !g.b.sniffedHead {
			x.breach(g.b.side, capture.BreachGRPC, "a message is marked as compressed, but there is no grpc-encoding")
		}
		x.uncode(g.b.side, f, []string{"gzip"}, "gzip", x.c.lim.Message, partial)
	default:
		f.Coding = "unknown"
		x.breach(g.b.side, capture.BreachGRPC, "a message is marked as compressed, but grpc-encoding is %q", g.b.grpcEnc)
	}
}

// boundary says that a DATA frame begins.
func (g *grpcParser) boundary() {
	if g.sync != synced {
		g.sync, g.nhead = tryFrame, 0
	}
}

// gap says that the capture misses n bytes; -1: unknown how many.
func (g *grpcParser) gap(n int64) {
	if g.b.mode == modeLoose || g.text != nil {
		// base64 does not say where it is.
		g.lose()
		return
	}
	if g.in && n >= 0 && n <= g.need && g.sync == synced {
		g.need -= n
		if g.lost += n; g.need == 0 {
			g.message(false)
		}
		return
	}
	g.lose()
}

func (g *grpcParser) lose() {
	if g.in {
		g.lost = -1
		g.message(true)
	}
	g.nhead = 0
	g.sync = waitFrame
}

func (g *grpcParser) end(orderly bool) {
	if g.b.mode == modeLoose || g.sync != synced {
		return
	}
	if g.text != nil && !g.text.whole() && orderly {
		g.b.x.breach(g.b.side, capture.BreachGRPC, "the base64 text ends inside a group of four")
	}
	if g.nhead == 0 {
		return
	}
	got, want := g.st.size, g.st.size+g.need
	if orderly {
		if g.in {
			g.b.x.breach(g.b.side, capture.BreachGRPC, "the stream ends inside a message: %d of %d bytes came", got, want)
		} else {
			g.b.x.breach(g.b.side, capture.BreachGRPC, "the stream ends inside the prefix of a message: %d of 5 bytes came", g.nhead)
		}
	}
	data := append(append([]byte(nil), g.head[:g.nhead]...), g.st.take(0)...)
	size := got + int64(g.nhead)
	g.b.x.emit(g.b.side, &capture.Frame{
		Seq: g.b.x.nextFrame(g.b.side), Form: capture.LooseData, Data: data, Size: size, WireSize: size, Lost: g.lost, Cut: true,
	})
}

// unbase64 decodes base64 that comes in pieces and may be padded in the middle:
// gRPC-Web text is a row of separately encoded parts.
type unbase64 struct {
	acc uint32
	n   int // characters of the group of four
	pad int
	in  int64
}

// decode returns fresh memory and how many characters were good.
func (u *unbase64) decode(p []byte) ([]byte, int) {
	out := make([]byte, 0, len(p)*3/4+3)
	for i, c := range p {
		u.in++
		v := base64Value(c)
		switch {
		case c == '\r' || c == '\n' || c == ' ':
			continue
		case c == '=' && u.n >= 2:
			u.pad++
			v = 0
		case v < 0 || u.pad > 0:
			return out, i
		}
		u.acc = u.acc<<6 | uint32(v)
		if u.n++; u.n == 4 {
			out = append(out, byte(u.acc>>16), byte(u.acc>>8), byte(u.acc))[:len(out)+3-u.pad]
			u.n, u.pad, u.acc = 0, 0, 0
		}
	}
	return out, len(p)
}

func (u *unbase64) whole() bool { return u.n == 0 }

func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}
