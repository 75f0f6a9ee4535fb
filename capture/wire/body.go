package wire

import (
	"strings"

	"a2ascope/capture"
)

// body turns the content of one message into frames. The framings write the
// content as it arrives, without chunk sizes or padding.
type body struct {
	x           *exchange
	side        capture.Side
	mode        mode
	size        int64 // content as sent, lost bytes included
	lost        int64 // -1: unknown how many
	codings     []string
	coding      string     // the codings as the head names them
	dec         unwrapper  // streams only: a whole body is decoded at its end
	broken      bool       // the stream cannot be decoded any further
	st          store      // whole, sniffing, loose
	events      *sseParser // sse
	msgs        *grpcParser
	grpcEnc     string
	sniffedHead bool // the head did not say what the body is
}

type mode uint8

const (
	modeWhole mode = iota
	modeSniff      // the head does not say (HPACK entry from before the capture)
	modeSSE
	modeGRPC
	modeLoose // gRPC, behind a breach that ends all framing
)

// start prepares for the body that follows head; a nil head means that it was not seen.
func (b *body) start(x *exchange, side capture.Side, head *capture.Head, transfer []string) {
	*b = body{x: x, side: side, st: store{c: x.c, max: x.c.lim.Body}}
	if head == nil {
		b.mode = modeSniff
		return
	}
	if ce, ok := head.Fields.Lookup("content-encoding"); ok {
		if more := head.Fields.Values("content-encoding"); len(more) > 1 {
			ce = strings.Join(more, ", ")
		}
		b.codings = codingsOf(ce)
	}
	if len(transfer) > 0 {
		b.codings = append(b.codings, transfer...)
	}
	b.coding = strings.Join(b.codings, ", ")
	switch ct := head.MediaType(); {
	case strings.HasPrefix(ct, "application/grpc"):
		b.grpcEnc, _ = head.Fields.Lookup("grpc-encoding")
		b.setGRPC(strings.HasPrefix(ct, "application/grpc-web"), strings.HasPrefix(ct, "application/grpc-web-text"))
	case ct == "text/event-stream" && side == capture.Server:
		b.setSSE()
	case ct == "" && head.Torn:
		b.mode = modeSniff
	}
	if len(b.codings) > 0 && b.mode != modeWhole {
		b.openCoding()
	}
}

func (b *body) setSSE() {
	b.mode = modeSSE
	b.events = &sseParser{b: b, raw: store{c: b.x.c, max: b.x.c.lim.Event}, lineOff: -1}
}

func (b *body) setGRPC(web, text bool) {
	b.mode = modeGRPC
	b.msgs = &grpcParser{b: b, web: web, st: store{c: b.x.c, max: b.x.c.lim.Message}}
	if text {
		b.msgs.text = &unbase64{}
	}
}

// openCoding prepares to decode a stream as it arrives.
func (b *body) openCoding() {
	dec, err := b.x.c.unwrap(b.codings, false)
	if err != nil {
		b.codingBroke(err)
		return
	}
	b.dec = dec
}

func (b *body) codingBroke(err error) {
	code, text := capture.BreachCoding, "the stream says it is coded as %s: %v"
	if err == errBomb {
		code, text = capture.BreachTooLarge, "decoding the %s stream stopped: %v"
	}
	if b.lost == 0 {
		b.x.breach(b.side, code, text, b.coding, err)
	}
	b.broken = true
}

// write takes the next bytes of the content, which must not change any more.
func (b *body) write(p []byte) {
	if len(p) == 0 || b.x == nil {
		return
	}
	b.size += int64(len(p))
	switch {
	case b.dec != nil && !b.broken:
		if err := b.dec.push(p, func(q []byte) error { b.units(q); return nil }); err != nil {
			b.codingBroke(err)
		}
	case b.broken:
		// What follows cannot be decoded. It is counted, so that the cut does not matter.
	default:
		b.units(p)
	}
}

func (b *body) units(p []byte) {
	switch b.mode {
	case modeWhole:
		b.st.add(p)
	case modeSniff:
		b.sniff(p)
	case modeSSE:
		b.events.write(p)
	case modeGRPC:
		b.msgs.write(p)
	case modeLoose:
		b.msgs.write(p) // text is decoded on
	}
}

// loose keeps bytes that belong to no unit; they become one frame at the end.
func (b *body) loose(p []byte) {
	if b.st.held == 0 {
		b.st.max = b.x.c.lim.Loose
	}
	b.st.add(p)
}

// sniff waits for as many bytes as tell the kinds apart.
func (b *body) sniff(p []byte) {
	n := min(sniffLen-b.st.size, int64(len(p)))
	b.st.add(p[:n])
	if b.st.size < sniffLen {
		return
	}
	b.sniffed(p[n:])
}

const sniffLen = 6

func (b *body) sniffed(rest []byte) {
	b.sniffedHead = true
	first := b.st.take(b.x.c.lim.Body)
	b.mode = modeWhole
	switch {
	// Text never begins with 0 or 1; 16 MiB is more than a message may have.
	case len(first) >= 5 && first[0] <= 1 && first[1] == 0:
		b.setGRPC(false, false)
	case b.side == capture.Server && looksLikeSSE(first):
		b.setSSE()
	}
	b.units(first)
	if len(rest) > 0 {
		b.units(rest)
	}
}

// boundary says that an HTTP/2 DATA frame begins: where senders begin messages.
func (b *body) boundary() {
	if b.msgs != nil {
		b.msgs.boundary()
	}
}

// gap says that the capture misses n bytes of the content; -1: unknown how many.
func (b *body) gap(n int64) {
	if b.x == nil {
		return
	}
	if n < 0 || b.lost < 0 {
		b.lost = -1
	} else {
		b.lost += n
		b.size += n
	}
	b.unitsGap(n)
	// What follows in a coded stream cannot be decoded.
	b.broken = b.broken || b.dec != nil
}

func (b *body) unitsGap(n int64) {
	switch b.mode {
	case modeSniff:
		b.sniffed(nil)
		b.unitsGap(n)
	case modeSSE:
		b.events.gap(n)
	case modeGRPC:
		b.msgs.gap(n)
	}
}

// end says that the content is over. orderly is false when the stream, the
// connection or the capture stopped inside.
func (b *body) end(orderly bool) {
	x := b.x
	if x == nil {
		return
	}
	if b.dec != nil {
		err := b.dec.end(func(q []byte) error {
			if !b.broken {
				b.units(q)
			}
			return nil
		})
		if err != nil && orderly && !b.broken {
			b.codingBroke(err)
		}
	}
	if b.mode == modeSniff {
		b.sniffed(nil)
	}
	switch b.mode {
	case modeWhole:
		b.whole(orderly)
	case modeSSE:
		b.events.end(orderly)
		b.flushLoose(!orderly)
	case modeGRPC:
		b.msgs.end(orderly)
		b.flushLoose(!orderly)
	case modeLoose:
		b.flushLoose(!orderly)
	}
	b.x = nil
}

// whole emits the one frame of a body that is one unit.
func (b *body) whole(orderly bool) {
	kept, size := b.st.cut(), b.size
	if size == 0 && b.lost == 0 {
		b.st.take(0)
		return
	}
	f := &capture.Frame{
		Seq: b.x.nextFrame(b.side), Form: capture.WholeBody, Data: b.st.take(0),
		Size: size, WireSize: size, Lost: b.lost, Cut: !orderly,
	}
	if kept {
		b.x.breach(b.side, capture.BreachTooLarge, "%d of %d bytes of the body were kept", len(f.Data), size)
	}
	if len(b.codings) > 0 {
		b.x.uncode(b.side, f, b.codings, b.coding, b.x.c.lim.Body, kept || !orderly || b.lost != 0)
	}
	b.x.emit(b.side, f)
}

func (b *body) flushLoose(cut bool) {
	if b.st.size == 0 {
		return
	}
	size := b.st.size
	b.x.emit(b.side, &capture.Frame{
		Seq: b.x.nextFrame(b.side), Form: capture.LooseData, Data: b.st.take(0), Size: size, WireSize: size, Cut: cut,
	})
}
