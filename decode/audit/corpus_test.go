package audit_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/capture/wire"
	"a2ascope/decode"
	"a2ascope/decode/audit"
)

var update = flag.Bool("update", false, "write the golden file anew")

const corpus = "../../samples/captures"

// lister is a sink that audits every exchange as it goes by.
type lister struct {
	conns   wire.Conns
	readers decode.Readers
	number  map[capture.ExchangeID]int
	out     []string
}

func (l *lister) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		if err := l.Events(l.conns.Feed(&cs[i], nil)); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) Progress(capture.Progress) {}

func (l *lister) Events(es []capture.Event) error {
	for i := range es {
		e := &es[i]
		if e.Exchange != 0 && l.readers[e.Exchange] == nil {
			l.number[e.Exchange] = len(l.number) + 1
		}
		c, at := l.readers.Read(e)
		if at == decode.NoCheckpoint {
			continue
		}
		for _, due := range decode.Due(c, at) {
			switch due {
			case decode.AtRequest:
				l.list(c, "asked", audit.Request(c))
			case decode.AtFrame:
				l.list(c, "answered", audit.Event(c, &c.Events[len(c.Events)-1]))
			case decode.AtEnd:
				l.list(c, "answered", audit.Answer(c))
			}
		}
	}
	return nil
}

func (l *lister) list(c *decode.Call, side string, slips []audit.Slip) {
	for _, s := range slips {
		l.out = append(l.out, fmt.Sprintf("  %d %s %s %s/%s/%s.%s value %q want %q at %s", l.number[c.Exchange.ID], c.Binding, c.Method, side, s.Kind, s.Shape, s.Member, s.Value, s.Want, s.Place))
	}
}

// TestCorpus holds the tables against traffic of real SDKs: the golden file is
// every slip of it.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus, "*.*"))
	if err != nil || len(files) < 20 {
		t.Fatalf("no corpus in %s: %v", corpus, err)
	}
	var b strings.Builder
	for _, name := range files {
		open := pcap.Open
		switch {
		case strings.Contains(name, ".har"):
			open = har.Open
		case !strings.Contains(name, ".pcap"):
			continue
		}
		src, err := open(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		l := &lister{wire.Conns{}, decode.Readers{}, map[capture.ExchangeID]int{}, nil}
		if _, err := src.Run(context.Background(), l); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if l.out = slices.Compact(l.out); len(l.out) > 0 {
			fmt.Fprintf(&b, "%s\n%s\n", filepath.Base(name), strings.Join(l.out, "\n"))
		}
	}
	const golden = "testdata/corpus.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the slips of the corpus have changed; look at them and run with -update:\n%s", b.String())
	}
}
