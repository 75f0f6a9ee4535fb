package pcap

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"a2ascope/capture"
)

// benchFile writes a capture of many connections with requests of one packet
// and responses of several, 1448 bytes of payload in each, as on Ethernet.
func benchFile(tb testing.TB, size int) string {
	body := string(make([]byte, 1448))
	var rs []raw
	total := 24
	add := func(p pkt) {
		d := p.ethernet()
		rs = append(rs, raw{at: start.Add(time.Duration(len(rs)) * 20 * time.Microsecond), data: d})
		total += 16 + len(d)
	}
	for port := uint16(10000); total < size; port++ {
		add(pkt{from: 'c', flags: "S", port: port})
		add(pkt{from: 's', flags: "SA", ack: 1, port: port})
		add(pkt{from: 'c', flags: "A", seq: 1, ack: 1, port: port})
		c, s := uint32(1), uint32(1)
		for range 20 {
			add(pkt{from: 'c', flags: "PA", seq: c, ack: s, data: body[:700], port: port})
			c += 700
			add(pkt{from: 's', flags: "PA", seq: s, ack: c, data: body, port: port})
			s += 1448
			add(pkt{from: 's', flags: "PA", seq: s, ack: c, data: body[:500], port: port})
			s += 500
			add(pkt{from: 'c', flags: "A", seq: c, ack: s, port: port})
		}
		add(pkt{from: 'c', flags: "FA", seq: c, ack: s, port: port})
		add(pkt{from: 's', flags: "FA", seq: s, ack: c + 1, port: port})
	}
	name := filepath.Join(tb.TempDir(), "bench.pcap")
	if err := os.WriteFile(name, file(linkEthernet, rs...), 0o600); err != nil {
		tb.Fatal(err)
	}
	return name
}

// nothing is a sink that drops everything.
type nothing struct{ bytes int64 }

func (n *nothing) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		n.bytes += int64(len(cs[i].Data))
	}
	return nil
}
func (*nothing) Events([]capture.Event) error { return nil }
func (*nothing) Progress(capture.Progress)    {}

// BenchmarkRead compares reading with the floor of the machine: a sum over the
// bytes of the same mapped file.
func BenchmarkRead(b *testing.B) {
	name := benchFile(b, 48<<20)
	st, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	open := func(b *testing.B) *Source {
		s, err := Open(name)
		if err != nil {
			b.Fatal(err)
		}
		return s.(*Source)
	}
	b.Run("floor-sum", func(b *testing.B) {
		b.SetBytes(st.Size())
		var sum uint64
		for b.Loop() {
			for _, c := range open(b).in.slab {
				sum += uint64(c)
			}
		}
		_ = sum
	})
	b.Run("floor-copy", func(b *testing.B) {
		b.SetBytes(st.Size())
		dst := make([]byte, 256<<10)
		for b.Loop() {
			for src := open(b).in.slab; len(src) > 0; {
				src = src[copy(dst, src):]
			}
		}
	})
	b.Run("records", func(b *testing.B) {
		b.SetBytes(st.Size())
		for b.Loop() {
			var p packet
			for s := open(b); s.records.next(&p) == nil; {
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(st.Size())
		for b.Loop() {
			var p packet
			var seg segment
			d := newDecoder()
			for s := open(b); s.records.next(&p) == nil; {
				d.decode(&p, &seg)
			}
		}
	})
	b.Run("layers", func(b *testing.B) { // what the general path costs
		b.SetBytes(st.Size())
		for b.Loop() {
			var p packet
			var seg segment
			d := newDecoder()
			for s := open(b); s.records.next(&p) == nil; {
				d.general(&p, &seg)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		b.SetBytes(st.Size())
		b.ReportAllocs()
		for b.Loop() {
			if _, err := open(b).Run(context.Background(), &nothing{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all-stream", func(b *testing.B) {
		b.SetBytes(st.Size())
		for b.Loop() {
			f, err := os.Open(name)
			if err != nil {
				b.Fatal(err)
			}
			s, err := NewReader(name, f)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Run(context.Background(), &nothing{}); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}
