// Command proxy measures a2ascope as a proxy, with the tap, decoding and rules
// on, beside nginx and httputil.ReverseProxy that record nothing, mitmdump that
// keeps nothing, and no proxy at all.
//
//	proxy -a2ascope PROGRAM [-rounds 3] [-span 2s] [-only a2ascope,nginx] [-match TEXT] [-smoke] [-profile FILE]
//
// All take turns in every round, in another order, each freshly started for each measurement; the
// figures are medians of the rounds, and ratios are to nginx. Every answer and
// every event is compared, and what a2ascope recorded is counted.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"a2ascope/internal/cli"
)

// sink keeps the compiler from leaving out what is of no use.
var sink atomic.Uint64

// bench is the place of a run.
type bench struct {
	dir, self, tool, agent, profile string
	rounds                          int
	span                            time.Duration
	streams, idle                   int
	only                            []string
	match                           string
	results                         map[string]map[string][]cell // by measurement and rival
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "agent":
			serveAgent(os.Args[2])
		case "reverse":
			serveReverse(os.Args[2], os.Args[3])
		case "busy":
			for n := uint64(0); ; n++ { // until it is killed
				sink.Store(n)
			}
		case "profiled":
			os.Exit(profiled(os.Args[2], os.Args[3:]))
		}
	}
	b := &bench{results: map[string]map[string][]cell{}}
	smoke := flag.Bool("smoke", false, "a short run that only checks contents")
	only := flag.String("only", "", "rivals, separated by commas")
	flag.StringVar(&b.match, "match", "", "only the measurements whose name contains this `text`")
	flag.StringVar(&b.tool, "a2ascope", "", "the `program` to measure")
	flag.StringVar(&b.profile, "profile", "", "write a CPU profile of a2ascope's last measurement to this `file`")
	flag.IntVar(&b.rounds, "rounds", 3, "rounds")
	flag.DurationVar(&b.span, "span", 2*time.Second, "how long each measurement takes")
	flag.Parse()
	b.streams, b.idle = 2000, 1000
	if *smoke {
		b.rounds, b.span, b.streams, b.idle = 1, 150*time.Millisecond, 100, 50
	}
	if *only != "" {
		b.only = strings.Split(*only, ",")
	}
	if err := b.run(); err != nil {
		log.Fatal(err)
	}
}

// profiled is a2ascope with a CPU profile.
func profiled(file string, args []string) int {
	f, err := os.Create(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	env := cli.System()
	env.Args = args
	code := cli.Main(env)
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	return code
}

func (b *bench) run() error {
	var err error
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := os.Chmod(b.dir, 0o755); err != nil { // nginx works as another user
		return err
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	b.agent = freeAddr()
	agent, err := b.launch(&running{http: b.agent}, b.self, "agent", b.agent)
	if err != nil {
		return err
	}
	defer func() { _ = agent.cmd.Process.Kill(); agent.stop() }()
	var takes []rival
	for _, r := range rivals {
		if r.missing != nil && r.missing() {
			fmt.Printf("%s is not installed: left out\n", r.name)
			continue
		}
		if len(b.only) > 0 && !slices.Contains(b.only, r.name) {
			continue
		}
		takes = append(takes, r)
	}
	// What ran before a rival has a part in its figure: the same order every time would be a bias.
	order := rand.New(rand.NewPCG(1, 1))
	for range b.rounds {
		for _, m := range measurements {
			for _, i := range order.Perm(len(takes)) {
				r := takes[i]
				if m.h2 && r.noH2 || !strings.Contains(m.name, b.match) {
					continue
				}
				if err := b.measure(m, r); err != nil {
					return fmt.Errorf("%s, %s: %w", m.name, r.name, err)
				}
			}
		}
	}
	b.print(takes)
	return nil
}
