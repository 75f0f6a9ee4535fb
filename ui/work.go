package ui

import "sync"

// work counts what runs beside the screen, so that Run can wait for it. Bubble
// Tea may drop a command when it ends; what never began is not waited for.
type work struct {
	mu    sync.Mutex
	n     int
	over  bool
	ended chan struct{} // when over and n is 0
}

// begin reports whether the work may begin; then end must follow.
func (w *work) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	w.n++
	return true
}

func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n--; w.over && w.n == 0 {
		close(w.ended)
	}
}

// wait lets nothing begin and returns when all has ended.
func (w *work) wait() {
	w.mu.Lock()
	w.over, w.ended = true, make(chan struct{})
	if w.n == 0 {
		close(w.ended)
	}
	w.mu.Unlock()
	<-w.ended
}
