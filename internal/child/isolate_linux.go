package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// network is the outer end of a namespace.
type network struct {
	c   *Child
	ctl *control
	tcp []*net.TCPListener // made inside
	dns []*net.UDPConn     // made inside
	own []netip.Addr       // of the host

	cancel context.CancelFunc
	owned  sync.WaitGroup

	mu      sync.Mutex
	asked   int
	waiting map[int]chan reply
	open    map[netip.AddrPort]*net.TCPListener // published; nil: could not be
	closed  bool
}

type reply struct {
	conn *net.TCPConn
	err  error
}

// IsolateError says that there can be no namespace here, and why.
type IsolateError struct {
	Step string // what was tried
	Why  string // what forbids it, as far as it can be told
	err  error
}

func (e *IsolateError) Error() string {
	s := "a network of its own cannot be made here (" + e.Step + ": " + e.err.Error() + ")"
	if e.Why != "" {
		s += "; " + e.Why
	}
	return s
}

func (e *IsolateError) Unwrap() error { return e.err }

// isolate makes a namespace with our own process inside, and waits until its
// network is there.
func (c *Child) isolate() (*network, error) {
	if len(c.o.Inside) == 0 {
		return nil, errors.New("no command to enter the namespace with (Options.Inside)")
	}
	v6 := "4"
	own := hostAddresses()
	if slices.ContainsFunc(own, func(a netip.Addr) bool { return a.Is6() && a.IsGlobalUnicast() }) {
		v6 = "46"
	}
	// Root keeps the rights it has where a network alone can be made.
	users := []bool{true}
	if os.Geteuid() == 0 && !c.o.newUser {
		users = []bool{false, true}
	}
	var err error
	for _, user := range users {
		var n *network
		if n, err = c.enter(user, v6, own); err == nil {
			return n, nil
		}
	}
	return nil, err
}

func (c *Child) enter(user bool, v6 string, own []netip.Addr) (*network, error) {
	ctl, theirs, err := controlPair()
	if err != nil {
		return nil, fmt.Errorf("a network of its own: %w", err)
	}
	defer theirs.Close()
	self := c.o.Inside
	args := slices.Concat(self[1:], []string{v6, c.path}, c.o.Args)
	c.cmd = exec.Command(self[0], args...)
	c.cmd.Args[0] = "a2ascope" // what lists of processes show
	c.cmd.Env = c.o.Env
	c.cmd.ExtraFiles = []*os.File{theirs}
	c.streams()
	ownSession(c.cmd, true)
	a := c.cmd.SysProcAttr
	a.Cloneflags = syscall.CLONE_NEWNET
	if user {
		// The program sees the user that it is; the rights over the new network are
		// carried over to our process there.
		uid, gid := os.Geteuid(), os.Getegid()
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_RAW}
	}
	n := &network{c: c, ctl: ctl, own: own, waiting: map[int]chan reply{}, open: map[netip.AddrPort]*net.TCPListener{}}
	c.done = make(chan struct{})
	if err := launch(c.cmd, func() { c.over(n) }); err != nil {
		ctl.close()
		return nil, &IsolateError{Step: "entering a new namespace", Why: refusal(), err: unwrapped(err)}
	}
	_ = theirs.Close() // so that the end of the process is the end of the socket
	if err := n.begin(); err != nil {
		c.kill(syscall.SIGKILL)
		n.close()
		<-c.done
		c.state = prepared
		return nil, err
	}
	return n, nil
}

// unwrapped is the system's error without the name of our own program.
func unwrapped(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}

// readyWait is how long a network may take to be made; it is milliseconds.
const readyWait = 20 * time.Second

// begin takes the listeners that were made inside.
func (n *network) begin() error {
	late := time.AfterFunc(readyWait, n.ctl.close)
	m, files, err := n.ctl.receive()
	late.Stop()
	if err != nil {
		return &IsolateError{Step: "entering a new namespace", Why: refusal(), err: errors.New("the process there says nothing")}
	}
	defer closeAll(files)
	if m.Kind != ready || m.TCP < 1 || len(files) != m.TCP+m.UDP {
		return &IsolateError{Step: m.Step, Why: refusal(), err: errors.New(m.Error)}
	}
	for i, f := range files {
		if i < m.TCP {
			ln, err := net.FileListener(f)
			if err != nil {
				return err
			}
			n.tcp = append(n.tcp, ln.(*net.TCPListener))
			continue
		}
		pc, err := net.FilePacketConn(f)
		if err != nil {
			return err
		}
		n.dns = append(n.dns, pc.(*net.UDPConn))
	}
	var ctx context.Context
	ctx, n.cancel = context.WithCancel(context.Background())
	servers := n.c.o.resolvers
	if servers == nil {
		servers = resolvers("/etc/resolv.conf")
	}
	for _, pc := range n.dns {
		n.owned.Go(func() { answer(ctx, pc, servers) })
	}
	n.owned.Go(n.listen)
	return nil
}

// refusal tells what forbids namespaces, as far as the system says it.
func refusal() string {
	for _, k := range []struct{ file, value, why string }{
		{"/proc/sys/user/max_user_namespaces", "0", "user namespaces are turned off: sysctl user.max_user_namespaces is 0"},
		{"/proc/sys/user/max_net_namespaces", "0", "network namespaces are turned off: sysctl user.max_net_namespaces is 0"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "they are for root alone: sysctl kernel.unprivileged_userns_clone is 0"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor allows them to named programs only: sysctl kernel.apparmor_restrict_unprivileged_userns is 1"},
	} {
		if b, err := os.ReadFile(k.file); err == nil && strings.TrimSpace(string(b)) == k.value {
			return k.why
		}
	}
	if _, err := os.Stat("/.dockerenv"); err == nil {
		return "this is a container, whose seccomp profile most likely forbids them"
	}
	return "this system or a container around it forbids them to you"
}

func (n *network) start() error { return n.ctl.send(message{Kind: start}) }

// close ends the namespace, and everything that was opened for it. It may be
// called more than once.
func (n *network) close() {
	n.mu.Lock()
	was := n.closed
	n.closed = true
	var told []Port
	for a, ln := range n.open {
		told = append(told, Port{Addr: a, Listener: ln, Gone: true})
	}
	clear(n.open)
	n.mu.Unlock()
	if was {
		return
	}
	n.tell(told)
	n.ctl.close()
	if n.cancel != nil {
		n.cancel()
	}
	for _, pc := range n.dns {
		_ = pc.Close()
	}
	for _, ln := range n.tcp {
		_ = ln.Close()
	}
}

// listen takes what the inside says.
func (n *network) listen() {
	for {
		m, files, err := n.ctl.receive()
		if err != nil {
			break
		}
		switch m.Kind {
		case dialed:
			n.answered(m, files)
		case ports:
			n.publish(m.Ports)
		case refused:
			if to, err := netip.ParseAddrPort(m.Addr); err == nil && n.c.o.Refused != nil {
				n.c.o.Refused(to)
			}
		case failed:
			fmt.Fprintf(n.c.o.Stderr, "a2ascope: %s: %s\n", m.Step, m.Error)
		}
		closeAll(files)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.waiting {
		w <- reply{err: errOver}
	}
	n.waiting = nil
}

var errOver = errors.New("the program has ended")

func (n *network) answered(m message, files []*os.File) {
	r := reply{err: errors.New(m.Error)}
	if m.Error == "" && len(files) == 1 {
		if c, err := net.FileConn(files[0]); err != nil {
			r.err = err
		} else {
			r = reply{conn: c.(*net.TCPConn)}
		}
	}
	n.mu.Lock()
	w := n.waiting[m.ID]
	delete(n.waiting, m.ID)
	n.mu.Unlock()
	if w != nil {
		w <- r // has room
	} else if r.conn != nil {
		_ = r.conn.Close()
	}
}

// hostAddresses are those of this machine.
func hostAddresses() []netip.Addr {
	var all []netip.Addr
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			all = append(all, p.Addr().Unmap())
		}
	}
	return all
}
