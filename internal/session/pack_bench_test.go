package session

import (
	"testing"

	"a2ascope/capture"
)

// BenchmarkPack packs a JSON-RPC call of 1.1 kB and reads it again.
func BenchmarkPack(b *testing.B) {
	s := New(Options{NewEngine: func() Engine { return mute{} }, Workers: 1})
	if err := s.Run(b.Context(), []Input{{Open: func() (capture.Source, error) { return &calls{n: 1, text: 600}, nil }}}); err != nil {
		b.Fatal(err)
	}
	row := s.View().Rows.At(0)
	c := row.Call() // it is new, and not packed yet
	p := newPacker()
	for range 3 { // words are known by then
		if _, ok := p.pack(c, row.Link); !ok {
			b.Fatal("not packed")
		}
	}
	packed, _ := p.pack(c, row.Link)
	b.Run("pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.pack(c, row.Link)
		}
	})
	b.Run("unpack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := unpack(packed, row.Link, p.words, p.regions); err != nil {
				b.Fatal(err)
			}
		}
	})
}
