//go:build unix && !linux

package child

import "syscall"

// dieWithUs is not offered by this system.
func dieWithUs(*syscall.SysProcAttr, bool) {}
