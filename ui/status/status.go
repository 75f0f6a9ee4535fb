package status

import (
	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

// Model is the status line.
type Model struct {
	Say  string // a message to the user, in place of the hints
	Bad  bool   // the message is about something that went wrong
	Busy string // work in the background, "" when there is none
}

// Sync has nothing to do.
func (m Model) Sync(kit.Props) Model { return m }

// Key has no meaning in the status line.
func (m Model) Key(kit.Key, kit.Props) (Model, kit.Intent) { return m, kit.Unused{} }

// Keys are none.
func (m Model) Keys(*lang.Words) []kit.Binding { return nil }

// View draws the line.
func (m Model) View(p kit.Props, size kit.Size) string {
	ps := parts(p, size.W)
	right := part{text: p.Words.HintHelp, role: kit.Bar, weight: hintWeight}
	switch {
	case m.Say != "":
		right = part{text: m.Say, role: kit.BarStrong, weight: sayWeight}
		if m.Bad {
			right.text = p.Words.LetterWarning + " " + right.text
		}
	case m.Busy != "":
		right = part{text: m.Busy, role: kit.Bar, weight: busyWeight}
	}
	right.text = kit.OneLine(right.text, 400)
	room := size.W - 1 - gap - kit.Width(right.text)
	for width(ps) > room {
		i := lightest(ps)
		if i < 0 || ps[i].weight > right.weight {
			break
		}
		ps = append(ps[:i], ps[i+1:]...)
	}
	if width(ps) > room { // the hint is lighter than what is left, or a message is longer than the line
		if m.Say != "" {
			return kit.Pieces(p.Styles, size.W, kit.Bar, kit.Piece{Text: " " + right.text, Role: right.role})
		}
		return kit.Pieces(p.Styles, size.W, kit.Bar, pieces(fit(parts(p, size.W), size.W-1))...)
	}
	out := pieces(ps)
	out = append(out, kit.Piece{Text: kit.Spaces(size.W - 1 - width(ps) - kit.Width(right.text)), Role: kit.Bar},
		kit.Piece{Text: right.text, Role: right.role})
	return kit.Pieces(p.Styles, size.W, kit.Bar, out...)
}

// gap is the least room between the parts and the hint.
const gap = 2

// fit takes the lightest parts away until the others have room.
func fit(ps []part, w int) []part {
	for width(ps) > w {
		i := lightest(ps)
		if i < 0 {
			break
		}
		ps = append(ps[:i], ps[i+1:]...)
	}
	return ps
}

// lightest is the part to go first, -1 when only the counts are left.
func lightest(ps []part) int {
	at := -1
	for i := 1; i < len(ps); i++ {
		if at < 0 || ps[i].weight < ps[at].weight {
			at = i
		}
	}
	return at
}

func width(ps []part) int {
	n := 0
	for _, x := range ps {
		n += kit.Width(x.text)
	}
	return n
}

func pieces(ps []part) []kit.Piece {
	out := make([]kit.Piece, len(ps), len(ps)+2)
	for i, x := range ps {
		out[i] = kit.Piece{Text: x.text, Role: x.role}
	}
	return out
}
