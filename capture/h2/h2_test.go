package h2

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// read gives the frames as the library of the standard reads them.
func read(t *testing.T, b []byte) []http2.Frame {
	t.Helper()
	r := http2.NewFramer(nil, bytes.NewReader(b))
	var all []http2.Frame
	for {
		f, err := r.ReadFrame()
		if err != nil {
			if len(all) == 0 {
				t.Fatal(err)
			}
			return all
		}
		if d, ok := f.(*http2.DataFrame); ok { // its bytes are the reader's until the next one
			if d.Length > MaxFrame {
				t.Errorf("a frame of %d bytes", d.Length)
			}
		}
		all = append(all, f)
	}
}

func TestSizes(t *testing.T) {
	for n, frames := range map[int]int{0: 1, 1: 1, MaxFrame: 1, MaxFrame + 1: 2, 3*MaxFrame - 1: 3} {
		for _, ends := range []bool{true, false} {
			all := read(t, AppendData(nil, 5, make([]byte, n), 0, ends))
			sum := 0
			for i, f := range all {
				h := f.Header()
				sum += int(h.Length)
				if h.StreamID != 5 || h.Type != http2.FrameData || h.Flags.Has(http2.FlagDataEndStream) != (ends && i == len(all)-1) {
					t.Errorf("%d bytes, frame %d: %v", n, i, h)
				}
			}
			if len(all) != frames || sum != n {
				t.Errorf("%d bytes: %d in %d frames", n, sum, len(all))
			}
		}
	}
	if b := AppendData(nil, 1, []byte("ab"), 3, false); b[2] != 5 || len(b) != 11 {
		t.Errorf("lost bytes: %x", b)
	}
}

func TestBlocks(t *testing.T) {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	for range 3 {
		_ = enc.WriteField(hpack.HeaderField{Name: "x", Value: string(bytes.Repeat([]byte{'\\'}, MaxFrame))})
	}
	for _, ends := range []bool{true, false} {
		r := http2.NewFramer(nil, bytes.NewReader(AppendBlock(nil, 3, block.Bytes(), ends)))
		r.ReadMetaHeaders, r.MaxHeaderListSize = hpack.NewDecoder(4096, nil), 1<<20
		f, err := r.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		h := f.(*http2.MetaHeadersFrame)
		if h.StreamID != 3 || h.StreamEnded() != ends || len(h.Fields) != 4 || h.Truncated {
			t.Errorf("%v %d fields", h, len(h.Fields))
		}
	}
}
