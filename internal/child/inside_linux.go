package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// controlFile is the file descriptor of the control socket inside.
const controlFile = 3

// Inside is the life of our own process in the namespace: it makes the network,
// runs the program, and returns its exit code. args are those that isolate gave.
func Inside(args []string) int {
	runtime.LockOSThread() // the program dies with this thread
	ctl, err := newControl(os.NewFile(controlFile, "control"))
	if err != nil || len(args) < 3 {
		fmt.Fprintln(os.Stderr, "a2ascope: this command is for a2ascope itself, see run --isolate")
		return 2
	}
	defer ctl.close()
	// Signals are for the program, which is in our group and gets them too. They
	// are caught, not ignored: what is ignored stays ignored in the program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	in := &inside{ctl: ctl}
	if step, err := in.network(args[0] == "46"); err != nil {
		_ = ctl.send(message{Kind: failed, Step: step, Error: err.Error()})
		return CodeCannotRun
	}
	path, argv := args[1], args[2:]
	if m, _, err := ctl.receive(); err != nil || m.Kind != start {
		return CodeCannotRun // nobody wants the program any more
	}
	return in.run(path, argv)
}

type inside struct {
	ctl *control
	tcp uint16
}

// network makes the network, and hands the listeners out. v6 says that the host
// has more of IPv6 than its loopback.
func (in *inside) network(v6 bool) (step string, err error) {
	if err := linkUp(); err != nil {
		return "turning the loopback interface on", err
	}
	if err := routeEverything(unix.AF_INET); err != nil {
		return "making every IPv4 address local", err
	}
	var files []*os.File
	defer func() { closeAll(files) }()
	keep := func(c interface{ File() (*os.File, error) }) error {
		f, err := c.File()
		if err == nil {
			files = append(files, f)
		}
		return err
	}
	four, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return "opening a port", err
	}
	defer four.Close()
	in.tcp = uint16(four.Addr().(*net.TCPAddr).Port)
	question, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return "opening a port for DNS", err
	}
	defer question.Close()
	dns := question.LocalAddr().(*net.UDPAddr).Port
	ready := message{Kind: ready, TCP: 1, UDP: 1}
	if err := keep(four); err != nil {
		return "handing a port out", err
	}
	six, err := net.ListenTCP("tcp6", &net.TCPAddr{IP: net.IPv6loopback, Port: int(in.tcp)})
	if err == nil { // there is no ::1 where the system has no IPv6
		defer six.Close()
		if err := keep(six); err != nil {
			return "handing a port out", err
		}
		ready.TCP++
		if v6 {
			if err := routeEverything(unix.AF_INET6); err != nil {
				return "making every IPv6 address local", err
			}
		}
	}
	if err := keep(question); err != nil {
		return "handing a port for DNS out", err
	}
	if question6, err := net.ListenUDP("udp6", &net.UDPAddr{IP: net.IPv6loopback, Port: dns}); err == nil {
		defer question6.Close()
		if err := keep(question6); err != nil {
			return "handing a port for DNS out", err
		}
		ready.UDP++
	}
	if err := redirectAll(in.tcp, uint16(dns)); err != nil {
		return "redirecting connections (nf_tables)", err
	}
	return "handing the ports out", in.ctl.send(ready, files...)
}

// run runs the program to its end and does what the other end asks meanwhile.
func (in *inside) run(path string, argv []string) int {
	cmd := &exec.Cmd{Path: path, Args: argv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	for _, pc := range refusals() {
		defer pc.Close()
		go in.refuse(pc)
	}
	// What we may do to the network is not for the program.
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	if err := cmd.Start(); err != nil {
		_ = in.ctl.send(message{Kind: failed, Step: "running the program", Error: err.Error()})
		return CodeCannotRun
	}
	stop := make(chan struct{})
	defer close(stop)
	go in.serve()
	go in.watch(stop)
	_ = cmd.Wait()
	return codeOf(cmd.ProcessState)
}

// serve connects to servers of the program for those who are outside.
func (in *inside) serve() {
	for {
		m, files, err := in.ctl.receive()
		if err != nil {
			return
		}
		closeAll(files)
		if m.Kind == dial {
			go in.dial(m)
		}
	}
}

func (in *inside) dial(m message) {
	d := net.Dialer{Timeout: insideTimeout, Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		if cerr := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_MARK, mark) }); cerr != nil {
			return cerr
		}
		return err
	}}
	answer := message{Kind: dialed, ID: m.ID}
	c, err := d.DialContext(context.Background(), "tcp", m.Addr)
	if err != nil {
		answer.Error = err.Error()
		_ = in.ctl.send(answer)
		return
	}
	defer c.Close()
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		answer.Error = err.Error()
		_ = in.ctl.send(answer)
		return
	}
	defer f.Close()
	_ = in.ctl.send(answer, f)
}

// insideTimeout is how long a server of the program may take to accept.
const insideTimeout = 10 * time.Second

// lookEvery is how often the ports of the program are looked at.
const lookEvery = 100 * time.Millisecond

// watch tells the other end which ports the program listens on.
func (in *inside) watch(stop <-chan struct{}) {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	var last []string
	for {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		now := in.listening()
		if slices.Equal(now, last) {
			continue
		}
		last = now
		if in.ctl.send(message{Kind: ports, Ports: now}) != nil {
			return
		}
	}
}

// listening lists the addresses that the program listens on, in order.
func (in *inside) listening() []string {
	var all []string
	for _, f := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			a, ok := listener(line)
			if ok && a.Port() != in.tcp && len(all) < maxPorts {
				all = append(all, a.String())
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listener reads a line of /proc/net/tcp; ok is false for what is no listener.
func listener(line string) (a netip.AddrPort, ok bool) {
	const listening = "0A"
	f := strings.Fields(line)
	if len(f) < 4 || f[3] != listening {
		return a, false
	}
	a, err := procAddress(f[1])
	return a, err == nil
}

// procAddress reads an address as the kernel writes it: words of four bytes in
// the order of the machine.
func procAddress(s string) (netip.AddrPort, error) {
	var port uint16
	host, p, _ := strings.Cut(s, ":")
	if _, err := fmt.Sscanf(p, "%4x", &port); err != nil {
		return netip.AddrPort{}, err
	}
	if len(host) != 8 && len(host) != 32 {
		return netip.AddrPort{}, errors.New("no address: " + s)
	}
	b := make([]byte, 0, 16)
	for i := 0; i < len(host); i += 8 {
		var w uint32
		if _, err := fmt.Sscanf(host[i:i+8], "%8x", &w); err != nil {
			return netip.AddrPort{}, err
		}
		b = nativeWord(b, w)
	}
	ip, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(ip, port), nil
}
