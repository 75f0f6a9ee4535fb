package proxy

import (
	"syscall"
	"unsafe"
)

// The sockets never block, so these calls are over in some microseconds. They
// therefore keep the processor, as a computation of that length would: telling
// Go's scheduler of each costs a seventh of what it takes to pass an event on.

func sysRead(fd int, b []byte) (int, error) { return sysCall(syscall.SYS_READ, fd, b) }

func sysWrite(fd int, b []byte) (int, error) { return sysCall(syscall.SYS_WRITE, fd, b) }

func sysCall(call uintptr, fd int, b []byte) (int, error) {
	n, _, err := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}
