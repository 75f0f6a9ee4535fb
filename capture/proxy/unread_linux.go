package proxy

import (
	"encoding/binary"
	"io"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unread is what lets a connection be read once for each signal that there is
// something, not once more to see that there is nothing left: the system says
// with the bytes how many follow (TCP_INQ), or that the end does. That read
// would be a tenth of what a relay of small messages does.
//
// What the system does not say is that a reset follows, and one that came
// together with the bytes makes no signal of its own. So somebody looks, once
// the connection has been silent for a while.
type unread struct {
	doubt func() // asks for a look

	mu     sync.Mutex // held while reading, not while waiting
	asked  bool       // the system was asked to say what follows
	unsure bool       // waiting without having seen that nothing is left
	broken error      // a reset that a look found

	msg     unix.Msghdr
	vec     unix.Iovec
	control [3]uint64 // room for one number, aligned as the system wants it
}

// eachSignal is each with one read for a signal; done is false where that is not possible.
func (l *leg) eachSignal(took func([]byte) bool) (done bool, err error) {
	if l.raw == nil {
		return false, nil
	}
	u := &l.unread
	var end error
	err = l.raw.Read(func(fd uintptr) bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.unsure = false
		for {
			if l.buf == nil {
				l.buf = buffers.Get().(*buffer)
			}
			n, more, err := u.receive(int(fd), l.buf[:])
			switch {
			case err == syscall.EAGAIN:
				l.free()
				return false
			case err != nil:
				end = err
				return true
			case n == 0:
				end = io.EOF
				return true
			case !took(l.buf[:n]):
				return true
			case !more:
				l.free()
				u.unsure = true
				l.doubt()
				return false
			}
		}
	})
	if err == nil {
		return true, end
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.broken != nil {
		return true, u.broken
	}
	return true, err
}

// receive reads, and reports whether something follows. Where the system does
// not say, it may.
func (u *unread) receive(fd int, b []byte) (n int, more bool, err error) {
	if !u.asked {
		u.asked = true
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_INQ, 1)
	}
	control := unsafe.Slice((*byte)(unsafe.Pointer(&u.control)), unsafe.Sizeof(u.control))
	u.vec.Base = unsafe.SliceData(b)
	u.vec.SetLen(len(b))
	u.msg.Iov = &u.vec
	u.msg.SetIovlen(1)
	u.msg.Control = unsafe.SliceData(control)
	u.msg.SetControllen(len(control))
	for {
		// It never blocks: see sysCall.
		got, _, e := syscall.RawSyscall(syscall.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&u.msg)), 0)
		if e == 0 {
			n = int(got)
			break
		}
		if e != syscall.EINTR {
			return 0, false, e
		}
	}
	h, data, _, err := unix.ParseOneSocketControlMessage(control[:u.msg.Controllen])
	if err != nil || h.Level != unix.IPPROTO_TCP || h.Type != unix.TCP_CM_INQ || len(data) < 4 {
		return n, true, nil
	}
	return n, binary.NativeEndian.Uint32(data) > 0, nil
}

// look finds the reset of a connection that waits without being sure, and wakes who reads it.
func (l *leg) look() {
	u := &l.unread
	if !u.mu.TryLock() {
		return // it is being read
	}
	defer u.mu.Unlock()
	if !u.unsure {
		return
	}
	u.unsure = false
	_ = l.raw.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err != nil || n > 0 {
			return // more has come, and that made a signal
		}
		if e, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); err == nil && e != 0 {
			u.broken = syscall.Errno(e)
			l.interrupt()
		}
	})
}

// lull is how long a reset may stay unseen.
const lull = 20 * time.Millisecond

// doubt has everyone who is not sure looked at in a while.
func (p *Proxy) doubt() {
	if !p.doubts.Load() && p.doubts.CompareAndSwap(false, true) {
		time.AfterFunc(lull, p.look)
	}
}

func (p *Proxy) look() {
	p.doubts.Store(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.legs {
		l.look()
	}
}
