package cli

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// makeWay gives the goroutine a thread of its own that waits for those that
// pass traffic on. What is read and judged a moment later harms nobody; an
// event that comes late is what the user is looking for.
func makeWay() { ownThread(analysisNice) }

// goFirst gives the goroutine, one of the relay, a thread of its own.
func goFirst() { ownThread(0) }

const (
	// Lets the relay go first without starving what holds a lock it needs.
	analysisNice = 10
	// How long a thread computes before one that was woken may have its core.
	// The system's own choice is some milliseconds, which an event waited for.
	turn = 100 * time.Microsecond
)

// ownThread asks the system for short turns, which Linux before 6.12 does not
// hear, and for no better place than the program has.
func ownThread(nice int32) {
	runtime.LockOSThread()
	a, err := unix.SchedGetAttr(0, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL {
		return // the user has chosen something else for it
	}
	a.Nice = max(a.Nice, nice)
	a.Runtime = uint64(turn)
	_ = unix.SchedSetAttr(0, a, 0)
}

// makeRoom lets one thread more run than there are cores, for those that make
// way wait for their turn: Go's scheduler counts a thread that waits as one that
// runs. With more of them threads are woken that find nothing to do. It counts
// those in the same way that hold a processor while they wait for traffic.
func makeRoom(holding int) { runtime.GOMAXPROCS(runtime.NumCPU() + 1 + holding) }
