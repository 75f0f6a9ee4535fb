//go:build unix

package child

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// safe is output that is written while somebody waits for it.
type safe struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safe) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *safe) wait(t *testing.T, text string) {
	t.Helper()
	for range 1000 {
		if strings.Contains(s.String(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q does not come; there is %q", text, s.String())
}

func begin(t *testing.T, script string) (*Child, *safe) {
	t.Helper()
	out := &safe{}
	c, err := Prepare(Options{Args: []string{"sh", "-c", script}, Env: os.Environ(), Stdout: out, Stderr: out})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, out
}

func TestCodes(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -TERM $$": 143, "kill -KILL $$": 137, "cat; exit 3": 3} {
		c, _ := begin(t, script)
		<-c.Done()
		if c.Code() != want || c.Running() {
			t.Errorf("%s: code %d, want %d", script, c.Code(), want)
		}
		if c.Stop(time.Second) {
			t.Errorf("%s had to be asked to end", script)
		}
	}
}

func TestWhatCannotRun(t *testing.T) {
	f := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(f, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"no-such-program": CodeNotFound, f: CodeCannotRun} {
		_, err := Prepare(Options{Args: []string{name}})
		var s *StartError
		if !errors.As(err, &s) || s.Code != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(f, []byte("\x7fELF nonsense"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(f, 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := Prepare(Options{Args: []string{f}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var s *StartError
	if err := c.Start(); !errors.As(err, &s) || s.Code != CodeCannotRun {
		t.Errorf("no program: %v", err)
	}
}

func TestSignalsReachTheGroup(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		c, out := begin(t, `trap 'echo got; exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done`)
		out.wait(t, "ready")
		c.Signal(sig)
		<-c.Done()
		if c.Code() != 5 || !strings.Contains(out.String(), "got") {
			t.Errorf("%v: code %d, output %q", sig, c.Code(), out)
		}
	}
}

// What does not end when it is asked is ended, with all that it started; what it
// leaves behind is asked to end.
func TestStop(t *testing.T) {
	c, out := begin(t, `trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo pid=$!; echo ready; while :; do sleep 0.05; done`)
	out.wait(t, "ready")
	if !c.Stop(100*time.Millisecond) || c.Code() != 137 {
		t.Errorf("code %d", c.Code())
	}
	gone(t, out.String())

	c, out = begin(t, `sleep 300 >/dev/null 2>&1 & echo pid=$!; echo ready; exit 2`)
	<-c.Done()
	if c.Code() != 2 {
		t.Errorf("code %d", c.Code())
	}
	gone(t, out.String())
}

func gone(t *testing.T, out string) {
	t.Helper()
	_, rest, _ := strings.Cut(out, "pid=")
	pid, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if err := syscall.Kill(pid, 0); err != nil || isZombie(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

// isZombie: an orphan stays as one where nobody collects it.
func isZombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}
