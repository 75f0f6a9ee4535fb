package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// unnamedFile makes a temporary file that nobody else can open while it is
// there, and that goes when it is closed, also when the process dies.
func unnamedFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".a2ascope-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file for bodies: %w", err)
	}
	name := f.Name()
	f.Close()
	path, err := windows.UTF16PtrFromString(name)
	if err == nil {
		var h windows.Handle
		h, err = windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
		if err == nil {
			return os.NewFile(uintptr(h), name), nil
		}
	}
	os.Remove(name)
	return nil, fmt.Errorf("temporary file for bodies: %w", err)
}
