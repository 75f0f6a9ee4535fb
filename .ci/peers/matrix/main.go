// Command matrix puts a2ascope between real peers: the four SDKs as clients and
// as agents, over every binding, reverse and as a forward proxy, with and
// without TLS; and curl, node and Go without an SDK.
//
// Each client runs without and with the tap. What it says must be the same, the
// tap must have read every call, and it must name the cause where two peers do
// not fit, and no cause where they do.
//
//	matrix -a2ascope PROGRAM -scratch DIR [-peers .ci/peers] [-only TEXT]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	l := &lab{ctx: ctx}
	flag.StringVar(&l.tool, "a2ascope", "", "the `program` to test")
	flag.StringVar(&l.peers, "peers", ".ci/peers", "the `folder` of the peers; those of npm are installed there")
	flag.StringVar(&l.scratch, "scratch", "", "a `folder` with the built Go peers; what is made goes there, too")
	only := flag.String("only", "", "only the runs whose name contains this `text`")
	flag.Parse()
	failed, err := l.all(*only)
	l.close()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
	if failed > 0 {
		fmt.Fprintf(os.Stderr, "matrix: %d runs failed\n", failed)
		os.Exit(1)
	}
}

// job is one run, named.
type job struct {
	name string
	do   func() error
}

func (l *lab) all(only string) (failed int, err error) {
	jobs, err := l.jobs()
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	var owned sync.WaitGroup
	next := make(chan job)
	ran := 0
	for range runtime.NumCPU() {
		owned.Go(func() {
			for j := range next {
				begin := time.Now()
				err := j.do()
				mu.Lock()
				ran++
				if err != nil {
					failed++
					fmt.Printf("FAIL %s\n%v\n", j.name, err)
				} else {
					fmt.Printf("ok   %-48s %4.1f s\n", j.name, time.Since(begin).Seconds())
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		if strings.Contains(j.name, only) && l.ctx.Err() == nil {
			next <- j
		}
	}
	close(next)
	owned.Wait()
	if ran == 0 {
		return 0, fmt.Errorf("no run is named %q", only)
	}
	fmt.Printf("%d runs, %d failed\n", ran, failed)
	return failed, l.ctx.Err()
}

func (l *lab) jobs() ([]job, error) {
	servers, err := l.servers()
	if err != nil {
		return nil, err
	}
	passages, err := l.passages()
	if err != nil {
		return nil, err
	}
	var all []job
	for _, r := range runs(l.clients(), servers) {
		all = append(all, job{r.String(), func() error {
			res, err := l.do(r)
			if err != nil {
				return err
			}
			return r.judge(res)
		}})
	}
	for _, p := range passages {
		all = append(all, job{p.String(), func() error { return l.pass(p) }})
	}
	for _, s := range speakers {
		all = append(all, job{s.name, func() error { return l.spoken(s) }})
	}
	return all, nil
}
