package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"a2ascope/internal/session"
)

func TestSize(t *testing.T) {
	for in, want := range map[string]size{
		"0": 0, "16777216": 16 << 20, "256MB": 256e6, "256 mb": 256e6, "64MiB": 64 << 20, "1GiB": 1 << 30, "1.5g": 3 << 29, "512M": 512 << 20, "9000000b": 9e6, "1TB": 1e12,
	} {
		var s size
		if err := s.Set(in); err != nil || s != want {
			t.Errorf("%q: %d, %v", in, s, err)
		}
	}
	for in, say := range map[string]string{
		"": "for example 256MB", "lots": "for example 256MB", "1GX": "for example 256MB", "NaN": "for example 256MB", "-1GB": "out of range", "99999999999TB": "out of range", "1KB": "at least 8MiB", "7MiB": "at least 8MiB",
	} {
		s := size(1)
		if err := s.Set(in); err == nil || !strings.Contains(err.Error(), say) || s != 1 {
			t.Errorf("%q: %v, %d", in, err, s)
		}
	}
	for s, want := range map[size]string{0: "0", 512 << 20: "512MiB", 1 << 30: "1GiB", 1500: "1500", 2 << 10: "2KiB"} {
		if got := s.String(); got != want {
			t.Errorf("%d: %s", int64(s), got)
		}
	}
}

func TestQueueIsAPartOfTheBudget(t *testing.T) {
	if q := size(16 << 20).queue(); q.Budget != 4<<20 || q.Share != 1<<20 {
		t.Errorf("%+v", q)
	}
	if q := defaultMemory.queue(); q.Budget != 0 { // the queue's own bound is the smaller one
		t.Errorf("%+v", q)
	}
}

// bursts is a store whose views come when they are sent.
type bursts struct {
	now  *session.View
	next chan *session.View
}

func (b *bursts) View() *session.View { return b.now }

func (b *bursts) Next(ctx context.Context, rev uint64) *session.View {
	if b.now.Rev > rev {
		return b.now
	}
	select {
	case b.now = <-b.next:
	case <-ctx.Done():
	}
	return b.now
}

// TestGiveBack: memory is given back once after each burst, and not within one.
func TestGiveBack(t *testing.T) {
	b := &bursts{now: &session.View{Rev: 1}, next: make(chan *session.View)}
	freed := make(chan uint64, 9)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		began := false
		giveBack(ctx, b, 50*time.Millisecond, func(active bool) {
			if active == began {
				t.Errorf("active is %v twice", active)
			}
			if began = active; !active {
				freed <- b.now.Rev
			}
		})
	}()
	if rev := <-freed; rev != 1 {
		t.Fatalf("after the first view: at %d", rev)
	}
	for rev := range uint64(3) {
		b.next <- &session.View{Rev: rev + 2}
	}
	for rev := range freed {
		if rev == 4 {
			break
		}
		t.Logf("a pause within the burst, at %d", rev) // on a machine that is busy
	}
	select {
	case rev := <-freed:
		t.Errorf("again at %d, though nothing came", rev)
	case <-time.After(300 * time.Millisecond):
	}
	b.next <- &session.View{Rev: 5, Done: true}
	<-ended
}

// largeHAR has bodies of 24 MiB in all.
func largeHAR() []byte {
	var b bytes.Buffer
	b.WriteString(`{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[`)
	for i := range 48 {
		if i > 0 {
			b.WriteByte(',')
		}
		text := strings.Repeat(fmt.Sprintf("%07d ", i), 64<<10)
		fmt.Fprintf(&b, `{"startedDateTime":"2026-11-30T00:00:%02d.000Z","time":5,"request":{"method":"POST","url":"http://agent.example/","httpVersion":"HTTP/1.1","headers":[{"name":"Content-Type","value":"application/json"}],"postData":{"mimeType":"application/json","text":"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"message/send\",\"params\":{\"message\":{\"kind\":\"message\",\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}}"}},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[{"name":"Content-Type","value":"application/json"}],"content":{"mimeType":"application/json","size":10,"text":"{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"completed\"}}}"}},"cache":{},"timings":{"send":1,"wait":3,"receive":1}}`, i, i, text, i)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

func checked(t *testing.T, stdin *os.File, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	env := System()
	env.Args, env.Stdin, env.Stdout, env.Stderr = append([]string{"check", "--fail-on", "never", "--format", "jsonl"}, args...), stdin, &out, &errs
	if code := Main(env); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	return out.String()
}

// TestABoundChangesNoReport: what does not fit is read back from the temporary
// file, whatever form the capture has; where that is refused, the report says so.
func TestABoundChangesNoReport(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("bodies are not moved to a file here")
	}
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "large.har"), filepath.Join(dir, "large.har.gz")
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(largeHAR())
	_ = w.Close()
	for name, text := range map[string][]byte{plain: largeHAR(), packed: z.Bytes()} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spill := filepath.Join(dir, "spill")
	t.Setenv("TMPDIR", spill)
	if err := os.Mkdir(spill, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{plain, packed} {
		want := checked(t, nil, "--max-memory", "0", name)
		if !strings.Contains(want, `"exchanges":48`) {
			t.Fatalf("the capture is not what it should be: %.400s", want)
		}
		if got := checked(t, nil, "--max-memory", "8MiB", name); got != want {
			t.Errorf("%s: the report changed with a bound", filepath.Base(name))
		}
	}
	if err := os.Remove(spill); err != nil { // it must be empty, and from now on it is missing
		t.Fatal(err)
	}
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := checked(t, f, "--max-memory", "8MiB", "-"); !strings.Contains(got, "bodies-dropped") || !strings.Contains(got, "TMPDIR") || !strings.Contains(got, `"exchanges":48`) {
		t.Errorf("nobody is told that bodies were dropped: %s", got[max(0, len(got)-600):])
	}
}
