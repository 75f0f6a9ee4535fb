package pcap

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"a2ascope/capture"
)

// pieces gives a reader's bytes in pieces of sizes that follow a seed.
type pieces struct {
	b    []byte
	seed uint64
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	p.seed = p.seed*6364136223846793005 + 1442695040888963407
	n := min(len(p.b), len(to), int(p.seed>>59)+1)
	copy(to, p.b[:n])
	p.b = p.b[n:]
	return n, nil
}

// readBoth reads a capture as a file in memory and as a stream in odd pieces;
// both must say the same, and hold the promises of capture.Source.
func readBoth(t *testing.T, b []byte) {
	one, err := newSource("fuzz", &input{slab: b, w: len(b), size: int64(len(b))}, nil)
	two, err2 := NewReader("fuzz", &pieces{b, uint64(len(b))})
	if (err == nil) != (err2 == nil) {
		if len(b) >= 2 && isGzip(b) {
			return // only streams are unpacked
		}
		t.Fatalf("file: %v, stream: %v", err, err2)
	}
	if err != nil {
		return
	}
	g1, g2 := &gather{}, &gather{}
	sum1, err1 := one.Run(t.Context(), g1)
	sum2, err2 := two.Run(t.Context(), g2)
	if (err1 == nil) != (err2 == nil) || damage(sum1) != damage(sum2) || sum1.Packets != sum2.Packets {
		t.Fatalf("file: %+v %v, stream: %+v %v", sum1, err1, sum2, err2)
	}
	if a, b := text(g1.chunks), text(g2.chunks); a != b {
		t.Fatalf("file:\n%s\nstream:\n%s", a, b)
	}
	check(t, g1.chunks)
	total := 0
	for _, c := range g1.chunks {
		total += len(c.Data)
	}
	if total > len(b) {
		t.Fatalf("%d bytes out of %d", total, len(b))
	}
}

// check holds the order of chunks of each connection.
func check(t *testing.T, cs []capture.Chunk) {
	type conn struct{ opened, closed, fin [2]bool }
	conns := map[capture.ConnID]*conn{}
	var last uint64
	for _, c := range cs {
		if c.Seq <= last {
			t.Fatalf("Seq %d after %d", c.Seq, last)
		}
		last = c.Seq
		k := conns[c.Conn]
		if k == nil {
			k = &conn{}
			conns[c.Conn] = k
		}
		if k.opened[0] == (c.Kind == capture.Opened) || k.closed[0] {
			t.Fatalf("connection %d: %s\n%s", c.Conn, c.Kind, text(cs))
		}
		if c.At.Year() > 9999 {
			t.Fatalf("time %s", c.At)
		}
		switch c.Kind {
		case capture.Opened:
			k.opened[0] = true
			if c.Link == nil {
				t.Fatal("opened without a link")
			}
		case capture.Bytes, capture.Gap:
			if k.fin[c.From] {
				t.Fatalf("connection %d: %s after the end of the %s\n%s", c.Conn, c.Kind, c.From, text(cs))
			}
			if (c.Kind == capture.Bytes) != (len(c.Data) > 0) || c.Kind == capture.Gap && c.Lost < 1 && c.Lost != -1 {
				t.Fatalf("empty %s", c.Kind)
			}
		case capture.HalfClosed:
			if k.fin[c.From] {
				t.Fatal("half-closed twice")
			}
			k.fin[c.From] = true
		case capture.Closed:
			k.closed[0] = true
		}
	}
	for id, k := range conns {
		if !k.closed[0] {
			t.Fatalf("connection %d was not closed", id)
		}
	}
}

func seed(f *testing.F, pattern string) {
	names, _ := filepath.Glob(filepath.Join(corpus, pattern))
	for _, n := range names {
		if b, err := os.ReadFile(n); err == nil && len(b) < 16<<10 {
			f.Add(b)
		}
	}
}

func FuzzPcap(f *testing.F) {
	f.Add(tcpFile(ask...))
	var rs []raw
	for _, d := range append(fragments4(ask[3], 8), fragments6(ask[4], 8)...) {
		rs = append(rs, raw{at: start, data: d})
	}
	f.Add(file(linkEthernet, rs...))
	f.Add(file(linkNull, raw{at: start, data: append([]byte{30, 0, 0, 0}, ipv6('c', 0, join(extension(60, 8), extension(protoTCP, 16), tcpBytes(ask[3])))...)}))
	f.Add(file(linkEthernet, raw{at: start, data: ether(etherIPv4, ipv4('c', 17, udp(4789, join([]byte{8, 0, 0, 0, 0, 0, 7, 0}, ask[3].ethernet()))))}))
	seed(f, "d*.pcap")
	seed(f, "i*.pcap")
	f.Fuzz(readBoth)
}

func FuzzPcapng(f *testing.F) {
	f.Add(ngFile(binary.LittleEndian, binary.BigEndian))
	f.Add(ngFile(binary.BigEndian, binary.LittleEndian))
	seed(f, "*.pcapng")
	f.Fuzz(readBoth)
}

// FuzzTCP makes any segments out of bytes: 9 for each, and a text to send.
func FuzzTCP(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00\x01\x12\x00\x00\x00\x01\x00\x00\x00\x01\x18\x05\x00\x01\x00\x01\x00\x00\x01"))
	f.Add(bytes.Repeat([]byte("\x18\x05\x00\x01\x00\x02\x00\x00\x09\x98\x07\x00\x0a\x00\x01\x00\x00\x50"), 9))
	f.Fuzz(func(t *testing.T, b []byte) {
		g := &gather{}
		out := &batch{to: g, ctx: t.Context(), in: &input{}}
		a := newAssembler(out)
		data := []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n and so on and so on")
		at := start
		sent := 0
		for ; len(b) >= 9; b = b[9:] {
			s := segment{src: addr{0, 1}, dst: addr{0, 2}, sport: 40000, dport: 80, flags: b[0] & 0x1f}
			if b[0]&0x80 != 0 {
				s.src, s.dst, s.sport, s.dport = s.dst, s.src, s.dport, s.sport
			}
			n := int(b[1]) % len(data)
			s.data, s.length = data[:n:n], n
			if b[0]&0x20 != 0 { // cut
				s.length += int(b[1])
			}
			s.seq = uint32(int32(int16(binary.BigEndian.Uint16(b[2:]))))
			s.ack = uint32(int32(int16(binary.BigEndian.Uint16(b[4:]))))
			if b[0]&0x40 != 0 {
				s.seq <<= 17
			}
			at = at.Add(time.Duration(binary.BigEndian.Uint16(b[6:])) * time.Millisecond)
			s.at = at
			a.add(&s)
			sent += n
			if b[8]&7 == 0 {
				a.tick(at)
			}
			if a.held > maxHeldHalf*2+1<<20 {
				t.Fatalf("%d held", a.held)
			}
		}
		a.end()
		if a.held != 0 || a.live != 0 {
			t.Fatalf("after the end: %d held, %d live", a.held, a.live)
		}
		if err := out.flush(); err != nil {
			t.Fatal(err)
		}
		check(t, g.chunks)
		for _, c := range g.chunks {
			sent -= len(c.Data)
		}
		if sent < 0 {
			t.Fatalf("%d bytes came out twice", -sent)
		}
	})
}

// FuzzWrite: whatever chunks a file gives, they can be written, and the file
// that is written is sound and holds the same bytes.
func FuzzWrite(f *testing.F) {
	f.Add(tcpFile(pkt{from: 'c', flags: "S"}, pkt{from: 's', flags: "SA", ack: 1}, pkt{from: 'c', flags: "AP", seq: 1, ack: 1, data: "GET / HTTP/1.1\r\n\r\n"},
		pkt{from: 's', flags: "AP", seq: 1, ack: 19, data: "HTTP/1.1 200 OK\r\n\r\n", ms: 5}, pkt{from: 's', flags: "AF", seq: 20, ack: 19, ms: 6}, pkt{from: 'c', flags: "R", seq: 19, ms: 7}))
	f.Add(tcpFile(pkt{from: 'c', flags: "S"}, pkt{from: 's', flags: "RA", ack: 1}, pkt{from: 'c', flags: "A", seq: 50, data: "late", ms: 3}, pkt{from: 'c', flags: "S", seq: 700, ms: 9}))
	f.Add(tcpFile(pkt{from: 'c', flags: "A", seq: 1, data: "mid"}, pkt{from: 'c', flags: "A", seq: 900, data: "hole"}, pkt{from: 's', flags: "A", seq: 1, ack: 904, ms: 400}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := newSource("fuzz", &input{slab: b, w: len(b), size: int64(len(b))}, nil)
		if err != nil {
			return
		}
		g := &gather{}
		if _, err := s.Run(t.Context(), g); err != nil {
			return
		}
		var out bytes.Buffer
		w := NewWriter(&out, "")
		if err := w.Chunks(g.chunks); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := newSource("written", &input{slab: out.Bytes(), w: out.Len(), size: int64(out.Len())}, nil)
		if err != nil {
			t.Fatal(err)
		}
		g2 := &gather{}
		sum, err := again.Run(t.Context(), g2)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range sum.Damage {
			if d.What != "one-way" && d.What != "no-tcp" && d.What != "early" {
				t.Fatalf("the written file: %s", d.Detail)
			}
		}
		check(t, g2.chunks)
		var sent, got int
		for _, c := range g.chunks {
			sent += len(c.Data)
		}
		for _, c := range g2.chunks {
			got += len(c.Data)
		}
		if sum.Connections > 0 && got != sent {
			t.Fatalf("%d bytes of %d were read back\n%s\nwritten:\n%s", got, sent, text(g2.chunks), text(g.chunks))
		}
	})
}
