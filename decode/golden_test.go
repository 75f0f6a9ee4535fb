package decode_test

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
	"a2ascope/capture/script"
	"a2ascope/decode"
	"a2ascope/decode/schema"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestPlays performs every play through the wire parsers and compares the
// calls at their ends with the golden beside it.
func TestPlays(t *testing.T) {
	plays, err := filepath.Glob("testdata/plays/*.play")
	if err != nil || len(plays) == 0 {
		t.Fatalf("no plays: %v", err)
	}
	for _, name := range plays {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := script.Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			r := newReading()
			if _, err := p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}).Run(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for i, c := range r.inOrder() {
				if again := decode.Dump(c.Compact().Full()); again != decode.Dump(c) {
					t.Errorf("exchange %d: read again it is different:\n%s", i+1, firstDifference(again, decode.Dump(c)))
				}
				fmt.Fprintf(&b, "exchange %d %s\n%s\n", i+1, checkpoints(r.at[c.Exchange.ID]), decode.Dump(c))
			}
			golden := strings.TrimSuffix(name, ".play") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v: run the test with -update and read what it wrote", err)
			}
			if got := b.String(); got != string(want) {
				t.Errorf("read differently from %s; after a change that is meant, run with -update\n%s", golden, firstDifference(got, string(want)))
			}
		})
	}
}

func checkpoints(at []decode.Checkpoint) string {
	var words []string
	for _, c := range at {
		words = append(words, string(c))
	}
	return strings.Join(words, " ")
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d:\n got  %s\n want %s", i+1, g[i], slices.Concat(w, []string{"(end)"})[min(i, len(w))])
		}
	}
	return fmt.Sprintf("line %d is missing: %s", len(g)+1, w[len(g)])
}

// A capture that begins or ends anywhere must still be read to an end.
func TestEveryCut(t *testing.T) {
	text, err := os.ReadFile("testdata/plays/jsonrpc10.play")
	if err != nil {
		t.Fatal(err)
	}
	p, err := script.Parse("cut", text)
	if err != nil {
		t.Fatal(err)
	}
	k := &keeping{}
	if _, err := p.Source(script.Options{}).Run(context.Background(), k); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(k.chunks); n++ {
		for name, part := range map[string][]capture.Chunk{"begin": k.chunks[:n], "end": k.chunks[n:]} {
			r := newReading()
			_ = r.Chunks(slices.Clone(part))
			_ = r.Chunks([]capture.Chunk{{Conn: 1, Kind: capture.Closed, Err: "capture ended", Seq: 1 << 30}})
			for _, c := range r.inOrder() {
				if c.Phase != decode.Ended || c.Outcome == "" {
					t.Errorf("%s at chunk %d: exchange is %s, outcome %q", name, n, c.Phase, c.Outcome)
				}
			}
		}
	}
}

// keeping is a sink that keeps chunks.
type keeping struct{ chunks []capture.Chunk }

func (k *keeping) Chunks(cs []capture.Chunk) error { k.chunks = append(k.chunks, cs...); return nil }
func (k *keeping) Events([]capture.Event) error    { return nil }
func (k *keeping) Progress(capture.Progress)       {}
