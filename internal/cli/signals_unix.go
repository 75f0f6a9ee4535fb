//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals ask the program to end in order. The end of the terminal is one,
// unless whoever started the program wanted it to outlive that (nohup).
func endSignals() []os.Signal {
	s := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		s = append(s, syscall.SIGHUP)
	}
	return s
}
