//go:build unix

package har

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the file for reading. The mapping is never undone: bodies refer
// to it for as long as the program runs.
func mapFile(f *os.File, size int64) ([]byte, error) {
	if size != int64(int(size)) {
		return nil, unix.EFBIG
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err == nil {
		_ = unix.Madvise(b, unix.MADV_SEQUENTIAL)
	}
	return b, err
}
