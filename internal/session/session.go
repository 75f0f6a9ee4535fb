package session

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
)

// Engine judges calls; *diagnose.Engine is one.
type Engine interface {
	Observe(c *decode.Call, at decode.Checkpoint) diagnose.Verdict
	Missed(at time.Time) // what went by up to then is not all known
	Silent(now time.Time) []*diagnose.Finding
	Finish(at time.Time) []*diagnose.Finding
	Agents() []*diagnose.AgentInfo
	Review() *diagnose.Review // nil when none is made
}

// Options of a session.
type Options struct {
	NewEngine func() Engine // one for each input
	Workers   int           // 0: one a core, at most 4
	// Settle is called by each goroutine that reads and judges, before it works:
	// beside live traffic it makes way for the relay. nil: nothing is done.
	Settle func()
	// Pacer is made by the goroutine that judges what a source records beside the
	// traffic, after Settle. nil: it does not rest.
	Pacer func() Pacer
	// Now is the clock of live traffic: with it, a live input is also judged by
	// what does not come. nil: only what comes moves the time.
	Now func() time.Time

	// MaxMemory bounds what rows and bodies take in memory; 0: no bound. See retain.go.
	MaxMemory int64
	SpillDir  string // where the temporary file for bodies is made; "": the system's place
}

func (o *Options) settle() {
	if o.Settle != nil {
		o.Settle()
	}
}

// Input is one capture to read.
type Input struct {
	Name string
	Open func() (capture.Source, error)
	// Live: the end of ctx is the orderly end of the source; what it still
	// hands over is taken, and open exchanges are ended.
	Live bool
	// Endless: rows of exchanges that have ended may be forgotten, oldest
	// first, when MaxMemory is reached. The rows of a saved capture never are:
	// a report must be whole.
	Endless bool
}

// Session reads inputs and publishes views.
type Session struct {
	opt  Options
	book *book

	view atomic.Pointer[View]
	mu   sync.Mutex
	news chan struct{} // closed and replaced when a view is published
}

// New makes a session; Run does the work.
func New(o Options) *Session {
	if o.Workers <= 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), 4)
	}
	s := &Session{opt: o, book: newBook(&keeper{budget: o.MaxMemory / bodyPart / 2, dir: o.SpillDir}, o.MaxMemory), news: make(chan struct{})}
	s.view.Store(&View{Budget: o.MaxMemory})
	return s
}

// View returns the newest view.
func (s *Session) View() *View { return s.view.Load() }

// Next waits for a view newer than rev and returns it; when ctx ends it returns the newest there is.
func (s *Session) Next(ctx context.Context, rev uint64) *View {
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		if v := s.view.Load(); v.Rev > rev {
			return v
		}
		select {
		case <-news:
		case <-ctx.Done():
			return s.view.Load()
		}
	}
}

// Run reads the inputs one after another and returns when all are read or ctx
// ends. What could not be read is said in View.Files; the error is ctx's.
func (s *Session) Run(ctx context.Context, inputs []Input) error {
	for i := range inputs {
		if ctx.Err() != nil {
			break
		}
		s.readFile(ctx, &inputs[i])
	}
	s.book.keep.close()
	s.book.store.seal()
	s.book.done = true
	s.publish()
	return ctx.Err()
}

func (s *Session) publish() {
	v := s.book.snapshot(s.view.Load().Rev + 1)
	s.view.Store(v)
	s.mu.Lock()
	close(s.news)
	s.news = make(chan struct{})
	s.mu.Unlock()
}
