package proxy

import (
	"errors"
	"syscall"
)

// plain leaves reading to the net package: a small buffer waits.
func (l *leg) plain() {}

func (l *leg) nextRaw() ([]byte, error) { return nil, nil }

func (l *leg) writeRaw([]byte) (int, error) { return 0, nil }

// resetBySystem knows the system's own names for a connection that was ended the hard way.
func resetBySystem(err error) bool {
	const aborted, reset = syscall.Errno(10053), syscall.Errno(10054) // WSAECONNABORTED, WSAECONNRESET
	var n syscall.Errno
	return errors.As(err, &n) && (n == aborted || n == reset)
}
