//go:build !windows

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// output collects what a program writes to its terminal.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func (o *output) wait(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		o.mu.Lock()
		ok := bytes.Contains(o.b.Bytes(), []byte(text))
		o.mu.Unlock()
		if ok {
			return
		}
	}
	t.Fatalf("the screen does not show %q", text)
}

// A capture that comes from a pipe is shown as it comes; the keys come from the
// terminal meanwhile, and leaving waits for nobody who is silent.
func TestOpenGrowingPipe(t *testing.T) {
	capture, err := os.ReadFile("../../samples/captures/h05_go10_go10_jsonrpc_mgmt.pcap")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	cmd := exec.Command(self)
	cmd.Args = []string{"a2ascope", "open", "--lang", "en", "-"}
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	cmd.Stdin = in
	tty, err := pty.StartWithAttrs(cmd, &pty.Winsize{Cols: 100, Rows: 30}, &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1})
	if err != nil {
		t.Skip("no pty here:", err)
	}
	defer tty.Close()
	in.Close()
	var out output
	go io.Copy(&out, tty)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	out.wait(t, "standard input")
	if _, err := feed.Write(capture[:4000]); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "GetAgentCard")
	if _, err := feed.Write(capture[4000:]); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "ListTasks")
	if _, err := io.WriteString(tty, "!"); err != nil { // a key, while the pipe is open and silent
		t.Fatal(err)
	}
	out.wait(t, "Findings by rule")
	if _, err := io.WriteString(tty, "Q"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(10 * time.Second):
		_ = cmd.Process.Kill()
		t.Error("it does not end while the pipe is silent")
	}
}
