package cli

import (
	"os"
	"runtime"
	"strconv"
	"time"

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

// processors is how many threads may run at first: one a core, or fewer where the
// user or a container's quota says so.
var processors = runtime.GOMAXPROCS(0)

// makeRoom lets one thread more run than that, for the ones above wait for their
// turn: Go's scheduler counts a thread that waits as one that runs. With more of
// them threads are woken that find nothing to do. It counts those in the same way
// that hold a processor while they wait for traffic.
func makeRoom(holding int) {
	runtime.GOMAXPROCS(processors + 1 + holding)
	shortTurns()
}

// turn is how long a thread computes before one that was woken may have its
// core. The system's own choice is some milliseconds, for which an event would
// wait, the peers' as well as ours.
const turn = 100 * time.Microsecond

// shortTurns asks for them. Threads that begin later have those of the one that
// began them. Linux before 6.12 does not hear.
func shortTurns() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		a, err := unix.SchedGetAttr(id, 0)
		if err != nil || a.Policy != unix.SCHED_NORMAL {
			continue // the user has chosen something else for it
		}
		a.Runtime = uint64(turn)
		_ = unix.SchedSetAttr(id, a, 0)
	}
}
