//go:build linux || darwin

package session

import "golang.org/x/sys/unix"

const pagesOnHeap = false

// newPages returns memory outside of the heap: the collector neither looks at
// it nor waits for as much again before it collects.
func newPages(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func freePages(b []byte) { _ = unix.Munmap(b) }
