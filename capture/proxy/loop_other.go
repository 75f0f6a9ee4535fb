//go:build !linux || noloops

package proxy

import "log/slog"

// Goroutines relay here. The tag noloops lets Linux show that they do.
type (
	loops  struct{}
	socket struct{}
	ride   struct {
		up   chan error
		down chan struct{}
	}
)

// Loops is how many goroutines of a Proxy hold a processor while they wait: none.
func Loops() int { return 0 }

func newLoops(*slog.Logger) loops                      { return loops{} }
func (loops) stop()                                    {}
func (p *Proxy) serveOnLoop(up, down *direction) *ride { return nil }
func (r *ride) leave(*Proxy)                           {}

func (s *socket) write(b []byte) (int, error) { return len(b), nil }
func (s *socket) closeWrite()                 {}
func (s *socket) reset()                      {}
func (s *socket) close()                      {}
func (s *socket) interrupt()                  {}
func (s *socket) abandon()                    {}
