package pcap

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/capture"
)

const (
	// maxComment bounds one comment; an option holds 65535 bytes.
	maxComment = 4 << 10

	// Payload of a packet that fits into Ethernet with the usual TCP options.
	payload4 = 1448
	payload6 = 1428

	// ackEvery is after how many bytes the receiver acknowledges, so that
	// readers do not think the window is full.
	ackEvery = 1 << 20

	// unknownGap stands for a number of missing bytes that is not known: TCP
	// has to skip something. A gap of exactly this size is said to be one, so
	// that a file that is read and written again stays the same.
	unknownGap = 1 << 16

	// maxSkip is the largest hole that is written as such: readers take much
	// larger steps of the sequence number for damage.
	maxSkip = maxJump / 2
)

// Writer writes connections as a pcapng file: packets are made up around the
// bytes of the chunks, so that this program, Wireshark and others can read
// them. Chunks of different connections may be mixed; those of one come in
// order. The first error stays and is returned by every later call.
//
// A Writer writes what it is given: secrets have to be masked before.
type Writer struct {
	w     *bufio.Writer
	err   error
	block []byte
	conns map[capture.ConnID]*written
	ends  map[[2]netip.AddrPort]*written // who uses a pair of addresses
	count uint32
}

// NewWriter writes the beginning of a file. Close ends it. about is said of the
// whole file, to those who open it with another program.
func NewWriter(w io.Writer, about string) *Writer {
	p := &Writer{w: bufio.NewWriterSize(w, 64<<10), conns: map[capture.ConnID]*written{}, ends: map[[2]netip.AddrPort]*written{}}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0x1a2b3c4d)
	b = append(b, 1, 0, 0, 0)                     // version 1.0
	b = le.AppendUint64(b, math.MaxUint64)        // length of the section: not known
	b = option(b, 1, []byte(about))               // opt_comment
	b = option(b, 4, []byte(ownName))             // shb_userappl
	p.put(blockSection, append(b, 0, 0, 0, 0))    // opt_endofopt
	b = []byte{linkEthernet, 0, 0, 0, 0, 0, 0, 0} // packets of any length
	b = option(b, 2, []byte("a2ascope"))          // if_name
	b = option(b, 9, []byte{9})                   // if_tsresol: nanoseconds
	p.put(blockInterface, append(b, 0, 0, 0, 0))
	return p
}

// put writes a block. A block is padded to 32 bits.
func (p *Writer) put(kind uint32, body []byte) {
	if p.err != nil {
		return
	}
	pad := -len(body) & 3
	size := uint32(12 + len(body) + pad)
	le := binary.LittleEndian
	head := le.AppendUint32(le.AppendUint32(make([]byte, 0, 8), kind), size)
	tail := le.AppendUint32(make([]byte, pad, 8), size)
	for _, b := range [][]byte{head, body, tail} {
		if _, err := p.w.Write(b); err != nil {
			p.err = err
			return
		}
	}
}

func option(b []byte, code uint16, v []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(v)))
	b = append(b, v...)
	return append(b, make([]byte, -len(v)&3)...)
}

// packet writes one packet with its comments (opt_comment).
func (p *Writer) packet(at time.Time, data []byte, comments []string) {
	var ts uint64
	if s := at.Unix(); s > 0 && s < math.MaxInt64/1_000_000_000 { // else there is no time, or none that fits
		ts = uint64(at.UnixNano())
	}
	le := binary.LittleEndian
	b := append(p.block[:0], 0, 0, 0, 0) // the only interface
	b = le.AppendUint32(b, uint32(ts>>32))
	b = le.AppendUint32(b, uint32(ts))
	b = le.AppendUint32(b, uint32(len(data)))
	b = le.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	if len(comments) > 0 {
		b = append(b, make([]byte, -len(data)&3)...)
		for _, c := range comments {
			b = option(b, 1, []byte(clip(c)))
		}
		b = append(b, 0, 0, 0, 0)
	}
	p.put(blockEnhanced, b)
	p.block = b[:0]
}

// clip makes a comment out of any text: UTF-8, without the byte that ends a
// string, no longer than it may be.
func clip(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= maxComment {
		return s
	}
	n := maxComment
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Chunk writes what happened on a connection. The comments go to the last
// packet of it, or, when it needs none, to the next packet of the connection.
func (p *Writer) Chunk(ch *capture.Chunk, comments ...string) error {
	if p.err != nil {
		return p.err
	}
	c := p.conns[ch.Conn]
	if c == nil {
		c = p.begin(ch)
	} else if ch.Kind == capture.Opened {
		return p.err // it was told already
	}
	c.notes = append(c.notes, comments...)
	switch ch.Kind {
	case capture.Opened:
	case capture.Secured:
		c.notes = append(c.notes, markSecured(ch.Link))
	case capture.Bytes:
		c.answered(ch.At)
		c.bytes(ch)
	case capture.Gap:
		c.answered(ch.At)
		c.gap(ch)
	case capture.HalfClosed:
		c.answered(ch.At)
		c.fin(ch.From, ch.At)
	case capture.Noted:
		switch {
		case ch.Note == nil:
		case ch.Nth != 0:
			c.notes = append(c.notes, MarkNote(int(ch.Nth), *ch.Note))
		default:
			c.notes = append(c.notes, markTap(ch))
		}
	case capture.Summarized:
		c.notes = append(c.notes, markWithout(ch.Info, ch.Link))
	case capture.Closed:
		c.closed(ch)
		delete(p.conns, ch.Conn)
		if p.ends[c.pair()] == c {
			delete(p.ends, c.pair())
		}
	}
	return p.err
}

// Chunks writes chunks without comments.
func (p *Writer) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		if err := p.Chunk(&cs[i]); err != nil {
			return err
		}
	}
	return p.err
}

// Flush brings what was written to the writer below.
func (p *Writer) Flush() error {
	if err := p.w.Flush(); p.err == nil {
		p.err = err
	}
	return p.err
}

// Close writes what is buffered; it does not close the writer below.
// Connections that are open stay open in the file.
func (p *Writer) Close() error {
	for _, id := range slices.Sorted(maps.Keys(p.conns)) {
		c := p.conns[id]
		c.answered(c.opened)
	}
	if p.Flush() != nil {
		return fmt.Errorf("write pcapng: %w", p.err)
	}
	return nil
}
