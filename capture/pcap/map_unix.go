//go:build unix

package pcap

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file for reading. The mapping is never undone: chunks point
// into it for as long as anyone keeps them.
func mapFile(f *os.File, size int64) ([]byte, error) {
	if size > int64(math.MaxInt) {
		return nil, unix.EFBIG
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	// Only advice: the file is read from front to back.
	_ = unix.Madvise(b, unix.MADV_SEQUENTIAL)
	return b, nil
}

// release lets the system take back the pages of a part of a mapping. Nothing
// is lost: whoever looks at it again has it read from the file again.
func release(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }
