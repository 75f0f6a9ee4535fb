//go:build !linux && !darwin

package session

import (
	"errors"
	"runtime"
)

// spillFile is not built in here: bodies beyond the budget are dropped, oldest
// first, and counted.
type spillFile struct{}

func newSpillFile(string) (*spillFile, error) {
	return nil, errors.New("bodies are not moved to a temporary file on " + runtime.GOOS)
}

func (*spillFile) add([]byte) ([]byte, error) { return nil, errors.ErrUnsupported }
func (*spillFile) close()                     {}
