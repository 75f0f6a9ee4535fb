package ui_test

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"a2ascope/ui"
)

// What a slow terminal gets is everything, in order; the screen is told when it
// has caught up.
func TestOutlet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pacing{}
		o := ui.NewOutlet(slow)
		if _, err := o.Write([]byte("a")); err != nil || o.Clogged() {
			t.Fatal("a write that is taken at once leaves the outlet clogged", err)
		}
		slow.pause = time.Second
		o.Write([]byte("b"))
		if !o.Clogged() {
			t.Fatal("a terminal that takes a second is not seen to be slow")
		}
		o.Write([]byte("c"))
		<-o.Drained()
		if o.Clogged() || slow.got.String() != "abc" {
			t.Fatalf("after it has caught up: clogged %v, %q", o.Clogged(), slow.got.String())
		}
		slow.err = io.ErrClosedPipe
		o.Write([]byte("d"))
		synctest.Wait()
		time.Sleep(2 * time.Second)
		if _, err := o.Write([]byte("e")); err == nil {
			t.Error("nobody is told that the terminal is gone")
		}
		o.Close(time.Second)
	})
}

// pacing is a terminal that takes its time.
type pacing struct {
	got   bytes.Buffer
	pause time.Duration
	err   error
}

func (p *pacing) Write(b []byte) (int, error) {
	time.Sleep(p.pause)
	if p.err != nil {
		return 0, p.err
	}
	return p.got.Write(b)
}
