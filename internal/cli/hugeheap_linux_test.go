//go:build !race

package cli

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestTheHeapGrowsIntoHugePages: what is allocated after the block was let go
// lies where it was.
func TestTheHeapGrowsIntoHugePages(t *testing.T) {
	hugeHeap()
	if hugeRange.n < hugeRoom/2 {
		t.Fatalf("a range of %d bytes", hugeRange.n)
	}
	var held [][]byte
	for range 64 { // what other tests left free comes first
		b := make([]byte, 4<<20)
		held = append(held, b)
		if at := uintptr(unsafe.Pointer(&b[0])); at >= hugeRange.at && at < hugeRange.at+hugeRange.n {
			return
		}
	}
	t.Errorf("%d blocks of 4 MiB, none of them in the range", len(held))
}

// TestABurstFindsItsHeapReady, and it is given back when the burst is over.
func TestABurstFindsItsHeapReady(t *testing.T) {
	hugeHeap()
	if b, err := unix.Mmap(-1, 0, hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err != nil || unix.Madvise(b, unix.MADV_POPULATE_WRITE) != nil {
		t.Skip("this system does not give memory ahead")
	} else {
		defer unix.Munmap(b)
	}
	heapActive(false)
	quiet := resident(t)
	heapActive(true)
	if got := resident(t) - quiet; got < readyRoom*3/4 {
		t.Errorf("a burst finds %d bytes, want about %d", got, readyRoom)
	}
	heapActive(false)
	if got := resident(t) - quiet; got > readyRoom/4 {
		t.Errorf("after it %d bytes are left", got)
	}
}

// resident is how much memory the process has.
func resident(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(b))
	if err != nil || len(f) < 2 {
		t.Fatal(string(b), err)
	}
	pages, err := strconv.Atoi(f[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
