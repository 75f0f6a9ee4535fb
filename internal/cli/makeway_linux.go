package cli

import (
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"a2ascope/internal/session"
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
// runs. With more of them threads are woken that find nothing to do. It counts
// those in the same way that hold a processor while they wait for traffic.
func makeRoom(holding int) {
	runtime.GOMAXPROCS(runtime.NumCPU() + 1 + holding)
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

// The priority of a thread says which share of a core it has, not that it leaves
// the core to others: what of a peer was in its caches is lost with every turn. So the
// thread that judges rests between batches, as long as others want the core.
const (
	restShare  = 6                      // it works a sixth of the time then
	restMost   = 100 * time.Millisecond // at once
	waitedPart = 4                      // who had to wait a quarter of the time did not have the core for itself
)

// pacer compares how long its thread has computed with the time that went by.
type pacer struct {
	began time.Time
	used  time.Duration
}

// newPacer is called on the thread that makeWay gave the goroutine.
func newPacer() session.Pacer { return &pacer{} }

func (p *pacer) Begin() { p.began, p.used = time.Now(), threadTime() }

func (p *pacer) Rest() time.Duration { return restOf(time.Since(p.began), threadTime()-p.used) }

// restOf is the rest after a batch that took so long, of which the thread computed so long.
func restOf(took, used time.Duration) time.Duration {
	if took-used < took/waitedPart {
		return 0
	}
	return min(used*(restShare-1), restMost)
}

// threadTime is how long the thread has computed since it began.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // cannot fail: every thread has this clock
	return time.Duration(t.Nano())
}
