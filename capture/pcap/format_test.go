package pcap

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

var ask = after(
	pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask", ms: 3},
	pkt{from: 's', flags: "PA", seq: 1, ack: 4, data: "answer", ms: 4})

const askText = `1 client opened 10.0.0.1:40000>10.0.0.2:80
	1 client bytes "ask"
	1 server bytes "answer"
	1 client closed "capture ended"`

// TestClassic reads every flavour of pcap: byte order, clock, record header.
func TestClassic(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{magicMicro, magicNano, magicModified} {
			t.Run(fmt.Sprintf("%s %x", order, magic), func(t *testing.T) {
				b := order.AppendUint32(nil, magic)
				b = order.AppendUint16(order.AppendUint16(b, 2), 4)
				b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
				b = order.AppendUint32(b, 65535)
				b = order.AppendUint32(b, 0x1400_0000|linkEthernet) // with the length of a frame check sequence
				for _, p := range ask {
					d := p.ethernet()
					frac := uint32(p.ms) * 1000
					if magic == magicNano {
						frac = uint32(p.ms)*1e6 + 7
					}
					b = order.AppendUint32(order.AppendUint32(b, uint32(start.Unix())), frac)
					b = order.AppendUint32(order.AppendUint32(b, uint32(len(d))), uint32(len(d)))
					if magic == magicModified {
						b = append(b, 1, 2, 3, 4, 5, 6, 7, 8)
					}
					b = append(b, d...)
				}
				if !Sniff(b[:4]) {
					t.Error("not recognised")
				}
				g, sum, err := run(t, b)
				if err != nil || len(sum.Damage) > 0 || sum.Format != "pcap" || sum.Packets != 5 || sum.Connections != 1 {
					t.Errorf("%+v %v", sum, err)
				}
				want(t, text(g.chunks), askText)
				if late := start.Add(time.Duration(ask[len(ask)-1].ms) * time.Millisecond); sum.Last.Sub(late).Abs() > time.Microsecond {
					t.Errorf("the last packet at %v, want %v", sum.Last, late)
				}
				at := start.Add(3 * time.Millisecond)
				if magic == magicNano {
					at = at.Add(7)
				}
				if !g.chunks[1].At.Equal(at) {
					t.Errorf("time %s", g.chunks[1].At)
				}
			})
		}
	}
}

// ng writes pcapng blocks.
type ng struct {
	order binary.AppendByteOrder
	b     []byte
}

func (n *ng) u16(v uint16) []byte { return n.order.AppendUint16(nil, v) }
func (n *ng) u32(v uint32) []byte { return n.order.AppendUint32(nil, v) }

func (n *ng) block(kind uint32, parts ...[]byte) *ng {
	body := bytes.Join(parts, nil)
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	n.b = append(n.b, n.u32(kind)...)
	n.b = append(n.b, n.u32(uint32(len(body)+12))...)
	n.b = append(n.b, body...)
	n.b = append(n.b, n.u32(uint32(len(body)+12))...)
	return n
}

func (n *ng) section() *ng {
	return n.block(blockSection, n.u32(0x1a2b3c4d), n.u16(1), n.u16(0), n.u32(0xffffffff), n.u32(0xffffffff))
}

func (n *ng) option(code uint16, v ...byte) []byte {
	b := append(n.u16(code), n.u16(uint16(len(v)))...)
	b = append(b, v...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func (n *ng) iface(link uint16, snaplen uint32, options ...[]byte) *ng {
	return n.block(blockInterface, n.u16(link), n.u16(0), n.u32(snaplen), bytes.Join(options, nil), n.u32(0))
}

func (n *ng) enhanced(id uint32, ts uint64, d []byte) *ng {
	return n.block(blockEnhanced, n.u32(id), n.u32(uint32(ts>>32)), n.u32(uint32(ts)), n.u32(uint32(len(d))), n.u32(uint32(len(d))), d)
}

// ngFile has all kinds of blocks, two sections and three interfaces.
func ngFile(first, second binary.AppendByteOrder) []byte {
	n := &ng{order: first}
	n.section()
	n.iface(linkEthernet, 65535)
	n.iface(linkRaw, 0, n.option(2, 'e', 't', 'h'), n.option(9, 9)) // nanoseconds
	n.block(blockSecrets, n.u32(SecretTLS), n.u32(5), []byte("key 1"))
	n.enhanced(0, uint64(start.UnixMicro()), ask[0].ethernet())
	n.block(0x40000bad, []byte("something private"))
	n.enhanced(1, uint64(start.UnixNano()+5), ask[1].ethernet()[14:])
	d := ask[2].ethernet()
	n.block(blockPacket, n.u16(0), n.u16(0), n.u32(uint32(uint64(start.UnixMicro())>>32)), n.u32(uint32(start.UnixMicro())), n.u32(uint32(len(d))), n.u32(uint32(len(d))), d)
	n.block(blockStatistics, n.u32(0), n.u32(0), n.u32(0), n.option(5, order8(first, 3)...))
	n.block(blockStatistics, n.u32(0), n.u32(0), n.u32(0), n.option(5, order8(first, 4)...))
	n = &ng{order: second, b: n.b}
	n.section()
	n.iface(linkSLL2, 60, n.option(9, 0x80|10), n.option(14, order8(second, 1<<20)...)) // 1/1024 s, and an offset
	n.block(blockSecrets, n.u32(SecretTLS), n.u32(5), []byte("key 2"))
	n.enhanced(0, uint64(start.Unix()-1<<20)<<10|512, sll2(etherIPv4, ask[3].ethernet()[14:]))
	d = sll2(etherIPv4, ask[4].ethernet()[14:])
	n.block(blockSimple, n.u32(uint32(len(d))), d[:60]) // snaplen cuts it
	return n.b
}

func order8(o binary.AppendByteOrder, v uint64) []byte { return o.AppendUint64(nil, v) }

func sll2(etherType uint16, d []byte) []byte {
	b := make([]byte, 20, 20+len(d))
	binary.BigEndian.PutUint16(b, etherType)
	return append(b, d...)
}

func TestPcapng(t *testing.T) {
	for _, first := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, second := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			t.Run(fmt.Sprintf("%s %s", first, second), func(t *testing.T) {
				b := ngFile(first, second)
				if !Sniff(b) {
					t.Error("not recognised")
				}
				s, err := NewReader("test", bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				g := &gather{}
				sum, err := s.Run(t.Context(), g)
				if err != nil || sum.Format != "pcapng" || sum.Packets != 5 {
					t.Errorf("%+v %v", sum, err)
				}
				want(t, text(g.chunks), `1 client opened 10.0.0.1:40000>10.0.0.2:80
					1 client bytes "ask"
					1 server gap 6
					1 client closed "capture ended"`)
				if at := g.chunks[1].At; !at.Equal(start.Add(500 * time.Millisecond)) {
					t.Errorf("time %s", at)
				}
				if at := g.chunks[2].At; !at.Equal(g.chunks[1].At) {
					t.Errorf("a simple packet block has the time before it, not %s", at)
				}
				secrets := s.(*Source).Secrets()
				if len(secrets) != 2 || string(secrets[0].Data) != "key 1" || string(secrets[1].Data) != "key 2" || secrets[1].Type != SecretTLS {
					t.Errorf("secrets %v", secrets)
				}
				want(t, damage(sum), `dropped: the capture program dropped 4 packets: capture with a larger buffer (tcpdump -B) or a narrower filter
					snaplen: 1 packet cut short by the capture program, the first is packet 5: 6 bytes of TCP payload are missing; capture whole packets (tcpdump -s 0)`)
			})
		}
	}
}

func damage(s capture.Summary) string {
	var b strings.Builder
	for _, d := range s.Damage {
		fmt.Fprintf(&b, "%s: %s\n", d.What, d.Detail)
	}
	return b.String()
}

func TestTimes(t *testing.T) {
	far := time.Unix(lastSecond, 0)
	for _, c := range []struct {
		i    iface
		ts   uint64
		want time.Time
	}{
		{iface{units: 1e6}, 1_500_000, time.Unix(1, 5e8)},
		{iface{units: 1}, 7, time.Unix(7, 0)},
		{iface{units: 10_000_000_000_000_000_000}, 15_000_000_000_000_000_000, time.Unix(1, 5e8)},
		{iface{units: 1 << 63}, 1<<63 | 1<<62, time.Unix(1, 5e8)},
		{iface{units: 1e6, offset: -100}, 50e6, time.Unix(0, 0)},
		{iface{units: 1}, 1<<64 - 1, far},
		{iface{units: 1, offset: -1 << 63}, 9, time.Unix(9, 0)},
		{iface{units: 1, offset: lastSecond}, 1 << 62, far},
	} {
		if got := c.i.time(c.ts); !got.Equal(c.want) {
			t.Errorf("%+v at %d: %s, want %s", c.i, c.ts, got, c.want)
		}
	}
}

// TestTruncated cuts files at every byte: all whole packets come out, and the
// damage names the packet and the byte.
func TestTruncated(t *testing.T) {
	classic := tcpFile(ask...)
	for cut := 24; cut < len(classic); cut++ {
		g, sum, err := run(t, classic[:cut])
		if err != nil {
			t.Fatal(err)
		}
		n, off := 0, 24
		for next := off; ; n, off = n+1, next {
			if next += 16 + len(ask[n].ethernet()); next > cut {
				break
			}
		}
		if sum.Packets != int64(n) {
			t.Fatalf("cut at %d: %d packets, want %d", cut, sum.Packets, n)
		}
		if cut > off {
			want := fmt.Sprintf("inside packet %d, which begins at byte %d:", n+1, off)
			if len(sum.Damage) == 0 || sum.Damage[0].What != "truncated" || !strings.Contains(sum.Damage[0].Detail, want) {
				t.Fatalf("cut at %d: %v, want %q", cut, sum.Damage, want)
			}
		} else if n > 0 && len(sum.Damage) > 0 {
			t.Fatalf("cut at %d, between packets: %v", cut, sum.Damage)
		}
		if asks := strings.Count(text(g.chunks), "bytes \"ask\""); asks != btoi(n > 3) {
			t.Fatalf("cut at %d: %s", cut, text(g.chunks))
		}
	}
	b := ngFile(binary.LittleEndian, binary.BigEndian)
	whole := 0
	for cut := 4; cut < len(b); cut++ {
		_, sum, err := run(t, b[:cut])
		if err != nil {
			t.Fatal(err)
		}
		if int(sum.Packets) < whole {
			t.Fatalf("cut at %d: %d packets after %d", cut, sum.Packets, whole)
		}
		whole = int(sum.Packets)
	}
	if whole != 4 {
		t.Errorf("%d packets before the last byte", whole)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestBadRecords(t *testing.T) {
	n := func() *ng { return (&ng{order: binary.LittleEndian}).section() }
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"pcap length", append(tcpFile(ask[0]), "\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7f\xff\xff\xff\x7f"...),
			"bad-record: packet 2 at byte 94 claims to be 2147483647 bytes long"},
		{"block length", append(n().b, 6, 0, 0, 0, 3, 0, 0, 0), "bad-block: the block at byte 28 claims to be 3 bytes long"},
		{"huge block", append(n().b, 6, 0, 0, 0, 3, 0, 0, 0x70), "bad-block: the block at byte 28 claims to be 1879048195 bytes long"},
		{"two lengths", append(n().b, 1, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0), "bad-block: the block at byte 28 is 12 bytes long at its start and 13 at its end"},
		{"no interface", n().enhanced(0, 0, nil).b, "bad-block: the block at byte 28 belongs to an interface that was not described"},
		{"packet longer than block", n().iface(1, 0).block(blockEnhanced, make([]byte, 12), []byte{9, 0, 0, 0, 9, 0, 0, 0}).b, "holds a packet longer than itself"},
		{"short interface", n().block(blockInterface, make([]byte, 4)).b, "is too short for an interface"},
		{"short packet", n().iface(1, 0).block(blockEnhanced, make([]byte, 8)).b, "is too short for a packet"},
		{"byte order", append([]byte{}, "\x0a\x0d\x0d\x0a\x1c\x00\x00\x00abcdefghabcdefgh"...), "has no valid byte-order magic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, sum, err := run(t, c.b)
			if err != nil || !strings.Contains(damage(sum), c.want) {
				t.Errorf("%v %v, want %q", damage(sum), err, c.want)
			}
		})
	}
}
