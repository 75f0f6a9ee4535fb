package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

const (
	defaultMemory = size(512 << 20)
	// Below this the parsers' own buffers would be the larger part.
	leastMemory = size(8 << 20)
	// What the program takes beside what --max-memory bounds: rules, screen,
	// agents, the parsers' buffers and what waits in the queues.
	besideMemory = 128 << 20
	// From here on the queue's own bounds are the smaller ones.
	maxQueue = size(128 << 20)
)

// size is a number of bytes as people write it: 256MB, 1GiB, 1073741824.
type size int64

var sizeUnits = []struct {
	name string
	n    float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	t, unit := strings.ToLower(strings.TrimSpace(text)), 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(t, u.name); ok {
			t, unit = strings.TrimSpace(rest), u.n
			break
		}
	}
	f, err := strconv.ParseFloat(t, 64)
	n := f * unit
	switch {
	case err != nil || math.IsNaN(n):
		return fmt.Errorf("%q is not a size: write a number and a unit, for example 256MB or 1GiB (0: no bound)", text)
	case n < 0 || n >= math.MaxInt64:
		return fmt.Errorf("%q is out of range", text)
	case n != 0 && n < float64(leastMemory):
		return fmt.Errorf("%s is too small: at least %s, or 0 for no bound", text, leastMemory)
	}
	*s = size(n)
	return nil
}

// Type implements pflag.Value.
func (s size) Type() string { return "size" }

// String implements pflag.Value.
func (s size) String() string {
	for _, u := range []size{1 << 30, 1 << 20, 1 << 10} {
		if s != 0 && s%u == 0 {
			return strconv.FormatInt(int64(s/u), 10) + map[size]string{1 << 30: "GiB", 1 << 20: "MiB", 1 << 10: "KiB"}[u]
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

func (s *size) register(cmd *cobra.Command) {
	*s = defaultMemory
	cmd.Flags().Var(s, "max-memory", "keep at most this much of the traffic in memory; bodies beyond it go to an unnamed temporary file")
	_ = cmd.RegisterFlagCompletionFunc("max-memory", fixed("256MiB", "512MiB", "1GiB", "4GiB"))
}

// queue is what may wait for the session beside what it has taken.
func (s size) queue() capture.QueueOptions {
	if s == 0 || s/4 >= maxQueue {
		return capture.QueueOptions{}
	}
	return capture.QueueOptions{Budget: int64(s / 4), Share: int64(s / 16)}
}

// bound gives the session its memory and its budget. endless inputs also bound
// the heap as a whole: a collection must not wait until twice the budget is there.
func (e *Env) bound(o session.Options, m size, endless bool) session.Options {
	hugeHeap()
	o.MaxMemory = int64(m)
	if e.Getenv("TMPDIR") == "" && runtime.GOOS != "windows" {
		// /tmp is memory on many systems, and this file is for what should not be there.
		if st, err := os.Stat("/var/tmp"); err == nil && st.IsDir() {
			o.SpillDir = "/var/tmp"
		}
	}
	if endless && m > 0 && e.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(session.OnHeap(int64(m)) + besideMemory)
	}
	return o
}

// How much the heap may grow between two collections, in percent of what lives
// on it. What is read from files is read once and gone: a fifth less time for a
// tenth more memory. Beside live traffic collections take the processor from
// the peers, and what a burst leaves is given back when it is over.
const (
	fileGarbage = 150
	liveGarbage = 200
)

// garbage lets that much lie around, unless the user has said otherwise.
func (e *Env) garbage(percent int) {
	if e.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// quietFor is how long a session has to bring nothing new before memory is given back.
const quietFor = time.Second

// giveBack returns to the system what a burst of traffic left on the heap, once
// it is over. The runtime by itself keeps it for minutes; a tap runs beside
// programs that want it. active says when a burst begins and when it is over.
func giveBack(ctx context.Context, s ui.Store, quiet time.Duration, active func(bool)) {
	for rev := uint64(0); ; {
		v := s.Next(ctx, rev)
		active(true)
		for v.Rev != rev && !v.Done {
			rev = v.Rev
			wait, stop := context.WithTimeout(ctx, quiet)
			v = s.Next(wait, rev)
			stop()
		}
		if v.Done || ctx.Err() != nil {
			return
		}
		active(false)
	}
}

// heapGrows has memory given out generously during a burst, and back after it.
func heapGrows(yes bool) {
	if !yes {
		debug.FreeOSMemory()
	}
	hugePages(yes)
}

// heapActive is the same beside live traffic, which should not wait for it.
func heapActive(yes bool) {
	heapGrows(yes)
	if yes {
		readyHeap()
	}
}

// isStream reports whether an input may go on for ever: standard input or a pipe.
func isStream(name string) bool {
	if name == "-" {
		return true
	}
	st, err := os.Stat(name)
	return err == nil && !st.Mode().IsRegular() && !st.IsDir()
}
