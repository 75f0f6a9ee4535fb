package decode_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
	"a2ascope/decode/spec"
)

const corpus = "../samples/captures"

// label is what is known of one exchange of a capture.
type label struct {
	Exchange     int     `json:"exchange"`
	Binding      *string `json:"binding"`
	Operation    *string `json:"operation"`
	Request      *string `json:"request_version"`
	Response     *string `json:"response_version"`
	Header       *string `json:"version_header"`
	Method       string  `json:"http_method"`
	Path         string  `json:"path"`
	Status       *int    `json:"status"`
	StreamEvents *int    `json:"stream_events"`
	A2AError     *struct {
		Name string `json:"name"`
	} `json:"a2a_error"`
}

type labelled struct {
	File      string  `json:"file"`
	Exchanges []label `json:"exchanges"`
}

func labels(t *testing.T) []labelled {
	t.Helper()
	f, err := os.Open(filepath.Join(corpus, "labels.jsonl"))
	if err != nil {
		t.Skipf("no corpus: %v", err)
	}
	defer f.Close()
	var out []labelled
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var l labelled
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// reading is a sink that reads every exchange and keeps its last call.
type reading struct {
	conns   wire.Conns
	readers decode.Readers
	calls   map[capture.ExchangeID]*decode.Call
	at      map[capture.ExchangeID][]decode.Checkpoint
	events  []capture.Event
}

func newReading() *reading {
	return &reading{wire.Conns{}, decode.Readers{}, map[capture.ExchangeID]*decode.Call{}, map[capture.ExchangeID][]decode.Checkpoint{}, nil}
}

func (r *reading) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		r.events = r.conns.Feed(&cs[i], r.events[:0])
		if err := r.Events(r.events); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) Events(es []capture.Event) error {
	for i := range es {
		e := &es[i]
		if c, at := r.readers.Read(e); at != decode.NoCheckpoint {
			r.calls[e.Exchange] = c
			r.at[e.Exchange] = append(r.at[e.Exchange], at)
		}
	}
	return nil
}

func (r *reading) Progress(capture.Progress) {}

// readFile returns the calls of a capture.
func readFile(t *testing.T, name string) []*decode.Call {
	t.Helper()
	open := pcap.Open
	if strings.Contains(name, ".har") {
		open = har.Open
	}
	src, err := open(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r := newReading()
	if _, err := src.Run(context.Background(), r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	calls := r.inOrder()
	for _, c := range calls {
		if again := decode.Dump(c.Compact().Full()); again != decode.Dump(c) {
			t.Errorf("%s: read again it is different:\n%s", name, firstDifference(again, decode.Dump(c)))
		}
	}
	return calls
}

// inOrder returns the calls in the order in which the requests began.
func (r *reading) inOrder() []*decode.Call {
	calls := slices.Collect(maps.Values(r.calls))
	slices.SortFunc(calls, func(a, b *decode.Call) int {
		x, y := a.Exchange, b.Exchange
		if c := x.Started.Compare(y.Started); c != 0 {
			return c
		}
		if x.Seq != y.Seq {
			return int(int64(x.Seq) - int64(y.Seq))
		}
		return int(int64(x.ID) - int64(y.ID))
	})
	return calls
}

// fact is one comparison with a label.
type fact struct{ name, got, want string }

func str(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func facts(c *decode.Call, l *label) []fact {
	kind, binding, op := c.Kind, string(c.Binding), string(c.Operation)
	wantKind, wantBinding, wantOp := spec.KindCall, str(l.Binding), str(l.Operation)
	switch wantBinding {
	case "CARD":
		wantKind, wantBinding = spec.KindCard, ""
	case "PUSH-WEBHOOK":
		wantKind, wantBinding, wantOp = spec.KindPush, "", ""
	case "":
		wantKind = spec.KindOther
	}
	if c.Tentative && (wantKind == spec.KindOther || kind == spec.KindInfra) {
		kind = spec.KindOther // without a context it is what it falls back to
	}
	out := []fact{{"kind", string(kind), string(wantKind)}}
	status := ""
	if l.Status != nil {
		status = fmt.Sprint(*l.Status)
	}
	gotStatus := ""
	if c.Exchange.Response != nil {
		gotStatus = fmt.Sprint(c.Exchange.Response.Status)
	}
	out = append(out, fact{"status", gotStatus, status})
	if wantKind == spec.KindOther {
		return out
	}
	request := c.Request.Value
	if request == spec.Mixed { // labelled by the name alone
		request = c.Request.Call
	}
	if c.Kind == spec.KindPush {
		request = spec.Version(str(l.Request)) // deliveries are labelled without
	}
	out = append(out, fact{"binding", binding, wantBinding}, fact{"operation", op, wantOp},
		fact{"request_version", string(request), str(l.Request)})
	declared := ""
	if c.Declared.Presence != "absent" {
		declared = c.Declared.Raw
	}
	out = append(out, fact{"version_header", declared, str(l.Header)})
	got, want := "", ""
	if f := c.Fault; f != nil {
		got = f.A2A + f.Std
	}
	if l.A2AError != nil {
		want = l.A2AError.Name
	}
	if want == "ParseError" {
		want = "JSONParseError"
	}
	if strings.HasPrefix(want, "grpc:") { // labelled without names: the status is the fact
		want = strings.TrimPrefix(want, "grpc:")
		got = ""
		if c.Fault != nil {
			got = fmt.Sprint(c.Fault.GRPC)
		}
	}
	out = append(out, fact{"a2a_error", got, want})
	response := str(l.Response)
	if response == "both" {
		response = string(spec.Mixed)
	}
	if response != "" { // the labels say nothing of cards, configurations and gRPC messages
		out = append(out, fact{"response_version", string(c.Response.Value), response})
	}
	if l.StreamEvents != nil {
		out = append(out, fact{"events", fmt.Sprint(len(c.Events)), fmt.Sprint(*l.StreamEvents)})
	} else {
		out = append(out, fact{"events", fmt.Sprint(len(c.Events)), "0"})
	}
	return out
}

// exceptions are facts in which the reader is right and the label is not, each
// with the reason that the bytes give. exchange 0 is the whole file.
var exceptions = []struct {
	file      string
	exchanges []int
	fact      string
	got       string // "" is any value
	reason    string
}{
	{"c03_go10compat_js03_rest.pcap", []int{18}, "request_version", "1.0",
		"GET /extendedAgentCard is a route of 1.0 alone; only the header says 0.3"},
	{"d03_loss_sse.pcap", []int{3, 4, 5, 6, 7, 8}, "", "",
		"labelled by a reader that gave the connection up at the first lost packet: the answers are in the file"},
	{"d13_row3_converted.pcapng", []int{1, 2, 3}, "request_version", "1.0-draft",
		"package a2a.v1 with a method name of 1.0 is the draft's naming, not 0.3's"},
	{"r03a_v1names_on_go03_grpc.pcap", []int{1, 2, 3}, "request_version", "1.0-draft", "as d13"},
	{"r03b_v1names_on_js03_grpc.pcap", []int{1, 2, 3}, "request_version", "1.0-draft", "as d13"},
	{"c05_js10compat_js03_rest.pcap", []int{5}, "response_version", "",
		"a task with a state and artifacts is the same in 0.3 ProtoJSON and in 1.0: nothing in the answer tells"},
	{"k03_v03shapes_on_10.pcap", []int{1, 3}, "response_version", "1.0",
		"a 1.0 answer that echoes the caller's role word: one old word against the wrapper and the state"},
	{"har11_truncated.har", []int{0}, "exchanges", "2",
		"the file breaks off inside its third entry; the two before it are whole"},
}

func explained(file string, exchange int, f fact) bool {
	for _, e := range exceptions {
		if e.file == file && slices.Contains(e.exchanges, exchange) && (e.fact == "" || e.fact == f.name) && (e.got == "" || e.got == f.got) {
			return true
		}
	}
	return false
}

func TestCorpus(t *testing.T) {
	total, good := 0, 0
	for _, l := range labels(t) {
		if strings.HasPrefix(l.File, "tls") {
			continue // needs keys
		}
		t.Run(l.File, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(corpus, l.File)); err != nil {
				t.Skip("not among the saved captures")
			}
			calls := readFile(t, filepath.Join(corpus, l.File))
			if len(calls) != len(l.Exchanges) && !explained(l.File, 0, fact{"exchanges", fmt.Sprint(len(calls)), ""}) {
				t.Errorf("%d exchanges, labelled %d", len(calls), len(l.Exchanges))
			}
			for i := range min(len(calls), len(l.Exchanges)) {
				for _, f := range facts(calls[i], &l.Exchanges[i]) {
					total++
					if f.got == f.want || explained(l.File, i+1, f) {
						good++
						continue
					}
					t.Errorf("exchange %d %s %s: %s %q, labelled %q", i+1, l.Exchanges[i].Method, l.Exchanges[i].Path, f.name, f.got, f.want)
				}
			}
		})
	}
	t.Logf("%d of %d facts", good, total)
}
