package har

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"a2ascope/capture"
)

// mapFrom is the size from which a file is mapped instead of read. A mapped
// file must not be cut while the program runs; a recording that is still being
// repeated is small, and one that is large is an archive.
const mapFrom = 8 << 20

// Sniff reports whether a file that begins with first may be a HAR: JSON whose
// outermost value is an object.
func Sniff(first []byte) bool {
	s := first[len(bom(first)):]
	i := skipSpace(s, 0)
	return i < len(s) && s[i] == '{'
}

// Open returns the source of a HAR file, plain or compressed with gzip.
func Open(path string) (capture.Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: a folder, no HAR file", path)
	}
	src := &source{name: path, file: f}
	if info.Mode().IsRegular() {
		src.total = info.Size()
	}
	return src, nil
}

// NewReader returns the source of a HAR that is read from r, plain or
// compressed with gzip. name is for messages.
func NewReader(name string, r io.Reader) (capture.Source, error) {
	return &source{name: name, in: r}, nil
}

// source reads one HAR, once.
type source struct {
	name  string
	file  *os.File // Open
	in    io.Reader
	total int64
}

// Run emits the exchanges of the HAR. See capture.Source.
func (src *source) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	s, err := src.splitter()
	if src.file != nil {
		defer src.file.Close()
	}
	if err != nil {
		return capture.Summary{Format: "har"}, fmt.Errorf("%s: %w", src.name, err)
	}
	r := run{name: src.name, total: src.total, split: s, to: to}
	return r.run(ctx)
}

// splitter chooses between mapping and streaming by the first bytes.
func (src *source) splitter() (*splitter, error) {
	var in io.Reader = src.in
	if src.file != nil {
		in = src.file
	}
	counted := &counter{r: in}
	head := bufio.NewReaderSize(counted, 64<<10)
	first, err := head.Peek(512)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, err
	}
	s := &splitter{in: head, pos: counted.n.Load, pool: newBuffers()}
	if bytes.HasPrefix(first, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(head)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		s.in = z
		return s, nil
	}
	if err := refuse(first); err != nil {
		return nil, err
	}
	if src.file != nil && src.total >= mapFrom {
		if text, err := mapFile(src.file, src.total); err == nil {
			return &splitter{buf: text}, nil
		}
		// Some file systems cannot map: read it as a stream.
	}
	return s, nil
}

// refuse says what a text is that cannot be a HAR.
func refuse(first []byte) error {
	switch {
	case len(first) == 0:
		return fmt.Errorf("the file is empty")
	case bytes.HasPrefix(first, []byte{0xff, 0xfe}), bytes.HasPrefix(first, []byte{0xfe, 0xff}):
		return fmt.Errorf("the text is UTF-16, JSON is UTF-8 (RFC 8259 section 8.1); save it as UTF-8")
	case Sniff(first):
		return nil
	}
	s := first[len(bom(first)):]
	if i := skipSpace(s, 0); i < len(s) {
		return fmt.Errorf("no HAR: %q at byte %d, where '{' should be", rune(s[i]), i+len(first)-len(s))
	}
	if len(first) < 512 {
		return fmt.Errorf("the file holds only white space")
	}
	return nil
}

// counter counts what was read of the file, so that progress can be shown
// where the text is decompressed.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}
