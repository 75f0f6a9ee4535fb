package child

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

// control is one end of the socket pair between the two ends of a namespace.
type control struct {
	conn *net.UnixConn
	mu   sync.Mutex // of sending
}

// controlPair makes both ends; the second is for another process.
func controlPair() (*control, *os.File, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "control")
	c, err := newControl(os.NewFile(uintptr(fds[0]), "control"))
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return c, theirs, nil
}

// newControl takes the file over.
func newControl(f *os.File) (*control, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		_ = c.Close()
		return nil, fmt.Errorf("%s is no socket of ours", f.Name())
	}
	return &control{conn: u}, nil
}

func (c *control) send(m message, files ...*os.File) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = syscall.UnixRights(fds...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, err = c.conn.WriteMsgUnix(b, rights, nil)
	return err
}

// receive waits for the next message; the files are the caller's to close.
func (c *control) receive() (message, []*os.File, error) {
	b := make([]byte, maxMessage)
	oob := make([]byte, syscall.CmsgSpace(maxFiles*4))
	n, on, _, _, err := c.conn.ReadMsgUnix(b, oob)
	if err != nil {
		return message{}, nil, err
	}
	var files []*os.File
	if cms, err := syscall.ParseSocketControlMessage(oob[:on]); err == nil {
		for i := range cms {
			if fds, err := syscall.ParseUnixRights(&cms[i]); err == nil {
				for _, fd := range fds {
					syscall.CloseOnExec(fd)
					files = append(files, os.NewFile(uintptr(fd), "passed"))
				}
			}
		}
	}
	var m message
	if n == 0 {
		err = net.ErrClosed // the other end is gone
	} else {
		err = json.Unmarshal(b[:n], &m)
	}
	if err != nil {
		closeAll(files)
		return m, nil, err
	}
	return m, files, nil
}

func (c *control) close() { _ = c.conn.Close() }

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
