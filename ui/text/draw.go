package text

import (
	"strings"
	"unicode/utf8"

	"a2ascope/ui/kit"
)

// View draws exactly the pager's size. The same picture is not drawn twice.
func (p Pager) View(st *kit.Styles, focus bool) string {
	key := pictureKey{p.doc, p.size, st.Theme, p.gen, focus}
	if p.cache != nil && p.cache.key == key {
		return p.cache.view
	}
	v := p.draw(st, focus)
	if p.cache != nil {
		*p.cache = picture{key, v}
	}
	return v
}

func (p Pager) draw(st *kit.Styles, focus bool) string {
	sc := kit.NewScreen(p.size)
	at, row := p.top, p.top.Row
	var starts []int
	ok := p.doc.has(at)
	for sc.Left() > 0 && ok {
		l := p.doc.Line(at)
		s := plain(l)
		w := p.textW()
		if p.nowrap {
			starts = append(starts[:0], 0)
		} else {
			starts = breaks(starts, s, w, l.Hang)
		}
		chosen := focus && p.linked && p.link == at.line()
		for ; row < len(starts) && sc.Left() > 0; row++ {
			end := len(s)
			if row+1 < len(starts) {
				end = starts[row+1]
			}
			sc.Row(p.row(st, l, s, at.line(), starts[row], end, row, chosen))
		}
		row = 0
		at, ok = p.doc.next(at)
	}
	return sc.String()
}

// row draws the bytes [from,to) of a line's text.
func (p Pager) row(st *kit.Styles, l Line, s string, at Pos, from, to, n int, chosen bool) string {
	var b strings.Builder
	w := p.textW()
	switch {
	case chosen && n == 0:
		b.WriteString(st.SeqOn(kit.Accent, true) + "> ")
	case chosen:
		b.WriteString(st.SeqOn(kit.Accent, true) + "  ")
	case l.Gutter:
		b.WriteString(st.Seq(kit.Err) + "▌ ")
	default:
		b.WriteString(st.Seq(kit.Plain) + "  ")
	}
	if n > 0 {
		hang := min(l.Hang, w/2)
		b.WriteString(st.SeqOn(kit.Plain, chosen) + kit.Spaces(hang))
		w -= hang
		from += trimLeftSpace(s[from:to])
	}
	if p.shift > 0 && p.nowrap {
		head, _ := kit.Cut(s, p.shift)
		from = len(head)
	}
	match := p.nextMatch(s, from)
	pos := 0
	for _, seg := range l.Segs {
		start, end := pos, pos+len(seg.Text)
		pos = end
		if end <= from || start >= to {
			continue
		}
		for i := max(start, from); i < min(end, to) && w > 0; {
			role, stop := seg.Role, min(end, to)
			switch {
			case match.from < 0 || i < match.from:
				if match.from >= 0 {
					stop = min(stop, match.from)
				}
			case i < match.to:
				role, stop = kit.Match, min(stop, match.to)
				if p.found && p.here == at {
					role = kit.MatchHere
				}
			default:
				match = p.nextMatch(s, i)
				continue
			}
			piece, used := kit.Cut(s[i:stop], w)
			if piece == "" {
				w = 0
				break
			}
			b.WriteString(st.SeqOn(role, chosen && role < kit.Match))
			b.WriteString(piece)
			w -= used
			i += len(piece)
		}
	}
	if w > 0 {
		b.WriteString(st.SeqOn(kit.Plain, chosen))
		b.WriteString(kit.Spaces(w))
	}
	if over := p.size.W - gutterW - p.textW(); over < 0 { // narrower than the gutter allows: keep the promise of the width
		return kit.Spaces(max(0, p.size.W))
	}
	b.WriteString(kit.Reset)
	return b.String()
}

func (p Pager) nextMatch(s string, from int) span {
	if p.search == "" {
		return span{-1, -1}
	}
	// A match may begin in the row before.
	back := max(0, from-len(p.search)+1)
	for back > 0 && !utf8.RuneStart(s[back]) {
		back--
	}
	i := indexFold([]byte(s[back:]), p.search)
	if i >= 0 && back+i+len(p.search) <= from {
		i2 := indexFold([]byte(s[from:]), p.search)
		if i2 < 0 {
			return span{-1, -1}
		}
		return span{from + i2, from + i2 + len(p.search)}
	}
	if i < 0 {
		return span{-1, -1}
	}
	return span{back + i, back + i + len(p.search)}
}
