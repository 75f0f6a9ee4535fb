//go:build unix

package proxy

import (
	"io"
	"syscall"
)

// plain prepares reads that take a buffer only once there is something to read,
// and writes that go to the system without a detour.
func (l *leg) plain() {
	raw, err := l.tcp.SyscallConn()
	if err != nil {
		return
	}
	l.raw = raw
	l.readRaw = func(fd uintptr) bool {
		if l.buf == nil {
			l.buf = buffers.Get().(*buffer)
		}
		for {
			l.n, l.err = sysRead(int(fd), l.buf[:])
			if l.err != syscall.EINTR {
				break
			}
		}
		if l.err == syscall.EAGAIN {
			l.free()
			return false
		}
		return true
	}
	l.out.write = func(fd uintptr) bool { return l.out.some(int(fd)) }
}

func (l *leg) nextRaw() ([]byte, error) {
	l.n, l.err = 0, nil
	if err := l.raw.Read(l.readRaw); err != nil {
		return nil, err
	}
	if l.err != nil {
		return nil, l.err
	}
	if l.n <= 0 {
		return nil, io.EOF
	}
	return l.buf[:l.n], nil
}

// some writes what the socket takes. It returns false when the rest has to wait for room.
func (o *outgoing) some(fd int) bool {
	for o.sent < len(o.data) {
		n, err := sysWrite(fd, o.data[o.sent:])
		switch err {
		case nil:
			o.sent += n
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			o.err = err
			return true
		}
	}
	return true
}

func (l *leg) writeRaw(b []byte) (int, error) {
	o := &l.out
	o.mu.Lock()
	defer o.mu.Unlock()
	o.data, o.sent, o.err = b, 0, nil
	err := l.raw.Write(o.write)
	if err == nil {
		err = o.err
	}
	o.data = nil
	return o.sent, err
}

// resetBySystem knows the system's own names for a connection that was ended the hard way.
func resetBySystem(error) bool { return false }
