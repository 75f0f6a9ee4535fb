// Package ui is the screen. It is the only package that knows Bubble Tea.
//
//	Store ──Next──▶ feed ──viewMsg──▶ App ──Props──▶ panes (list, detail, events, …)
//	                                   ▲  ◀─Intent──
//	keys, mouse, size ─────────────────┘
//
// App is the only tea.Model. It owns what panes share: the view, the filter,
// the selection, the tab, the focus. A message changes that state, then every
// visible pane is told (Sync), then the frame is drawn. Panes never see each
// other.
//
// Files: run.go (the entry and its options), app.go (state and messages),
// feed.go (newest view, at most 30 a second), index.go (which rows fit the
// filter, worked out beside the drawing), keys.go and mouse.go (input),
// route.go (what an intent does), layout.go (who gets which cells),
// command.go (the ':' line), copy.go (what is copied), follow.go (going along
// with a live session), notes.go (marks, comments, clearing), save.go (saving
// and leaving), sums.go (counts over the rows), outlet.go (a terminal that does
// not read), work.go (what Run waits for).
//
// Invariants: nothing here changes what was captured; no file or network is
// touched while a key is handled; leaving is possible at any moment, and asks
// once where a live session would be lost; a terminal that is stuck stops
// neither the traffic nor the leaving; secrets
// are masked on screen and in what is copied unless the user asks otherwise.
package ui
