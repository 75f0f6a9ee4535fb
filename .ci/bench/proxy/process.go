package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tree returns a process and what it started.
func tree(pid int) []int {
	all := []int{pid}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		text, _ := os.ReadFile(t)
		for _, f := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(f); err == nil {
				all = append(all, tree(child)...)
			}
		}
	}
	return all
}

// cpu is the processor time of a rival so far.
func (r *running) cpu() time.Duration {
	if r.cmd == nil {
		return 0
	}
	var sum time.Duration
	for _, pid := range tree(r.cmd.Process.Pid) {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, t := range tasks {
			text, _ := os.ReadFile(t)
			if f := strings.Fields(string(text)); len(f) > 0 {
				ns, _ := strconv.ParseInt(f[0], 10, 64)
				sum += time.Duration(ns)
			}
		}
	}
	return sum
}

// quiet is how long a rival must have done nothing to have nothing left to do; a tap rests for less
// while its peers want the cores.
const quiet = 300 * time.Millisecond

// settle waits until a rival has nothing left to do, and returns its processor time.
func (r *running) settle() time.Duration {
	last := r.cpu()
	for range 100 {
		time.Sleep(quiet)
		now := r.cpu()
		if now-last < 5*time.Millisecond {
			return now
		}
		last = now
	}
	return last
}

// rested is its memory once it has nothing left to do and has given back what
// it keeps for a moment.
func (r *running) rested() int64 {
	r.settle()
	time.Sleep(afterwards)
	return r.memory()
}

// memory is the anonymous memory of a rival, in bytes.
func (r *running) memory() int64 {
	if r.cmd == nil {
		return 0
	}
	var sum int64
	for _, pid := range tree(r.cmd.Process.Pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
				kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				sum += kb << 10
			}
		}
	}
	return sum
}
