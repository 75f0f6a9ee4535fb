package har

import (
	"errors"
	"fmt"
	"io"
)

// span is one element of log.entries.
type span struct {
	start, end int // in the batch's text
	n          int // number of the entry, from 1
}

// batch is a run of entries that is decoded as one piece of work.
type batch struct {
	text  []byte
	base  int64 // file offset of text[0]
	spans []span
	kept  bool  // text stays as it is: bodies may refer to it
	read  int64 // how far the file was read
	out   decoded
	ready chan struct{}
}

const (
	blockSize = 1 << 20   // text read at once where the file is not mapped
	maxBatch  = 512 << 10 // text of one batch; the first ones are smaller, so that rows appear at once
	maxSpans  = 256
	// maxEntry bounds one entry of a HAR that is read as a stream. A mapped
	// file has no such limit.
	maxEntry = 512 << 20
)

// splitter finds the entries of a HAR. Where the file is mapped, buf is all of
// it; where it is a stream, buf is a window that slides on.
type splitter struct {
	in   io.Reader // nil when buf is all there is
	pos  func() int64
	pool *buffers
	emit func(*batch) error // an error stops the splitter

	buf  []byte
	base int64 // file offset of buf[0]
	i    int

	pending []span
	target  int
	n       int // entries seen

	root, log, entries bool // which members were found
	version            string
	looked             int64 // bytes passed to find an entry after a broken one
	damage             []damage
}

// damage is something that could not be read, at a file offset.
type damage struct {
	n    int // entry, 0 when it concerns none
	what string
	text string
	at   int64
}

var (
	errEnds     = errors.New("the text ends")
	errSyntax   = errors.New("no JSON")
	errReported = errors.New("reading stopped, and damage says why")
)

// run reads the whole text. What it returns is errEnds, errSyntax (with s.i at
// the place), errReported, an error of emit, or one of the reader.
func (s *splitter) run() error {
	s.target = maxBatch / 64
	if s.in != nil {
		if err := s.fill(); err != nil && err != errEnds {
			return err
		}
	}
	s.i = len(bom(s.buf))
	err := s.object(func(key string) error {
		s.root = true
		if key != "log" {
			return s.skip()
		}
		s.log = true
		return s.object(s.logMember)
	})
	if ferr := s.flush(); ferr != nil {
		return ferr
	}
	return err
}

func (s *splitter) logMember(key string) error {
	switch key {
	case "entries":
		return s.array()
	case "version":
		if _, err := s.peek(); err != nil {
			return err
		}
		from, err := s.value()
		if err == nil {
			c := cursor{s: s.buf[from:s.i]}
			t := c.str()
			s.version = string(unescape(nil, t.raw))
		}
		return err
	}
	return s.skip()
}

// object walks the members of an object; each must consume the member's value.
func (s *splitter) object(member func(key string) error) error {
	b, err := s.peek()
	if err != nil {
		return err
	}
	if b != '{' {
		return s.skip()
	}
	s.i++
	for first := true; ; first = false {
		b, err := s.peek()
		if err != nil {
			return err
		}
		switch {
		case b == '}':
			s.i++
			return nil
		case b == ',' && !first:
			s.i++
			if b, err = s.peek(); err != nil {
				return err
			}
		}
		if b != '"' {
			return errSyntax
		}
		from, err := s.value()
		if err != nil {
			return err
		}
		key := string(unescape(nil, s.buf[from+1:s.i-1]))
		if b, err = s.peek(); err != nil {
			return err
		}
		if b != ':' {
			return errSyntax
		}
		s.i++
		if err := member(key); err != nil {
			return err
		}
	}
}

// array walks log.entries.
func (s *splitter) array() error {
	b, err := s.peek()
	if err != nil {
		return err
	}
	if b != '[' {
		return s.skip()
	}
	s.i++
	s.entries = true
	for {
		b, err := s.peek()
		if err != nil {
			return err
		}
		switch b {
		case ']':
			s.i++
			return s.flush()
		case ',':
			s.i++
			continue
		}
		s.n++
		from, err := s.value()
		if err == errSyntax || err == errEnds {
			if err = s.resync(err); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		if err := s.add(from); err != nil {
			return err
		}
	}
}

// add puts the entry between from and s.i into the batch that is being filled.
func (s *splitter) add(from int) error {
	s.pending = append(s.pending, span{from, s.i, s.n})
	if s.i-s.pending[0].start < s.target && len(s.pending) < maxSpans {
		return nil
	}
	return s.flush()
}

func (s *splitter) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	s.target = min(s.target*2, maxBatch)
	read := s.base + int64(s.i)
	if s.pos != nil {
		read = s.pos()
	}
	b := &batch{text: s.buf, base: s.base, spans: s.pending, kept: s.in == nil, read: read, ready: make(chan struct{})}
	s.pending = nil
	if s.in != nil { // the buffer is the batch's now; go on with the rest in another
		s.buf = append(s.pool.get(len(s.buf)-s.i), s.buf[s.i:]...)
		s.base += int64(s.i)
		s.i = 0
	}
	return s.emit(b)
}

// peek returns the first byte that is no white space.
func (s *splitter) peek() (byte, error) {
	for {
		if s.i = skipSpace(s.buf, s.i); s.i < len(s.buf) {
			return s.buf[s.i], nil
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// value passes one value and returns where it started; on errors s.i stays there.
func (s *splitter) value() (from int, err error) {
	for {
		end, v := skipValue(s.buf, s.i)
		switch v {
		case whole:
			from, s.i = s.i, end
			return from, nil
		case broken:
			return s.i, errSyntax
		}
		if err := s.fill(); err != nil {
			return s.i, err
		}
	}
}

func (s *splitter) skip() error {
	if _, err := s.peek(); err != nil {
		return err
	}
	_, err := s.value()
	return err
}

// fill makes more text follow s.buf[s.i:]; what is before s.i is dropped.
func (s *splitter) fill() error {
	if s.in == nil {
		return errEnds
	}
	if err := s.flush(); err != nil {
		return err
	}
	if s.i > 0 {
		n := copy(s.buf, s.buf[s.i:])
		s.buf, s.base, s.i = s.buf[:n], s.base+int64(s.i), 0
	}
	if len(s.buf) >= maxEntry {
		return fmt.Errorf("byte %d: one value of more than %d MiB; unpack the file and open it by its path, there is no limit then", s.base, maxEntry>>20)
	}
	if free := cap(s.buf) - len(s.buf); free < blockSize/4 || free < len(s.buf) {
		s.buf = append(s.pool.get(2*len(s.buf)), s.buf...)
	}
	for range 100 { // a reader that gives nothing and no error is at its end
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		switch {
		case n > 0:
			return nil
		case err == io.EOF:
			return errEnds
		case err != nil:
			return err
		}
	}
	return io.ErrNoProgress
}

func bom(s []byte) []byte {
	if len(s) >= 3 && s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf {
		return s[:3]
	}
	return nil
}
