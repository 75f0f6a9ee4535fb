package ui

import (
	"maps"
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"a2ascope/capture"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
	"a2ascope/ui/prompt"
)

// note changes what is attached to a row.
func (a *App) note(index int, n Note) {
	if a.notes.Of == nil {
		a.notes.Of = map[int]Note{}
	}
	if n == (Note{}) && !cameWithNotes(a.view.Rows.At(index)) {
		delete(a.notes.Of, index)
	} else {
		a.notes.Of[index] = n // also none: what came with the file is taken away
	}
	a.notes.Rev++
	a.unsavedNotes = true
	a.pick()
}

// collect takes what people attached to exchanges before they were saved. What
// the user changes here stays as it is.
func (a *App) collect(rows session.Rows) {
	for c := range rows.Chunks() {
		if rows.SameChunk(a.collected, c) {
			continue
		}
		for _, r := range rows.Chunk(c) {
			if !r.Noted() {
				continue
			}
			if _, known := a.notes.Of[r.Index]; known {
				continue
			}
			var n Note
			if n.Marked, n.Comment = capture.Remarks(r.Notes()); n != (Note{}) {
				if a.notes.Of == nil {
					a.notes.Of = map[int]Note{}
				}
				a.notes.Of[r.Index] = n
				a.notes.Rev++
			}
		}
	}
	a.collected = rows
}

// cameWithNotes reports whether people attached something before the exchange
// was saved.
func cameWithNotes(r *session.Row) bool {
	return slices.ContainsFunc(r.Notes(), func(n capture.Note) bool { return n.ByPeople() })
}

// mark marks the selected row, or takes the mark away.
func (a *App) mark() {
	r := a.row()
	if r == nil {
		return
	}
	n := a.notes.Of[r.Index]
	n.Marked = !n.Marked
	a.note(r.Index, n)
}

// marks are the marked rows in order.
func (a *App) marks() []int {
	var at []int
	for i, n := range a.notes.Of {
		if n.Marked {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return at
}

// nextMark goes to the next or previous marked row, around the ends.
func (a *App) nextMark(dir int) {
	rows := a.rows()
	var at []int // positions in the list
	for _, i := range a.marks() {
		if p := rows.Find(i); p < rows.Len() && rows.At(p).Index == i {
			at = append(at, p)
		}
	}
	if len(at) == 0 {
		a.say(a.words.NoMarks)
		return
	}
	here := rows.Find(a.sel)
	n := sort.SearchInts(at, here)
	switch {
	case dir < 0:
		n = (n - 1 + len(at)) % len(at)
	case n < len(at) && at[n] == here:
		n++
	}
	a.selectAt(at[n%len(at)])
	a.jumped = 0
	a.moved()
}

// showMarked shows only marked rows, or all again.
func (a *App) showMarked() {
	if !a.notes.Only && len(a.marks()) == 0 {
		a.say(a.words.NoMarks)
		return
	}
	a.notes.Only = !a.notes.Only
	if a.screen != onList {
		a.show(onList)
	}
	a.pick()
}

// openComment asks for the comment of the selected row.
func (a *App) openComment() {
	r := a.row()
	if r == nil {
		return
	}
	a.open(prompt.Comment, a.notes.Of[r.Index].Comment)
}

func (a *App) comment(text string) {
	a.prompt = nil
	if r := a.row(); r != nil {
		n := a.notes.Of[r.Index]
		if n.Comment == text {
			return
		}
		n.Comment = text
		a.remember(prompt.Comment, text)
		a.note(r.Index, n)
	}
}

// copyNotes is what is saved: the screen goes on changing its own.
func (a *App) copyNotes() map[int]Note { return maps.Clone(a.notes.Of) }

// pick works out which marked rows are shown: they are few.
func (a *App) pick() {
	a.picked = picked{}
	if !a.notes.Only {
		return
	}
	f := a.index.filter
	for _, i := range a.marks() {
		if i < a.view.Rows.Len() && !a.view.Rows.At(i).Forgotten && (f == nil || f.Match(a.view.Rows.At(i))) {
			a.picked.at = append(a.picked.at, i)
		}
	}
	a.picked.rows = a.view.Rows
}

// picked is a choice of rows.
type picked struct {
	rows session.Rows
	at   []int
}

// Len returns how many there are.
func (p picked) Len() int { return len(p.at) }

// At returns the i-th of them.
func (p picked) At(i int) *session.Row { return p.rows.At(p.at[i]) }

// Find returns the position of a row, or of the next one.
func (p picked) Find(index int) int { return sort.SearchInts(p.at, index) }

// after leaves out the first rows of a list.
type after struct {
	kit.Rows
	skip int
}

// Len returns how many are left.
func (r after) Len() int { return r.Rows.Len() - r.skip }

// At returns the i-th of them.
func (r after) At(i int) *session.Row { return r.Rows.At(r.skip + i) }

// Find returns the position of a row, or of the next one.
func (r after) Find(index int) int { return max(0, r.Rows.Find(index)-r.skip) }

// clear hides every row there is; the session keeps them.
func (a *App) clear() {
	hide := a.view.Rows.Len() - a.from
	if hide == 0 {
		a.say(a.words.NothingToClear)
		return
	}
	a.hide(a.view.Rows.Len())
	if a.o.Live {
		a.follow.on, a.follow.paused = true, false
	}
	a.say(a.words.Cleared(hide))
}

// unclear shows what was hidden.
func (a *App) unclear() {
	if a.from == 0 {
		a.say(a.words.NothingHidden)
		return
	}
	n := a.from
	if a.sel < 0 { // back to where it was cleared
		a.sel = n - 1
	}
	a.hide(0)
	a.say(a.words.Uncleared(n))
}

func (a *App) hide(from int) {
	a.from = from
	a.sums.sync(a.view.Rows, from)
	if from > 0 && a.sel < from { // what is selected is gone: back to where the next rows come
		a.sel, a.focus, a.zoom, a.jumped = -1, onMain, false, 0
	}
}

// rows are what the list shows.
func (a *App) rows() kit.Rows {
	r := a.index.view()
	if a.notes.Only {
		r = a.picked
	}
	if a.from > 0 {
		r = after{r, r.Find(a.from)}
	}
	return r
}

// unfilter puts aside what hides rows, one thing at a time.
func (a *App) unfilter() tea.Cmd {
	switch {
	case a.filter != "":
		return a.setFilter("")
	case a.notes.Only:
		a.showMarked()
	}
	return nil
}
