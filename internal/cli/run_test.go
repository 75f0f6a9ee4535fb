//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// running starts the program with folders of its own.
func running(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	cmd := exec.Command(self)
	cmd.Args = append([]string{"a2ascope"}, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_CONFIG_HOME="+t.TempDir(), "LANG=C", "NO_PROXY=", "no_proxy=", "TERM=xterm-256color")
	return cmd, tmp
}

func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Every signal that means the end reaches the program, whose code is ours, and
// the report is whole.
func TestRunPassesSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd, tmp := running(t, "run", "--headless", "--", "sh", "-c", `trap 'echo got; exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done`)
		var out bytes.Buffer
		var said output
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said.wait(t, "ready")
		_ = cmd.Process.Signal(sig)
		_ = cmd.Wait()
		said.wait(t, "got")
		if code := cmd.ProcessState.ExitCode(); code != 5 {
			t.Errorf("%v: code %d", sig, code)
		}
		if !strings.Contains(out.String(), `"type":"summary"`) {
			t.Errorf("%v: no summary in %s", sig, &out)
		}
		nothingLeft(t, tmp)
	}
}

// On the screen: its output is a pane, a hang-up ends it and gives the terminal back.
func TestRunOnTheScreen(t *testing.T) {
	cmd, tmp := running(t, "run", "--lang", "en", "--output", t.TempDir()+"/out.txt", "--", "sh", "-c", `trap 'exit 5' TERM HUP; echo "it is ready"; while :; do sleep 0.05; done`)
	// The library of the screen closes its reader while it waits when the screen is
	// ended from outside: the race detector may say so, and that is not our code.
	cmd.Env = append(cmd.Env, "GORACE=exitcode=0")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		t.Skip("no pty here:", err)
	}
	defer tty.Close()
	var out output
	go io.Copy(&out, tty)
	out.wait(t, "run sh")
	if _, err := io.WriteString(tty, "O"); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "it is ready")
	_ = cmd.Process.Signal(syscall.SIGHUP)
	_ = cmd.Wait()
	out.wait(t, "\x1b[?1049l") // the screen was left
	if code := cmd.ProcessState.ExitCode(); code != 5 {
		t.Errorf("code %d", code)
	}
	nothingLeft(t, tmp)
}

// A Go client of localhost, which no proxy variable reaches, is seen in a
// network of its own; what is found decides the code where it ends well.
func TestRunIsolate(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
	}))
	defer agent.Close()
	client := t.TempDir() + "/client"
	build := exec.Command("go", "build", "-o", client, "./testdata/client")
	if b, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	for _, c := range []struct {
		flags []string
		want  int
	}{{nil, 1}, {[]string{"--fail-on", "never"}, 0}, {[]string{"--until", "call.fault.code == -32601", "--fail-on", "never"}, 0}} {
		args := append([]string{"run", "--headless", "--isolate"}, c.flags...)
		cmd, tmp := running(t, append(args, "--", client, agent.URL)...)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		done := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		err := cmd.Run()
		done.Stop()
		if strings.Contains(said.String(), "a network of its own cannot be made here") {
			t.Skip(said.String())
		}
		if code := cmd.ProcessState.ExitCode(); code != c.want {
			t.Errorf("%v: code %d, want %d (%v)\n%s", c.flags, code, c.want, err, &said)
		}
		seen := 0
		for line := range strings.Lines(out.String()) {
			var x struct{ Type, Operation string }
			if json.Unmarshal([]byte(line), &x) == nil && x.Type == "exchange" && x.Operation == "SendMessage" {
				seen++
			}
		}
		if seen != 1 {
			t.Errorf("%v: %d calls seen\n%s\n%s", c.flags, seen, &out, &said)
		}
		nothingLeft(t, tmp)
	}
}
