package kit

import "strings"

// Screen collects the rows of a pane and guarantees its size: rows beyond the
// height are refused, missing ones are filled with blanks.
type Screen struct {
	b    strings.Builder
	size Size
	n    int
}

// NewScreen starts a pane of that size.
func NewScreen(size Size) *Screen {
	s := &Screen{size: size}
	s.b.Grow(size.W * size.H * 2)
	return s
}

// Left returns how many rows are free.
func (s *Screen) Left() int { return s.size.H - s.n }

// Row adds a row that is already exactly as wide as the pane.
func (s *Screen) Row(row string) {
	if s.n >= s.size.H {
		return
	}
	if s.n > 0 {
		s.b.WriteByte('\n')
	}
	s.b.WriteString(row)
	s.n++
}

// Line adds a row of clean text in one role, cut or padded to the width.
func (s *Screen) Line(st *Styles, r Role, text string) {
	s.Row(st.Seq(r) + Fit(text, s.size.W) + Reset)
}

// Blank adds empty rows.
func (s *Screen) Blank(n int) {
	for range n {
		s.Row(Spaces(s.size.W))
	}
}

// String returns the pane, filled up.
func (s *Screen) String() string {
	s.Blank(s.Left())
	return s.b.String()
}

// Piece is text in a role.
type Piece struct {
	Text string
	Role Role
}

// Pieces draws pieces into exactly w cells, the rest filled in the role of the row.
func Pieces(st *Styles, w int, fill Role, ps ...Piece) string {
	var b strings.Builder
	for _, p := range ps {
		if w <= 0 {
			break
		}
		t, n := p.Text, Width(p.Text)
		if n > w {
			t, n = Fit(t, w), w
		}
		b.WriteString(st.Seq(p.Role))
		b.WriteString(t)
		w -= n
	}
	if w > 0 {
		b.WriteString(st.Seq(fill))
		b.WriteString(Spaces(w))
	}
	b.WriteString(Reset)
	return b.String()
}

// Beside writes panes of equal height side by side, sep between them.
func Beside(b *strings.Builder, sep string, panes ...string) {
	rest := append([]string(nil), panes...)
	for more := true; more; {
		more = false
		for i := range rest {
			var row string
			var ok bool
			row, rest[i], ok = strings.Cut(rest[i], "\n")
			more = more || ok
			if i > 0 {
				b.WriteString(sep)
			}
			b.WriteString(row)
		}
		if more {
			b.WriteByte('\n')
		}
	}
}

// Window returns the first visible item of a list: the old one moved as little
// as is needed to show the cursor.
func Window(top, cursor, height, n int) int {
	if height < 1 {
		return 0
	}
	if cursor < top {
		top = cursor
	}
	if cursor >= top+height {
		top = cursor - height + 1
	}
	return max(0, min(top, n-height))
}

// Move applies the keys that move in every list. ok is false for other keys.
func Move(k string, cursor, n, page int) (next int, ok bool) {
	switch k {
	case "j", "down":
		cursor++
	case "k", "up":
		cursor--
	case "wheeldown":
		cursor += 3
	case "wheelup":
		cursor -= 3
	case "ctrl+d":
		cursor += max(1, page/2)
	case "ctrl+u":
		cursor -= max(1, page/2)
	case "ctrl+f", "pgdown", "space":
		cursor += max(1, page-1)
	case "ctrl+b", "pgup":
		cursor -= max(1, page-1)
	case "g", "home":
		cursor = 0
	case "G", "end":
		cursor = n - 1
	default:
		return cursor, false
	}
	return max(0, min(cursor, n-1)), true
}

// Width returns the width of the pane.
func (s *Screen) Width() int { return s.size.W }

// PiecesOn is Pieces, on the selected row where on is true.
func PiecesOn(st *Styles, w int, fill Role, on bool, ps ...Piece) string {
	if on {
		lit := *st
		lit.norm = st.sel
		st = &lit
	}
	return Pieces(st, w, fill, ps...)
}

// Rule is a horizontal line with a remark in it.
func Rule(st *Styles, w int, remark string) string {
	head := "─ " + remark + " "
	if n := Width(head); n < w {
		head += strings.Repeat("─", w-n)
	}
	return st.Seq(Border) + Fit(head, w) + Reset
}
