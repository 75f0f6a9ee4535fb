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
		l.n, l.err = readSome(int(fd), l.buf[:])
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
	n, err := writeSome(fd, o.data[o.sent:])
	o.sent, o.err = o.sent+n, err
	return err != nil || o.sent == len(o.data)
}

// readSome reads what is there: EAGAIN when there is nothing.
func readSome(fd int, b []byte) (n int, err error) {
	for {
		if n, err = sysRead(fd, b); err != syscall.EINTR {
			return n, err
		}
	}
}

// writeSome writes what the system has room for.
func writeSome(fd int, b []byte) (sent int, err error) {
	for sent < len(b) {
		n, err := sysWrite(fd, b[sent:])
		switch err {
		case nil:
			sent += n
		case syscall.EINTR:
		case syscall.EAGAIN:
			return sent, nil
		default:
			return sent, err
		}
	}
	return sent, nil
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
