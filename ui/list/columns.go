package list

import (
	"unicode/utf8"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

// columns are the widths of the cells; 0 leaves a column out.
type columns struct {
	no, file, time, peer, binding, version, op, status, took, finding, task, path int
}

// The widths at which a column changes what it says.
const (
	fullBinding = 9  // "HTTP+JSON" instead of "REST"
	fullPeer    = 27 // addresses instead of ports
	sentence    = 38 // the symptom instead of the rule's name: less of it says nothing
	ruleName    = 28 // the rule's name, whole
)

// growth is what is worth more room, in this order, as long as the finding
// keeps what it needs: first its name, then a sentence, at last a long one.
var growth = [...]struct {
	col  func(*columns) *int
	to   int
	keep int
}{
	{opCol, 20, ruleName},
	{statusCol, 10, ruleName},
	{timeCol, 12, sentence},
	{taskCol, 9, sentence},
	{pathCol, 16, sentence},
	{statusCol, 12, sentence},
	{tookCol, 8, sentence},
	{bindingCol, fullBinding, 46},
	{pathCol, 28, 50},
	{opCol, 26, 54},
	{statusCol, 19, 60},
	{taskCol, 20, 64},
	{opCol, 32, 70},
	{peerCol, fullPeer, 74},
	{pathCol, 40, 80},
	{taskCol, 36, 80},
}

func opCol(c *columns) *int      { return &c.op }
func statusCol(c *columns) *int  { return &c.status }
func timeCol(c *columns) *int    { return &c.time }
func tookCol(c *columns) *int    { return &c.took }
func taskCol(c *columns) *int    { return &c.task }
func pathCol(c *columns) *int    { return &c.path }
func bindingCol(c *columns) *int { return &c.binding }
func peerCol(c *columns) *int    { return &c.peer }

// sentenceIn is sentence in a language: wide characters say more in fewer cells.
func sentenceIn(w *lang.Words) int {
	if kit.Width(w.ColFinding) > utf8.RuneCountInString(w.ColFinding) {
		return 26
	}
	return sentence
}

// layout divides a width. Cells are separated by one blank, the row begins
// with two cells for the cursor, and the finding takes what is left over. file
// is the width of the longest file name where there are several files, else 0.
func layout(w, file int) columns {
	c := columns{no: 5, file: file, time: 8, peer: 12, binding: 4, version: 7, op: 15, status: 6, took: 7}
	switch {
	case w < 50: // hardly room for anything: what was called, and how it ended
		c = columns{op: max(4, w-2-1-7-3), status: 6}
	case w < 76:
		c.time, c.peer, c.file = 0, 0, min(c.file, 8)
	case w < 100: // the detail tells the time
		c.time, c.file = 0, min(c.file, 10)
		if c.file > 0 { // it tells more apart than ports do
			c.peer = 0
		}
	case w < 120:
		c.file = min(c.file, 10)
	default:
		c.file = min(c.file, 8+(w-120)/4)
	}
	c.finding = w - 2 - c.fixed()
	if w < 76 {
		return c
	}
	for _, g := range growth {
		col := g.col(&c)
		need := g.to - *col
		if *col == 0 {
			need++
		}
		keep := g.keep
		if c.finding >= sentence { // a sentence is not given up for anything
			keep = max(keep, sentence)
		}
		if need > 0 && c.finding-need >= keep {
			*col = g.to
			c.finding -= need
		}
	}
	return c
}

// fixed is what the columns with a width of their own take, blanks included.
func (c columns) fixed() int {
	n := 0
	for _, w := range [...]int{c.no, c.file, c.time, c.peer, c.binding, c.version, c.op, c.status, c.took, c.task, c.path} {
		if w > 0 {
			n += w + 1
		}
	}
	return n
}
