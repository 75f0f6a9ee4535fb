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
