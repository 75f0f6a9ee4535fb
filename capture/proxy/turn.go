package proxy

import "sync"

// turn lets two goroutines write HTTP/2 frames to one connection: the one that
// relays a direction, in pieces of frames, and others that put whole frames in
// between. What is put in waits until a frame is complete, and never makes the
// one who puts it in wait for a slow peer that somebody else is writing to.
type turn struct {
	mu  sync.Mutex // held while writing
	mid bool       // what was written ends inside a frame

	pmu     sync.Mutex
	pending []byte
}

// send writes b, which ends inside a frame when mid is set.
func (t *turn) send(to *leg, b []byte, mid bool) error {
	t.mu.Lock()
	err := t.flush(to)
	if err == nil && len(b) > 0 {
		_, err = to.Write(b)
	}
	t.mid = mid
	if err == nil {
		err = t.flush(to)
	}
	t.mu.Unlock()
	if err == nil {
		t.try(to)
	}
	return err
}

// put queues whole frames and writes them where that is possible now.
func (t *turn) put(to *leg, frames []byte) {
	t.pmu.Lock()
	t.pending = append(t.pending, frames...)
	t.pmu.Unlock()
	t.try(to)
}

// try writes what is queued unless somebody is writing: then that one will.
func (t *turn) try(to *leg) {
	for t.waiting() && t.mu.TryLock() {
		mid := t.mid
		err := t.flush(to)
		t.mu.Unlock()
		if mid || err != nil {
			return // an error shows on the next write of the relay
		}
	}
}

func (t *turn) waiting() bool {
	t.pmu.Lock()
	defer t.pmu.Unlock()
	return len(t.pending) > 0
}

// flush writes what is queued, between two frames; mu is held.
func (t *turn) flush(to *leg) error {
	if t.mid {
		return nil
	}
	t.pmu.Lock()
	b := t.pending
	t.pending = nil
	t.pmu.Unlock()
	if len(b) == 0 {
		return nil
	}
	_, err := to.Write(b)
	return err
}
