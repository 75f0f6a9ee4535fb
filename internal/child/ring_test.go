package child

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRingKeepsLinesWhole(t *testing.T) {
	var r Ring
	a, b := r.Writer(), r.Writer()
	fmt.Fprint(a, "one\ntw")
	fmt.Fprint(b, "err\n")
	fmt.Fprint(a, "o\n10%\r20%\r\ngrow")
	got := strings.Join(r.Lines().Lines, "|")
	if got != "one|err|two|20%|grow" {
		t.Errorf("got %s", got)
	}
}

func TestRingIsBounded(t *testing.T) {
	var r Ring
	w := r.Writer()
	fmt.Fprint(w, strings.Repeat("x", 3*maxLine)+"\n")
	if n := len(r.Lines().Lines); n != 3 || len(r.Lines().Lines[0]) != maxLine {
		t.Errorf("a long line is %d lines", n)
	}
	for i := range 3 * maxLines {
		fmt.Fprintf(w, "line %d\n", i)
	}
	x := r.Lines()
	if len(x.Lines) != maxLines || x.Lines[maxLines-1] != fmt.Sprintf("line %d", 3*maxLines-1) || x.Lost+len(x.Lines) != 3*maxLines+3 {
		t.Errorf("%d lines, %d lost, the last is %q", len(x.Lines), x.Lost, x.Lines[len(x.Lines)-1])
	}
	for range 3 * maxText / maxLine {
		fmt.Fprint(w, strings.Repeat("y", maxLine-1)+"\n")
	}
	size := 0
	for _, l := range r.Lines().Lines {
		size += len(l)
	}
	if size > maxText {
		t.Errorf("%d bytes are kept", size)
	}
	if len(r.lines) > 3*maxLines {
		t.Errorf("%d lines of memory", len(r.lines))
	}
}

func TestRingWakesReaders(t *testing.T) {
	var r Ring
	w := r.Writer()
	var owned sync.WaitGroup
	owned.Go(func() {
		for i := range 100 {
			fmt.Fprintf(w, "%d\n", i)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for x := (Text{}); len(x.Lines) < 100; x = r.Next(ctx, x.Rev) {
		if ctx.Err() != nil {
			t.Fatalf("only %d lines came", len(x.Lines))
		}
	}
	owned.Wait()
	cancel()
	if rev := r.Lines().Rev; r.Next(ctx, rev).Rev != rev {
		t.Error("something newer came after the end")
	}
}
