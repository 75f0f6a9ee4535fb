//go:build !noloops

package proxy

import (
	"io"
	"net"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"a2ascope/capture"
)

// ride is a hop that a loop serves.
type ride struct {
	loop *loop
	both [2]*socket // by side
	up   chan error // how the client's direction ended
	down chan struct{}
}

// socket is a leg while a loop serves it. Everything in it is the loop's until
// the ride is over, and belongs to the visit's goroutine then.
type socket struct {
	ride  *ride
	leg   *leg
	side  capture.Side
	d     *direction // what is read here
	other *socket    // where it is written
	fd    int        // -1: closed

	ready  bool // there may be something to read
	final  bool // the system said that an end is behind it
	queued bool // in loop.again
	over   bool // d is
	told   bool // the visit knows
	err    error

	backlog []byte // the system had no room for it; until it has, other is not read
	shut    bool   // the end of the direction comes behind the backlog
}

// serveOnLoop lets a loop serve a hop of two plain connections. Nil: it has to
// be served by goroutines.
func (p *Proxy) serveOnLoop(up, down *direction) *ride {
	if len(p.loops) == 0 || up.in.raw == nil || up.out.raw == nil {
		return nil
	}
	r := &ride{up: make(chan error, 1), down: make(chan struct{})}
	r.loop = slices.MinFunc(p.loops, func(a, b *loop) int { return a.load() - b.load() })
	for side, d := range [2]*direction{up, down} {
		fd, err := d.in.duplicate()
		if err != nil {
			if side == 1 {
				_ = unix.Close(r.both[0].fd)
			}
			return nil
		}
		r.both[side] = &socket{ride: r, leg: d.in, side: capture.Side(side), d: d, fd: fd, ready: true}
	}
	for side, s := range r.both {
		s.other = r.both[1-side]
		s.leg.served.Store(s)
		_ = s.leg.tcp.Close() // the duplicate keeps the connection
	}
	if err := r.loop.add(r.both); err != nil {
		p.opt.Log.Warn("a connection is served by goroutines", "error", err)
		r.leave(p)
		return nil
	}
	if p.stopping.Load() {
		r.both[0].abandon() // whoever stops the tap may not have seen the sockets
	}
	return r
}

// duplicate gives the connection another number, which the net package does not know.
func (l *leg) duplicate() (fd int, err error) {
	fail := l.raw.Control(func(own uintptr) {
		fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
	})
	if fail != nil {
		return -1, fail
	}
	return fd, err
}

// leave gives the connections that are still open back to the net package.
func (r *ride) leave(p *Proxy) {
	for _, s := range r.both {
		var c *net.TCPConn
		if s.fd >= 0 {
			_ = unix.EpollCtl(r.loop.epoll, unix.EPOLL_CTL_DEL, s.fd, nil)
			f := os.NewFile(uintptr(s.fd), "")
			if conn, err := net.FileConn(f); err == nil {
				c, _ = conn.(*net.TCPConn)
			}
			_ = f.Close()
		}
		p.mu.Lock()
		if c != nil {
			s.leg.adopt(c)
		}
		s.leg.served.Store(nil)
		if c != nil && p.stopping.Load() {
			_ = c.Close()
		}
		p.mu.Unlock()
	}
}

// adopt goes on with another object for the same connection.
func (l *leg) adopt(c *net.TCPConn) {
	l.Conn, l.tcp = c, c
	l.plain()
}

// over reports that the loop is done with it.
func (r *ride) over() bool { return r.both[0].told && r.both[1].told }

// event is what the system says of the socket.
func (s *socket) event(flags uint32) {
	if s.ride.over() {
		return
	}
	s.handle(flags)
	s.ride.settle()
}

func (s *socket) handle(flags uint32) {
	defer s.d.h.p.rescue(s.d.h)
	if flags&unix.EPOLLOUT != 0 && len(s.backlog) > 0 {
		s.flush()
		s.other.read()
	}
	if flags&^uint32(unix.EPOLLOUT) != 0 {
		s.ready = true
		s.final = s.final || flags&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
	}
	s.read()
	if o := s.other; o.d.w.waits() {
		o.pass(nil)
		o.read()
	}
}

// read passes on what the peer says until there is nothing more, its turn is
// over, or the other peer has to take something first.
func (s *socket) read() {
	for turns := 0; s.ready && !s.over && !s.d.w.waits() && len(s.other.backlog) == 0; turns++ {
		if turns == readsATurn {
			if !s.queued {
				s.queued = true
				s.ride.loop.again = append(s.ride.loop.again, s)
			}
			return
		}
		in, err := s.next()
		if err == syscall.EAGAIN {
			s.ready = false
			return
		}
		if len(in) > 0 {
			s.pass(in)
		}
		if err != nil && !s.over {
			s.end(err)
		}
	}
}

// next reads. What was read before the loop took over comes first. A read that
// does not fill the buffer has left nothing, unless an end is known to follow.
func (s *socket) next() ([]byte, error) {
	if in, err := s.leg.ahead(); len(in) > 0 || err != nil {
		return in, err
	}
	if s.fd < 0 {
		return nil, net.ErrClosed
	}
	buf := s.ride.loop.buf[:]
	n, err := readSome(s.fd, buf)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, io.EOF
	}
	s.ready = n == len(buf) || s.final
	return buf[:n], nil
}

func (s *socket) pass(in []byte) {
	if err := s.d.pass(in); err != nil {
		s.over, s.err = true, err
	}
}

func (s *socket) end(err error) {
	s.over, s.err = true, err
	s.d.end(err)
}

// settle tells the visit which directions are over.
func (r *ride) settle() {
	for range r.both { // what ends one may end the other
		for _, s := range r.both {
			if s.fd < 0 && !s.over {
				s.guard(func() { s.end(net.ErrClosed) })
			}
		}
	}
	if up := r.both[capture.Client]; up.over && !up.told && len(up.other.backlog) == 0 {
		up.told = true
		r.finish()
		r.up <- up.err
	}
	if down := r.both[capture.Server]; down.over && !down.told && len(down.other.backlog) == 0 {
		down.told = true
		r.finish()
		close(r.down)
	}
}

// finish lets go of a hop whose directions are both over.
func (r *ride) finish() {
	if r.over() {
		r.loop.remove(r.both)
	}
}

// guard keeps a fault to the hop.
func (s *socket) guard(f func()) {
	defer s.d.h.p.rescue(s.d.h)
	f()
}

// write sends all of b, now or as soon as there is room.
func (s *socket) write(b []byte) (int, error) {
	if s.fd < 0 {
		return 0, net.ErrClosed
	}
	if len(s.backlog) > 0 {
		s.backlog = append(s.backlog, b...)
		return len(b), nil
	}
	n, err := writeSome(s.fd, b)
	if err != nil {
		return n, err
	}
	s.backlog = append(s.backlog, b[n:]...)
	return len(b), nil
}

// flush writes what had to wait.
func (s *socket) flush() {
	n, err := writeSome(s.fd, s.backlog)
	if err != nil {
		s.d.h.fail(s.side, err)
		return
	}
	if s.backlog = s.backlog[n:]; len(s.backlog) > 0 {
		return
	}
	s.backlog = nil
	if s.shut {
		s.closeWrite()
	}
}

func (s *socket) closeWrite() {
	switch {
	case s.fd < 0:
	case len(s.backlog) > 0:
		s.shut = true
	default:
		_ = unix.Shutdown(s.fd, unix.SHUT_WR)
	}
}

func (s *socket) reset() {
	if s.fd >= 0 {
		_ = unix.SetsockoptLinger(s.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	}
	s.close()
}

func (s *socket) close() {
	if s.fd < 0 {
		return
	}
	s.ride.loop.forget(s)
	_ = unix.Close(s.fd)
	s.fd, s.backlog = -1, nil
}

// interrupt ends reading, and abandon the connection, for other goroutines.
func (s *socket) interrupt() {
	s.post(func() {
		if !s.over {
			s.end(os.ErrDeadlineExceeded)
		}
	})
}

func (s *socket) abandon() { s.post(func() { s.d.h.fail(s.side, net.ErrClosed) }) }

func (s *socket) post(f func()) {
	s.ride.loop.post(func() {
		if s.ride.over() {
			return
		}
		s.guard(f)
		s.ride.settle()
	})
}
