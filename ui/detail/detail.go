package detail

import (
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// HeadH is the height of the two rows above the body: the exchange, the tabs.
const HeadH = 2

// Model is the pane of one exchange.
type Model struct {
	row    *session.Row
	made   made
	pages  [kit.LastTab]page
	search string
}

// made is everything a document depends on besides the exchange.
type made struct {
	words  *lang.Words
	lang   diagnose.Lang
	redact bool
	hex    bool
	files  int
	note   kit.Note
}

// page is one tab.
type page struct {
	pager text.Pager
	of    *session.Row // the row the document was made of, nil when it must be made
	width int          // of the pane it was made for: tables depend on it
	marks
}

// marks remember where in a document places stand.
type marks struct {
	at     map[decode.Place]text.Pos // evidence, lines, fields
	bodies map[decode.Place]body     // by the place of the whole frame
}

// body is a JSON body in a document.
type body struct {
	block int
	json  *text.JSON
}

// New returns the pane.
func New() Model { return Model{} }

// Sync takes the selected exchange and the size, and makes the document of the visible tab.
func (m Model) Sync(p kit.Props) Model {
	now := made{p.Words, p.Lang, p.Redact, p.Hex, len(p.View.Files), p.Note(p.Row)}
	if now != m.made {
		m.made = now
		for i := range m.pages {
			m.pages[i].of = nil
		}
	}
	other := m.row == nil || p.Row == nil || m.row.Index != p.Row.Index
	m.row = p.Row
	if p.Row == nil {
		return m
	}
	if other {
		for i := range m.pages {
			m.pages[i] = page{pager: m.pages[i].pager}
		}
	}
	pg := &m.pages[p.Tab-1]
	body := kit.Size{W: p.Size.W, H: max(0, p.Size.H-HeadH)}
	if pg.of != p.Row || p.Tab == kit.TabExplain && pg.width != p.Size.W {
		doc, m := build(p.Tab, p)
		if pg.of == nil && other || pg.pager.Doc() == nil {
			pg.pager = pg.pager.Resize(body).Show(doc)
		} else {
			pg.pager = pg.pager.Replace(doc)
		}
		pg.of, pg.marks, pg.width = p.Row, m, p.Size.W
	}
	pg.pager = pg.pager.Resize(body)
	if m.search != p.Search {
		m.search = p.Search
	}
	return m
}

func build(t kit.Tab, p kit.Props) (*text.Doc, marks) {
	b := &builder{p: p, w: p.Words, mask: p.Mask(), marks: marks{map[decode.Place]text.Pos{}, map[decode.Place]body{}}}
	switch {
	case !p.Row.HasCall() && t != kit.TabDiagnosis:
		b.static().Text(kit.Dim, 0, p.Words.NothingHTTP)
	case t == kit.TabDiagnosis:
		b.diagnosis()
	case t == kit.TabRequest:
		b.request()
	case t == kit.TabResponse:
		b.response()
	case t == kit.TabExplain:
		b.explain()
	default:
		b.raw()
	}
	return text.NewDoc(b.blocks...), b.marks
}

// Key scrolls and follows links.
func (m Model) Key(k kit.Key, p kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "esc", "q":
		return m, kit.Back{}
	case "click":
		if k.Y == 1 {
			if t := tabAt(k.X, p); t != 0 {
				return m, kit.ShowTab{Tab: t}
			}
			return m, nil
		}
		k.Y -= HeadH
		if k.Y < 0 {
			return m, nil
		}
	}
	pg := &m.pages[p.Tab-1]
	pager, in, ok := pg.pager.Key(k)
	if !ok {
		switch k.Name {
		case "c":
			if p.Tab != kit.TabExplain {
				break
			}
			pager, paste, ok := pg.pager.Choose(func(in kit.Intent) bool { _, is := in.(kit.CopyText); return is })
			if !ok {
				return m, kit.Say{Text: p.Words.NoPasteHere}
			}
			pg.pager = pager
			return m, paste
		case "left", "h":
			return m, kit.ShowTab{Tab: max(kit.TabDiagnosis, p.Tab-1)}
		case "right", "l":
			return m, kit.ShowTab{Tab: min(kit.LastTab, p.Tab+1)}
		}
		return m, kit.Unused{}
	}
	pg.pager = pager
	return m, in
}

// Search moves to the first (dir 0), next or previous match in the visible tab.
func (m Model) Search(q string, dir int, p kit.Props) (Model, bool) {
	pg := &m.pages[p.Tab-1]
	var ok bool
	pg.pager, ok = pg.pager.Search(q, dir)
	return m, ok
}

// Goto scrolls the visible tab to a place. Sync must have made the tab.
func (m Model) Goto(at decode.Place, p kit.Props) Model {
	pg := &m.pages[p.Tab-1]
	pos, ok := pg.at[at]
	if !ok {
		pos, ok = pg.inBody(m.row, at)
	}
	if !ok { // a field that is missing, a whole side: its first line is the nearest there is
		side, _, _, _, _ := kit.SplitPlace(at)
		pos, ok = pg.at[decode.Place(side+"/line")]
	}
	if ok {
		pg.pager = pg.pager.Goto(pos)
	}
	return m
}

// inBody finds a place in a JSON body that no evidence points at.
func (ms *marks) inBody(r *session.Row, at decode.Place) (text.Pos, bool) {
	side, kind, _, frame, ptr := kit.SplitPlace(at)
	b, ok := ms.bodies[decode.FramePlace(side, frame, "")]
	if kind != "frame" || !ok || r == nil || !r.HasCall() {
		return text.Pos{}, false
	}
	doc := decode.DocAt(r.Call(), side, frame)
	if doc == nil {
		return text.Pos{}, false
	}
	return text.Pos{Block: b.block, Line: b.json.LineOf(nearest(doc.Root(), ptr))}, true
}

// TabOf returns the tab that holds a place.
func TabOf(at decode.Place) kit.Tab {
	side, kind, _, _, _ := kit.SplitPlace(at)
	switch {
	case kind == "frame" && side == "request":
		return kit.TabRequest
	case kind == "frame":
		return kit.TabResponse
	}
	return kit.TabRaw
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{
		{Keys: "1 2 3 4 5 ← →", Does: w.KeyTabs},
		{Keys: "j k ↑ ↓", Does: w.KeyScroll},
		{Keys: "enter", Does: w.KeyFollowLink},
		{Keys: "c", Does: w.KeyCopyPaste},
		{Keys: "/ n N", Does: w.KeySearch},
		{Keys: "W", Does: w.KeyWrap},
		{Keys: "x", Does: w.KeyHex},
		{Keys: "esc q", Does: w.KeyBack},
	}
}

// View draws the two head rows and the body.
func (m Model) View(p kit.Props, size kit.Size) string {
	head := m.Head(p, size.W)
	if size.H <= HeadH {
		sc := kit.NewScreen(size)
		sc.Row(head)
		return sc.String()
	}
	if p.Row == nil {
		sc := kit.NewScreen(size)
		sc.Blank(HeadH)
		for _, l := range kit.Wrap(p.Words.NothingSelected, max(10, size.W-4)) {
			sc.Line(p.Styles, kit.Dim, "  "+l)
		}
		return sc.String()
	}
	return head + "\n" + m.pages[p.Tab-1].pager.View(p.Styles, p.Focus)
}
