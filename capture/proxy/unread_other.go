//go:build !linux

package proxy

// unread has nothing to keep where the system does not say what follows.
type unread struct{ doubt func() }

func (p *Proxy) doubt() {}

// eachSignal is not possible.
func (l *leg) eachSignal(func([]byte) bool) (done bool, err error) { return false, nil }
