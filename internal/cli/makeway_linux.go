package cli

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// makeWay gives the goroutine a thread of its own that waits for those that
// pass traffic on. What is read and judged a moment later harms nobody; an
// event that comes late is what the user is looking for.
func makeWay() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), analysisNice)
}

// analysisNice lets the relay go first without starving what holds a lock it needs.
const analysisNice = 10

// makeRoom lets one thread more run than there are cores, for the ones above
// wait for their turn: Go's scheduler counts a thread that waits as one that
// runs. With more of them threads are woken that find nothing to do.
func makeRoom() { runtime.GOMAXPROCS(runtime.NumCPU() + 1) }
