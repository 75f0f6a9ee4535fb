package pcap

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"a2ascope/capture"
)

// TestSources reads the same capture from a path, a stream, odd pieces and
// gzip; all give the same.
func TestSources(t *testing.T) {
	plain := tcpFile(ask...)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(plain)
	z.Close()
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if Sniff(packed.Bytes()) || Sniff([]byte("abc")) || Sniff([]byte("HTTP")) {
		t.Error("recognised what is no capture")
	}
	for _, c := range []struct {
		name  string
		open  func() (capture.Source, error)
		total int
	}{
		{"path", func() (capture.Source, error) { return Open(write("a.pcap", plain)) }, len(plain)},
		{"gzip path", func() (capture.Source, error) { return Open(write("a.pcap.gz", packed.Bytes())) }, packed.Len()},
		{"stream", func() (capture.Source, error) { return NewReader("-", bytes.NewReader(plain)) }, 0},
		{"byte by byte", func() (capture.Source, error) { return NewReader("-", iotest.OneByteReader(bytes.NewReader(plain))) }, 0},
		{"end with data", func() (capture.Source, error) { return NewReader("-", iotest.DataErrReader(bytes.NewReader(plain))) }, 0},
		{"gzip stream", func() (capture.Source, error) {
			return NewReader("-", iotest.HalfReader(bytes.NewReader(packed.Bytes())))
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.open()
			if err != nil {
				t.Fatal(err)
			}
			g := &gather{}
			sum, err := s.Run(t.Context(), g)
			if err != nil || len(sum.Damage) > 0 {
				t.Errorf("%v %v", sum, err)
			}
			want(t, text(g.chunks), askText)
			p := g.progress[len(g.progress)-1]
			if p.Packets != 5 || p.Total != int64(c.total) || c.total > 0 && p.Read != p.Total {
				t.Errorf("progress %+v", p)
			}
			if _, err := s.Run(t.Context(), g); err == nil {
				t.Error("read twice")
			}
		})
	}
	t.Run("damaged gzip", func(t *testing.T) {
		noise := make([]byte, 1<<20)
		rand.NewChaCha8([32]byte{}).Read(noise)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(file(linkEthernet, raw{at: start, data: noise[:1000]}, raw{at: start, data: noise}))
		z.Close()
		half := packed.Bytes()[:packed.Len()/2]
		bad := bytes.Clone(packed.Bytes())
		bad[len(bad)-6]++ // in the checksum
		for _, b := range [][]byte{half, bad[:len(bad)-3], append(bytes.Clone(half), half...)} {
			s, err := NewReader("-", bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			sum, err := s.Run(t.Context(), &gather{})
			if err != nil || len(sum.Damage) == 0 || sum.Damage[0].What != "truncated" || sum.Packets == 0 {
				t.Errorf("%+v %v", sum, err)
			}
		}
	})
}

// TestSlabs reads a stream of many slabs and checks that no chunk was written
// over.
func TestSlabs(t *testing.T) {
	ps := hello
	var all bytes.Buffer
	for i := range 3000 {
		d := strings.Repeat(string(rune('a'+i%26)), 1000+i%400)
		ps = append(ps, pkt{from: 'c', flags: "PA", seq: 1 + uint32(all.Len()), ack: 1, data: d})
		all.WriteString(d)
	}
	b := tcpFile(ps...)
	if len(b) < 8*slabSize {
		t.Fatal("too small for a test")
	}
	s, err := NewReader("-", iotest.HalfReader(bytes.NewReader(b)))
	if err != nil {
		t.Fatal(err)
	}
	g := &gather{}
	if _, err := s.Run(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, c := range g.chunks {
		got.Write(c.Data)
	}
	if !bytes.Equal(got.Bytes(), all.Bytes()) {
		t.Error("other bytes")
	}
	for i, c := range g.chunks {
		if c.Seq != uint64(i+1) {
			t.Fatalf("chunk %d has Seq %d", i, c.Seq)
		}
	}
}

// TestAliases holds the promise that payload of a plain file is not copied.
func TestAliases(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.pcap")
	if err := os.WriteFile(name, tcpFile(ask...), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	slab := s.(*Source).in.slab
	g := &gather{}
	if _, err := s.Run(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(slab, []byte("ask")); &slab[at] != &g.chunks[1].Data[0] {
		t.Error("the payload was copied")
	}
	if d := g.chunks[1].Data; cap(d) != len(d) {
		t.Error("an append to the payload would write into the file")
	}
}

func TestNotCaptures(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ content, want string }{
		{"", "is empty"},
		{"\xd4\xc3\xb2\xa1\x02\x00", "file header is cut short: 4 of 24 bytes"},
		{"GET / HTTP/1.1", "not a pcap or pcapng file: it begins with 47 45 54 20"},
		{"{}", "it begins with 7b 7d"},
		{"\x28\xb5\x2f\xfd....", "zstd -d"},
		{"snoop\x00\x00\x00", "editcap"},
		{"\x1f\x8bnothing", "the gzip header is damaged"},
	} {
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(name)
		if err == nil || !strings.Contains(err.Error(), name) || strings.HasPrefix(c.want, "file header") != strings.Contains(err.Error(), "cut short") {
			t.Errorf("%q: %v", c.content, err)
		}
		if !strings.HasPrefix(c.want, "file header") && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.content, err, c.want)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestEnds ends Run early: by the context, by the sink, by the medium.
func TestEnds(t *testing.T) {
	var ps []pkt
	for i := range 3 * batchChunks {
		ps = append(ps, pkt{from: 'c', flags: "S", port: uint16(1000 + i)})
	}
	b := tcpFile(ps...)
	open := func(r io.Reader) capture.Source {
		s, err := NewReader("test", r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ctx, cancel := context.WithCancel(t.Context())
	g := &gather{onChunks: func() error { cancel(); return nil }}
	if _, err := open(bytes.NewReader(b)).Run(ctx, g); !errors.Is(err, context.Canceled) || g.batches != 1 {
		t.Errorf("context: %v after %d batches", err, g.batches)
	}
	gone := errors.New("gone")
	g = &gather{onChunks: func() error { return gone }}
	if _, err := open(bytes.NewReader(b)).Run(t.Context(), g); err != gone || g.batches != 1 {
		t.Errorf("sink: %v after %d batches", err, g.batches)
	}
	broken := errors.New("medium broken")
	g = &gather{}
	_, err := open(io.MultiReader(bytes.NewReader(b[:1000]), iotest.ErrReader(broken))).Run(t.Context(), g)
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read test: ") || len(g.chunks) == 0 {
		t.Errorf("medium: %v after %d chunks", err, len(g.chunks))
	}
}

// TestStreamIsPrompt says that what came through a pipe is on its way before
// the next read, which may wait long.
func TestStreamIsPrompt(t *testing.T) {
	b := tcpFile(ask...)
	r, w := io.Pipe()
	go w.Write(b)
	s, err := NewReader("-", r)
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan struct{})
	g := &gather{}
	g.onChunks = func() error {
		if len(g.chunks) == 3 {
			close(arrived)
		}
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := s.Run(t.Context(), g)
		done <- err
	}()
	select {
	case <-arrived:
	case <-time.After(5 * time.Second):
		t.Error("chunks wait for more input")
	}
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
