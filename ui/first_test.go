//go:build !windows

package ui_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/creack/pty"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/rules"
	"a2ascope/ui"
	"a2ascope/ui/uitest"
)

const someCapture = "../samples/captures/h05_go10_go10_jsonrpc_mgmt.pcap"

// tape keeps what a source emits.
type tape struct{ chunks []capture.Chunk }

func (t *tape) Chunks(cs []capture.Chunk) error { t.chunks = append(t.chunks, cs...); return nil }
func (*tape) Events([]capture.Event) error      { return nil }
func (*tape) Progress(capture.Progress)         {}

// endless plays a capture again and again, each time on new connections, until
// the session ends: a file that is never read to its end.
type endless struct {
	once  []capture.Chunk
	conns capture.ConnID
}

func (e *endless) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	seq := uint64(0)
	for n := capture.ConnID(0); ctx.Err() == nil; n++ {
		cs := make([]capture.Chunk, len(e.once))
		for i, c := range e.once {
			seq++
			c.Conn += n * e.conns
			c.Seq = seq
			cs[i] = c
		}
		if err := to.Chunks(cs); err != nil {
			return capture.Summary{}, err
		}
		to.Progress(capture.Progress{Read: int64(n), Total: int64(n) + 1000})
		time.Sleep(5 * time.Millisecond) // memory grows no faster than this
	}
	return capture.Summary{}, ctx.Err()
}

func newEndless(tb testing.TB) *endless {
	tb.Helper()
	src, err := pcap.Open(someCapture)
	if err != nil {
		tb.Fatal(err)
	}
	t := &tape{}
	if _, err := src.Run(context.Background(), t); err != nil {
		tb.Fatal(err)
	}
	e := &endless{once: t.chunks}
	for _, c := range t.chunks {
		e.conns = max(e.conns, c.Conn+1)
	}
	return e
}

func newSession(tb testing.TB) *session.Session {
	tb.Helper()
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		tb.Fatal(errs)
	}
	return session.New(session.Options{NewEngine: func() session.Engine { return diagnose.NewEngine(set, diagnose.Options{}) }})
}

// Rows are on the screen, keys act and leaving is at once while a file is being
// read that has no end.
func TestScreenLivesWhileReading(t *testing.T) {
	src := newEndless(t)
	s := newSession(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Run(ctx, []session.Input{{Name: "big.pcap", Open: func() (capture.Source, error) { return src, nil }}})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	tm := start(t, ctx, s, uitest.Options())
	tm.wait("GetAgentCard")
	tm.press("jj")
	tm.wait(">     3")
	tm.press("/")
	tm.wait("filter:")
	tm.press("canceltask\r")
	tm.wait("(of ")
	tm.wait("CancelTask")
	if s.View().Done {
		t.Fatal("the file has an end: nothing was tested")
	}
	tm.press("Q")
	if err := tm.ended(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkFirstRows measures, through a real terminal, how long it takes from
// the start of reading to the first frame with rows, and from q to the end. A
// large file shows what the screen waits for:
//
//	A2ASCOPE_BENCH_CAPTURE=/tmp/m.pcap go test ./ui -run xxx -bench FirstRows -benchtime 5x
func BenchmarkFirstRows(b *testing.B) {
	name := os.Getenv("A2ASCOPE_BENCH_CAPTURE")
	if name == "" {
		name = someCapture
	}
	var first, leave time.Duration
	for b.Loop() {
		f, l := firstRows(b, name)
		first += f
		leave += l
	}
	b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms-to-rows")
	b.ReportMetric(float64(leave.Microseconds())/1000/float64(b.N), "ms-to-leave")
}

// aRow is a row of the list: a number, then ports.
var aRow = regexp.MustCompile(`:\d+→`)

func firstRows(b *testing.B, name string) (first, leave time.Duration) {
	master, slave, err := pty.Open()
	if err != nil {
		b.Skip("no pty here:", err)
	}
	defer master.Close()
	defer slave.Close()
	if err := pty.Setsize(master, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		b.Fatal(err)
	}
	s := newSession(b)
	began := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() {
		_ = s.Run(ctx, []session.Input{{Name: name, Open: func() (capture.Source, error) { return pcap.Open(name) }}})
		ended <- struct{}{}
	}()
	o := uitest.Options()
	o.Input, o.Output = slave, slave
	go func() {
		if err := ui.Run(ctx, s, o); err != nil {
			b.Error(err)
		}
		cancel()
		ended <- struct{}{}
	}()
	var seen bytes.Buffer
	buf := make([]byte, 1<<16)
	for {
		n, err := master.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		seen.Write(buf[:n])
		if aRow.Match(seen.Bytes()) {
			break
		}
	}
	first = time.Since(began)
	go func() { // what else is written must be read, or the program waits
		for {
			if _, err := master.Read(buf); err != nil {
				return
			}
		}
	}()
	left := time.Now()
	if _, err := master.WriteString("Q"); err != nil {
		b.Fatal(err)
	}
	<-ended
	<-ended
	return first, time.Since(left)
}
