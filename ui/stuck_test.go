//go:build !windows

package ui_test

import (
	"context"
	"io"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/internal/session"
	"a2ascope/ui"
	"a2ascope/ui/uitest"
)

// stuck is a terminal that takes nothing until it is let go.
type stuck struct {
	free  chan struct{}
	began chan struct{}
	n     int
}

func newStuck() *stuck { return &stuck{free: make(chan struct{}), began: make(chan struct{})} }

func (s *stuck) Write(p []byte) (int, error) {
	if s.n++; s.n == 1 {
		close(s.began)
	}
	<-s.free
	return len(p), nil
}

// A terminal that takes nothing stops neither the reading nor the leaving, by
// key or by the end of the context.
func TestStuckTerminal(t *testing.T) {
	for _, how := range []string{"key", "context"} {
		t.Run(how, func(t *testing.T) {
			src := newEndless(t)
			s := newSession(t)
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = s.Run(ctx, []session.Input{{Name: "x", Open: func() (capture.Source, error) { return src, nil }}})
			}()
			t.Cleanup(func() { cancel(); <-ended })
			keys, typed := io.Pipe()
			out := newStuck()
			t.Cleanup(func() { close(out.free); keys.Close() })
			o := uitest.Options()
			o.Input, o.Output = keys, out
			screen, leave := context.WithCancel(context.Background())
			defer leave()
			done := make(chan error, 1)
			go func() { done <- ui.Run(screen, s, o) }()
			<-out.began
			before := s.View().Rows.Len()
			for end := time.Now().Add(20 * time.Second); s.View().Rows.Len() < before+500; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the session stands still")
				}
			}
			if how == "key" {
				if _, err := typed.Write([]byte("jjQ")); err != nil {
					t.Fatal(err)
				}
			} else {
				leave()
			}
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the screen does not end")
			}
		})
	}
}
