package proxy

import "a2ascope/capture"

// State is a snapshot of the tap.
type State struct {
	Address     string // of the main listener
	Target      Origin // zero when the tap is a forward proxy only
	Listeners   []ListenerState
	Hints       []Hint
	Passing     []string // hosts whose TLS is not opened
	Connections int64    // hops recorded so far
	Open        int64    // client connections
	Diverted    int64    // client connections that the system led here, so far
	Cards       int64    // cards rewritten
	Queue       capture.QueueStats
}

// ListenerState is one port: calls to Address go to Origin.
type ListenerState struct {
	Address     string
	Origin      Origin
	Main        bool
	Open, Total int64 // client connections
}

// NoticeKind says what changed.
type NoticeKind uint8

// The kinds of notices.
const (
	NoticeListening NoticeKind = iota // a port was opened for an origin of a card
	NoticeHint                        // something the user should know
	NoticePassing                     // a host's TLS is not opened from now on
)

// Notice tells of a change of State, once.
type Notice struct {
	Kind    NoticeKind
	Origin  Origin // NoticeListening
	Address string // NoticeListening
	Host    string // NoticePassing
	Hint    Hint   // NoticeHint
}

// State returns a snapshot.
func (p *Proxy) State() State {
	s := State{Address: p.Addr(), Target: p.target, Connections: int64(p.conns.Load()), Cards: p.cards.Load(), Queue: p.queue.Stats()}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.listeners {
		ls := ListenerState{Address: l.addr.String(), Origin: l.origin, Main: l.main, Open: l.open.Load(), Total: l.total.Load()}
		s.Open += ls.Open
		s.Listeners = append(s.Listeners, ls)
	}
	for _, l := range p.diverted {
		s.Open += l.open.Load()
		s.Diverted += l.total.Load()
	}
	s.Hints = append([]Hint(nil), p.hints...)
	s.Passing = sortedKeys(p.passing)
	return s
}

// Lost and Room make the proxy a capture.Lossy.
func (p *Proxy) Lost() int64   { return p.queue.Stats().LostBytes }
func (p *Proxy) Room() float64 { return p.queue.Room() }

// tell keeps a notice until mu, which is held, is given back: the one who is
// told may ask for the State.
func (p *Proxy) tell(n Notice) { p.untold = append(p.untold, n) }

// unlock gives mu back and passes the notices on.
func (p *Proxy) unlock() {
	told := p.untold
	p.untold = nil
	p.mu.Unlock()
	for _, n := range told {
		p.opt.Notify(n)
	}
}
