package text

import "a2ascope/ui/kit"

// gutterW is the column of marks at the left edge.
const gutterW = 2

// Pager scrolls a document: it wraps, highlights what is searched for, and
// moves a cursor over the links.
type Pager struct {
	doc    *Doc
	top    Pos
	link   Pos // the chosen link
	linked bool
	search string // lower case
	here   Pos    // line of the match the search stands on
	found  bool
	size   kit.Size
	nowrap bool
	shift  int // cells scrolled to the right when lines are not wrapped
	gen    int // changes with everything that changes the picture
	cache  *picture
}

// picture is the last drawn view. It is shared by the copies of a pager.
type picture struct {
	key  pictureKey
	view string
}

type pictureKey struct {
	doc   *Doc
	size  kit.Size
	theme kit.Theme
	gen   int
	focus bool
}

// Show changes the document and starts at its top.
func (p Pager) Show(d *Doc) Pager {
	n := Pager{doc: d, search: p.search, size: p.size, nowrap: p.nowrap, gen: p.gen + 1, cache: p.cache}
	if n.cache == nil {
		n.cache = &picture{}
	}
	if first, ok := d.first(); ok {
		n.top = first
		n.link, n.linked = n.nextLink(first, true, 1<<12)
	}
	return n
}

// Replace changes the document and stays where it was as far as that exists.
func (p Pager) Replace(d *Doc) Pager {
	n := p.Show(d)
	n.shift = p.shift
	if d.has(p.top) {
		n.top = p.top
	}
	if p.linked && d.Line(p.link).Link != nil {
		n.link, n.linked = p.link, true
	}
	return n
}

// Doc returns the document, nil when none is shown.
func (p Pager) Doc() *Doc { return p.doc }

// Chosen returns where the link under the cursor leads, nil when none is on the screen.
func (p Pager) Chosen() kit.Intent {
	if p.linked && p.visible(p.link) {
		return p.doc.Line(p.link).Link
	}
	return nil
}

// Choose moves the cursor to the first link on the screen that is wanted, unless
// it stands on such a one. ok is false when there is none.
func (p Pager) Choose(want func(kit.Intent) bool) (_ Pager, in kit.Intent, ok bool) {
	if in = p.Chosen(); in != nil && want(in) {
		return p, in, true
	}
	for at := p.top.line(); p.doc.has(at) && (at == p.top.line() || p.visible(at)); {
		if in = p.doc.Line(at).Link; in != nil && want(in) && p.visible(at) {
			p.link, p.linked = at, true
			p.gen++
			return p, in, true
		}
		next, more := p.doc.next(at)
		if !more {
			break
		}
		at = next
	}
	return p, nil, false
}

// Resize tells the pager its size.
func (p Pager) Resize(s kit.Size) Pager {
	if p.size != s {
		p.size = s
		p.top.Row = 0
		p.gen++
	}
	return p
}

// Goto scrolls so that a line stands in the upper third.
func (p Pager) Goto(at Pos) Pager {
	at.Row = 0
	if !p.doc.has(at) {
		return p
	}
	p.top = p.up(at, p.size.H/3)
	p.gen++
	return p
}

// ToggleWrap switches between wrapping lines and cutting them.
func (p Pager) ToggleWrap() Pager {
	p.nowrap, p.shift, p.top.Row = !p.nowrap, 0, 0
	p.gen++
	return p
}

// Key scrolls, moves the link cursor, and follows a link. ok is false when the
// key has no meaning here.
func (p Pager) Key(k kit.Key) (_ Pager, in kit.Intent, ok bool) {
	page := max(1, p.size.H-2)
	q := p
	switch k.Name {
	case "j", "down":
		q = p.step(+1)
	case "k", "up":
		q = p.step(-1)
	case "wheeldown":
		q.top = p.down(p.top, 3)
	case "wheelup":
		q.top = p.up(p.top, 3)
	case "ctrl+d":
		q.top = p.down(p.top, page/2)
	case "ctrl+u":
		q.top = p.up(p.top, page/2)
	case "ctrl+f", "pgdown", "space":
		q.top = p.down(p.top, page)
	case "ctrl+b", "pgup":
		q.top = p.up(p.top, page)
	case "g", "home":
		if first, has := p.doc.first(); has {
			q.top = first
			q.link, q.linked = p.nextLink(first, true, 1<<12)
		}
	case "G", "end":
		if last, has := p.doc.last(); has {
			last.Row = 1 << 30
			q.top = p.up(p.clamp(last), page+1)
		}
	case "W":
		return p.ToggleWrap(), nil, true
	case "right", "l":
		if !p.nowrap {
			return p, nil, false
		}
		q.shift = min(p.shift+8, 1<<20)
	case "left", "h":
		if !p.nowrap {
			return p, nil, false
		}
		q.shift = max(0, p.shift-8)
	case "enter":
		in = p.Chosen()
		return p, in, in != nil
	case "click":
		at, has := p.at(k.Y)
		if l := p.doc.Line(at); has && l.Link != nil {
			q.link, q.linked = at.line(), true
			q.gen++
			return q, l.Link, true
		}
		return p, nil, true
	default:
		return p, nil, false
	}
	q.gen++
	return q, nil, true
}

// step moves the link cursor to the next link on the screen, or scrolls by one row.
func (p Pager) step(dir int) Pager {
	if p.linked && p.visible(p.link) {
		if next, ok := p.nextLinkFrom(p.link, dir); ok && (p.visible(next) || p.near(next, dir)) {
			p.link = next
			return p.show(next)
		}
	} else if !p.linked || !p.visible(p.link) {
		if next, ok := p.nextLink(p.top, true, p.size.H); ok && p.visible(next) {
			p.link, p.linked = next, true
		}
	}
	if dir > 0 {
		p.top = p.down(p.top, 1)
	} else {
		p.top = p.up(p.top, 1)
	}
	return p
}

// near reports whether a link is one row beyond the screen.
func (p Pager) near(at Pos, dir int) bool {
	q := p
	if dir > 0 {
		q.top = p.down(p.top, 2)
	} else {
		q.top = p.up(p.top, 2)
	}
	return q.visible(at)
}

// show scrolls as little as is needed to see a line.
func (p Pager) show(at Pos) Pager {
	for n := 0; n < p.size.H && !p.visible(at); n++ {
		if at.before(p.top) {
			p.top = p.up(p.top, 1)
		} else {
			p.top = p.down(p.top, 1)
		}
	}
	return p
}

func (p Pager) nextLinkFrom(at Pos, dir int) (Pos, bool) {
	for n := 0; n < 400; n++ {
		var ok bool
		if dir > 0 {
			at, ok = p.doc.next(at)
		} else {
			at, ok = p.doc.prev(at)
		}
		if !ok {
			return at, false
		}
		if p.doc.Line(at).Link != nil {
			return at, true
		}
	}
	return at, false
}

func (p Pager) nextLink(at Pos, here bool, limit int) (Pos, bool) {
	at.Row = 0
	if here && p.doc.has(at) && p.isStatic(at) && p.doc.Line(at).Link != nil {
		return at, true
	}
	for range limit {
		next, ok := p.doc.next(at)
		if !ok || !p.isStatic(next) {
			return at, false // only made lines have links: do not read bodies for them
		}
		at = next
		if p.doc.Line(at).Link != nil {
			return at, true
		}
	}
	return at, false
}

func (p Pager) isStatic(at Pos) bool {
	_, ok := p.doc.blocks[at.Block].(*Static)
	return ok
}
