package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"a2ascope/capture"
	"a2ascope/diagnose"
)

// eager always wants the core left to others.
type eager struct{ begun, asked int }

func (e *eager) Begin()              { e.begun++ }
func (e *eager) Rest() time.Duration { e.asked++; return 50 * time.Millisecond }

func TestRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		src := &calls{}
		r := &rests{&eager{}, time.Now, src, over}
		rested := func(last time.Time) time.Duration {
			began := time.Now()
			r.take(last)
			return time.Since(began)
		}
		time.Sleep(time.Hour) // the clock of the test begins at a round time
		if d := rested(time.Now().Add(-mostLate / 2)); d != 50*time.Millisecond {
			t.Errorf("behind by half of what it may be: rested %v", d)
		}
		if d := rested(time.Now().Add(-2 * mostLate)); d != 0 {
			t.Errorf("too far behind: rested %v", d)
		}
		src.full = 0.5
		if d := rested(time.Now()); d != 0 {
			t.Errorf("half of the room is taken: rested %v", d)
		}
		src.full = 0
		close(over)
		if d := rested(time.Now()); d != 0 {
			t.Errorf("somebody waits for the end: rested %v", d)
		}
	})
	var never *rests
	never.begin()
	never.take(time.Now())
}

// unheard is a source that may not lose anything, so that the one who waits is its writer.
type unheard struct{ source *calls }

func (u unheard) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	return u.source.Run(ctx, to)
}

// Only beside traffic that is recorded whoever reads it does a session rest.
func TestRestsBesideTrafficOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		src  capture.Source
		asks bool
	}{
		"live":              {&calls{n: 200}, true},
		"a file, or a pipe": {unheard{&calls{n: 200}}, false},
	} {
		e := &eager{}
		now := func() time.Time { return time.Unix(1800000000, 0) } // the traffic is long past: it is asked, and does not rest
		s := New(Options{NewEngine: func() Engine { return diagnose.NewEngine(&diagnose.Set{}, diagnose.Options{}) }, Workers: 1,
			Pacer: func() Pacer { return e }, Now: now})
		if err := s.Run(t.Context(), []Input{{Name: name, Live: true, Open: func() (capture.Source, error) { return tt.src, nil }}}); err != nil {
			t.Fatal(err)
		}
		if e.begun != e.asked || e.asked > 0 != tt.asks {
			t.Errorf("%s: %d batches begun, asked %d times for a rest", name, e.begun, e.asked)
		}
	}
}
