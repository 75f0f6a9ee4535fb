package proxy

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// bufferSize is what one read takes at most. Larger buys nothing on loopback.
const bufferSize = 32 << 10

// firstRead is the buffer of a TLS connection that waits: small, for many wait.
const firstRead = 1 << 10

type buffer [bufferSize]byte

// buffers is memory to use again; nothing is kept in it.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// leg is the connection to one of the two peers. One goroutine reads it, and
// one writes it. It holds a buffer only while data flows.
type leg struct {
	net.Conn              // TCP, or TLS over it
	tcp      *net.TCPConn // below
	early    []byte       // read already, to be seen first
	fault    error        // how reading ended while early was read

	raw     syscall.RawConn // plain TCP where the system lets us wait without a buffer
	readRaw func(fd uintptr) bool
	buf     *buffer
	n       int
	err     error
	small   []byte
	filled  bool // the last read filled its buffer: more waits
	out     outgoing

	served atomic.Pointer[socket] // while a loop serves it, instead of all the above
}

// outgoing is a write on its way.
type outgoing struct {
	mu    sync.Mutex
	data  []byte
	sent  int
	err   error
	write func(fd uintptr) bool
}

// newLeg wraps a TCP connection.
func newLeg(c *net.TCPConn) *leg {
	l := &leg{Conn: c, tcp: c}
	l.plain()
	return l
}

// secure goes on over TLS.
func (l *leg) secure(c *tls.Conn) { l.Conn, l.raw, l.readRaw = c, nil, nil }

func (l *leg) secured() bool {
	_, ok := l.Conn.(*tls.Conn)
	return ok
}

// next returns the next bytes; they are valid until the following call. No
// buffer is held while it waits.
func (l *leg) next() ([]byte, error) {
	l.free()
	if b, err := l.ahead(); len(b) > 0 || err != nil {
		return b, err
	}
	if l.raw != nil {
		return l.nextRaw()
	}
	if l.filled {
		l.buf = buffers.Get().(*buffer)
		n, err := l.Read(l.buf[:])
		l.filled = n > bufferSize/2
		return l.buf[:n], err
	}
	if l.small == nil {
		l.small = make([]byte, firstRead)
	}
	n, err := l.Read(l.small)
	l.filled = n == len(l.small)
	return l.small[:n], err
}

// ahead returns what was read already, then how that ended. Neither: it is time to read.
func (l *leg) ahead() ([]byte, error) {
	if b := l.early; len(b) > 0 {
		l.early = nil
		return b, nil
	}
	return nil, l.fault
}

// Write implements io.Writer: all of b, or an error.
func (l *leg) Write(b []byte) (int, error) {
	if s := l.served.Load(); s != nil {
		return s.write(b)
	}
	if l.raw == nil || len(b) == 0 {
		return l.Conn.Write(b)
	}
	return l.writeRaw(b)
}

// free gives the buffer of the last read back.
func (l *leg) free() {
	if l.buf != nil {
		buffers.Put(l.buf)
		l.buf = nil
	}
}

// more reads on behind what is in early, for those who look at the first bytes.
func (l *leg) more() error {
	had := l.early
	l.early = nil
	b, err := l.next()
	l.early = append(had[:len(had):len(had)], b...)
	l.free()
	if err != nil && !interrupted(err) {
		l.fault = err
	}
	if len(b) > 0 {
		return nil
	}
	return err
}

// interrupt ends a read of another goroutine; resume allows reading again.
func (l *leg) interrupt() {
	if s := l.served.Load(); s != nil {
		s.interrupt()
		return
	}
	_ = l.tcp.SetReadDeadline(time.Unix(1, 0))
}

func (l *leg) resume() { _ = l.tcp.SetReadDeadline(time.Time{}) }

// expire ends reading after a while, for connections the tap answered itself.
func (l *leg) expire(after time.Duration) {
	// A deadline needs the machine's clock, which is no business of ours here:
	// a timer does the same.
	time.AfterFunc(after, l.interrupt)
}

func interrupted(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// closeWrite passes the end of a direction on. A TLS connection that ended
// without its own goodbye is passed on without one, too.
func (l *leg) closeWrite(cut bool) {
	if s := l.served.Load(); s != nil {
		s.closeWrite()
		return
	}
	if t, ok := l.Conn.(*tls.Conn); ok && !cut {
		_ = t.CloseWrite()
	}
	_ = l.tcp.CloseWrite()
}

// reset ends the connection the hard way: the peer sees what the other peer did.
func (l *leg) reset() {
	if s := l.served.Load(); s != nil {
		s.reset()
		return
	}
	_ = l.tcp.SetLinger(0)
	l.close()
}

// abandon ends the connection while others may use it.
func (l *leg) abandon() {
	if s := l.served.Load(); s != nil {
		s.abandon()
		return
	}
	l.close()
}

func (l *leg) close() {
	if s := l.served.Load(); s != nil {
		s.close()
		return
	}
	_ = l.tcp.Close()
}
