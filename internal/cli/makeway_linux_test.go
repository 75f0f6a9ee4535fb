package cli

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestThreadsHaveShortTurns: those that are there, and those that begin later.
func TestThreadsHaveShortTurns(t *testing.T) {
	shortTurns()
	told := make(chan time.Duration)
	go func() {
		runtime.LockOSThread() // never unlocked: the next goroutine like this needs another thread
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			a = &unix.SchedAttr{} // a sandbox that does not know the call
		}
		told <- time.Duration(a.Runtime)
	}()
	switch got := <-told; got {
	case 0:
		t.Skip("this system has no turns to choose")
	case turn:
	default:
		t.Errorf("a turn of %v, want %v", got, turn)
	}
}

func TestRestOf(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct{ took, used, want time.Duration }{
		{10 * ms, 10 * ms, 0},
		{10 * ms, 9 * ms, 0}, // interrupts, a short turn of another
		{10 * ms, 5 * ms, 25 * ms},
		{100 * ms, 50 * ms, 100 * ms},
		{100 * time.Microsecond, 50 * time.Microsecond, 250 * time.Microsecond}, // one event beside two busy programs
	} {
		if got := restOf(tt.took, tt.used); got != tt.want {
			t.Errorf("%v of %v computed: rest %v, want %v", tt.used, tt.took, got, tt.want)
		}
	}
}

// The clock is that of the thread: it stands while the thread does, and goes while it computes.
func TestThreadTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	time.Sleep(50 * time.Millisecond)
	if slept := threadTime() - before; slept > 25*time.Millisecond {
		t.Errorf("%v computed while it slept", slept)
	}
	for n := uint64(0); threadTime()-before < 30*time.Millisecond; n++ {
		if n == 1<<32 {
			t.Fatal("the clock does not go")
		}
	}
}
