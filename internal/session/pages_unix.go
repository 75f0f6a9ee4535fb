//go:build linux || darwin

package session

import "golang.org/x/sys/unix"

const (
	pagesOnHeap = false
	hugePage    = 2 << 20
)

// newPages returns memory outside of the heap: the collector neither looks at
// it nor waits for as much again before it collects.
func newPages(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil && n >= hugePage {
		hintHuge(b)
	}
	return b, err
}

func freePages(b []byte) { _ = unix.Munmap(b) }
