package main

import (
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// cell is one measurement of one rival in one round.
type cell struct {
	rate, p50, p99 float64 // calls a second; microseconds
	cpu            float64 // microseconds of processor a call
	kept           float64 // bytes of memory a call or a connection
	wire           float64 // bytes on the wire a call
	cut            int
	of             int
}

// measurement is a load and what is of interest in it.
type measurement struct {
	name string
	h2   bool
	show string // "rate", "late", "memory" or "cut"
	do   func(b *bench, r *running, c *cell) (calls, events int, err error)
}

func load(f func(b *bench, r *running) (figures, error)) func(*bench, *running, *cell) (int, int, error) {
	return func(b *bench, r *running, c *cell) (int, int, error) {
		began := r.settle()
		got, err := f(b, r)
		if err != nil {
			return 0, 0, err
		}
		n := float64(max(got.calls, 1))
		c.cpu = float64((r.settle() - began).Microseconds()) / n
		c.rate, c.p50, c.p99 = got.rate(), got.at(0.5), got.at(0.99)
		return got.calls, got.events, nil
	}
}

func jsonCalls(width int) measurement {
	return measurement{name: fmt.Sprintf("JSON-RPC, %d connections", width), show: "rate", do: load(func(b *bench, r *running) (figures, error) {
		return calls(r.http, width, b.span)
	})}
}

// afterwards is when a tap has given back what a burst left behind.
const afterwards = 3 * time.Second

// measurements is the list of what is measured.
var measurements = []measurement{
	jsonCalls(1), jsonCalls(16), jsonCalls(64),
	{name: "SSE, 16 streams of 50 events", show: "late", do: load(func(b *bench, r *running) (figures, error) {
		return sse(r.http, 16, b.span)
	})},
	{name: "gRPC h2c unary, 16 callers", h2: true, show: "rate", do: load(func(b *bench, r *running) (figures, error) {
		return grpc(r.h2, 16, b.span, unaryPath)
	})},
	{name: "gRPC h2c, 16 streams of 50 messages", h2: true, show: "late", do: load(func(b *bench, r *running) (figures, error) {
		return grpc(r.h2, 16, b.span, streamPath)
	})},
	{name: "streams cut while both cores are busy", show: "cut", do: func(b *bench, r *running, c *cell) (int, int, error) {
		for range 2 {
			busy := exec.Command(b.self, "busy")
			if err := busy.Start(); err != nil {
				return 0, 0, err
			}
			defer func() {
				_ = busy.Process.Kill()
				_ = busy.Wait()
			}()
		}
		var err error
		c.cut, err = cut(r.http, 32, b.streams)
		c.of = b.streams
		return b.streams, 10 * b.streams, err
	}},
	{name: "memory of an exchange", show: "memory", do: func(b *bench, r *running, c *cell) (int, int, error) {
		first, err := calls(r.http, 16, b.span/4) // what a program needs once is no part of it
		if err != nil {
			return 0, 0, err
		}
		had := r.rested()
		got, err := calls(r.http, 16, b.span)
		if err != nil {
			return 0, 0, err
		}
		n := float64(max(got.calls, 1))
		c.kept, c.wire = float64(r.rested()-had)/n, float64(got.wire)/n
		return first.calls + got.calls, first.events + got.events, nil
	}},
	{name: "memory of an open stream", show: "memory", do: func(b *bench, r *running, c *cell) (int, int, error) {
		had := r.rested()
		release, err := hold(r.http, b.idle)
		defer release()
		if err != nil {
			return 0, 0, err
		}
		c.kept = float64(r.rested()-had) / float64(b.idle)
		return -1, 0, nil // they are still open when the tap ends
	}},
}

// measure starts a rival, measures, ends it, and counts what a2ascope recorded.
func (b *bench) measure(m measurement, r rival) error {
	at, err := r.start(b)
	if err != nil {
		return err
	}
	defer at.stop()
	time.Sleep(50 * time.Millisecond)
	var c cell
	n, events, err := m.do(b, at, &c)
	if err != nil {
		return err
	}
	if at.report != "" && n >= 0 {
		if err := at.recorded(n, events); err != nil {
			return err
		}
	}
	if b.results[m.name] == nil {
		b.results[m.name] = map[string][]cell{}
	}
	b.results[m.name][r.name] = append(b.results[m.name][r.name], c)
	return nil
}

func median(cs []cell, of func(cell) float64) float64 {
	v := make([]float64, len(cs))
	for i := range cs {
		v[i] = of(cs[i])
	}
	slices.Sort(v)
	return v[len(v)/2]
}
