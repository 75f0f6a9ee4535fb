package pcap

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"a2ascope/capture"
)

// addr is an IP address as two words; IPv4 has the form ::ffff:a.b.c.d. It
// compares and hashes faster than netip.Addr, and every packet does both.
type addr struct{ hi, lo uint64 }

func addr4(b []byte) addr {
	return addr{0, 0xffff<<32 | uint64(binary.BigEndian.Uint32(b))}
}

func addr16(b []byte) addr {
	return addr{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

func (a addr) less(b addr) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a addr) port(p uint16) netip.AddrPort {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], a.hi)
	binary.BigEndian.PutUint64(b[8:], a.lo)
	return netip.AddrPortFrom(netip.AddrFrom16(b).Unmap(), p)
}

// flags of a TCP header, RFC 9293 section 3.1.
const (
	flagFIN = 1 << iota
	flagSYN
	flagRST
	flagPSH
	flagACK
)

// segment is the TCP segment of one packet.
type segment struct {
	src, dst     addr
	sport, dport uint16
	flags        uint8
	seq, ack     uint32
	data         []byte // captured payload
	length       int    // payload as sent; more than len(data) when the packet was cut
	at           time.Time
	mark         string // of the packet, see mark.go
}

// tcp reads a TCP header. ip is what follows the IP header, as far as it was
// captured; length is how long it was on the wire. gopacket's TCP layer is not
// used: it refuses headers whose options are damaged or cut by the snaplen,
// although payload and length are known.
func (s *segment) tcp(ip []byte, length int) bool {
	if len(ip) < 20 {
		return false
	}
	off := int(ip[12]>>4) * 4
	if off < 20 || off > length {
		return false
	}
	s.sport = binary.BigEndian.Uint16(ip)
	s.dport = binary.BigEndian.Uint16(ip[2:])
	s.seq = binary.BigEndian.Uint32(ip[4:])
	s.ack = binary.BigEndian.Uint32(ip[8:])
	s.flags = ip[13]
	s.length = length - off
	s.data = nil
	if end := min(len(ip), length); off < end {
		s.data = ip[off:end:end]
	}
	return true
}

// decoder finds the TCP segments in packets and counts everything else.
type decoder struct {
	layers  *layerParser // made when the first packet needs it
	frags   fragments
	found   int64            // TCP segments
	kinds   map[string]int64 // what the other packets were
	links   map[uint32]*seenLink
	cut     int64 // packets with missing payload
	cutAt   int64 // number of the first one
	missing int64 // payload bytes missing
}

type seenLink struct {
	first, count int64
}

func newDecoder() *decoder {
	return &decoder{kinds: map[string]int64{}, links: map[uint32]*seenLink{}}
}

// decode reads the segment of a packet and says whether there is one.
func (d *decoder) decode(p *packet, s *segment) bool {
	if !plain(p.link, p.data, s) && !d.general(p, s) {
		return false
	}
	s.at, s.mark = p.at, p.mark
	d.found++
	if lost := s.length - len(s.data); lost > 0 {
		if d.cut == 0 {
			d.cutAt = p.n
		}
		d.cut++
		d.missing += int64(lost)
	}
	return true
}

// general reads the packets that plain does not.
func (d *decoder) general(p *packet, s *segment) bool {
	if d.layers == nil {
		d.layers = newLayerParser()
	}
	first, ok := firstLayer(p.link, p.data)
	if !ok {
		l := d.links[p.link]
		if l == nil {
			l = &seenLink{first: p.n}
			d.links[p.link] = l
		}
		l.count++
		return false
	}
	kind := d.layers.segment(first, p.data, s)
	if kind == kindFragment {
		whole, proto, ok := d.frags.add(d.layers.fragment(), p)
		switch {
		case !ok:
			return false
		case proto != protoTCP:
			kind = kindOther
		default:
			f := d.layers.fragment()
			s.src, s.dst = f.src, f.dst
			kind = kindDamaged
			if s.tcp(whole, len(whole)) {
				kind = kindTCP
			}
		}
	}
	if kind != kindTCP {
		d.kinds[kind]++
	}
	return kind == kindTCP
}

// damage says what of the packets could not be read.
func (d *decoder) damage(packets int64) []capture.Damage {
	var ds []capture.Damage
	add := func(what, format string, args ...any) {
		ds = append(ds, capture.Damage{What: what, Detail: fmt.Sprintf(format, args...)})
	}
	for _, link := range slices.Sorted(maps.Keys(d.links)) {
		l := d.links[link]
		add("link-type", "link type %s is not supported: %s not read, the first is packet %d; %s",
			linkName(link), count(l.count, "packet"), l.first, linkAdvice)
	}
	if n, first := d.frags.lost(); n > 0 {
		add("fragments", "%s could not be put together again, the first is in packet %d: their TCP payload is missing", count(n, "fragmented IP packet"), first)
	}
	if d.cut > 0 {
		add("snaplen", "%s cut short by the capture program, the first is packet %d: %s of TCP payload are missing; capture whole packets (tcpdump -s 0)",
			count(d.cut, "packet"), d.cutAt, count(d.missing, "byte"))
	}
	if d.found == 0 && len(d.links) == 0 {
		if packets == 0 {
			add("no-tcp", "the capture holds no packets: check interface and filter of the capture program")
		} else {
			add("no-tcp", "no TCP segment in %s, but %s: check interface and filter of the capture program", count(packets, "packet"), d.others())
		}
	}
	return ds
}

// others lists the packets that were not TCP, most frequent first.
func (d *decoder) others() string {
	names := slices.Sorted(maps.Keys(d.kinds))
	slices.SortStableFunc(names, func(a, b string) int { return int(d.kinds[b] - d.kinds[a]) })
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%d %s", d.kinds[n], n))
	}
	if n, _ := d.frags.lost(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d fragmented", n))
	}
	return strings.Join(parts, ", ")
}

// useless is the error when no packet at all could be read because of its link
// type.
func (d *decoder) useless(name string) error {
	if d.found > 0 || len(d.kinds) > 0 || len(d.links) == 0 {
		return nil
	}
	var names []string
	for _, link := range slices.Sorted(maps.Keys(d.links)) {
		names = append(names, linkName(link))
	}
	return fmt.Errorf("%s: link type %s is not supported: %s", name, strings.Join(names, ", "), linkAdvice)
}

const linkAdvice = "capture on an Ethernet, Wi-Fi (not in monitor mode) or loopback interface, or on all of them (tcpdump -i any)"
