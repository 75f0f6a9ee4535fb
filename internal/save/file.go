package save

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// target is a file that is being written.
type target struct {
	*os.File
	name string
	temp string // what it is called until it is whole, "" when it is written in place
	kept bool
}

// create opens a target, or says what stands in the way and what to do. growing
// files are written in place, as are devices and pipes.
func create(name string, replace, growing bool) (*target, error) {
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return nil, fmt.Errorf("%s is a folder: give the name of a file in it", name)
	case err == nil && !st.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, refused(name, err)
		}
		return &target{File: f, name: name}, nil
	case err == nil && !replace:
		return nil, &exists{name}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, refused(name, err)
	}
	if growing {
		if replace && err == nil {
			// Its owner and mode are not ours to choose otherwise.
			if err := os.Remove(name); err != nil {
				return nil, refused(name, err)
			}
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil, &exists{name}
		}
		if err != nil {
			return nil, refused(name, err)
		}
		return &target{File: f, name: name}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".a2ascope-*")
	if err != nil {
		return nil, refused(name, err)
	}
	return &target{File: f, name: name, temp: f.Name()}, nil
}

// Check says whether a file of that name could be written, before there is
// anything to write.
func Check(name string, replace bool) error {
	if _, err := formatOf(name); err != nil {
		return err
	}
	if st, err := os.Stat(name); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return nil // to open a pipe would wait for its reader
	}
	t, err := create(name, replace, false)
	if err != nil {
		return err
	}
	t.drop()
	return nil
}

// keep makes the file appear.
func (t *target) keep() error {
	if err := t.Close(); err != nil {
		return t.failed(err)
	}
	if t.temp != "" {
		if err := os.Rename(t.temp, t.name); err != nil {
			return t.failed(err)
		}
	}
	t.kept = true
	return nil
}

// drop leaves nothing behind of a file that is not whole.
func (t *target) drop() {
	if t.kept {
		return
	}
	_ = t.Close()
	if t.temp != "" {
		_ = os.Remove(t.temp)
	}
}

// failed says that writing did not work.
func (t *target) failed(err error) error {
	return fmt.Errorf("%s was not saved: %w", t.name, cause(err))
}

// exists says that there is a file already.
type exists struct{ name string }

func (e *exists) Error() string {
	return e.name + " is there already: choose another name, or add --force to replace it"
}

func (e *exists) Is(err error) bool { return err == fs.ErrExist }

// refused says why a file cannot be made there.
func refused(name string, err error) error {
	dir := filepath.Dir(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: there is no folder %s; make it, or choose another place", name, dir)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be written: no permission to write in %s; choose another place", name, dir)
	}
	return fmt.Errorf("%s cannot be written: %w", name, cause(err))
}

// cause leaves out the names of temporary files.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
