// Command compare runs commands side by side, in turn, for several rounds, and
// prints the median wall time, CPU time and peak memory of each, and the ratio
// of each wall time to the last command's.
//
//	compare -rounds 3 -mb 104.6 name1 'command 1' name2 'command 2'
//
// Taking turns cancels what the machine does meanwhile: figures are for ratios
// within one run. Peak memory is the child's largest resident set, mapped file
// included; "anonymous" is read from /proc while it runs, and is what the
// program holds itself.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type sample struct {
	wall, cpu time.Duration
	rssKB     int64
	anonKB    int64
}

func main() {
	rounds := flag.Int("rounds", 3, "rounds")
	mb := flag.Float64("mb", 0, "size of the input in million bytes, for MB/s")
	items := flag.Int("items", 0, "exchanges in the input, for exchanges/s")
	flag.Parse()
	args := flag.Args()
	if len(args) < 2 || len(args)%2 != 0 {
		fmt.Fprintln(os.Stderr, "usage: compare [-rounds N] name command [name command …]")
		os.Exit(2)
	}
	n := len(args) / 2
	got := make([][]sample, n)
	for r := range *rounds {
		for k := range n {
			i := (k + r) % n
			s, err := run(args[2*i+1])
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", args[2*i], err)
				os.Exit(1)
			}
			got[i] = append(got[i], s)
		}
	}
	base := median(got[n-1], func(s sample) float64 { return s.wall.Seconds() })
	fmt.Printf("%-28s %9s %9s %9s %10s %10s %8s %9s\n", "", "wall s", "cpu s", "MB/s", "exch/s", "peak MB", "anon MB", "x "+args[2*n-2])
	for i := range n {
		wall := median(got[i], func(s sample) float64 { return s.wall.Seconds() })
		cpu := median(got[i], func(s sample) float64 { return s.cpu.Seconds() })
		rss := median(got[i], func(s sample) float64 { return float64(s.rssKB) / 1000 })
		anon := median(got[i], func(s sample) float64 { return float64(s.anonKB) / 1000 })
		fmt.Printf("%-28s %9.3f %9.3f %9.1f %10.0f %10.1f %8.1f %9.2f\n", args[2*i], wall, cpu, *mb/wall, float64(*items)/wall, rss, anon, base/wall)
	}
}

func run(command string) (sample, error) {
	c := exec.Command("bash", "-c", "exec "+command)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	start := time.Now()
	if err := c.Start(); err != nil {
		return sample{}, err
	}
	stop := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- watchAnon(c.Process.Pid, stop) }()
	err := c.Wait()
	wall := time.Since(start)
	close(stop)
	anon := <-peak
	if code := c.ProcessState.ExitCode(); err != nil && code != 1 { // 1: findings, or a grep without a match
		return sample{}, fmt.Errorf("%v: %s", err, stderr.String())
	}
	u := c.ProcessState.SysUsage().(*syscall.Rusage)
	return sample{wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), u.Maxrss, anon}, nil
}

// watchAnon polls the anonymous memory of a process and of its children.
func watchAnon(pid int, stop <-chan struct{}) int64 {
	var peak int64
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return peak
		case <-tick.C:
			peak = max(peak, anonOf(pid))
		}
	}
}

func anonOf(pid int) int64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kb
		}
	}
	return 0
}

func median(s []sample, f func(sample) float64) float64 {
	v := make([]float64, len(s))
	for i := range s {
		v[i] = f(s[i])
	}
	slices.Sort(v)
	return v[len(v)/2]
}
