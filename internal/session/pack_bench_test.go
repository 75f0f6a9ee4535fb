package session

import (
	"context"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/wire"
	"a2ascope/decode"
)

// BenchmarkPack packs a JSON-RPC call of 1.1 kB and reads it again.
func BenchmarkPack(b *testing.B) {
	var last *decode.Call
	reader := decode.NewReader()
	var x *capture.Exchange
	conns := map[capture.ConnID]*wire.Conn{}
	read := sinkOf(func(ch *capture.Chunk) {
		c := conns[ch.Conn]
		if c == nil {
			c = wire.NewConn(ch.Conn)
			conns[ch.Conn] = c
		}
		for _, e := range c.Feed(ch, nil) {
			if e.Exchange == 0 {
				continue
			}
			x = x.Apply(&e)
			if c, at := reader.Read(x, &e); at == decode.AtEnd {
				last = c
			}
		}
	})
	if _, err := (&calls{n: 1, text: 600}).Run(context.Background(), read); err != nil {
		b.Fatal(err)
	}
	last.Shed()
	p := newPacker()
	link := last.Exchange.Link
	for range 3 { // words are known by then
		if _, ok := p.pack(last, link); !ok {
			b.Fatal("not packed")
		}
	}
	packed, _ := p.pack(last, link)
	b.Run("pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.pack(last, link)
		}
	})
	b.Run("unpack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := unpack(packed, link, p.words, p.regions); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// sinkOf hands every chunk to a function.
type sinkOf func(*capture.Chunk)

func (s sinkOf) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		s(&cs[i])
	}
	return nil
}
func (sinkOf) Events([]capture.Event) error { return nil }
func (sinkOf) Progress(capture.Progress)    {}
