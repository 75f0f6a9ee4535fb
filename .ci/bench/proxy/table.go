package main

import (
	"fmt"
	"strings"
)

var (
	rateOf = func(c cell) float64 { return c.rate }
	p50Of  = func(c cell) float64 { return c.p50 }
	p99Of  = func(c cell) float64 { return c.p99 }
	cpuOf  = func(c cell) float64 { return c.cpu }
	keptOf = func(c cell) float64 { return c.kept }
	wireOf = func(c cell) float64 { return c.wire }
	cutOf  = func(c cell) float64 { return float64(c.cut) }
)

// print writes the tables, as docs/PERFORMANCE.md has them, and the goals.
func (b *bench) print(takes []rival) {
	for _, m := range measurements {
		if len(b.results[m.name]) == 0 {
			continue
		}
		var head []string
		switch m.show {
		case "rate":
			head = []string{"calls/s", "of nginx", "p50 µs", "p99 µs", "CPU µs/call"}
		case "late":
			head = []string{"late p50 µs", "of nginx", "late p99 µs", "of nginx", "CPU µs/stream"}
		case "cut":
			head = []string{"cut"}
		case "memory":
			head = []string{"bytes"}
		}
		fmt.Printf("\n| %s | %s |\n|---|%s\n", m.name, strings.Join(head, " | "), strings.Repeat("---|", len(head)))
		base := b.results[m.name]["nginx"]
		for _, r := range takes {
			cs := b.results[m.name][r.name]
			if len(cs) == 0 {
				fmt.Printf("| %s | does not speak it |\n", r.name)
				continue
			}
			of := func(f func(cell) float64) string {
				if len(base) == 0 {
					return ""
				}
				return fmt.Sprintf("%.2f", median(cs, f)/median(base, f))
			}
			n := func(f func(cell) float64) string { return fmt.Sprintf("%.0f", median(cs, f)) }
			var row []string
			switch m.show {
			case "rate":
				row = []string{n(rateOf), of(rateOf), n(p50Of), n(p99Of), n(cpuOf)}
			case "late":
				row = []string{n(p50Of), of(p50Of), n(p99Of), of(p99Of), n(cpuOf)}
			case "cut":
				row = []string{fmt.Sprintf("%s of %d", n(cutOf), cs[0].of)}
			case "memory":
				row = []string{n(keptOf)}
			}
			fmt.Printf("| %s | %s |\n", r.name, strings.Join(row, " | "))
		}
	}
	b.goals()
}

// goals compares a2ascope with what it should reach.
func (b *bench) goals() {
	ratio := func(m, rival string, f func(cell) float64) float64 {
		ours, theirs := b.results[m]["a2ascope"], b.results[m][rival]
		if len(ours) == 0 || len(theirs) == 0 {
			return 0
		}
		return median(ours, f) / median(theirs, f)
	}
	const json16, sse16, unary = "JSON-RPC, 16 connections", "SSE, 16 streams of 50 events", "gRPC h2c unary, 16 callers"
	fmt.Printf("\n| goal | wanted | measured |\n|---|---|---|\n")
	for _, g := range []struct {
		what, wanted string
		got          float64
	}{
		{"JSON-RPC, 16 connections, of nginx", "≥ 0.6", ratio(json16, "nginx", rateOf)},
		{"JSON-RPC, 16 connections, of ReverseProxy", "≥ 1.3", ratio(json16, "ReverseProxy", rateOf)},
		{"SSE, late p50, of nginx", "≤ 1.2", ratio(sse16, "nginx", p50Of)},
		{"SSE, late p99, of nginx", "≤ 2", ratio(sse16, "nginx", p99Of)},
		{"gRPC h2c unary, of nginx", "≥ 1", ratio(unary, "nginx", rateOf)},
	} {
		if g.got > 0 {
			fmt.Printf("| %s | %s | %.2f |\n", g.what, g.wanted, g.got)
		}
	}
	if cs := b.results["memory of an exchange"]["a2ascope"]; len(cs) > 0 && median(cs, wireOf) > 0 {
		fmt.Printf("| memory of a recorded exchange, of its bytes on the wire (%.0f) | ≤ 1.5 | %.2f |\n", median(cs, wireOf), median(cs, keptOf)/median(cs, wireOf))
	}
	if cs := b.results["streams cut while both cores are busy"]["a2ascope"]; len(cs) > 0 {
		fmt.Printf("| streams cut | 0 | %.0f |\n", median(cs, cutOf))
	}
}
