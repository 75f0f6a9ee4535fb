package proxy

import "sync"

// cardKind says how a request asks for an agent card, if it does.
type cardKind uint8

const (
	noCard    cardKind = iota
	maybeCard          // GET of something that may turn out to be a card
	plainCard          // GET of a card
	rpcCard            // JSON-RPC: the card is in result
	grpcCard           // gRPC or gRPC-Web: the card is a message
)

// asked is what the answer to a request needs to know of it.
type asked struct {
	toHEAD bool
	card   cardKind
	path   string
	base   string   // host name by which the client reached us
	edits  []string // what was changed in the request, for the note
}

// maxAsked bounds how many requests wait for their answers. No client
// pipelines so deep; beyond it answers are no longer looked at.
const maxAsked = 4096

// pairing joins the two directions of an HTTP/1 hop: the requests that wait
// for their answers, oldest first.
type pairing struct {
	mu   sync.Mutex
	idle sync.Cond
	q    []asked
	from int
	lost bool // an answer can no longer be told to belong to its request
	away bool // the client turned to another origin
	done bool // the agent ended

	up passer // after an upgrade: what looks at the client's bytes
}

func newPairing() *pairing {
	p := &pairing{}
	p.idle.L = &p.mu
	return p
}

func (p *pairing) push(a asked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from == len(p.q) {
		p.q, p.from = p.q[:0], 0
	}
	if len(p.q)-p.from >= maxAsked {
		p.lost = true
	}
	if !p.lost {
		p.q = append(p.q, a)
	}
}

// mark says of the newest request that it asks for a card, once its body told so.
func (p *pairing) mark(k cardKind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.q); n > p.from {
		p.q[n-1].card = k
	}
}

// lose says that what the client sends can no longer be read.
func (p *pairing) lose() {
	p.mu.Lock()
	p.lost = true
	p.mu.Unlock()
}

// first returns the oldest request; ok is false when there is none to be sure of.
func (p *pairing) first() (a asked, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from < len(p.q) {
		return p.q[p.from], true
	}
	return a, !p.lost
}

// answered takes the oldest request out: its answer is complete.
func (p *pairing) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from < len(p.q) {
		p.q[p.from] = asked{}
		p.from++
	}
	if p.from == len(p.q) {
		p.idle.Broadcast()
	}
}

// leave waits until every request is answered. It returns false when the agent ended first.
func (p *pairing) leave() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.from < len(p.q) && !p.done {
		p.idle.Wait()
	}
	p.away = !p.done
	return p.away
}

func (p *pairing) leaving() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away
}

func (p *pairing) ended() {
	p.mu.Lock()
	p.done = true
	p.mu.Unlock()
	p.idle.Broadcast()
}

// upgrade says what looks at the client's bytes from now on.
func (p *pairing) upgrade(up passer) {
	p.mu.Lock()
	p.up = up
	p.mu.Unlock()
}

func (p *pairing) upgraded() passer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up
}
