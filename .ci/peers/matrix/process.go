package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// lab is where the peers live and what runs of them.
type lab struct {
	ctx     context.Context
	tool    string // the a2ascope to test
	peers   string // the folder of the peers
	scratch string
	running []*exec.Cmd
}

// clientSpan is more than the slowest client takes on a busy machine.
const clientSpan = 60 * time.Second

func (l *lab) close() {
	for _, c := range l.running {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// freePort returns a port that nobody listens on.
func freePort(host string) (int, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}

// serve starts a server and waits until it listens on its ports.
func (l *lab) serve(name, host string, ports []int, argv ...string) error {
	out, err := os.Create(filepath.Join(l.scratch, name+".log"))
	if err != nil {
		return err
	}
	defer out.Close()
	c := exec.CommandContext(l.ctx, argv[0], argv[1:]...)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		return err
	}
	l.running = append(l.running, c)
	for _, p := range ports {
		if err := listening(net.JoinHostPort(host, fmt.Sprint(p))); err != nil {
			said, _ := os.ReadFile(out.Name())
			return fmt.Errorf("%s: %w\n%s", name, err, said)
		}
	}
	return nil
}

func listening(addr string) error {
	var err error
	for range 200 {
		var c net.Conn
		if c, err = net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// client runs a client to its end and returns what it printed.
func (l *lab) client(env []string, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(l.ctx, clientSpan)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return string(out), fmt.Errorf("it does not end: %s", strings.Join(argv, " "))
	}
	var code *exec.ExitError
	if err != nil && !errors.As(err, &code) {
		return string(out), err
	}
	if code != nil {
		return fmt.Sprintf("%s(exit %d)\n", out, code.ExitCode()), nil
	}
	return string(out), nil
}

// line is a line of the tap's report; members that a kind of line does not have are zero.
type line struct {
	Type     string
	Exchange int
	Kind     string
	Binding  *string
	Method   *string
	Outcome  string
	Complete bool
	Gaps     int

	Rule, Severity string
	Root           bool
	Symptom        string
}

// tap is a running a2ascope.
type tap struct {
	cmd   *exec.Cmd
	url   string
	lines chan []line
	fault chan error
	said  *strings.Builder
}

var pointAt = regexp.MustCompile(`point the client at (\S+)`)

// tapped starts `a2ascope proxy TARGET`, with further flags; every tap has the same authority.
func (l *lab) tapped(target string, flags ...string) (*tap, error) {
	argv := append([]string{"proxy", target, "--listen", "127.0.0.1:0", "--headless", "--fail-on", "never", "--lang", "en"}, flags...)
	c := exec.CommandContext(l.ctx, l.tool, argv...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	t := &tap{cmd: c, lines: make(chan []line, 1), fault: make(chan error, 1), said: &strings.Builder{}}
	go t.read(stdout)
	said := bufio.NewReader(stderr)
	first, err := said.ReadString('\n')
	m := pointAt.FindStringSubmatch(first)
	if err != nil || m == nil {
		rest, _ := io.ReadAll(said)
		_ = c.Wait()
		return nil, fmt.Errorf("a2ascope proxy %s: %s%s", target, first, rest)
	}
	t.url = m[1]
	go func() { _, _ = io.Copy(t.said, said) }()
	return t, nil
}

func (t *tap) read(r io.Reader) {
	var all []line
	d := json.NewDecoder(r)
	for {
		var n line
		if err := d.Decode(&n); err != nil {
			if err != io.EOF {
				t.fault <- fmt.Errorf("the report is no jsonl: %w", err)
			}
			t.lines <- all
			return
		}
		all = append(all, n)
	}
}

// end ends the tap as a user does and returns its report.
func (t *tap) end() ([]line, error) {
	_ = t.cmd.Process.Signal(syscall.SIGINT)
	select {
	case all := <-t.lines:
		if err := t.cmd.Wait(); err != nil {
			return all, fmt.Errorf("a2ascope ends with %w: %s", err, t.said)
		}
		select {
		case err := <-t.fault:
			return all, err
		default:
			return all, nil
		}
	case <-time.After(20 * time.Second):
		_ = t.cmd.Process.Kill()
		return nil, errors.New("a2ascope does not end on SIGINT")
	}
}
