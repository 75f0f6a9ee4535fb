package list

// columns are the widths of the cells; 0 leaves a column out.
type columns struct {
	no, time, peer, binding, version, op, status, took, finding, task, path int
}

// The full widths at which a column changes what it says.
const (
	fullBinding = 9  // "HTTP+JSON" instead of "REST"
	fullPeer    = 27 // addresses instead of ports
	sentence    = 28 // the symptom instead of the rule's name
)

// layout divides a width. Cells are separated by one blank, the row begins
// with two cells for the cursor, and the finding takes what is left over.
func layout(w int) columns {
	c := columns{no: 5, time: 8, peer: 12, binding: 4, version: 7, op: 15, status: 6, took: 7}
	switch {
	case w < 50: // hardly room for anything: what was called, and how it ended
		c = columns{op: max(4, w-2-1-7-3), status: 6}
	case w < 76:
		c.time, c.peer = 0, 0
	}
	c.finding = w - 2 - c.fixed()
	if w < 76 {
		return c
	}
	// What is worth more room, in this order, as long as the finding stays readable.
	for _, g := range [...]struct {
		col *int
		to  int
	}{
		{&c.op, 20}, {&c.time, 12}, {&c.status, 10}, {&c.took, 8}, {&c.task, 9}, {&c.path, 14},
		{&c.binding, fullBinding}, {&c.op, 26}, {&c.path, 24}, {&c.status, 19}, {&c.task, 20},
		{&c.op, 32}, {&c.peer, fullPeer}, {&c.path, 40}, {&c.task, 36},
	} {
		need := g.to - *g.col
		if *g.col == 0 {
			need++
		}
		if c.finding-need >= sentence+2 {
			*g.col = g.to
			c.finding -= need
		}
	}
	return c
}

// fixed is what the columns with a width of their own take, blanks included.
func (c columns) fixed() int {
	n := 0
	for _, w := range [...]int{c.no, c.time, c.peer, c.binding, c.version, c.op, c.status, c.took, c.task, c.path} {
		if w > 0 {
			n += w + 1
		}
	}
	return n
}
