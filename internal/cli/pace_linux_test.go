package cli

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestParseCoreTime(t *testing.T) {
	const text = "cpu  100 20 30 4000 500 6 7 8 90 0\ncpu0 1 2 3 4 5 6 7 8 9 0\nintr 1\n"
	if got, ok := parseCoreTime([]byte(text)); !ok || got != (coreTime{all: 4671, idle: 4500}) {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, bad := range []string{"", "cpu", "cpu0 1 2 3 4 5 6 7 8 9 0", "cpu 1 2 3 x 5 6 7 8"} {
		if got, ok := parseCoreTime([]byte(bad)); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Skip(err)
	}
	if got, ok := parseCoreTime(b); !ok || got.all < got.idle {
		t.Errorf("this system's: %+v, %v", got, ok)
	}
}

func TestBusySince(t *testing.T) {
	for _, tt := range []struct {
		before, now coreTime
		want        bool
	}{
		{coreTime{1000, 500}, coreTime{1020, 502}, true},
		{coreTime{1000, 500}, coreTime{1020, 510}, false},
		{coreTime{1000, 500}, coreTime{1000, 500}, false}, // no tick since
		{coreTime{}, coreTime{1000, 10}, false},           // of all the time before
	} {
		if got := tt.now.busySince(tt.before); got != tt.want {
			t.Errorf("%+v after %+v: busy %v", tt.now, tt.before, got)
		}
	}
}

func TestPacerRestsInProportion(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := &pacer{looked: time.Now().Add(time.Hour)}
	batch := func(d time.Duration) time.Duration {
		p.Begin()
		for threadTime()-p.began < d {
		}
		return p.Rest()
	}
	if got := batch(time.Millisecond); got != 0 {
		t.Errorf("nobody wants the cores: %v", got)
	}
	p.wanted = true
	if got := batch(time.Millisecond); got < (restShare-1)*time.Millisecond || got > restMost {
		t.Errorf("after a millisecond: %v", got)
	}
	if got := batch(30 * time.Millisecond); got != restMost {
		t.Errorf("after a long batch: %v", got)
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
