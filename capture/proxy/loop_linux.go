//go:build !noloops

package proxy

import (
	"log/slog"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A loop is one thread that passes on what many plain connections say, as the
// workers of a web server do: it waits for all of them at once, and reads and
// writes until nothing is left. A goroutine for each direction would cost a
// turn of Go's scheduler for each event, a third of what a relay does, and the
// event would wait for that turn.
//
// The connections are taken out of the net package for that time: its own
// poller would wake a thread for each event, too.
type loop struct {
	epoll int
	bell  int  // an eventfd: something was posted
	holds bool // see wait
	gone  chan struct{}

	mu      sync.Mutex
	sockets []*socket // by file descriptor
	served  int
	posted  []func()
	closing bool

	// Of the loop's own goroutine.
	events [128]unix.EpollEvent
	ready  [128]*socket
	again  []*socket // have more to read than a turn allows
	buf    buffer
}

const (
	// More than this many relay only what no program on the same machine makes.
	maxLoops = 4
	// How long a loop waits without giving its processor back.
	holding = 5 * time.Millisecond
	// Reads of one connection before the others have their turn.
	readsATurn = 4
)

// processors is what GOMAXPROCS was at first: the cores, or fewer where the user
// or a container's quota says so.
var processors = runtime.GOMAXPROCS(0)

// Loops is how many goroutines of a Proxy hold a processor of Go's scheduler
// while they wait for traffic. They do where GOMAXPROCS was raised by as many:
// then an event does not wait for a processor to be free.
func Loops() int { return min(processors, maxLoops) }

// loops are those of a Proxy. Where none could be made, goroutines relay.
type loops []*loop

func newLoops(log *slog.Logger) (ls loops) {
	n := Loops()
	for range n {
		l, err := newLoop(runtime.GOMAXPROCS(0) >= processors+n)
		if err != nil {
			log.Warn("connections are served by goroutines", "error", err)
			break
		}
		ls = append(ls, l)
		go l.run()
	}
	return ls
}

// stop ends them, once nothing is served any more.
func (ls loops) stop() {
	for _, l := range ls {
		l.stop()
	}
}

func newLoop(holds bool) (*loop, error) {
	l := &loop{holds: holds, gone: make(chan struct{})}
	var err error
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if l.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
		err = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, l.bell, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(l.bell)})
		if err == nil {
			return l, nil
		}
		_ = unix.Close(l.bell)
	}
	_ = unix.Close(l.epoll)
	return nil, err
}

func (l *loop) run() {
	defer close(l.gone)
	for {
		n := l.wait()
		rung := false
		l.mu.Lock()
		for i := range n {
			fd := int(l.events[i].Fd)
			l.ready[i] = nil
			if fd < len(l.sockets) {
				l.ready[i] = l.sockets[fd] // nil: closed in the meantime
			}
			rung = rung || fd == l.bell
		}
		l.mu.Unlock()
		if rung && !l.answer() {
			return
		}
		for i, s := range l.ready[:n] {
			if s != nil {
				s.event(l.events[i].Events)
			}
		}
		again := l.again
		l.again = nil
		for _, s := range again {
			s.queued = false
			s.event(0)
		}
	}
}

// wait returns how many events there are. While there is traffic it keeps the
// processor: the next event is some hundred microseconds away, and Go's
// scheduler would have given the processor to another thread, for which there
// is no core. A thread that waits in this way hears the signals by which the
// runtime wants to stop goroutines, and stops then: a collection waits for it, and
// nothing else on the way back here need be a place where goroutines stop.
func (l *loop) wait() int {
	timeout := uintptr(holding.Milliseconds())
	if len(l.again) > 0 {
		timeout = 0
	}
	if l.holds || timeout == 0 {
		n, _, err := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)), timeout, 0, 0)
		switch {
		case err != 0: // a signal
			runtime.Gosched()
			return 0
		case n > 0 || timeout == 0:
			return int(n)
		}
	}
	n, _ := unix.EpollWait(l.epoll, l.events[:], -1)
	return max(n, 0)
}

// post has the loop's goroutine do something.
func (l *loop) post(f func()) {
	l.mu.Lock()
	l.posted = append(l.posted, f)
	l.mu.Unlock()
	l.ring()
}

func (l *loop) ring() {
	one := [8]byte{1}
	_, _ = unix.Write(l.bell, one[:])
}

// answer does what was posted; it returns false when the loop is to end.
func (l *loop) answer() bool {
	var b [8]byte
	_, _ = unix.Read(l.bell, b[:])
	l.mu.Lock()
	posted, closing := l.posted, l.closing
	l.posted = nil
	l.mu.Unlock()
	for _, f := range posted {
		f()
	}
	return !closing
}

func (l *loop) stop() {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	l.ring()
	<-l.gone
	_ = unix.Close(l.epoll)
	_ = unix.Close(l.bell)
}

// add serves two sockets from now on. A socket that can be written to is an
// event, so that the loop looks at both at once.
func (l *loop) add(both [2]*socket) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range both {
		const edges = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
		if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: edges, Fd: int32(s.fd)}); err != nil {
			return err
		}
	}
	for _, s := range both {
		for len(l.sockets) <= s.fd {
			l.sockets = append(l.sockets, nil)
		}
		l.sockets[s.fd] = s
	}
	l.served++
	return nil
}

// remove takes them out again.
func (l *loop) remove(both [2]*socket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range both {
		l.drop(s)
	}
	l.served--
}

// forget takes a socket out, before its number can be another one's.
func (l *loop) forget(s *socket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(s)
}

func (l *loop) drop(s *socket) {
	if s.fd >= 0 && s.fd < len(l.sockets) && l.sockets[s.fd] == s {
		l.sockets[s.fd] = nil
	}
}

func (l *loop) load() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.served
}
