package save

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/capture"
)

// TestTargets: what stands in the way of a file is said, with what to do, and
// nothing is left behind.
func TestTargets(t *testing.T) {
	v := view(t, secretSource(t))
	dir := t.TempDir()
	there := filepath.Join(dir, "there.har")
	if err := os.WriteFile(there, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{there, "is there already"},
		{filepath.Join(dir, "none", "x.har"), "there is no folder"},
		{filepath.Join(locked, "x.pcapng"), "no permission"},
		{filepath.Join(dir, "x.txt"), ".har or .pcapng"},
		{filepath.Join(there, "x.har"), "cannot be written"},
	} {
		if strings.HasPrefix(c.name, locked) && os.Getuid() == 0 {
			continue // root may write everywhere
		}
		_, err := Write(context.Background(), c.name, v, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if again := Check(c.name, false); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: Check says %v", c.name, again)
		}
		if _, err := Record(c.name, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Record says %v", c.name, err)
		}
	}
	if _, err := Write(context.Background(), there, v, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v is not fs.ErrExist", err)
	}
	if b, _ := os.ReadFile(there); string(b) != "mine" {
		t.Error("the file was replaced")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Write(ended, filepath.Join(dir, "x.har"), v, Options{}); err == nil {
		t.Error("it was told to stop")
	}
	if n, err := Write(context.Background(), there, v, Options{Replace: true}); err != nil || n.Exchanges != 6 {
		t.Error(n, err)
	}
	if st, err := os.Stat(there); err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v", st.Mode())
	}
	left, err := filepath.Glob(filepath.Join(dir, ".a2ascope-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDiskFull: a full disk is an error of the file, and the session goes on.
func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	v := view(t, secretSource(t))
	for _, name := range []string{"full.har", "full.pcapng"} {
		name = filepath.Join(t.TempDir(), name)
		if err := os.Symlink("/dev/full", name); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(context.Background(), name, v, Options{}); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Error(err)
		}
		r, err := Record(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		open := secretSource(t)
		seen := view(t, func() (capture.Source, error) {
			src, err := open()
			return r.Source(src), err
		})
		if seen.Rows.Len() != v.Rows.Len() {
			t.Errorf("%d rows instead of %d", seen.Rows.Len(), v.Rows.Len())
		}
		if _, err := r.Close(seen, nil); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Error(err)
		}
	}
}

// stopped is a source that leaves in the middle, as a program does that crashes.
type stopped struct {
	capture.Source
	name string
	seen *int
}

type stopSink struct {
	capture.Sink
	s *stopped
}

func (s *stopped) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	return s.Source.Run(ctx, &stopSink{to, s})
}

func (s *stopSink) Chunks(cs []capture.Chunk) error {
	if b, err := os.ReadFile(s.s.name); err == nil {
		*s.s.seen = max(*s.s.seen, bytes.Count(b, []byte("SendStreamingMessage")))
	}
	return s.Sink.Chunks(cs)
}

// TestRecordGrows: what was recorded is in the file before the next thing happens.
func TestRecordGrows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.pcapng")
	r, err := Record(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen, open := 0, secretSource(t)
	v := view(t, func() (capture.Source, error) {
		src, err := open()
		return r.Source(&stopped{src, name, &seen}), err
	})
	if seen == 0 {
		t.Error("nothing is in the file before the end")
	}
	r2, err := Record(name, Options{})
	if err == nil {
		t.Errorf("a second recording to the same file: %v", r2)
	}
	if _, err := r.Close(v, nil); err != nil {
		t.Fatal(err)
	}
}

// losing is a live source that lost something.
type losing struct{ capture.Source }

func (losing) Lost() int64   { return 17 }
func (losing) Room() float64 { return 1 }

// TestARecordedSessionSaysWhatWasLost: the session asks its source, which is behind the recording.
func TestARecordedSessionSaysWhatWasLost(t *testing.T) {
	r, err := Record(filepath.Join(t.TempDir(), "a.pcapng"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, func() (capture.Source, error) {
		src, err := opener(inputs(t)[0])()
		return r.Source(losing{src}), err
	})
	if v.Lost != 17 {
		t.Errorf("%d bytes are said to be lost, want 17", v.Lost)
	}
	if _, err := r.Close(v, nil); err != nil {
		t.Fatal(err)
	}
}
