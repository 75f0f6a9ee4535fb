package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"a2ascope/ui/uitest"
)

// BenchmarkFrame draws a whole screen of 200 by 60 cells. floor joins as many
// plain rows: what any screen must cost. The figure must not grow with the
// number of rows, and moving must not cost more than a few rows drawn anew.
//
//	go test ./ui -bench Frame -benchmem
func BenchmarkFrame(b *testing.B) {
	row := strings.Repeat("x", 200)
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var s strings.Builder
			s.Grow(201 * 60)
			for range 60 {
				s.WriteString(row)
				s.WriteByte('\n')
			}
			if s.Len() == 0 {
				b.Fatal()
			}
		}
	})
	for _, n := range []int{200, 200_000} {
		v := uitest.Many(n)
		d := uitest.Drive(&uitest.Store{V: v}, uitest.Options())
		d.Size(200, 60)
		b.Run(fmt.Sprintf("still/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.App.Frame()
			}
		})
		b.Run(fmt.Sprintf("move/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%(n-1) == 0 {
					d.Press("g")
				}
				d.Press("j")
				d.App.Frame()
			}
		})
		b.Run(fmt.Sprintf("page/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				k := "pgdown"
				if i/3%2 == 1 {
					k = "pgup"
				}
				d.Press(k)
				d.App.Frame()
			}
		})
	}
}

// BenchmarkLive draws a live screen that is paused, with marks and comments all
// over the session, a part of it cleared, and a new view for every frame. It
// must not grow with the number of rows.
//
//	go test ./ui -bench Live -benchmem
func BenchmarkLive(b *testing.B) {
	for _, n := range []int{200, 200_000} {
		d, s := marked(n)
		b.Run(fmt.Sprintf("frame/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.App.Frame()
			}
		})
		b.Run(fmt.Sprintf("move/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				d.Press([]string{"k", "j"}[i%2])
				d.App.Frame()
			}
		})
		b.Run(fmt.Sprintf("view/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v := *s.V
				v.Rev++
				s.V = &v
				d.Take(s.V)
				d.App.Frame()
			}
		})
	}
}

// marked is a paused live session of n rows, every hundredth marked or with a
// comment, of which a tenth is cleared.
func marked(n int) (*uitest.Driver, *uitest.Store) {
	s := &uitest.Store{V: uitest.Many(n / 10)}
	d := uitest.Drive(s, uitest.Live(uitest.Options()))
	d.Size(200, 60)
	d.Press("z")
	all := uitest.Many(n)
	all.Rev = s.V.Rev + 1
	s.V = all
	d.Take(all)
	d.App.Annotate(n, 100)
	d.Press("k", "k")
	return d, s
}

// With marks and comments a frame costs no more, however long the session is.
func TestLiveFrameDoesNotDependOnTheSession(t *testing.T) {
	cost := func(n int) float64 {
		d, s := marked(n)
		return testing.AllocsPerRun(20, func() {
			v := *s.V
			v.Rev++
			s.V = &v
			d.Take(s.V)
			d.App.Frame()
		})
	}
	small, large := cost(500), cost(50_000)
	if large > small*1.5+50 {
		t.Errorf("a new view allocates %v times among 500 rows and %v among 50,000", small, large)
	}
}

// A frame costs what the window shows. Allocations tell without a clock.
func TestFrameDoesNotDependOnTheSession(t *testing.T) {
	cost := func(n int) float64 {
		d := uitest.Drive(&uitest.Store{V: uitest.Many(n)}, uitest.Options())
		d.Size(200, 60)
		d.Press("G")
		return testing.AllocsPerRun(20, func() {
			d.Press("k")
			d.App.Frame()
		})
	}
	small, large := cost(500), cost(20_000)
	if large > small*1.5+50 {
		t.Errorf("moving allocates %v times among 500 rows and %v among 20,000", small, large)
	}
}

// BenchmarkFilter works out a filter over 200,000 rows, as the screen does it.
func BenchmarkFilter(b *testing.B) {
	d := uitest.Drive(&uitest.Store{V: uitest.Many(200_000)}, uitest.Options())
	d.Size(200, 60)
	for b.Loop() {
		d.Press("/")
		d.Type("s")
		d.Press("backspace", "esc")
	}
}

// BenchmarkEvents moves through the events of a stream, one a key. The figure
// must not grow with the stream.
func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{100, 1000, 100_000} {
		d := uitest.Drive(&uitest.Store{V: uitest.Long(n)}, uitest.Options())
		d.Size(120, 40)
		d.Press("enter", "3")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if i%(n-1) == 0 {
					d.Press("g")
				}
				d.Press("j")
				d.App.Frame()
			}
		})
	}
}
