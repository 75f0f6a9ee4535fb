package pcap

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"a2ascope/capture"
)

// written is a connection in a file that is being written.
type written struct {
	w      *Writer
	end    [2]netip.AddrPort // by capture.Side
	v6     bool
	opened time.Time
	syn    bool      // the SYN is written and its answer is not
	seq    [2]uint32 // of the next byte of each side
	acked  [2]uint32 // what the other side has acknowledged of it
	ended  [2]bool   // its FIN is written
	id     [2]uint16 // of its next IPv4 packet
	notes  []string  // comments for the next packet
	packet []byte
}

// begin starts a connection with its first chunk. When that is no Opened, or
// one of a connection that was under way, there is no handshake.
func (p *Writer) begin(ch *capture.Chunk) *written {
	p.count++
	c := &written{w: p, opened: ch.At}
	var l capture.Link
	if ch.Link != nil {
		l = *ch.Link
	}
	c.end = [2]netip.AddrPort{l.Client, l.Server}
	// Addresses reserved for documentation (RFC 5737) where none are known.
	var madeUp [2]bool
	for side, unknown := range [2]string{"192.0.2.1", "192.0.2.2"} {
		a := &c.end[side]
		if madeUp[side] = !a.Addr().IsValid(); madeUp[side] {
			port := uint16(80)
			if side == int(capture.Client) {
				port = uint16(32768 + p.count%28232)
			}
			if a.Port() != 0 {
				port = a.Port()
			}
			*a = netip.AddrPortFrom(netip.MustParseAddr(unknown), port)
		}
		*a = netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
	}
	c.v6 = c.end[0].Addr().Is6() || c.end[1].Addr().Is6()
	p.apart(c)
	for side, yes := range madeUp {
		if yes {
			c.notes = append(c.notes, markMadeUp(capture.Side(side), c.end[side]))
		}
	}
	p.ends[c.pair()] = c
	p.conns[ch.Conn] = c
	// Numbers differ between connections, so that the same two ends may meet
	// again; they start low enough that short ones do not wrap.
	c.seq = [2]uint32{p.count * 0x9e3779b1 >> 4, p.count * 0x85ebca6b >> 4}
	c.acked = c.seq
	if ch.Kind == capture.Opened && !l.Midstream {
		c.send(capture.Client, flagSYN, nil, ch.At)
		c.seq[capture.Client]++
		c.syn = true
	}
	return c
}

// apart gives the connection another client port when the pair of addresses is
// in use, as happens with connections whose addresses are not known.
func (p *Writer) apart(c *written) {
	was := c.end[capture.Client].Port()
	port := was
	for range 1 << 16 {
		if p.ends[c.pair()] == nil {
			break
		}
		if port++; port == 0 {
			port = 1024
		}
		c.end[capture.Client] = netip.AddrPortFrom(c.end[capture.Client].Addr(), port)
	}
	if port != was {
		c.notes = append(c.notes, fmt.Sprintf("the client's port was recorded as %d, which another connection has at this time", was))
	}
}

func (c *written) pair() [2]netip.AddrPort { return c.end }

// answered writes the rest of the handshake. It waits for what comes next:
// a server that never answers must not seem to have done so.
func (c *written) answered(at time.Time) {
	if !c.syn {
		return
	}
	c.syn = false
	notes := c.notes // are about what follows
	c.notes = nil
	c.send(capture.Server, flagSYN|flagACK, nil, at)
	c.seq[capture.Server]++
	c.send(capture.Client, flagACK, nil, at)
	c.notes = notes
}

func (c *written) bytes(ch *capture.Chunk) {
	room := payload4
	if c.v6 {
		room = payload6
	}
	notes := c.notes
	c.notes = nil
	for b := ch.Data; len(b) > 0; {
		n := min(room, len(b))
		if n == len(b) {
			c.notes = notes
		}
		c.send(ch.From, flagACK|flagPSH, b[:n], ch.At)
		b = b[n:]
		if c.seq[ch.From]-c.acked[ch.From] >= ackEvery {
			c.send(ch.From.Other(), flagACK, nil, ch.At)
		}
	}
	if len(ch.Data) == 0 {
		c.notes = notes
	}
}

// gap leaves numbers out and has the other side acknowledge them: that is how
// bytes look that were sent and not captured.
func (c *written) gap(ch *capture.Chunk) {
	n := ch.Lost
	switch {
	case n == 0:
		return
	case n < 0 || n == unknownGap:
		n = unknownGap
		c.notes = append(c.notes, fmt.Sprintf("an unknown number of bytes from the %s is missing here; written as %d", ch.From, n))
	case n > maxSkip:
		c.notes = append(c.notes, fmt.Sprintf("%d bytes from the %s are missing here; written as %d", n, ch.From, maxSkip))
		n = maxSkip
	default:
		c.notes = append(c.notes, fmt.Sprintf("%s from the %s missing here", count(n, "byte"), ch.From))
	}
	c.seq[ch.From] += uint32(n)
	c.send(ch.From.Other(), flagACK, nil, ch.At)
}

func (c *written) fin(from capture.Side, at time.Time) {
	if c.ended[from] {
		return
	}
	c.send(from, flagFIN|flagACK, nil, at)
	c.seq[from]++
	c.ended[from] = true
	c.send(from.Other(), flagACK, nil, at)
}

func (c *written) closed(ch *capture.Chunk) {
	switch ch.Err {
	case NoAnswer:
		c.syn = false
	case Refused:
		c.syn = false
		c.send(capture.Server, flagRST|flagACK, nil, ch.At)
	case Ended, Replaced, Evicted:
		c.answered(ch.At)
	case "":
		c.answered(ch.At)
		c.fin(ch.From, ch.At)
		c.fin(ch.From.Other(), ch.At)
	default:
		c.answered(ch.At)
		if ch.Err != Reset {
			c.notes = append(c.notes, ch.Err)
		}
		c.send(ch.From, flagRST|flagACK, nil, ch.At)
	}
	if len(c.notes) == 0 {
		return
	}
	// Comments that came after the last packet go to one that says nothing new.
	if ch.Err == NoAnswer {
		c.seq[capture.Client]--
		c.send(capture.Client, flagSYN, nil, ch.At)
		return
	}
	c.send(ch.From, flagACK, nil, ch.At)
}

// send writes one packet of a side.
func (c *written) send(from capture.Side, flags byte, data []byte, at time.Time) {
	to := from.Other()
	be := binary.BigEndian
	b := append(c.packet[:0], 2, 0, 0, 0, 0, byte(1+to), 2, 0, 0, 0, 0, byte(1+from)) // locally administered addresses
	var options []byte
	if flags&flagSYN != 0 {
		// MSS, and the largest window scale (RFC 7323 section 2.3): what is in flight is not known.
		options = []byte{2, 4, 1460 >> 8, 1460 & 255, 1, 3, 3, 14}
		if c.v6 {
			options[3] = 1440 & 255
		}
	}
	size := 20 + len(options) + len(data)
	src, dst := c.end[from].Addr(), c.end[to].Addr()
	var sum uint32
	if c.v6 {
		s, d := src.As16(), dst.As16()
		b = be.AppendUint16(b, etherIPv6)
		b = be.AppendUint32(b, 6<<28)
		b = be.AppendUint16(b, uint16(size))
		b = append(b, protoTCP, 64)
		b = append(append(b, s[:]...), d[:]...)
		sum = sum16(sum16(0, s[:]), d[:])
	} else {
		s, d := src.As4(), dst.As4()
		b = be.AppendUint16(b, etherIPv4)
		ip := len(b)
		b = append(b, 0x45, 0)
		b = be.AppendUint16(b, uint16(20+size))
		b = be.AppendUint16(b, c.id[from])
		b = append(b, 0x40, 0, 64, protoTCP, 0, 0) // do not fragment
		b = append(append(b, s[:]...), d[:]...)
		be.PutUint16(b[ip+10:], fold(sum16(0, b[ip:])))
		c.id[from]++
		sum = sum16(sum16(0, s[:]), d[:])
	}
	tcp := len(b)
	b = be.AppendUint16(b, c.end[from].Port())
	b = be.AppendUint16(b, c.end[to].Port())
	b = be.AppendUint32(b, c.seq[from])
	var ack uint32
	if flags&flagACK != 0 {
		ack = c.seq[to]
		c.acked[to] = ack
	}
	b = be.AppendUint32(b, ack)
	b = append(b, byte(5+len(options)/4)<<4, flags, 0xff, 0xff, 0, 0, 0, 0)
	b = append(append(b, options...), data...)
	be.PutUint16(b[tcp+16:], fold(sum16(sum+protoTCP+uint32(size), b[tcp:])))
	c.seq[from] += uint32(len(data))
	c.w.packet(at, b, c.notes)
	c.packet, c.notes = b[:0], nil
}

// sum16 adds up 16-bit words (RFC 1071). A packet is too short for it to overflow.
func sum16(sum uint32, b []byte) uint32 {
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	return sum
}

func fold(sum uint32) uint16 {
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
