package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

// gather is a sink that keeps everything.
type gather struct {
	chunks   []capture.Chunk
	batches  int
	progress []capture.Progress
	onChunks func() error
}

func (g *gather) Chunks(cs []capture.Chunk) error {
	g.chunks = append(g.chunks, cs...)
	g.batches++
	if g.onChunks != nil {
		return g.onChunks()
	}
	return nil
}
func (g *gather) Events([]capture.Event) error { return nil }
func (g *gather) Progress(p capture.Progress)  { g.progress = append(g.progress, p) }

// text writes chunks in one line each, without times.
func text(cs []capture.Chunk) string {
	var b strings.Builder
	for _, c := range cs {
		fmt.Fprintf(&b, "%d %s %s", c.Conn, c.From, c.Kind)
		switch c.Kind {
		case capture.Opened:
			fmt.Fprintf(&b, " %s>%s", c.Link.Client, c.Link.Server)
			if c.Link.Midstream {
				b.WriteString(" midstream")
			}
		case capture.Bytes:
			fmt.Fprintf(&b, " %q", c.Data)
		case capture.Gap:
			fmt.Fprintf(&b, " %d", c.Lost)
		case capture.Closed:
			fmt.Fprintf(&b, " %q", c.Err)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pkt is a TCP packet to build. Zero values are what most tests want.
type pkt struct {
	from  byte // 'c' (10.0.0.1:40000) or 's' (10.0.0.2:80)
	flags string
	seq   uint32 // relative to the first number of the side
	ack   uint32
	data  string
	ms    int // time since the start
	keep  int // bytes captured, 0 = all
	port  uint16
}

const (
	clientISN = 1000
	serverISN = 5000
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func tcpBytes(p pkt) []byte {
	b := make([]byte, 20, 20+len(p.data))
	cp := p.port
	if cp == 0 {
		cp = 40000
	}
	sp, dp, seq, ack := cp, uint16(80), p.seq+clientISN, p.ack+serverISN
	if p.from == 's' {
		sp, dp, seq, ack = 80, cp, p.seq+serverISN, p.ack+clientISN
	}
	binary.BigEndian.PutUint16(b, sp)
	binary.BigEndian.PutUint16(b[2:], dp)
	binary.BigEndian.PutUint32(b[4:], seq)
	var f byte
	for _, c := range p.flags {
		f |= map[rune]byte{'F': flagFIN, 'S': flagSYN, 'R': flagRST, 'A': flagACK, 'P': flagPSH}[c]
	}
	if f&flagACK != 0 {
		binary.BigEndian.PutUint32(b[8:], ack)
	}
	b[12], b[13] = 5<<4, f
	return append(b, p.data...)
}

func ipv4(from byte, proto byte, payload []byte) []byte {
	b := make([]byte, 20, 20+len(payload))
	b[0], b[8], b[9] = 0x45, 64, proto
	binary.BigEndian.PutUint16(b[2:], uint16(20+len(payload)))
	src, dst := []byte{10, 0, 0, 1}, []byte{10, 0, 0, 2}
	if from == 's' {
		src, dst = dst, src
	}
	copy(b[12:], src)
	copy(b[16:], dst)
	return append(b, payload...)
}

func ipv6(from byte, next byte, payload []byte) []byte {
	b := make([]byte, 40, 40+len(payload))
	b[0], b[6], b[7] = 0x60, next, 64
	binary.BigEndian.PutUint16(b[4:], uint16(len(payload)))
	b[8], b[23], b[24], b[39] = 0xfd, 1, 0xfd, 2
	if from == 's' {
		b[23], b[39] = 2, 1
	}
	return append(b, payload...)
}

func ether(etherType uint16, payload []byte) []byte {
	b := make([]byte, 14, 14+len(payload))
	binary.BigEndian.PutUint16(b[12:], etherType)
	return append(b, payload...)
}

func (p pkt) ethernet() []byte { return ether(etherIPv4, ipv4(p.from, protoTCP, tcpBytes(p))) }

// raw is a packet of any kind for a capture file.
type raw struct {
	at   time.Time
	data []byte
	orig int
}

// file writes a little-endian pcap file of microseconds.
func file(link uint32, packets ...raw) []byte {
	b := binary.LittleEndian.AppendUint32(nil, magicMicro)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, 262144)
	b = binary.LittleEndian.AppendUint32(b, link)
	for _, p := range packets {
		b = binary.LittleEndian.AppendUint32(b, uint32(p.at.Unix()))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.at.Nanosecond()/1000))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p.data)))
		b = binary.LittleEndian.AppendUint32(b, uint32(max(p.orig, len(p.data))))
		b = append(b, p.data...)
	}
	return b
}

func tcpFile(ps ...pkt) []byte {
	var rs []raw
	for _, p := range ps {
		r := raw{at: start.Add(time.Duration(p.ms) * time.Millisecond), data: p.ethernet()}
		r.orig = len(r.data)
		if p.keep > 0 {
			r.data = r.data[:p.keep]
		}
		rs = append(rs, r)
	}
	return file(linkEthernet, rs...)
}

// run reads a capture from memory.
func run(t testing.TB, b []byte) (*gather, capture.Summary, error) {
	t.Helper()
	s, err := NewReader("test", bytes.NewReader(b))
	if err != nil {
		t.Fatalf("NewReader: %v", err)
	}
	g := &gather{}
	sum, err := s.Run(context.Background(), g)
	return g, sum, err
}

func want(t *testing.T, got, want string) {
	t.Helper()
	got, want = strings.TrimSpace(got), strings.TrimSpace(strings.ReplaceAll(want, "\t", ""))
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
