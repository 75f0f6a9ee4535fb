//go:build !linux

package proxy

// unread has nothing to keep where the system does not say what follows.
type unread struct{ doubt func() }

func (p *Proxy) doubt() {}

// eachRaw reads until there is nothing left, and then waits.
func (l *leg) eachRaw(took func([]byte) bool) error {
	for {
		in, err := l.nextRaw()
		if err != nil {
			return err
		}
		if !took(in) {
			return nil
		}
		l.free()
	}
}
