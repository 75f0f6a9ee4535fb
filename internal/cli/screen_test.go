//go:build !windows

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// secretPlay is a call with a credential.
const secretPlay = `> POST /
> Host: agent.example.com
> Authorization: Bearer sk-live-4711471147114711
> Content-Type: application/json
>
> {"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}

< 200 OK
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}

> POST /rpc
> Authorization: Bearer sk-live-4711471147114711
> Content-Type: application/json
> A2A-Version: 1.0
>
> {"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t2"}}
< 200 OK
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"nobody knows sk-live-4711471147114711"}}
`

// --no-redact means on a saved capture what it means everywhere: nothing is
// masked, on the screen and in what is saved from there.
func TestOpenWithoutMasking(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.play")
	if err := os.WriteFile(file, []byte(secretPlay), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{"masked.har": nil, "plain.har": {"--no-redact"}} {
		saved := filepath.Join(dir, name)
		cmd, _ := running(t, append([]string{"open", "--lang", "en", file}, flags...)...)
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 140, Rows: 40})
		if err != nil {
			t.Skip("no pty here:", err)
		}
		defer tty.Close()
		var out output
		go io.Copy(&out, tty)
		out.wait(t, "GetTask")
		if _, err := io.WriteString(tty, "G"); err != nil { // the newest: the symptom of its finding repeats the secret
			t.Fatal(err)
		}
		out.wait(t, "nobody")
		for _, keys := range []string{"\r", "4"} {
			if _, err := io.WriteString(tty, keys); err != nil {
				t.Fatal(err)
			}
		}
		if out.wait(t, "Bearer"); flags != nil {
			out.wait(t, "sk-live-4711471147114711")
		}
		if _, err := io.WriteString(tty, ":w "+saved+"\r"); err != nil {
			t.Fatal(err)
		}
		out.wait(t, "saved to")
		if _, err := io.WriteString(tty, "Q"); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		b, err := os.ReadFile(saved)
		if err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{"file": string(b), "screen": out.text()} {
			if got := strings.Contains(text, "sk-live-4711471147114711"); got != (flags != nil) {
				t.Errorf("%v: the secret is in the %s: %v", flags, what, got)
			}
		}
	}
}
