//go:build !noloops

package proxy

import (
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"
)

// TestACollectionDoesNotWaitForALoop: one that holds its processor while it
// waits for traffic hears that the runtime wants to stop it.
func TestACollectionDoesNotWaitForALoop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors + 1 + Loops()))
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	x := start(t, Options{Target: s.URL})
	c := client(t)
	var slowest time.Duration
	for range 50 {
		get(t, c, x.url)
		begin := time.Now()
		runtime.GC()
		slowest = max(slowest, time.Since(begin))
	}
	if slowest > 2*time.Second {
		t.Errorf("a collection took %v", slowest)
	}
	x.end()
	if len(x.loops) != Loops() || !x.loops[0].holds {
		t.Errorf("%d loops, the first holds a processor: %v", len(x.loops), x.loops[0].holds)
	}
}
