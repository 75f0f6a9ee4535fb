package session

import (
	"time"

	"a2ascope/capture"
)

// Pacer tells whether others want the core on which traffic is judged.
type Pacer interface {
	Begin()              // of a batch
	Rest() time.Duration // after it: how long to leave them the core
}

// Bounds of how far behind the traffic the session may be and rest nevertheless.
const (
	mostLate  = 2 * time.Second
	leastRoom = 0.75 // of what may wait
)

// rests are what the session does between batches beside live traffic: while the
// cores are wanted by those that pass it on and by their peers, and it is not too far
// behind, it leaves them the core. nil: it does not.
type rests struct {
	pacer Pacer
	now   func() time.Time
	src   capture.Lossy
	over  <-chan struct{} // the source was told to end: somebody waits for what is left
}

// rests returns nil where batches do not wait at no cost: only a source that
// records beside the traffic has a queue for them.
func (s *Session) rests(over <-chan struct{}) *rests {
	if s.opt.Pacer == nil || s.opt.Now == nil || s.book.lossy == nil {
		return nil
	}
	return &rests{s.opt.Pacer(), s.opt.Now, s.book.lossy, over}
}

func (r *rests) begin() {
	if r != nil {
		r.pacer.Begin()
	}
}

// take rests after a batch whose traffic was at last.
func (r *rests) take(last time.Time) {
	if r == nil {
		return
	}
	d := r.pacer.Rest()
	if d <= 0 || r.now().Sub(last) > mostLate || r.src.Room() < leastRoom {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.over:
	}
}
