package text

import "strings"

// textW is the width that text has beside the gutter.
func (p Pager) textW() int { return max(4, p.size.W-gutterW) }

// rowsOf returns how many rows a line takes.
func (p Pager) rowsOf(at Pos) int {
	if p.nowrap {
		return 1
	}
	l := p.doc.Line(at)
	return len(breaks(nil, plain(l), p.textW(), l.Hang))
}

// clamp brings the row of a position into its line.
func (p Pager) clamp(at Pos) Pos {
	at.Row = max(0, min(at.Row, p.rowsOf(at)-1))
	return at
}

// down moves n rows towards the end, but not so far that less than half a screen is left.
func (p Pager) down(at Pos, n int) Pos {
	if p.doc == nil {
		return at
	}
	at = p.clamp(at)
	for ; n > 0; n-- {
		if at.Row+1 < p.rowsOf(at) {
			at.Row++
		} else if next, ok := p.doc.next(at); ok {
			at = next
		} else {
			break
		}
	}
	// Not beyond the end: the last row stays at the bottom of the screen.
	if left := p.rowsAfter(at, p.size.H); left < p.size.H {
		at = p.up(at, p.size.H-left)
	}
	return at
}

// rowsAfter counts the rows from at on, itself included, up to limit.
func (p Pager) rowsAfter(at Pos, limit int) int {
	n := p.rowsOf(at) - at.Row
	for n < limit {
		next, ok := p.doc.next(at)
		if !ok {
			break
		}
		at = next
		n += p.rowsOf(at)
	}
	return n
}

// up moves n rows towards the begin.
func (p Pager) up(at Pos, n int) Pos {
	if p.doc == nil {
		return at
	}
	for ; n > 0; n-- {
		if at.Row > 0 {
			at.Row--
			continue
		}
		prev, ok := p.doc.prev(at)
		if !ok {
			return at
		}
		at = prev
		at.Row = p.rowsOf(at) - 1
	}
	return at
}

// visible reports whether the first row of a line is on the screen.
func (p Pager) visible(at Pos) bool {
	if at.before(p.top) && at.line() != p.top.line() {
		return false
	}
	if at.line() == p.top.line() {
		return p.top.Row == 0 || at.Row >= p.top.Row
	}
	rows := p.rowsOf(p.top) - p.top.Row
	cur := p.top.line()
	for rows < p.size.H {
		next, ok := p.doc.next(cur)
		if !ok {
			return false
		}
		if next == at.line() {
			return true
		}
		cur = next
		rows += p.rowsOf(cur)
	}
	return false
}

// at returns the line on a row of the screen.
func (p Pager) at(y int) (Pos, bool) {
	if p.doc == nil {
		return Pos{}, false
	}
	cur := p.top
	for y >= p.rowsOf(cur)-cur.Row {
		y -= p.rowsOf(cur) - cur.Row
		next, ok := p.doc.next(cur)
		if !ok {
			return cur, false
		}
		cur = next
	}
	return cur, true
}

// AtTop reports whether nothing is above.
func (p Pager) AtTop() bool {
	_, more := p.doc.prev(p.top)
	return !more && p.top.Row == 0
}

// SearchOn is Search for the next match in one direction only: ok is false when
// there is none before the end, and nothing has moved.
func (p Pager) SearchOn(query string, dir int) (Pager, bool) {
	q, ok := p.Search(query, dir)
	if !ok || p.found && p.search == q.search && (q.here == p.here || q.here.before(p.here) == (dir > 0)) {
		return p, false
	}
	return q, true
}

// Search looks for text from the top of the screen on (dir 0), or for the next
// or previous match (dir +1, -1), around the ends. It returns how it went.
func (p Pager) Search(query string, dir int) (Pager, bool) {
	p.gen++
	q := lowerASCII(query)
	if q != p.search {
		p.search, p.found = q, false
	}
	if q == "" || p.doc == nil {
		p.found = false
		return p, q == ""
	}
	at := p.top.line()
	switch {
	case p.found && dir != 0:
		at = p.here
	case dir == 0 && p.lineHas(at):
		return p.land(at), true
	}
	start := at
	for wrapped := false; ; {
		var ok bool
		if dir < 0 {
			if at, ok = p.doc.prev(at); !ok {
				if at, ok = p.doc.last(); !ok || wrapped {
					break
				}
				wrapped = true
			}
		} else {
			if at, ok = p.doc.next(at); !ok {
				if at, ok = p.doc.first(); !ok || wrapped {
					break
				}
				wrapped = true
			}
		}
		if p.lineHas(at) {
			return p.land(at), true
		}
		if at == start {
			break
		}
	}
	p.found = false
	return p, false
}

func (p Pager) land(at Pos) Pager {
	p.here, p.found = at, true
	if !p.visible(at) {
		return p.Goto(at)
	}
	return p
}

// lineHas looks into the bytes behind a line first: drawing it costs a hundred times more.
func (p Pager) lineHas(at Pos) bool {
	if raw, ok := p.doc.blocks[at.Block].(rawLiner); ok && !contains(raw.source(at.Line), p.search) {
		return strings.ContainsAny(p.search, " <␛") && contains([]byte(plain(p.doc.Line(at))), p.search)
	}
	return contains([]byte(plain(p.doc.Line(at))), p.search)
}
