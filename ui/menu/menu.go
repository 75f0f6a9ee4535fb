package menu

import (
	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

// Item is one choice.
type Item struct{ Key, Text, ID string }

// Model is an open menu.
type Model struct {
	Title  string
	items  []Item
	cursor int
}

// New opens a menu.
func New(title string, items ...Item) Model { return Model{Title: title, items: items} }

// Sync has nothing to do: the items are fixed.
func (m Model) Sync(kit.Props) Model { return m }

// Height is the rows the menu wants.
func (m Model) Height() int { return len(m.items) + 1 }

// Key chooses.
func (m Model) Key(k kit.Key, _ kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "esc", "q":
		return m, kit.Back{}
	case "enter":
		return m, kit.Chosen{ID: m.items[m.cursor].ID}
	case "click":
		if k.Y >= 1 && k.Y <= len(m.items) {
			return m, kit.Chosen{ID: m.items[k.Y-1].ID}
		}
		return m, kit.Back{}
	}
	for _, it := range m.items {
		if it.Key == k.Name {
			return m, kit.Chosen{ID: it.ID}
		}
	}
	if at, ok := kit.Move(k.Name, m.cursor, len(m.items), len(m.items)); ok {
		m.cursor = at
	}
	return m, nil
}

// Len returns how many choices there are.
func (m Model) Len() int { return len(m.items) }

// Keys describes the keys of the menu.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	out := make([]kit.Binding, len(m.items))
	for i, it := range m.items {
		out[i] = kit.Binding{Keys: "y " + it.Key, Does: it.Text}
	}
	return out
}

// View draws the menu.
func (m Model) View(p kit.Props, size kit.Size) string {
	sc := kit.NewScreen(size)
	sc.Line(p.Styles, kit.BarStrong, " "+m.Title)
	for i, it := range m.items {
		cur := "  "
		if i == m.cursor {
			cur = "> "
		}
		sc.Row(kit.PiecesOn(p.Styles, size.W, kit.Plain, i == m.cursor,
			kit.Piece{Text: cur, Role: kit.Accent},
			kit.Piece{Text: it.Key + "  ", Role: kit.Keycap},
			kit.Piece{Text: it.Text, Role: kit.Plain}))
	}
	return sc.String()
}
