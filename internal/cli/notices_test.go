package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// Whoever has something to say passes traffic on: it does not wait for a reader of standard error.
func TestNoticesDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		n := &notices{to: w, lang: "en"}
		for i := range maxNotices + 50 { // would block for ever
			n.say(fmt.Sprint(i))
			if i == 0 {
				synctest.Wait() // the first is being written
			}
		}
		var lines []string
		read := make(chan struct{})
		go func() {
			for in := bufio.NewScanner(r); in.Scan(); {
				lines = append(lines, strings.TrimPrefix(in.Text(), "a2ascope: "))
			}
			close(read)
		}()
		n.flush()
		w.Close()
		<-read
		last := len(lines) - 1
		if last != maxNotices+1 || lines[last] != "more notices that were not kept: 49" {
			t.Fatalf("%d lines: %q", len(lines), lines)
		}
		for i, line := range lines[:last] {
			if line != fmt.Sprint(i) {
				t.Fatalf("line %d is %q", i, line)
			}
		}
	})
}

// Beside a screen they wait until it is gone.
func TestNoticesAfterTheScreen(t *testing.T) {
	var b strings.Builder
	n := &notices{to: &b, lang: "en", quiet: true}
	n.say("a")
	n.once("b")
	n.once("b")
	if b.Len() > 0 {
		t.Errorf("written into the screen: %q", b.String())
	}
	n.flush()
	if got, want := b.String(), "a2ascope: a\na2ascope: b\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
