package status

import (
	"strconv"

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
	w, v := p.Words, p.View
	var ps []kit.Piece
	add := func(role kit.Role, s string) {
		if s != "" {
			ps = append(ps, kit.Piece{Text: s, Role: role})
		}
	}
	used := func() int {
		n := 0
		for _, x := range ps {
			n += kit.Width(x.Text)
		}
		return n
	}
	add(kit.BarStrong, " "+w.Counts(v.Errors, v.Warnings, v.Infos, size.W < 100))
	add(kit.Bar, "  "+shown(p))
	if p.Filter != "" {
		add(kit.BarStrong, "  /"+kit.OneLine(p.Filter, max(12, size.W/5)))
	}
	switch {
	case p.Follow:
		add(kit.BarStrong, "  "+w.Following)
	case p.Unseen > 0:
		add(kit.BarStrong, "  "+w.Paused+" +"+strconv.Itoa(p.Unseen))
	}
	add(kit.Bar, "  "+file(p))
	right := w.HintHelp
	role := kit.Bar
	if m.Busy != "" {
		right = m.Busy
	}
	if m.Say != "" {
		right, role = m.Say, kit.BarStrong
		if m.Bad {
			right = w.LetterWarning + " " + right
		}
	}
	right = kit.OneLine(right, 400)
	gap := size.W - used() - kit.Width(right) - 1
	for gap < 2 && m.Say != "" && len(ps) > 1 { // a message is worth more than all but the counts
		ps = ps[:len(ps)-1]
		gap = size.W - used() - kit.Width(right) - 1
	}
	if gap < 2 && m.Say == "" {
		return kit.Pieces(p.Styles, size.W, kit.Bar, ps...)
	}
	if gap < 2 {
		return kit.Pieces(p.Styles, size.W, kit.Bar, kit.Piece{Text: " " + right, Role: role})
	}
	ps = append(ps, kit.Piece{Text: kit.Spaces(gap), Role: kit.Bar}, kit.Piece{Text: right, Role: role})
	return kit.Pieces(p.Styles, size.W, kit.Bar, ps...)
}

// shown is the position in the list, and how many the filter lets through.
func shown(p kit.Props) string {
	n, all := p.Rows.Len(), p.View.Rows.Len()
	s := strconv.Itoa(n)
	if p.Row != nil && n > 0 {
		s = strconv.Itoa(min(p.Rows.Find(p.Row.Index)+1, n)) + "/" + s
	}
	if p.Filter != "" {
		s += " (" + p.Words.OfAll(all) + ")"
	}
	return s
}

// file names what is being read and how far it is, or what was read.
func file(p kit.Props) string {
	v := p.View
	if len(v.Files) == 0 {
		return ""
	}
	done := 0
	for _, f := range v.Files {
		if f.Done {
			done++
		}
	}
	at := min(done, len(v.Files)-1)
	if v.Done && p.Row != nil && p.Row.File < len(v.Files) { // all read: the file that is looked at
		at = p.Row.File
	}
	f := v.Files[at]
	s := kit.FileName(f.Name, p.Words)
	if len(v.Files) > 1 {
		s += " " + strconv.Itoa(at+1) + "/" + strconv.Itoa(len(v.Files))
	}
	switch {
	case f.Err != nil:
		return s + " " + p.Words.FileUnreadable
	case v.Done:
		if len(f.Damage) > 0 {
			s += " " + p.Words.FileDamaged
		}
		return s
	case v.Progress.Total > 0:
		return s + " " + strconv.Itoa(int(100*v.Progress.Read/v.Progress.Total)) + "%"
	case v.Progress.Read > 0:
		return s + " " + kit.Bytes(v.Progress.Read)
	}
	return s + " …"
}
