//go:build linux || darwin

package session

import (
	"fmt"
	"os"
)

// unnamedFile makes a temporary file that nobody else can open: mode 0600, and
// without a name from its first moment.
func unnamedFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".a2ascope-*") // 0600
	if err != nil {
		return nil, fmt.Errorf("temporary file for bodies: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("temporary file for bodies: %w", err)
	}
	return f, nil
}
