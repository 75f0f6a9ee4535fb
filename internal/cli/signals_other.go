//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// endSignals ask the program to end in order; the second is what Go makes of
// the end of the console.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
