package detail

import (
	"strconv"

	"a2ascope/diagnose"
	"a2ascope/ui/kit"
)

// Head draws the two rows above the body: what the exchange is, and the tabs.
func (m Model) Head(p kit.Props, w int) string {
	st := p.Styles
	if p.Row == nil {
		return kit.Spaces(w) + "\n" + kit.Spaces(w)
	}
	return summary(p, w) + "\n" + kit.Pieces(st, w, kit.Plain, tabs(p)...)
}

func summary(p kit.Props, w int) string {
	r, t := p.Row, p.Words
	mark := kit.Piece{Text: "  ", Role: kit.Bar}
	if p.Focus {
		mark = kit.Piece{Text: "» ", Role: kit.BarStrong}
	}
	ps := []kit.Piece{mark}
	add := func(role kit.Role, s string) {
		if s != "" {
			ps = append(ps, kit.Piece{Text: s + "  ", Role: role})
		}
	}
	if r.Number > 0 {
		add(kit.BarStrong, "#"+strconv.Itoa(r.Number))
	}
	if r.Call == nil {
		add(kit.Bar, kit.Peers(r, false))
		return kit.Pieces(p.Styles, w, kit.Bar, ps...)
	}
	add(kit.BarStrong, kit.Operation(r, t))
	add(kit.Bar, kit.BindingName(r.Call.Binding, false))
	add(kit.Bar, kit.Versions(r.Call))
	s, _ := kit.Status(r.Call, t)
	add(kit.BarStrong, s)
	s, _ = kit.Took(r.Call.Exchange, t)
	add(kit.Bar, s)
	add(kit.Bar, kit.Peers(r, false))
	return kit.Pieces(p.Styles, w, kit.Bar, ps...)
}

func tabs(p kit.Props) []kit.Piece {
	ps := []kit.Piece{{Text: "  ", Role: kit.Plain}}
	for t := kit.TabDiagnosis; t <= kit.TabRaw; t++ {
		role, name := kit.TabOff, tabName(t, p)
		if t == p.Tab { // brackets: the chosen tab is seen without colour
			role, name = kit.TabOn, "["+name+"]"
		} else {
			name = " " + name + " "
		}
		ps = append(ps, kit.Piece{Text: name, Role: role}, kit.Piece{Text: " ", Role: kit.Plain})
	}
	return ps
}

func tabName(t kit.Tab, p kit.Props) string {
	w := p.Words
	name := strconv.Itoa(int(t)) + " "
	switch t {
	case kit.TabDiagnosis:
		name += w.TabDiagnosis
		if n := counting(p.Row.Findings); n > 0 {
			name += " (" + strconv.Itoa(n) + ")"
		}
	case kit.TabRequest:
		name += w.TabRequest
	case kit.TabResponse:
		if p.Row.Call != nil && kit.IsStream(p.Row.Call) {
			name += w.TabEvents + " (" + strconv.Itoa(len(p.Row.Call.Exchange.Received)) + ")"
		} else {
			name += w.TabResponse
		}
	default:
		name += w.TabRaw
	}
	return name
}

func counting(fs []*diagnose.Finding) int {
	n := 0
	for _, f := range fs {
		if f.Counts() {
			n++
		}
	}
	return n
}

// tabAt returns the tab under a cell of the tab row, 0 for none.
func tabAt(x int, p kit.Props) kit.Tab {
	if p.Row == nil {
		return 0
	}
	at := 0
	for i, piece := range tabs(p) {
		at += kit.Width(piece.Text)
		if x < at {
			if i%2 == 1 {
				return kit.Tab(i/2 + 1)
			}
			return 0
		}
	}
	return 0
}

// Preview draws the exchange in a few rows: what it is, and what is wrong.
func Preview(p kit.Props, size kit.Size) string {
	sc := kit.NewScreen(size)
	if p.Row == nil {
		return sc.String()
	}
	sc.Row(summary(p, size.W))
	role, text := kit.Dim, ""
	f, _ := kit.WorstFinding(p.Row)
	switch {
	case f != nil:
		role = kit.Severity(f.Severity.Rank())
		text = kit.SeverityLetter(f.Severity, p.Words) + " " + kit.OneLine(f.Texts(p.Lang).Symptom, 2000)
	case p.Row.Call == nil:
		text = p.Words.ConnNoHTTP
	default:
		text = p.Words.OperationWords(string(p.Row.Call.Operation))
	}
	for _, l := range kit.Wrap(text, max(4, size.W-4)) {
		sc.Line(p.Styles, role, "  "+l)
	}
	return sc.String()
}
