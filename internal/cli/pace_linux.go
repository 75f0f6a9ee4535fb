package cli

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"a2ascope/internal/session"
)

// The priority of a thread says which share of a core it has, not that it leaves
// the core to others: beside one that judges without a break the peers have the
// other cores, and what was in their caches is lost with every turn. So it rests
// between batches, as long as the cores are all wanted.
const (
	restShare = 8                      // it works an eighth of the time then
	restMost  = 150 * time.Millisecond // at once
	idlePart  = 4                      // with a quarter of the time of all cores left nobody is in the way
	loadSpan  = 100 * time.Millisecond // over which that is looked at: the system counts in steps of 10 ms
)

// pacer is the session.Pacer of a thread that makeWay gave a goroutine.
type pacer struct {
	began  time.Duration // what the thread had computed when the batch began
	load   coreTime      // when it was looked at last
	looked time.Time
	wanted bool
}

func newPacer() session.Pacer { return &pacer{} }

func (p *pacer) Begin() { p.began = threadTime() }

func (p *pacer) Rest() time.Duration {
	used := threadTime() - p.began
	if now := time.Now(); now.Sub(p.looked) >= loadSpan {
		b, _ := os.ReadFile("/proc/stat") // where there is none, nobody rests
		load, ok := parseCoreTime(b)
		p.wanted = ok && load.busySince(p.load)
		p.load, p.looked = load, now
	}
	if !p.wanted {
		return 0
	}
	return min(used*(restShare-1), restMost)
}

// coreTime is the time of all cores since the system began, in its ticks.
type coreTime struct{ all, idle uint64 }

// busySince reports whether hardly any of it was left since an earlier time.
func (t coreTime) busySince(o coreTime) bool {
	all, idle := t.all-o.all, t.idle-o.idle
	return o.all > 0 && all > 0 && idle < all/idlePart
}

// parseCoreTime reads the first line of /proc/stat (proc_stat(5)): user, nice,
// system, idle, iowait and more, of which guest time is a part of user.
func parseCoreTime(b []byte) (t coreTime, ok bool) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 6 || string(fields[0]) != "cpu" {
		return t, false
	}
	for i, f := range fields[1:min(len(fields), 9)] {
		n, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return t, false
		}
		if t.all += n; i == 3 || i == 4 {
			t.idle += n
		}
	}
	return t, true
}

// threadTime is how long the thread has computed since it began.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // cannot fail: every thread has this clock
	return time.Duration(t.Nano())
}
