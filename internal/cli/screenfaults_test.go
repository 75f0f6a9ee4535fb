//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"a2ascope/ui"
)

// echoAgent answers every call with its body.
func echoAgent(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// freePort is an address nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// calls sends calls through the tap, each of which must come back as it was.
func calls(t *testing.T, addr string, n, size int) {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	defer c.CloseIdleConnections()
	for i := range n {
		body := fmt.Appendf(bytes.Repeat([]byte("x"), size), "%d", i)
		resp, err := c.Post("http://"+addr, "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !bytes.Equal(b, body) {
			t.Fatalf("call %d: %d bytes of %d, %v", i, len(b), len(body), err)
		}
	}
}

// TestTrafficGoesOnWithoutTheScreen: a screen that falls over takes neither the
// traffic nor the recording with it.
func TestTrafficGoesOnWithoutTheScreen(t *testing.T) {
	tty, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // is taken for a terminal
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	addr, file := freePort(t), filepath.Join(t.TempDir(), "x.har")
	var said output
	e := System()
	e.Args = []string{"proxy", echoAgent(t), "--listen", addr, "-w", file, "--lang", "en"}
	e.Stdout, e.Stderr = tty, &said
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e.show = func(context.Context, ui.Store, ui.Options) error { return fmt.Errorf("%w: boom", ui.ErrFault) }
	ended := make(chan error, 1)
	go func() { ended <- rootCommand(&e).ExecuteContext(ctx) }()
	said.wait(t, "traffic passes and is recorded as before")
	calls(t, addr, 3, 1000)
	cancel()
	select {
	case err := <-ended:
		if e, ok := err.(exit); !ok || e.code != exitInput || !strings.Contains(e.text, "boom") {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	if b, err := os.ReadFile(file); err != nil || strings.Count(string(b), `"startedDateTime"`) != 3 {
		t.Errorf("the recording: %v, %d bytes", err, len(b))
	}
}

// onScreen starts the program in a terminal.
func onScreen(t *testing.T, args ...string) (cmd *exec.Cmd, tty *os.File, tmp string) {
	t.Helper()
	cmd, tmp = running(t, args...)
	cmd.Env = append(cmd.Env, "GORACE=exitcode=0") // see TestRunOnTheScreen
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 30})
	if err != nil {
		t.Skip("no pty here:", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		tty.Close()
	})
	return cmd, tty, tmp
}

// TestAStuckTerminalDoesNotStopTraffic: nobody reads the terminal, as when it is
// stopped with ctrl+s or its connection hangs.
func TestAStuckTerminalDoesNotStopTraffic(t *testing.T) {
	addr := freePort(t)
	cmd, _, _ := onScreen(t, "proxy", echoAgent(t), "--listen", addr, "--lang", "en")
	waitFor(t, addr)
	calls(t, addr, 300, 64<<10)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("it does not end while its terminal is stuck")
	}
}

// waitFor waits until somebody listens on addr.
func waitFor(t *testing.T, addr string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return
		}
	}
	t.Fatal("nobody listens on " + addr)
}

// TestSignalsOnTheScreen: whoever ends the program gets the terminal back, the
// recording, and nothing else is left.
func TestSignalsOnTheScreen(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		addr, file := freePort(t), filepath.Join(t.TempDir(), "x.pcapng")
		cmd, tty, tmp := onScreen(t, "proxy", echoAgent(t), "--listen", addr, "--lang", "en", "-w", file, "--max-memory", "32MiB")
		var out output
		go io.Copy(&out, tty)
		waitFor(t, addr)
		calls(t, addr, 3, 1000)
		out.wait(t, "POST")
		_ = cmd.Process.Signal(sig)
		err := cmd.Wait()
		out.wait(t, "\x1b[?1049l") // the screen was left,
		out.wait(t, "\x1b[?25h")   // and the cursor is there again
		out.wait(t, "saved to "+file)
		if err != nil {
			t.Errorf("%v: %v", sig, err)
		}
		nothingLeft(t, tmp)
		if b, err := os.ReadFile(file); err != nil || bytes.Count(b, []byte("POST / HTTP/1.1")) != 3 {
			t.Errorf("%v: the recording: %v, %d bytes", sig, err, len(b))
		}
	}
}

// TestAPortThatIsTaken is said with what to do.
func TestAPortThatIsTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	cmd, tmp := running(t, "proxy", "http://127.0.0.1:1", "--listen", ln.Addr().String(), "--headless", "--lang", "en")
	b, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != exitInput {
		t.Errorf("%v", err)
	}
	if !regexp.MustCompile(`a2ascope: .*` + regexp.QuoteMeta(ln.Addr().String()) + `.*--listen`).Match(b) {
		t.Errorf("%s", b)
	}
	nothingLeft(t, tmp)
}

// TestADiskThatIsFull stops the recording and nothing else.
func TestADiskThatIsFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	for _, name := range []string{"x.pcapng", "x.har"} {
		addr, file := freePort(t), filepath.Join(t.TempDir(), name)
		if err := os.Symlink("/dev/full", file); err != nil {
			t.Fatal(err)
		}
		cmd, _ := running(t, "proxy", echoAgent(t), "--listen", addr, "--headless", "--lang", "en", "-w", file)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		waitFor(t, addr)
		calls(t, addr, 30, 10000)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitInput || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%s: code %d\n%s", name, code, &said)
		}
		if n := strings.Count(out.String(), `"type":"exchange"`); n != 30 {
			t.Errorf("%s: %d exchanges in the report", name, n)
		}
	}
}
