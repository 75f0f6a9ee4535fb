//go:build !linux

package child

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
)

// network is not there: only Linux has networks for single programs.
type network struct {
	tcp   []*net.TCPListener
	owned sync.WaitGroup
}

func (*network) start() error { return errors.ErrUnsupported }
func (*network) close()       {}

// IsolateError says that there can be no namespace here, and why.
type IsolateError struct{ Step, Why string }

func (e *IsolateError) Error() string { return "a network of its own cannot be made here: " + e.Why }

func (c *Child) isolate() (*network, error) {
	return nil, &IsolateError{Why: "only Linux has networks for single programs"}
}

// Inside is for Linux.
func Inside([]string) int { return CodeCannotRun }

// Origin is for Linux.
func (c *Child) Origin(*net.TCPConn) (netip.AddrPort, error) {
	return netip.AddrPort{}, errors.ErrUnsupported
}

// Dial connects to an address over the network of the host.
func (c *Child) Dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr)
}
