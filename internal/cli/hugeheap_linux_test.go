//go:build !race

package cli

import (
	"testing"
	"unsafe"
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
