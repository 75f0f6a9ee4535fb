//go:build linux || darwin

package session

import (
	"bytes"
	"os"
	"testing"
)

func TestTheSpillFileIsPrivateAndHasNoName(t *testing.T) {
	dir := t.TempDir()
	s, err := newSpillFile(dir)
	if err != nil {
		t.Skip(err)
	}
	defer s.close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
	st, err := s.f.Stat()
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	// A body longer than a segment, and what follows it.
	large := bytes.Repeat([]byte("0123456789abcdef"), (spillSegment+1<<20)/16)
	for _, b := range [][]byte{[]byte("first"), large, []byte("last")} {
		got, err := s.add(b, &regions{})
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%d bytes came back as %d, %v", len(b), len(got), err)
		}
	}
}
