package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/internal/session"
)

// sniffLen is how much of a file decides what it is: gzip headers and the
// white space before a HAR's brace fit easily.
const sniffLen = 4096

const expected = "expected a .pcap, .pcapng, .har (each also gzipped) or .play file"

// inputs makes session inputs of file arguments; "-" is standard input.
func (e *Env) inputs(names []string, play script.Options) []session.Input {
	play.EncodeGRPC = schema.EncodeGRPC
	in := make([]session.Input, len(names))
	for i, name := range names {
		in[i] = session.Input{Name: name, Open: func() (capture.Source, error) {
			if name == "-" {
				return openStream("standard input", e.Stdin, play)
			}
			return openFile(name, play)
		}}
	}
	return in
}

func openFile(name string, play script.Options) (capture.Source, error) {
	f, err := os.Open(name)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("%s: %w", name, pe.Err)
		}
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name the capture files in it, for example %s/*.pcap", name, strings.TrimRight(name, "/"))
	}
	if !st.Mode().IsRegular() {
		// A named pipe or a device cannot be mapped or read twice. The source owns this handle of it.
		g, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return openStream(name, g, play)
	}
	first := make([]byte, sniffLen)
	n, err := io.ReadFull(f, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	first = first[:n]
	switch inner := plain(first); {
	case n == 0:
		return nil, fmt.Errorf("%s is empty: %s", name, expected)
	case pcap.Sniff(inner):
		return pcap.Open(name)
	case har.Sniff(inner):
		return har.Open(name)
	case isPlay(name, inner):
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return playSource(name, text, play)
	default:
		return nil, notACapture(name, inner)
	}
}

func openStream(name string, r io.Reader, play script.Options) (capture.Source, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	// Peek what is there without waiting for more than a pipe has to give.
	first, err := b.Peek(1)
	if len(first) == 0 {
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, fmt.Errorf("%s is empty: %s", name, expected)
	}
	first, _ = b.Peek(min(max(b.Buffered(), 4), sniffLen))
	switch inner := plain(first); {
	case pcap.Sniff(inner):
		return pcap.NewReader(name, b)
	case har.Sniff(inner):
		return har.NewReader(name, b)
	case isPlay(name, inner):
		text, err := io.ReadAll(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return playSource(name, text, play)
	default:
		return nil, notACapture(name, inner)
	}
}

func playSource(name string, text []byte, o script.Options) (capture.Source, error) {
	p, err := script.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return p.Source(o), nil
}

// plain returns the first bytes with a gzip layer removed as far as they go.
func plain(first []byte) []byte {
	if !bytes.HasPrefix(first, []byte{0x1f, 0x8b}) {
		return first
	}
	z, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		return first
	}
	out := make([]byte, sniffLen)
	n, _ := io.ReadFull(z, out)
	return out[:n]
}

// isPlay recognises a play by its name or by its first line of traffic.
func isPlay(name string, first []byte) bool {
	if strings.HasSuffix(name, ".play") {
		return true
	}
	for line := range strings.Lines(string(first)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		return strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "= ") || strings.HasPrefix(line, "! ")
	}
	return false
}

func notACapture(name string, first []byte) error {
	what := "holds binary data of an unknown kind"
	switch {
	case bytes.HasPrefix(first, []byte("<")):
		what = "is HTML or XML"
	case utf8.Valid(bytes.TrimRight(first, "\x80\xbf\xc0\xe0\xf0")) && !bytes.ContainsRune(first, 0):
		what = "is a text file"
	}
	return fmt.Errorf("%s %s, no capture: %s", name, what, expected)
}
