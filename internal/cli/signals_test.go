//go:build unix

package cli

import (
	"bytes"
	"errors"
	"io"
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
)

// recordingProxy starts the program in front of an agent and sends it one call.
func recordingProxy(t *testing.T, file string) (cmd *exec.Cmd, errs *output) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
	}))
	t.Cleanup(agent.Close)
	cmd = exec.Command(self)
	cmd.Args = []string{"a2ascope", "proxy", agent.URL, "--listen", "127.0.0.1:0", "--headless", "--lang", "en", "-w", file}
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	errs = &output{}
	said := &output{}
	cmd.Stderr, cmd.Stdout = errs, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	errs.wait(t, "point the client at ")
	errs.mu.Lock()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(errs.b.String())
	errs.mu.Unlock()
	req, err := http.NewRequest("POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"token":"hunter2"}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hunter2-0123456789")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	said.wait(t, `"type":"finding"`)
	return cmd, errs
}

// TestSignals: whoever ends the program gets the recording, and the exit code of the report.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		sig  syscall.Signal
		file string
	}{
		{syscall.SIGTERM, "s.har"}, {syscall.SIGHUP, "s.pcapng"}, {syscall.SIGINT, "s.har"},
		{syscall.SIGKILL, "s.pcapng"}, // as a crash does
	} {
		file := filepath.Join(t.TempDir(), c.file)
		cmd, errs := recordingProxy(t, file)
		if err := cmd.Process.Signal(c.sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		var ended *exec.ExitError
		if c.sig != syscall.SIGKILL && (!errors.As(err, &ended) || ended.ExitCode() != exitFindings) {
			t.Errorf("%s: %v\n%s", c.sig, err, errs.b.String())
		}
		if c.sig != syscall.SIGKILL && !strings.Contains(errs.b.String(), file+": 1 exchange, secrets masked") {
			t.Errorf("%s: %s", c.sig, errs.b.String())
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b, []byte("SendMessage")) || bytes.Contains(b, []byte("hunter2")) {
			t.Errorf("%s: the recording holds %.400q", c.sig, b)
		}
	}
}

// TestSecondSignal: the first asks, the second ends the program at once.
func TestSecondSignal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, feed, err := os.Pipe() // silent: the read of it cannot be ended
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	cmd := exec.Command(self)
	cmd.Args = []string{"a2ascope", "check", "-"}
	cmd.Stdin = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	time.Sleep(300 * time.Millisecond) // until it waits for the pipe
	for end := time.Now().Add(20 * time.Second); ; {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
			return
		case <-time.After(200 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatal("it does not end")
		}
	}
}
