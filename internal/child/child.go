package child

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Options of a program.
type Options struct {
	Args           []string // the program and its arguments
	Env            []string // its whole environment
	Stdin          *os.File // nil: empty
	Stdout, Stderr io.Writer

	// Isolate runs it in a network of its own (Linux). Inside is the command line
	// that enters Inside in a process of this program.
	Isolate bool
	Inside  []string

	// Isolate only; each may be nil and must not block.
	Published func(Port)                          // the program begins or ends to listen on a port
	Instead   func(asked, reached netip.AddrPort) // localhost of the other family was reached
	Refused   func(to netip.AddrPort)             // datagrams (UDP) to an address went nowhere

	Log *slog.Logger

	newUser   bool     // tests: a user namespace for root, too
	resolvers []string // tests: DNS servers; nil: those of the machine
}

// Child is a program that is prepared, runs, or has ended.
type Child struct {
	o    Options
	path string
	net  *network // nil: that of this process
	cmd  *exec.Cmd

	mu    sync.Mutex
	state state
	code  int
	done  chan struct{}
}

type state uint8

const (
	prepared state = iota
	running
	ended
)

// Codes of programs that could not be run, as shells have them.
const (
	CodeCannotRun = 126
	CodeNotFound  = 127
	codeSignal    = 128 // and the number of the signal that ended the program
)

// StartError says that a program could not be run.
type StartError struct {
	Code int // CodeCannotRun or CodeNotFound
	err  error
}

func (e *StartError) Error() string { return e.err.Error() }
func (e *StartError) Unwrap() error { return e.err }

// outputWait is how long the output of a program that has ended is read on:
// something it started may hold the pipe for good.
const outputWait = 2 * time.Second

// Prepare finds the program and makes its network, so that Start has little
// left that can go wrong.
func Prepare(o Options) (*Child, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	path, err := exec.LookPath(o.Args[0])
	switch {
	case errors.Is(err, exec.ErrDot):
		return nil, &StartError{CodeNotFound, fmt.Errorf("%s is in the current folder, which is not searched: write it as ./%s", o.Args[0], o.Args[0])}
	case errors.Is(err, fs.ErrPermission):
		return nil, &StartError{CodeCannotRun, fmt.Errorf("%s cannot be run: it is no program, or may not be executed (chmod +x)", o.Args[0])}
	case err != nil:
		return nil, &StartError{CodeNotFound, fmt.Errorf("%s was not found: check the spelling, PATH, and that it is no alias of the shell", o.Args[0])}
	}
	c := &Child{o: o, path: path, done: make(chan struct{})}
	if !o.Isolate {
		c.cmd = exec.Command(path)
		c.cmd.Args, c.cmd.Env = o.Args, o.Env
		c.streams()
		ownSession(c.cmd, false)
		return c, nil
	}
	if c.net, err = c.isolate(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Child) streams() {
	if c.o.Stdin != nil {
		c.cmd.Stdin = c.o.Stdin
	}
	c.cmd.Stdout, c.cmd.Stderr = c.o.Stdout, c.o.Stderr
	c.cmd.WaitDelay = outputWait
}

// launch starts a process on a thread that stays for as long as it runs: it is
// told when that thread ends, which must mean that we did. ended is called when
// the process has ended.
func launch(cmd *exec.Cmd, ended func()) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and not unlocked: the thread ends with this
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			ended()
		}
	}()
	return <-started
}

// Path is the file of the program.
func (c *Child) Path() string { return c.path }

// Start lets the program run.
func (c *Child) Start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != prepared {
		return errors.New("the program was started before")
	}
	var err error
	if c.net != nil {
		err = c.net.start()
	} else {
		err = launch(c.cmd, func() { c.over(nil) })
	}
	if err != nil {
		return &StartError{CodeCannotRun, fmt.Errorf("%s cannot be run: %w", c.o.Args[0], err)}
	}
	c.state = running
	return nil
}

// over is called when the process has ended; n is its network.
func (c *Child) over(n *network) {
	code := codeOf(c.cmd.ProcessState)
	// What it left behind would speak to a tap that is gone.
	c.kill(terminate)
	if n != nil {
		n.close()
		n.owned.Wait()
	}
	c.mu.Lock()
	c.code, c.state = code, ended
	c.mu.Unlock()
	close(c.done)
}

// Done is closed when the program has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Running reports whether the program was started and has not ended.
func (c *Child) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == running
}

// Code is how it ended: its exit code, or 128 and the number of a signal.
func (c *Child) Code() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code
}

// Signal passes a signal to the program and everything it started.
func (c *Child) Signal(s os.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == running {
		c.kill(s)
	}
}

// Stop asks the program to end, and makes it after a while. It returns when it
// has ended; true says that it had to be asked.
func (c *Child) Stop(grace time.Duration) (asked bool) {
	c.mu.Lock()
	switch c.state {
	case prepared:
		c.mu.Unlock()
		return false
	case running:
		asked = true
		c.kill(terminate)
	}
	c.mu.Unlock()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-c.done:
	case <-t.C:
		c.Kill()
		<-c.done
	}
	return asked
}

// Kill ends the program at once.
func (c *Child) Kill() { c.Signal(os.Kill) }

// Close ends whatever there is and frees the network of a program that was
// never started.
func (c *Child) Close() {
	c.mu.Lock()
	never := c.state == prepared
	c.mu.Unlock()
	if !never {
		c.Kill()
		<-c.done
		return
	}
	if c.net != nil {
		c.net.close()
		<-c.done
	}
}

// Port is a port that the program listens on in its own network.
type Port struct {
	Addr     netip.AddrPort   // as the program listens
	Listener *net.TCPListener // the same on the host; nil when that could not be, or any more
	Err      error            // why it could not be
	Gone     bool             // the program listens no more
}

// Listeners are where the connections of an isolated program arrive; Origin says
// where each was meant to go, and Dial reaches that address.
func (c *Child) Listeners() []*net.TCPListener {
	if c.net == nil {
		return nil
	}
	return c.net.tcp
}
