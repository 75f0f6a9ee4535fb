package detail

import (
	"strconv"
	"strings"

	"a2ascope/diagnose"
	"a2ascope/ui/kit"
)

// Head draws the two rows above the body: what the exchange is, and the tabs.
func (m Model) Head(p kit.Props, w int) string {
	st := p.Styles
	if p.Row == nil {
		return kit.Spaces(w) + "\n" + kit.Spaces(w)
	}
	return summary(p, w) + "\n" + kit.Pieces(st, w, kit.Plain, tabs(p, w)...)
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
	number := ""
	if r.Number > 0 {
		number = "#" + strconv.Itoa(r.Number)
	}
	if p.Note(r).Marked {
		number += "*"
	}
	add(kit.BarStrong, number)
	if !r.HasCall() {
		add(kit.Bar, kit.Peers(r, false))
		return kit.Pieces(p.Styles, w, kit.Bar, ps...)
	}
	add(kit.BarStrong, kit.Operation(r, t))
	add(kit.Bar, kit.BindingName(r.Call().Binding, false))
	add(kit.Bar, kit.Versions(r.Call()))
	s, _ := kit.Status(r.Call(), t)
	add(kit.BarStrong, s)
	s, _ = kit.Took(r.Call().Exchange, t)
	add(kit.Bar, s)
	add(kit.Bar, p.At(r.At))
	add(kit.Bar, kit.Peers(r, false))
	if len(p.View.Files) > 1 && r.File < len(p.View.Files) {
		add(kit.Bar, kit.FileName(p.View.Files[r.File].Name, t))
	}
	return kit.Pieces(p.Styles, w, kit.Bar, ps...)
}

// tabs draws the tabs; where they do not fit into w cells, those that are not
// chosen are their numbers.
func tabs(p kit.Props, w int) []kit.Piece {
	ps := tabRow(p, false)
	used := 0
	for _, piece := range ps {
		used += kit.Width(piece.Text)
	}
	if used > w+2 { // the blanks at the end may be cut
		return tabRow(p, true)
	}
	return ps
}

func tabRow(p kit.Props, short bool) []kit.Piece {
	ps := []kit.Piece{{Text: "  ", Role: kit.Plain}}
	for t := kit.TabDiagnosis; t <= kit.LastTab; t++ {
		role, name := kit.TabOff, tabName(t, p)
		switch {
		case t == p.Tab: // brackets: the chosen tab is seen without colour
			role, name = kit.TabOn, "["+name+"]"
		case short:
			name = " " + strconv.Itoa(int(t)) + " "
		default:
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
		if p.Row.HasCall() && kit.IsStream(p.Row.Call()) {
			name += w.TabEvents + " (" + strconv.Itoa(len(p.Row.Call().Exchange.Received)) + ")"
		} else {
			name += w.TabResponse
		}
	case kit.TabExplain:
		name += w.TabExplain
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
	for i, piece := range tabs(p, p.Size.W) {
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

// Preview draws the exchange in a few rows: what it is, what is wrong, and as
// far as there is room why and what to change.
func Preview(p kit.Props, size kit.Size) string {
	sc := kit.NewScreen(size)
	if p.Row == nil {
		return sc.String()
	}
	w := p.Words
	sc.Row(summary(p, size.W))
	prose := func(role kit.Role, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			for _, l := range kit.Wrap(kit.Clean(line), max(4, min(size.W-4, 100))) {
				sc.Line(p.Styles, role, "  "+l)
			}
		}
	}
	if c := p.Note(p.Row).Comment; c != "" {
		prose(kit.Mark, "; "+kit.OneLine(c, 4000))
	}
	if p.Row.HasCall() {
		if why := kit.Failure(p.Row.Call().Exchange, w); why != "" {
			prose(kit.Err, why)
		}
	}
	f, _ := kit.WorstFinding(p.Row)
	if f == nil {
		switch {
		case !p.Row.HasCall():
			prose(kit.Plain, kit.ConnText(p.Row.Conn, w))
			if p.Row.Conn != nil {
				sc.Blank(1)
				prose(kit.Dim, kit.ConnMore(p.Row.Conn, w))
			}
		case !p.Row.A2A():
			prose(kit.Dim, w.NotA2A(string(p.Row.Call().Protocol)))
		default:
			prose(kit.Dim, w.OperationWords(string(p.Row.Call().Operation)))
		}
		return sc.String()
	}
	t := p.Texts(f)
	prose(kit.Severity(f.Severity.Rank()), kit.SeverityLetter(f.Severity, w)+" "+kit.OneLine(t.Symptom, 2000))
	for _, part := range [...]struct{ head, text string }{{w.Cause, t.Cause}, {w.FixClient, t.FixClient}, {w.FixServer, t.FixServer}} {
		if part.text == "" || sc.Left() < 4 { // a head and less than two lines of text say nothing
			continue
		}
		sc.Blank(1)
		sc.Line(p.Styles, kit.Title, "  "+part.head)
		prose(kit.Plain, part.text)
	}
	return sc.String()
}
