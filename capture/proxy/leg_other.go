//go:build unix && !linux

package proxy

import "syscall"

func sysRead(fd int, b []byte) (int, error) { return syscall.Read(fd, b) }

func sysWrite(fd int, b []byte) (int, error) { return syscall.Write(fd, b) }
