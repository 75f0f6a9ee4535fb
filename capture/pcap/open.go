package pcap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"a2ascope/capture"
)

// Sniff says whether a file that begins like this is a pcap or pcapng file.
// Four bytes are enough. Compressed captures are not recognised: what is
// inside can be known only after unpacking, which Open and NewReader do.
func Sniff(first []byte) bool { return sniff(first) != "" }

func sniff(first []byte) string {
	if len(first) < 4 {
		return ""
	}
	if _, ok := classicMagic(first); ok {
		return "pcap"
	}
	if bytes.Equal(first[:4], magicPcapng) {
		return "pcapng"
	}
	return ""
}

// Open opens a capture file: pcap or pcapng, plain or packed with gzip. A
// plain file is mapped into memory and stays mapped while the process lives,
// because the chunks point into it.
func Open(name string) (capture.Source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a folder: name a capture file in it", name)
	}
	if !st.Mode().IsRegular() || st.Size() == 0 { // a pipe, or a file whose size is not known (as in /proc)
		return open(name, f, f, 0)
	}
	var first [2]byte
	if n, _ := f.ReadAt(first[:], 0); n == 2 && isGzip(first[:]) {
		return open(name, f, f, st.Size())
	}
	data, err := mapFile(f, st.Size())
	if err != nil { // some file systems cannot be mapped; all can be read
		return open(name, f, f, st.Size())
	}
	f.Close()
	return newSource(name, &input{slab: data, w: len(data), mapped: true, size: int64(len(data))}, nil)
}

// NewReader reads a capture from a stream, such as standard input; name is
// used in messages. It reads the first bytes to learn the format. The caller
// closes r; closing it is also the way to end a Run that waits for bytes.
func NewReader(name string, r io.Reader) (capture.Source, error) {
	return open(name, r, nil, 0)
}

// open reads a stream, unpacking gzip. closer, when given, is closed at the
// end of Run, or now when this is not a capture.
func open(name string, r io.Reader, closer io.Closer, size int64) (capture.Source, error) {
	src, err := func() (capture.Source, error) {
		in := &input{src: r, size: size}
		// Only what the two magic bytes need passes through this buffer: reads
		// larger than it go straight to r.
		small := bufio.NewReaderSize(r, 16)
		in.src = small
		if first, _ := small.Peek(2); isGzip(first) {
			packed := &counter{r: small}
			z, err := gzip.NewReader(bufio.NewReaderSize(packed, 64<<10))
			if err != nil {
				return nil, fmt.Errorf("%s: the gzip header is damaged: %w", name, err)
			}
			in.src = z
			in.read = func() int64 { return packed.n }
		}
		return newSource(name, in, closer)
	}()
	if err != nil && closer != nil {
		closer.Close()
	}
	return src, err
}

func isGzip(first []byte) bool { return len(first) >= 2 && first[0] == 0x1f && first[1] == 0x8b }

func newSource(name string, in *input, closer io.Closer) (capture.Source, error) {
	s := &Source{name: name, in: in, closer: closer}
	n := in.have(4)
	switch {
	case n == 4 || in.err == nil || errors.Is(in.err, io.EOF):
	case errors.Is(in.err, io.ErrUnexpectedEOF) || unpackFailed(in.err):
		return nil, fmt.Errorf("%s: the gzip data is damaged at its start: %w", name, in.err)
	default:
		return nil, fmt.Errorf("read %s: %w", name, in.err)
	}
	if n == 0 {
		return nil, fmt.Errorf("%s is empty: no capture was written to it", name)
	}
	first := in.peek(min(n, 4))
	var err error
	switch s.format = sniff(first); s.format {
	case "pcap":
		s.records, err = newClassic(in)
	case "pcapng":
		s.records = &blocks{in: in}
	default:
		err = notCapture(first)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// notCapture names the formats people mistake for pcap, each with what to do.
func notCapture(first []byte) error {
	for _, k := range []struct{ magic, say string }{
		{"\x28\xb5\x2f\xfd", "it is packed with zstd: unpack it first (zstd -d)"},
		{"\xfd7zX", "it is packed with xz: unpack it first (xz -d)"},
		{"BZh", "it is packed with bzip2: unpack it first (bunzip2)"},
		{"\x04\x22\x4d\x18", "it is packed with lz4: unpack it first (lz4 -d)"},
		{"PK\x03\x04", "it is a zip archive: unpack it first"},
		{"snoo", "it is a Solaris snoop capture: convert it first (editcap -F pcapng in out)"},
		{"RTSS", "it is a Microsoft Network Monitor capture: convert it first (editcap -F pcapng in out)"},
		{"GMBU", "it is a Microsoft Network Monitor capture: convert it first (editcap -F pcapng in out)"},
	} {
		if bytes.HasPrefix(first, []byte(k.magic)) {
			return errors.New("not a pcap or pcapng file: " + k.say)
		}
	}
	return fmt.Errorf("not a pcap or pcapng file: it begins with % x", first)
}
