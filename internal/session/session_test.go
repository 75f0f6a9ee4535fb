package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode"
	"a2ascope/diagnose"
)

// lastWord raises one finding a call, and in Finish changes the standing of the first.
type lastWord struct {
	rule  *diagnose.Rule
	first *diagnose.Finding
	order []string
}

func (e *lastWord) Observe(c *decode.Call, at decode.Checkpoint) diagnose.Verdict {
	e.order = append(e.order, fmt.Sprintf("%s %s", c.Method, at))
	if at != decode.AtEnd && at != decode.AtDone {
		return diagnose.Verdict{}
	}
	f := &diagnose.Finding{Key: diagnose.Key{Rule: e.rule.ID, Exchange: c.Exchange.ID, Frame: -1}, Rule: e.rule, Severity: diagnose.Error, Root: true}
	if e.first == nil {
		e.first = f
	}
	return diagnose.Verdict{Findings: []*diagnose.Finding{f}}
}

func (e *lastWord) Finish(time.Time) []*diagnose.Finding {
	if e.first == nil {
		return nil
	}
	f := *e.first
	f.Severity = diagnose.Info
	return []*diagnose.Finding{&f}
}

func (e *lastWord) Missed(time.Time)                     {}
func (e *lastWord) Silent(time.Time) []*diagnose.Finding { return nil }

func (e *lastWord) Agents() []*diagnose.AgentInfo { return nil }
func (e *lastWord) Review() *diagnose.Review      { return nil }

// conversation has exchanges on several connections whose order in time is
// not the order of connections.
func conversation(conns, rounds int) string {
	var b strings.Builder
	for r := range rounds {
		for c := range conns {
			if r == 0 {
				fmt.Fprintf(&b, "= c%d client 192.0.2.1:%d\n", c, 40000+c)
			} else {
				fmt.Fprintf(&b, "= c%d\n", c)
			}
			fmt.Fprintf(&b, "> POST /\n> Content-Type: application/json\n>\n> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"GetTask\",\"params\":{\"id\":\"t-%d-%d\"}}\n+ 1ms\n", r, c, r)
			fmt.Fprintf(&b, "< 200\n< Content-Type: application/json\n<\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"id\":\"t-%d-%d\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}\n\n", r, c, r)
		}
	}
	return b.String()
}

func playInput(t *testing.T, name, text string) Input {
	t.Helper()
	p, err := script.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Input{Name: name, Open: func() (capture.Source, error) { return p.Source(script.Options{}), nil }}
}

func run(t *testing.T, workers int, engines *[]*lastWord, in ...Input) *View {
	t.Helper()
	s := New(Options{Workers: workers, NewEngine: func() Engine {
		e := &lastWord{rule: &diagnose.Rule{ID: "test/every-call"}}
		if engines != nil {
			*engines = append(*engines, e)
		}
		return e
	}})
	if err := s.Run(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return s.View()
}

func describe(v *View) []string {
	var out []string
	for i := range v.Rows.Len() {
		r := v.Rows.At(i)
		out = append(out, fmt.Sprintf("%d.%d conn %d task %s %s", r.File, r.Number, r.ConnNo, r.Call().TaskID, r.Worst))
	}
	return out
}

func TestOrderDoesNotDependOnWorkers(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := playInput(t, "talk.play", conversation(7, 20))
	var one, four []*lastWord
	a, b := run(t, 1, &one, in), run(t, 4, &four, in)
	if got, want := describe(b), describe(a); !slices.Equal(got, want) {
		t.Errorf("rows differ:\n%v\n%v", got, want)
	}
	if !slices.Equal(one[0].order, four[0].order) {
		t.Error("the engine saw another order")
	}
	if a.Rows.Len() != 140 || a.Files[0].Exchanges != 140 || a.Files[0].Conns != 7 {
		t.Errorf("%d rows, file %+v", a.Rows.Len(), a.Files[0])
	}
}

func TestEachFileIsAWorldOfItsOwn(t *testing.T) {
	var engines []*lastWord
	v := run(t, 2, &engines, playInput(t, "a.play", conversation(2, 2)), playInput(t, "b.play", conversation(1, 3)))
	if len(engines) != 2 {
		t.Fatalf("%d engines for two files", len(engines))
	}
	if v.Files[1].Exchanges != 3 || v.Rows.At(4).File != 1 || v.Rows.At(4).Number != 1 || v.Rows.At(4).ConnNo != 1 {
		t.Errorf("the second file does not count from 1: %v", describe(v))
	}
}

func TestStandingChangesAfterTheEnd(t *testing.T) {
	v := run(t, 1, nil, playInput(t, "a.play", conversation(1, 3)))
	if v.Errors != 2 || v.Infos != 1 {
		t.Errorf("errors %d, infos %d: a finding issued again must replace the first", v.Errors, v.Infos)
	}
	if r := v.Rows.At(0); len(r.Findings) != 1 || r.Worst != diagnose.Info {
		t.Errorf("first row: %+v", r.Findings)
	}
}

func TestViewsNeverChange(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := New(Options{Workers: 2, NewEngine: func() Engine { return &lastWord{rule: &diagnose.Rule{ID: "test/x"}} }})
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			var rev uint64
			for {
				v := s.Next(ctx, rev)
				before := describe(v)
				for range 3 {
					if !slices.Equal(before, describe(v)) {
						t.Error("a view changed")
					}
				}
				if v.Done || ctx.Err() != nil {
					return
				}
				rev = v.Rev
			}
		})
	}
	if err := s.Run(ctx, []Input{playInput(t, "a.play", conversation(5, 200))}); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
	cancel()
}

// endless emits the same batch until somebody stops it.
type endless struct{ chunks []capture.Chunk }

func (e endless) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	for {
		if err := to.Chunks(slices.Clone(e.chunks)); err != nil {
			return capture.Summary{}, err
		}
	}
}

func TestStopsAtAnyTime(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	src := endless{[]capture.Chunk{{Conn: 1, Kind: capture.Bytes, Data: []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")}}}
	s := New(Options{NewEngine: func() Engine { return &lastWord{rule: &diagnose.Rule{ID: "test/x"}} }})
	err := s.Run(ctx, []Input{{Name: "endless", Open: func() (capture.Source, error) { return src, nil }}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	if !s.View().Done {
		t.Error("readers would wait for ever")
	}
}

func TestUnreadableFileIsSaid(t *testing.T) {
	v := run(t, 1, nil,
		Input{Name: "gone.pcap", Open: func() (capture.Source, error) { return nil, errors.New("gone.pcap: no such file") }},
		playInput(t, "a.play", conversation(1, 1)))
	if v.Files[0].Err == nil || v.Files[1].Exchanges != 1 {
		t.Errorf("files: %+v", v.Files)
	}
}

func TestReaderPanicIsKeptToItsConnection(t *testing.T) {
	w := newWorker(0, 1)
	c := w.state(1, 9)
	func() {
		defer w.guard(c, 1, 9)
		panic("boom")
	}()
	if !c.bad || len(w.out) != 2 || !strings.Contains(w.out[1].conn.info.Text, "boom") {
		t.Errorf("out = %+v", w.out)
	}
}
