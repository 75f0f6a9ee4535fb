package session

import (
	"context"
	"testing"
	"time"

	"a2ascope/diagnose"
)

// lastMoment remembers when it was told that the traffic ended.
type lastMoment struct {
	lastWord
	end time.Time
}

func (e *lastMoment) Finish(at time.Time) []*diagnose.Finding { e.end = at; return nil }

// TestTheEndIsThatOfTheCapture: what did not come until the capture ended did
// not come; its last exchange may have been long before.
func TestTheEndIsThatOfTheCapture(t *testing.T) {
	for name, tail := range map[string]time.Duration{"": 0, "+ 2m\n": 2 * time.Minute} {
		e := &lastMoment{lastWord: lastWord{rule: &diagnose.Rule{ID: "test/every-call"}}}
		s := New(Options{Workers: 1, NewEngine: func() Engine { return e }})
		if err := s.Run(context.Background(), []Input{playInput(t, "a.play", conversation(1, 3)+name)}); err != nil {
			t.Fatal(err)
		}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if got := e.end.Sub(start); got < tail || got > tail+time.Second {
			t.Errorf("%q: the end is %v after the start, want %v", name, got, tail)
		}
	}
}
