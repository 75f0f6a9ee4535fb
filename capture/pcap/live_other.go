//go:build !linux

package pcap

import (
	"fmt"
	"runtime"
)

// Live says how to capture here.
func Live(o Options) (LiveSource, error) {
	return nil, fmt.Errorf("%w; here let another program capture and read from it:\n  %s", ErrNoLive, PipeLine(o, runtime.GOOS))
}
