//go:build linux || darwin

package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// One mapping holds many bodies; address space is all it costs.
	spillSegment = 64 << 20
	// After so much was written, the pages that were read meanwhile are given
	// back. Nothing is lost: who looks again reads the file.
	spillRelease = 8 << 20
)

// spillFile is a file without a name. It is written with write calls, so that a
// full disk is an error and not a signal, and read through mappings.
type spillFile struct {
	f        *os.File
	segments [][]byte
	start    int64 // of the newest segment in the file
	used     int   // bytes of the newest segment
	fresh    int   // written since pages were given back
}

func newSpillFile(dir string) (*spillFile, error) {
	f, err := unnamedFile(dir)
	if err != nil {
		return nil, err
	}
	return &spillFile{f: f}, nil
}

// add writes b and returns it as it is in the file. A new mapping joins r.
func (s *spillFile) add(b []byte, r *regions) ([]byte, error) {
	if n := len(s.segments); n == 0 || len(b) > len(s.segments[n-1])-s.used {
		if err := s.grow(len(b)); err != nil {
			return nil, fmt.Errorf("temporary file for bodies: %w", err)
		}
		r.add(s.segments[len(s.segments)-1])
	}
	if _, err := s.f.WriteAt(b, s.start+int64(s.used)); err != nil {
		return nil, fmt.Errorf("temporary file for bodies: %w", err)
	}
	m := s.segments[len(s.segments)-1][s.used:]
	s.used += len(b)
	if s.fresh += len(b); s.fresh >= spillRelease {
		s.release()
	}
	return m[:len(b):len(b)], nil
}

// grow maps the next piece of the file.
func (s *spillFile) grow(least int) error {
	start := s.start
	if n := len(s.segments); n > 0 {
		start += int64(len(s.segments[n-1]))
	}
	size := (max(least, spillSegment) + spillSegment - 1) / spillSegment * spillSegment
	if err := s.f.Truncate(start + int64(size)); err != nil {
		return err
	}
	m, err := unix.Mmap(int(s.f.Fd()), start, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	s.segments, s.start, s.used = append(s.segments, m), start, 0
	return nil
}

func (s *spillFile) release() {
	s.fresh = 0
	for _, m := range s.segments {
		_ = unix.Madvise(m, unix.MADV_DONTNEED)
	}
}

func (s *spillFile) close() {
	s.release()
	_ = s.f.Close()
}
