package wire_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/capture/wire"
)

const corpus = "../../samples/captures"

// reader is a capture.Sink that reads every connection.
type reader struct {
	conns wire.Conns
	out   []capture.Event
	bytes int64
}

func (r *reader) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		r.bytes += int64(len(cs[i].Data))
		r.out = r.conns.Feed(&cs[i], r.out)
	}
	return nil
}

func (r *reader) Events([]capture.Event) error { return nil }
func (r *reader) Progress(capture.Progress)    {}

func readCapture(t testing.TB, name string) (*reader, []*capture.Exchange) {
	t.Helper()
	src, err := pcap.Open(filepath.Join(corpus, name))
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{conns: wire.Conns{}}
	if _, err := src.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	byID := map[capture.ExchangeID]*capture.Exchange{}
	var order []capture.ExchangeID
	for i := range r.out {
		e := &r.out[i]
		if e.Exchange == 0 {
			continue
		}
		if byID[e.Exchange] == nil {
			order = append(order, e.Exchange)
		}
		byID[e.Exchange] = byID[e.Exchange].Apply(e)
	}
	var xs []*capture.Exchange
	for _, id := range order {
		xs = append(xs, byID[id])
	}
	slices.SortStableFunc(xs, func(a, b *capture.Exchange) int { return cmp.Compare(a.Seq, b.Seq) })
	return r, xs
}

type label struct {
	File      string `json:"file"`
	Exchanges []struct {
		Version string `json:"http_version"`
		Method  string `json:"http_method"`
		Path    string `json:"path"`
		Status  *int   `json:"status"`
		Events  *int   `json:"stream_events"`
	} `json:"exchanges"`
}

// TestCorpus compares what is read from the saved captures with what another
// program (tshark) showed of them.
func TestCorpus(t *testing.T) {
	f, err := os.Open(filepath.Join(corpus, "labels.jsonl"))
	if err != nil {
		t.Skip("the captures are not here")
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	files := 0
	for sc.Scan() {
		var l label
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(l.File, ".har") || strings.HasPrefix(l.File, "tls") {
			continue // no bytes, or bytes that need a key
		}
		if _, err := os.Stat(filepath.Join(corpus, l.File)); err != nil {
			continue // too large to be kept
		}
		files++
		t.Run(l.File, func(t *testing.T) {
			_, xs := readCapture(t, l.File)
			if len(xs) != len(l.Exchanges) {
				t.Fatalf("%d exchanges, want %d", len(xs), len(l.Exchanges))
			}
			for i, e := range l.Exchanges {
				x := xs[i]
				status := 0
				if e.Status != nil {
					status = *e.Status
				} else if x.Response != nil && strings.HasPrefix(l.File, "d03") {
					status = x.Response.Status // the other program stops at the missing bytes
				}
				want := fmt.Sprintf("%s %s %s %d", e.Version, e.Method, e.Path, status)
				if got := describe(x); got != want {
					t.Errorf("exchange %d: %s, want %s", i+1, got, want)
				}
				if got := units(x); e.Events != nil && got != *e.Events && !strings.HasPrefix(l.File, "d03") {
					t.Errorf("exchange %d: %d events, want %d", i+1, got, *e.Events)
				}
				if x.End == nil || x.Gaps() > 0 && !strings.HasPrefix(l.File, "d") {
					t.Errorf("exchange %d: end %v, gaps %d", i+1, x.End, x.Gaps())
				}
			}
		})
	}
	if files < 50 {
		t.Fatalf("only %d captures were compared", files)
	}
}

func describe(x *capture.Exchange) string {
	var version, method, path string
	status := 0
	if x.Request != nil {
		version, method, path = x.Request.Proto, x.Request.Method, x.Request.Target
	}
	if x.Response != nil {
		version, status = x.Response.Proto, x.Response.Status
	}
	return fmt.Sprintf("%s %s %s %d", version, method, path, status)
}

// TestCorpusLoss: of a stream with a lost packet only the event in it is missing.
// The packet with the last chunk is missing too.
func TestCorpusLoss(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the captures are not here")
	}
	_, xs := readCapture(t, "d03_loss_sse.pcap")
	if n := units(xs[2]); n != 3 || xs[2].Gaps() != 2 || xs[2].End.Kind != capture.EndDone {
		t.Errorf("%d events, %d gaps, end %v; want 3 of 4 events, 2 gaps", n, xs[2].Gaps(), xs[2].End)
	}
}

// units counts the events and messages of a response.
func units(x *capture.Exchange) int {
	n := 0
	for _, f := range x.Received {
		if f.V.Form == capture.SSEEvent || f.V.Form == capture.GRPCMessage {
			n++
		}
	}
	return n
}

// chunks is a capture.Sink that keeps what a source emits.
type chunks struct{ all []capture.Chunk }

func (c *chunks) Chunks(cs []capture.Chunk) error { c.all = append(c.all, cs...); return nil }
func (c *chunks) Events([]capture.Event) error    { return nil }
func (c *chunks) Progress(capture.Progress)       {}

// TestCorpusSplit cuts real traffic into small pieces and compares.
func TestCorpusSplit(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(corpus, "*.pcap*"))
	if len(names) == 0 {
		t.Skip("the captures are not here")
	}
	for _, name := range names {
		src, err := pcap.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var cs chunks
		if _, err := src.Run(t.Context(), &cs); err != nil {
			t.Fatal(err)
		}
		events := func(size int) (out []string) {
			conns := wire.Conns{}
			var es []capture.Event
			for _, ch := range cs.all {
				data := ch.Data
				for {
					ch.Data = data[:min(size, len(data))]
					es = conns.Feed(&ch, es)
					if data = data[len(ch.Data):]; len(data) == 0 {
						break
					}
				}
			}
			for _, e := range es {
				out = append(out, fmt.Sprintf("%d %s %T %+v", e.Exchange, e.From, e.Body, e.Body))
			}
			return out
		}
		want := events(1 << 30)
		for _, size := range []int{1, 100} {
			if got := events(size); !slices.Equal(got, want) {
				t.Errorf("%s: cut into pieces of %d it reads differently", filepath.Base(name), size)
			}
		}
	}
}
