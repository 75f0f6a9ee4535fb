package pcap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// vlan puts tags between an Ethernet header and its payload.
func vlan(d []byte, tpids ...uint16) []byte {
	b := bytes.Clone(d[:12])
	for _, t := range tpids {
		b = binary.BigEndian.AppendUint16(b, t)
		b = append(b, 0, 7)
	}
	return append(b, d[12:]...)
}

func sll(etherType uint16, d []byte) []byte {
	b := make([]byte, 16, 16+len(d))
	binary.BigEndian.PutUint16(b[14:], etherType)
	return append(b, d...)
}

func udp(port uint16, d []byte) []byte {
	b := make([]byte, 8, 8+len(d))
	binary.BigEndian.PutUint16(b, 5555)
	binary.BigEndian.PutUint16(b[2:], port)
	binary.BigEndian.PutUint16(b[4:], uint16(8+len(d)))
	return append(b, d...)
}

func extension(next byte, length int) []byte {
	b := make([]byte, length)
	b[0], b[1] = next, byte(length/8-1)
	b[2], b[3] = 1, byte(length-4) // PadN
	return b
}

func frag6(next byte, off int, more byte, d []byte) []byte {
	b := []byte{next, 0, byte(off >> 8), byte(off&0xf8) | more, 0, 0, 0, 9}
	return append(b, d...)
}

// TestLinks wraps one conversation in every kind of header that is read; each
// time the same comes out. Every packet is padded as on a real wire, so the
// length must come from the IP header.
func TestLinks(t *testing.T) {
	const v4 = askText
	v6 := strings.NewReplacer("10.0.0.1:40000", "[fd00::1]:40000", "10.0.0.2:80", "[fd00::2]:80").Replace(askText)
	in4 := func(p pkt) []byte { return ipv4(p.from, protoTCP, tcpBytes(p)) }
	in6 := func(p pkt) []byte { return ipv6(p.from, protoTCP, tcpBytes(p)) }
	outer := func(proto byte, d []byte) []byte { return ether(etherIPv4, ipv4('c', proto, d)) }
	for _, c := range []struct {
		name  string
		link  uint32
		wrap  func(p pkt) []byte
		want  string
		plain bool // without gopacket
	}{
		{"Ethernet", linkEthernet, pkt.ethernet, v4, true},
		{"802.1Q", linkEthernet, func(p pkt) []byte { return vlan(p.ethernet(), 0x8100) }, v4, true},
		{"QinQ", linkEthernet, func(p pkt) []byte { return vlan(p.ethernet(), 0x88a8, 0x8100) }, v4, true},
		{"three tags", linkEthernet, func(p pkt) []byte { return vlan(p.ethernet(), 0x9100, 0x8100, 0x8100) }, v4, true},
		{"IPv6", linkEthernet, func(p pkt) []byte { return ether(etherIPv6, in6(p)) }, v6, true},
		{"SLL", linkSLL, func(p pkt) []byte { return sll(etherIPv4, in4(p)) }, v4, true},
		{"SLL2", linkSLL2, func(p pkt) []byte { return sll2(etherIPv4, in4(p)) }, v4, true},
		{"SLL2 IPv6", linkSLL2, func(p pkt) []byte { return sll2(etherIPv6, in6(p)) }, v6, true},
		{"raw", linkRaw, in4, v4, true},
		{"raw 12", linkRawBSD, in6, v6, true},
		{"raw 14", linkRawOpen, in4, v4, true},
		{"raw 228", linkIPv4, in4, v4, true},
		{"raw 229", linkIPv6, in6, v6, true},
		{"NULL little-endian", linkNull, func(p pkt) []byte { return join([]byte{2, 0, 0, 0}, in4(p)) }, v4, false},
		{"NULL big-endian", linkNull, func(p pkt) []byte { return join([]byte{0, 0, 0, 2}, in4(p)) }, v4, false},
		{"NULL IPv6 macOS", linkNull, func(p pkt) []byte { return join([]byte{30, 0, 0, 0}, in6(p)) }, v6, false},
		{"NULL IPv6 FreeBSD", linkNull, func(p pkt) []byte { return join([]byte{28, 0, 0, 0}, in6(p)) }, v6, false},
		{"LOOP IPv6 OpenBSD", linkLoop, func(p pkt) []byte { return join([]byte{0, 0, 0, 24}, in6(p)) }, v6, false},
		{"IPv4 options", linkEthernet, func(p pkt) []byte {
			d := in4(p)
			d = slices.Insert(d, 20, 1, 1, 1, 0)
			d[0] = 0x46
			binary.BigEndian.PutUint16(d[2:], binary.BigEndian.Uint16(d[2:])+4)
			return ether(etherIPv4, d)
		}, v4, true},
		{"damaged IPv4 and TCP options", linkEthernet, func(p pkt) []byte {
			d := slices.Insert(tcpBytes(p), 20, 99, 99, 99, 99)
			d[12] += 1 << 4
			d = slices.Insert(ipv4(p.from, protoTCP, d), 20, 99, 99, 99, 99)
			d[0] = 0x46
			binary.BigEndian.PutUint16(d[2:], binary.BigEndian.Uint16(d[2:])+4)
			return ether(etherIPv4, d)
		}, v4, true},
		{"hop-by-hop", linkEthernet, func(p pkt) []byte {
			return ether(etherIPv6, ipv6(p.from, 0, join(extension(protoTCP, 8), tcpBytes(p))))
		}, v6, false},
		{"hop-by-hop, destination, routing, destination", linkRaw, func(p pkt) []byte {
			return ipv6(p.from, 0, join(extension(60, 16), extension(43, 8), extension(60, 24), extension(protoTCP, 8), tcpBytes(p)))
		}, v6, false},
		{"atomic fragment", linkEthernet, func(p pkt) []byte {
			return ether(etherIPv6, ipv6(p.from, 44, frag6(protoTCP, 0, 0, tcpBytes(p))))
		}, v6, false},
		{"GRE", linkEthernet, func(p pkt) []byte { return outer(47, join([]byte{0, 0, 8, 0}, in4(p))) }, v4, false},
		{"IP in IP", linkEthernet, func(p pkt) []byte { return outer(4, in4(p)) }, v4, false},
		{"IPv6 in IPv4", linkEthernet, func(p pkt) []byte { return outer(41, in6(p)) }, v6, false},
		{"VXLAN", linkEthernet, func(p pkt) []byte {
			return outer(17, udp(4789, join([]byte{8, 0, 0, 0, 0, 0, 7, 0}, p.ethernet())))
		}, v4, false},
		{"VLAN and VXLAN and VLAN", linkEthernet, func(p pkt) []byte {
			return vlan(outer(17, udp(4789, join([]byte{8, 0, 0, 0, 0, 0, 7, 0}, vlan(p.ethernet(), 0x8100)))), 0x8100)
		}, v4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rs []raw
			for _, p := range ask {
				d := append(c.wrap(p), make([]byte, 11)...)
				rs = append(rs, raw{at: start, data: d})
				var s segment
				if plain(c.link, d, &s) != c.plain {
					t.Errorf("plain: %v", !c.plain)
				}
			}
			g, sum, err := run(t, file(c.link, rs...))
			if err != nil || len(sum.Damage) > 0 {
				t.Errorf("%+v %v", sum, err)
			}
			want(t, text(g.chunks), c.want)
		})
	}
}

// TestSnaplenEverywhere cuts a packet at every byte: the lengths stay right as
// long as 20 bytes of TCP header are there, also when options are cut.
func TestSnaplenEverywhere(t *testing.T) {
	withOptions := func(p pkt) []byte {
		d := slices.Insert(tcpBytes(p), 20, 1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0)
		d[12] = 8 << 4
		return d
	}
	for _, v6 := range []bool{false, true} {
		d := ether(etherIPv4, ipv4('c', protoTCP, withOptions(ask[3])))
		ip := 14 + 20
		if v6 {
			d = ether(etherIPv6, ipv6('c', protoTCP, withOptions(ask[3])))
			ip = 14 + 40
		}
		for n := range len(d) + 1 {
			var s segment
			dec := newDecoder()
			ok := dec.decode(&packet{link: linkEthernet, data: d[:n:n], n: 1}, &s)
			if ok != (n >= ip+20) {
				t.Fatalf("%d bytes: found %v", n, ok)
			}
			if ok && (s.length != 3 || len(s.data) != max(0, n-ip-32) || s.sport != 40000) {
				t.Fatalf("%d bytes: %+v", n, s)
			}
		}
	}
}

// TestOffload reads packets that the network card was still to cut: their IP
// length is 0, and may be more than 64 KiB.
func TestOffload(t *testing.T) {
	big := strings.Repeat("x", 100_000)
	for _, v6 := range []bool{false, true} {
		p := pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: big}
		d := ether(etherIPv4, ipv4('c', protoTCP, tcpBytes(p)))
		copy(d[16:], []byte{0, 0})
		if v6 {
			d = ether(etherIPv6, ipv6('c', protoTCP, tcpBytes(p)))
			copy(d[18:], []byte{0, 0})
		}
		var s segment
		if !newDecoder().decode(&packet{link: linkEthernet, data: d}, &s) || s.length != len(big) || string(s.data) != big {
			t.Errorf("IPv6 %v: %d of %d bytes", v6, len(s.data), s.length)
		}
	}
}

// fragments4 cuts an IPv4 packet into fragments of n bytes.
func fragments4(p pkt, n int) (out [][]byte) {
	d := tcpBytes(p)
	for off := 0; off < len(d); off += n {
		end := min(off+n, len(d))
		f := ipv4(p.from, protoTCP, d[off:end])
		binary.BigEndian.PutUint16(f[4:], uint16(p.seq)*100+uint16(len(d)))
		v := uint16(off / 8)
		if end < len(d) {
			v |= 0x2000
		}
		binary.BigEndian.PutUint16(f[6:], v)
		out = append(out, ether(etherIPv4, f))
	}
	return out
}

func fragments6(p pkt, n int) (out [][]byte) {
	d := tcpBytes(p)
	for off := 0; off < len(d); off += n {
		end := min(off+n, len(d))
		var more byte
		if end < len(d) {
			more = 1
		}
		f := frag6(protoTCP, off, more, d[off:end])
		binary.BigEndian.PutUint32(f[4:], p.seq*100+uint32(len(d)))
		out = append(out, ether(etherIPv6, ipv6(p.from, 44, f)))
	}
	return out
}

func TestFragments(t *testing.T) {
	long := after(
		pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "a question of some length, cut into pieces"},
		pkt{from: 's', flags: "PA", seq: 1, ack: 43, data: "an answer of some length, cut too"})
	const wantText = `1 client opened 10.0.0.1:40000>10.0.0.2:80
		1 client bytes "a question of some length, cut into pieces"
		1 server bytes "an answer of some length, cut too"
		1 client closed "capture ended"`
	for name, change := range map[string]func([][]byte) [][]byte{
		"in order": func(f [][]byte) [][]byte { return f },
		"reversed": func(f [][]byte) [][]byte { slices.Reverse(f); return f },
		"twice":    func(f [][]byte) [][]byte { return append(f, f...) },
		"each twice": func(f [][]byte) (o [][]byte) {
			for _, d := range f {
				o = append(o, d, d)
			}
			return o
		},
		"more than the wire has": func(f [][]byte) (o [][]byte) {
			for _, d := range f {
				o = append(o, append(d, make([]byte, 20)...))
			}
			return o
		},
	} {
		for version, cut := range map[string]func(pkt, int) [][]byte{"IPv4": fragments4, "IPv6": fragments6} {
			t.Run(version+" "+name, func(t *testing.T) {
				var rs []raw
				for _, p := range long {
					for _, d := range change(cut(p, 16)) {
						rs = append(rs, raw{at: start, data: d})
					}
				}
				g, sum, err := run(t, file(linkEthernet, rs...))
				if err != nil || len(sum.Damage) > 0 {
					t.Errorf("%+v %v", sum, err)
				}
				w := wantText
				if version == "IPv6" {
					w = strings.NewReplacer("10.0.0.1:40000", "[fd00::1]:40000", "10.0.0.2:80", "[fd00::2]:80").Replace(w)
				}
				want(t, text(g.chunks), w)
			})
		}
	}
	t.Run("overlap", func(t *testing.T) {
		var rs []raw
		for _, p := range long {
			a, b := fragments4(p, 16), fragments4(p, 24)
			for _, d := range [][]byte{a[0], b[0], b[len(b)-1], a[len(a)-1]} {
				rs = append(rs, raw{at: start, data: d})
			}
			for _, d := range append(a[1:], b...) {
				rs = append(rs, raw{at: start, data: d})
			}
		}
		g, _, _ := run(t, file(linkEthernet, rs...))
		want(t, text(g.chunks), wantText)
	})
	t.Run("one missing, one cut", func(t *testing.T) {
		var rs []raw
		for _, p := range hello {
			rs = append(rs, raw{at: start, data: p.ethernet()})
		}
		f := fragments4(long[3], 16)
		for _, d := range slices.Delete(f, 1, 2) {
			rs = append(rs, raw{at: start, data: d})
		}
		f = fragments4(long[4], 16)
		f[1] = f[1][:40]
		for _, d := range f {
			rs = append(rs, raw{at: start, data: d})
		}
		_, sum, _ := run(t, file(linkEthernet, rs...))
		want(t, damage(sum), "fragments: 2 fragmented IP packets could not be put together again, the first is in packet 4: their TCP payload is missing")
	})
	t.Run("bounded", func(t *testing.T) {
		var f fragments
		for i := range 3 * maxDatagrams {
			f.add(fragment{id: uint32(i), more: true, length: 8000, data: make([]byte, 8000)}, &packet{at: start, n: int64(i)})
			if len(f.work) > maxDatagrams || f.bytes > maxFragmentBytes {
				t.Fatalf("%d datagrams, %d bytes", len(f.work), f.bytes)
			}
		}
		if n, first := f.lost(); n != 3*maxDatagrams || first != 0 {
			t.Errorf("%d lost, first %d", n, first)
		}
		f.add(fragment{id: 1, more: true, length: 8, data: make([]byte, 8)}, &packet{at: start.Add(time.Hour), n: 9})
	})
}

func TestNoTCP(t *testing.T) {
	arp := ether(0x0806, make([]byte, 28))
	dns := ether(etherIPv4, ipv4('c', 17, udp(53, make([]byte, 30))))
	ping := ether(etherIPv4, ipv4('c', 1, make([]byte, 30)))
	var rs []raw
	for _, d := range [][]byte{arp, dns, dns, dns, ping, ping, ether(etherIPv4, []byte{0x45})} {
		rs = append(rs, raw{at: start, data: d})
	}
	_, sum, err := run(t, file(linkEthernet, rs...))
	if err != nil {
		t.Error(err)
	}
	want(t, damage(sum), "no-tcp: no TCP segment in 7 packets, but 3 UDP, 2 ICMPv4, 1 ARP, 1 damaged or cut before the TCP header: check interface and filter of the capture program")

	_, sum, err = run(t, file(linkEthernet))
	if err != nil || len(sum.Damage) != 1 || sum.Damage[0] != (capture.Damage{What: "no-tcp", Detail: "the capture holds no packets: check interface and filter of the capture program"}) {
		t.Errorf("%v %v", sum, err)
	}
}

func TestUnknownLink(t *testing.T) {
	_, sum, err := run(t, file(147, raw{at: start, data: make([]byte, 50)}))
	if err == nil || !strings.HasPrefix(err.Error(), "test: link type 147 (USER0) is not supported: capture on an Ethernet") {
		t.Errorf("%v", err)
	}
	if len(sum.Damage) != 1 || sum.Damage[0].What != "link-type" {
		t.Errorf("%v", sum.Damage)
	}
	n := (&ng{order: binary.LittleEndian}).section().iface(127, 0).iface(linkEthernet, 0)
	for _, p := range ask {
		n.enhanced(0, 0, make([]byte, 40)).enhanced(1, 0, p.ethernet())
	}
	g, sum, err := run(t, n.b)
	if err != nil {
		t.Error(err)
	}
	want(t, text(g.chunks), askText)
	if !strings.HasPrefix(damage(sum), "link-type: link type 127 (IEEE 802.11 with radiotap, a monitor mode capture) is not supported: 5 packets not read, the first is packet 1;") {
		t.Errorf("%s", damage(sum))
	}
}
