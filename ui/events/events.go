package events

import (
	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// Model is the pane of a stream's events.
type Model struct {
	row    *session.Row
	words  *lang.Words
	redact bool
	cursor int
	count  int // of events, as of the last Sync
	top    int
	inside bool // the keys go to the JSON
	pager  text.Pager
	shown  *capture.Frame
	at     map[decode.Place]text.Pos
}

// New returns the pane.
func New() Model { return Model{} }

// rowsH divides the height: rows above, JSON below, one line between. Live, the
// rows have the same room whatever their number, so that no new one moves the JSON.
func rowsH(p kit.Props, h, n int) int {
	most := max(3, h*2/5)
	if h < 8 {
		most = max(1, h/2)
	}
	if p.Watch.Live {
		n = most
	}
	return max(1, min(n, most, h-2))
}

// Sync takes the selected exchange and the size.
func (m Model) Sync(p kit.Props) Model {
	if p.Row == nil || !p.Row.HasCall() {
		m.row, m.shown = nil, nil
		return m
	}
	if m.row == nil || m.row.Index != p.Row.Index {
		m.cursor, m.top, m.inside, m.count = 0, 0, false, 0
	}
	fs := p.Row.Call().Exchange.Received
	if m.count > 0 && m.cursor == m.count-1 && !m.inside { // at the newest event: the next one is the newest
		m.cursor = len(fs) - 1
	}
	m.count = len(fs)
	m.cursor = max(0, min(m.cursor, len(fs)-1))
	h := rowsH(p, p.Size.H, len(fs))
	m.top = kit.Window(m.top, m.cursor, h, len(fs))
	again := m.row != p.Row || m.words != p.Words || m.redact != p.Redact
	m.row, m.words, m.redact = p.Row, p.Words, p.Redact
	if len(fs) == 0 {
		m.shown = nil
		return m
	}
	body := kit.Size{W: p.Size.W, H: max(1, p.Size.H-h-1)}
	if f := fs[m.cursor].V; f != m.shown || again {
		doc, at := build(p, m.cursor)
		if f == m.shown {
			m.pager = m.pager.Replace(doc)
		} else {
			m.pager = m.pager.Resize(body).Show(doc)
		}
		m.shown, m.at = f, at
	}
	m.pager = m.pager.Resize(body)
	return m
}

// build makes the document of one event.
func build(p kit.Props, i int) (*text.Doc, map[decode.Place]text.Pos) {
	c, w := p.Row.Call(), p.Words
	f := c.Exchange.Received[i].V
	at := map[decode.Place]text.Pos{}
	head := &text.Static{}
	field := func(name, v string) {
		if v != "" {
			head.Add(text.Seg{Text: name + ": ", Role: kit.SynAttr}, text.Seg{Text: kit.OneLine(v, 2000)})
		}
	}
	field("event", f.Event)
	field("id", f.ID)
	if f.Form == capture.SSEComment {
		head.Text(kit.Dim, 0, w.SSEComment)
	}
	if f.Lost != 0 {
		head.Text(kit.Warn, 0, w.BytesLost(f.Lost))
	}
	if f.Cut {
		head.Text(kit.Warn, 0, w.BodyCut)
	}
	var here []decode.Place
	for _, place := range places(p.Row) {
		if side, kind, _, n, _ := kit.SplitPlace(place); side == "response" && kind == "frame" && n == i {
			here = append(here, place)
		}
	}
	data, doc := kit.FrameBody(c, capture.Server, i, len(here) > 0)
	switch {
	case doc != nil || kit.LooksJSON(data):
		j := text.NewJSON(data, p.Mask(), w.ValueCut)
		for _, place := range here {
			_, _, _, _, ptr := kit.SplitPlace(place)
			node := doc.Root().Pointer(ptr)
			if ptr != "" { // the row of the event is marked already
				j.Mark(node)
			}
			at[place] = text.Pos{Block: 1, Line: j.LineOf(node)}
		}
		if doc != nil && doc.Err != nil {
			tail := &text.Static{}
			tail.Text(kit.Warn, 0, w.NotJSON(doc.Err.Offset, kit.Clean(doc.Err.Text)))
			return text.NewDoc(head, j, tail), at
		}
		return text.NewDoc(head, j), at
	case len(data) == 0:
		return text.NewDoc(head.Text(kit.Dim, 0, w.NoBody)), at
	case text.IsText(data):
		return text.NewDoc(head, text.NewRaw(data, kit.Plain, p.Mask())), at
	}
	return text.NewDoc(head, text.NewHex(data)), at
}

func places(r *session.Row) []decode.Place {
	var out []decode.Place
	for _, f := range r.Findings {
		for _, e := range f.Evidence {
			out = append(out, e.Place)
		}
	}
	return out
}

// Key moves over the events, or inside the JSON of one.
func (m Model) Key(k kit.Key, p kit.Props) (Model, kit.Intent) {
	if m.row == nil {
		return m, kit.Unused{}
	}
	n := len(m.row.Call().Exchange.Received)
	h := rowsH(p, p.Size.H, n)
	switch k.Name {
	case "esc", "q":
		if m.inside {
			m.inside = false
			return m, nil
		}
		return m, kit.Back{}
	case "enter":
		m.inside = true
		return m, nil
	case "click":
		switch {
		case k.Y < h:
			m.inside = false
			m.cursor = min(m.top+k.Y, n-1)
		case k.Y > h:
			m.inside = true
		}
		return m.Sync(p), nil
	case "wheelup", "wheeldown":
		if k.Y > h {
			m.pager, _, _ = m.pager.Key(k)
			return m, nil
		}
	}
	if m.inside {
		pager, in, ok := m.pager.Key(k)
		if ok {
			m.pager = pager
			return m, in
		}
	} else {
		if k.Name == "W" {
			m.pager = m.pager.ToggleWrap()
			return m, nil
		}
		if at, ok := kit.Move(k.Name, m.cursor, n, h); ok {
			m.cursor = at
			return m.Sync(p), nil
		}
	}
	switch k.Name {
	case "left", "h":
		return m, kit.ShowTab{Tab: p.Tab - 1}
	case "right", "l":
		return m, kit.ShowTab{Tab: p.Tab + 1}
	}
	return m, kit.Unused{}
}

// Goto chooses the event that holds a place, and scrolls its JSON to it.
func (m Model) Goto(place decode.Place, p kit.Props) Model {
	_, _, _, frame, _ := kit.SplitPlace(place)
	m.cursor = frame
	m = m.Sync(p)
	if pos, ok := m.at[place]; ok {
		m.pager = m.pager.Goto(pos)
		m.inside = true
	}
	return m
}

// Search looks in the events from the chosen one on (dir 0), or for the next
// or previous one that holds the text.
func (m Model) Search(q string, dir int, p kit.Props) (Model, bool) {
	pager, ok := m.pager.Search(q, dir)
	if dir != 0 && m.inside { // first the rest of this event
		pager, ok = m.pager.SearchOn(q, dir)
	}
	if ok && (dir == 0 || m.inside) {
		m.pager = pager
		return m, true
	}
	if q == "" || m.row == nil {
		m.pager = pager
		return m, true
	}
	step := dir
	if step == 0 {
		step = 1
	}
	n := len(m.row.Call().Exchange.Received)
	for i := 1; i <= n; i++ {
		at := ((m.cursor+step*i)%n + n) % n
		data, _ := kit.FrameBody(m.row.Call(), capture.Server, at, false)
		if !text.Contains(data, q) {
			continue
		}
		m.cursor = at
		m = m.Sync(p)
		m.pager, _ = m.pager.Search(q, 0)
		if dir < 0 { // coming from below: the last match is the first to meet
			m.pager, _ = m.pager.Search(q, -1)
		}
		return m, true
	}
	m.pager = pager
	return m, ok
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{
		{Keys: "j k ↑ ↓", Does: w.KeyEvent},
		{Keys: "enter", Does: w.KeyEventJSON},
		{Keys: "esc q", Does: w.KeyBack},
	}
}
