//go:build !race

package cli

import (
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	hugeRoom = 256 << 20 // what a session takes, or much of it
	hugePage = 2 << 20
	// Some collections of some thousand exchanges a second; it is given back when they are over.
	readyRoom = 64 << 20
)

// hugeRange is where hugeHeap was: an address, which the collector must not take for a pointer.
var hugeRange struct{ at, n uintptr }

// hugeHeap asks for huge pages under the memory that the heap will grow into.
// A page is paid for when it is first written, and the heap's would be small
// ones, which is a quarter of the time of reading a file on a virtual machine.
// The runtime has no setting for it. So a block is taken from it, never
// written, marked, and let go again: the heap grows from the lowest free
// addresses, which are these.
var hugeHeap = sync.OnceFunc(func() {
	if !roomFor(hugeRoom) {
		return
	}
	b := make([]byte, hugeRoom)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := -at % hugePage
	hugeRange.at, hugeRange.n = at+skip, (hugeRoom-skip)/hugePage*hugePage
	hugePages(true)
	debug.FreeOSMemory()
})

// hugePages turns them on and off. While nothing happens they are off: the
// system would put together again, in the background, what was given back in parts.
func hugePages(on bool) {
	advice := unix.MADV_NOHUGEPAGE
	if on {
		advice = unix.MADV_HUGEPAGE
	}
	if hugeRange.n > 0 {
		// Where the system has no huge pages nothing changes.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, hugeRange.at, hugeRange.n, uintptr(advice))
	}
}

// readyHeap has the system give the heap what a burst takes of it, ahead of the
// burst. Whoever writes a page first waits for it, and holds up a collection
// meanwhile, and with it the relay; here a system call waits.
func readyHeap() {
	if hugeRange.n == 0 {
		return
	}
	b := make([]byte, readyRoom)
	_ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) // Linux before 5.14 knows no such advice
	runtime.KeepAlive(b)
	b = nil
	runtime.GC()
}

// roomFor asks the system first: the runtime ends the program where it gets no memory.
func roomFor(n int) bool {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	return err == nil && unix.Munmap(b) == nil
}
