//go:build unix

package proxy

import (
	"io"
	"syscall"
)

// plain prepares reads that take a buffer only once there is something to read.
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
			l.n, l.err = syscall.Read(int(fd), l.buf[:])
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

// resetBySystem knows the system's own names for a connection that was ended the hard way.
func resetBySystem(error) bool { return false }
