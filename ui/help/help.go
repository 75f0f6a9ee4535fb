package help

import (
	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// Section is the keys of one pane.
type Section struct {
	Title string
	Keys  []kit.Binding
}

// Model is the pane of help.
type Model struct{ pager text.Pager }

// New makes the help of these sections; about is a paragraph below them.
func New(about string, sections ...Section) Model {
	s := &text.Static{}
	for _, sec := range sections {
		s.Blank().Add(text.Seg{Text: sec.Title, Role: kit.Title})
		for _, b := range sec.Keys {
			s.AddLine(text.Line{Hang: 24, Segs: []text.Seg{
				{Text: "  " + kit.Fit(b.Keys, 21) + " ", Role: kit.Keycap}, {Text: b.Does, Role: kit.Plain},
			}})
		}
	}
	s.Blank().Text(kit.Dim, 2, about)
	return Model{text.Pager{}.Show(text.NewDoc(s))}
}

// Sync takes the size.
func (m Model) Sync(p kit.Props) Model {
	m.pager = m.pager.Resize(p.Size)
	return m
}

// Key scrolls and leaves.
func (m Model) Key(k kit.Key, _ kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "esc", "q", "?", "enter":
		return m, kit.Back{}
	}
	pager, _, ok := m.pager.Key(k)
	if !ok {
		return m, kit.Unused{}
	}
	m.pager = pager
	return m, nil
}

// Search moves to a match.
func (m Model) Search(q string, dir int) (Model, bool) {
	var ok bool
	m.pager, ok = m.pager.Search(q, dir)
	return m, ok
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{{Keys: "j k / n", Does: w.KeyScroll}, {Keys: "esc q ?", Does: w.KeyBack}}
}

// View draws the text.
func (m Model) View(p kit.Props, size kit.Size) string {
	return m.pager.Resize(size).View(p.Styles, true)
}
