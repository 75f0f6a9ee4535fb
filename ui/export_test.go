package ui

import (
	"io"
	"time"
)

// Outlet is outlet for tests.
type Outlet struct{ *outlet }

// NewOutlet makes one.
func NewOutlet(to io.Writer) Outlet { return Outlet{newOutlet(to)} }

// Clogged is clogged.
func (o Outlet) Clogged() bool { return o.clogged() }

// Drained is drained.
func (o Outlet) Drained() <-chan struct{} { return o.drained }

// Close is close.
func (o Outlet) Close(atMost time.Duration) { o.close(atMost) }

// Annotate marks every n-th of the rows up to a number, and comments on the one behind.
func (a *App) Annotate(rows, n int) {
	for i := 0; i+1 < rows; i += n {
		a.note(i, Note{Marked: true})
		a.note(i+1, Note{Comment: "look at this"})
	}
}
