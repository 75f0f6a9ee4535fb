package pcap

import "time"

// fragment is a piece of a fragmented IP packet.
type fragment struct {
	src, dst addr
	id       uint32
	proto    uint8
	off      int // in the payload of the whole packet
	more     bool
	data     []byte
	length   int // as sent; more than len(data) when the packet was cut
}

// fragments puts fragmented IP packets of both versions together. It does what
// gopacket's ip4defrag does not: it knows IPv6, header options, packets cut by
// the snaplen, overlaps, and fragments that were captured twice.
type fragments struct {
	work  map[fragmentKey]*datagram
	bytes int
	bad   int64 // given up
	first int64 // packet number of the first one given up
}

type fragmentKey struct {
	src, dst addr
	id       uint32
	proto    uint8
}

// datagram is a packet being put together, or (done) one that was: late copies
// of its fragments must not begin a new one.
type datagram struct {
	parts []fragment
	bytes int
	total int // -1 until the last fragment was seen
	at    time.Time
	n     int64 // number of the first packet
	done  bool
}

// add takes a fragment; ok says that it completed its packet.
func (f *fragments) add(p fragment, pkt *packet) (whole []byte, proto uint8, ok bool) {
	key := fragmentKey{p.src, p.dst, p.id, p.proto}
	d := f.work[key]
	if d != nil && (pkt.at.Sub(d.at) > fragmentTimeout || d.done && pkt.at.Sub(d.at) > fragmentRepeat) {
		f.drop(key, d)
		d = nil
	}
	if d == nil {
		if f.work == nil {
			f.work = map[fragmentKey]*datagram{}
		}
		if len(f.work) >= maxDatagrams {
			f.expire(pkt.at)
		}
		d = &datagram{total: -1, at: pkt.at, n: pkt.n}
		f.work[key] = d
	}
	if d.done {
		return nil, 0, false
	}
	end := p.off + p.length
	if p.length <= 0 || end > 65535 || len(p.data) < p.length || len(d.parts) >= maxParts || f.bytes+p.length > maxFragmentBytes {
		f.giveUp(d)
		return nil, 0, false
	}
	// Only what no earlier fragment brought is kept.
	i := 0
	for ; i < len(d.parts) && d.parts[i].off <= p.off; i++ {
		if over := d.parts[i].off + d.parts[i].length - p.off; over > 0 {
			if over >= p.length {
				over = p.length
			}
			p.off, p.data, p.length = p.off+over, p.data[over:], p.length-over
		}
	}
	if i < len(d.parts) && p.off+p.length > d.parts[i].off {
		p.length = max(d.parts[i].off-p.off, 0)
	}
	if !p.more {
		d.total = end
	}
	if p.length > 0 {
		p.data = p.data[:p.length]
		d.parts = append(d.parts, fragment{})
		copy(d.parts[i+1:], d.parts[i:])
		d.parts[i] = p
		d.bytes += p.length
		f.bytes += p.length
	}
	if d.total < 0 || d.bytes < d.total {
		return nil, 0, false
	}
	whole = make([]byte, 0, d.bytes)
	for _, q := range d.parts {
		whole = append(whole, q.data...)
	}
	f.finish(d)
	return whole[:min(d.total, len(whole))], p.proto, true
}

// finish lets go of the parts and keeps the mark that the packet is over.
func (f *fragments) finish(d *datagram) {
	f.bytes -= d.bytes
	d.parts, d.bytes, d.done = nil, 0, true
}

func (f *fragments) giveUp(d *datagram) {
	if f.bad == 0 || d.n < f.first {
		f.first = d.n
	}
	f.bad++
	f.finish(d)
}

func (f *fragments) drop(key fragmentKey, d *datagram) {
	if !d.done {
		f.giveUp(d)
	}
	delete(f.work, key)
}

// expire makes room: all that waited too long goes, and when that is nothing,
// everything.
func (f *fragments) expire(now time.Time) {
	for key, d := range f.work {
		if d.done || now.Sub(d.at) > fragmentTimeout {
			f.drop(key, d)
		}
	}
	if len(f.work) >= maxDatagrams {
		for key, d := range f.work {
			f.drop(key, d)
		}
	}
}

// lost counts the packets that could not be put together and names the first.
func (f *fragments) lost() (n, first int64) {
	n, first = f.bad, f.first
	for _, d := range f.work {
		if d.done {
			continue
		}
		if n == 0 || d.n < first {
			first = d.n
		}
		n++
	}
	return n, first
}
