package list

import (
	"strings"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// Model is the pane of exchanges.
type Model struct {
	top    int
	cursor int
	cache  *cache
}

// cache keeps drawn rows. It is shared by the copies of a model, and cleared
// when the way rows look changes.
type cache struct {
	w     int
	st    *kit.Styles
	words *lang.Words
	cols  columns
	files int // how many: with one there is no column for them
	notes int // revision of the notes
	names []string
	rows  map[*session.Row]string
}

// New returns the pane.
func New() Model { return Model{cache: &cache{rows: map[*session.Row]string{}}} }

// Sync follows the selection and the size.
func (m Model) Sync(p kit.Props) Model {
	m.cursor = cursorOf(p)
	m.top = kit.Window(m.top, m.cursor, p.Size.H-1, p.Rows.Len())
	return m
}

func cursorOf(p kit.Props) int {
	if p.Row == nil {
		return 0
	}
	return max(0, min(p.Rows.Find(p.Row.Index), p.Rows.Len()-1))
}

// Key moves the selection.
func (m Model) Key(k kit.Key, p kit.Props) (Model, kit.Intent) {
	n := p.Rows.Len()
	switch k.Name {
	case "enter", "right", "l":
		if n > 0 {
			return m, kit.Open{}
		}
		return m, nil
	case "n":
		return m, m.finding(p, +1)
	case "N":
		return m, m.finding(p, -1)
	case "click":
		if at := m.top + k.Y - 1; k.Y >= 1 && at < n {
			if at == m.cursor {
				return m, kit.Open{}
			}
			return m, kit.Select{At: at}
		}
		return m, nil
	}
	if at, ok := kit.Move(k.Name, m.cursor, n, p.Size.H-1); ok {
		if n == 0 {
			return m, nil
		}
		return m, kit.Select{At: at}
	}
	return m, kit.Unused{}
}

// finding selects the next or previous exchange with a finding that counts.
func (m Model) finding(p kit.Props, dir int) kit.Intent {
	for i := m.cursor + dir; i >= 0 && i < p.Rows.Len(); i += dir {
		if p.Rows.At(i).Worst != "" {
			return kit.Select{At: i}
		}
	}
	return kit.Say{Text: p.Words.NoMoreFindings}
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{
		{Keys: "j k ↑ ↓", Does: w.KeyMove},
		{Keys: "g G", Does: w.KeyEnds},
		{Keys: "ctrl+d ctrl+u", Does: w.KeyHalfPage},
		{Keys: "space PgDn PgUp", Does: w.KeyPage},
		{Keys: "enter", Does: w.KeyOpen},
		{Keys: "n N", Does: w.KeyFindingNext},
	}
}

// View draws the head of the table and the visible rows.
func (m Model) View(p kit.Props, size kit.Size) string {
	sc := kit.NewScreen(size)
	m.cache.prepare(size.W, p)
	sc.Row(m.header(p, size.W))
	n := p.Rows.Len()
	if n == 0 {
		empty(sc, p)
		return sc.String()
	}
	for i := m.top; i < n && sc.Left() > 0; i++ {
		r := p.Rows.At(i)
		if i == m.cursor {
			sc.Row(m.cache.draw(r, p, true))
			continue
		}
		row, ok := m.cache.rows[r]
		if !ok {
			row = m.cache.draw(r, p, false)
			m.cache.rows[r] = row
		}
		sc.Row(row)
	}
	return sc.String()
}

// keep bounds the rows kept: some screens full, so that scrolling back costs nothing.
const keep = 2000

func (c *cache) prepare(w int, p kit.Props) {
	if c.w == w && c.st == p.Styles && c.words == p.Words && c.files == len(p.View.Files) && c.notes == p.Notes.Rev && len(c.rows) < keep {
		return
	}
	c.w, c.st, c.words, c.files, c.notes = w, p.Styles, p.Words, len(p.View.Files), p.Notes.Rev
	c.names = fileNames(p.View.Files, p.Words)
	longest := 0
	for _, n := range c.names {
		longest = max(longest, kit.Width(n))
	}
	if len(c.names) < 2 {
		longest = 0
	}
	c.cols = layout(w, longest)
	clear(c.rows)
}

func (m Model) header(p kit.Props, w int) string {
	c, t := m.cache.cols, p.Words
	var b strings.Builder
	b.WriteString(p.Styles.Seq(kit.Dim) + "  ")
	cell := func(text string, w int) {
		if w > 0 {
			b.WriteString(kit.Fit(text, w) + " ")
		}
	}
	cell(kit.FitRight(t.ColNumber, c.no), c.no)
	cell(t.ColFile, c.file)
	cell(t.ColTime, c.time)
	cell(t.ColPeers, c.peer)
	binding := t.ColBinding
	if c.binding < kit.Width(binding) {
		binding = t.ColBindingShort
	}
	cell(binding, c.binding)
	cell(t.ColVersion, c.version)
	cell(t.ColOperation, c.op)
	cell(t.ColStatus, c.status)
	cell(kit.FitRight(t.ColTook, c.took), c.took)
	cell(t.ColTask, c.task)
	cell(t.ColPath, c.path)
	b.WriteString(kit.Fit(t.ColFinding, c.finding))
	return b.String() + kit.Reset
}

// draw makes one row.
func (c *cache) draw(r *session.Row, p kit.Props, on bool) string {
	st, cols, t := p.Styles, c.cols, p.Words
	var b strings.Builder
	b.Grow(c.w * 3)
	cell := func(role kit.Role, text string, w int) {
		if w > 0 {
			b.WriteString(st.SeqOn(role, on))
			b.WriteString(kit.Fit(text, w))
			b.WriteByte(' ')
		}
	}
	note := p.Note(r)
	b.WriteString(st.SeqOn(kit.Accent, on))
	b.WriteString(signs(on, note.Marked))
	number := "-"
	if r.Number > 0 {
		number = itoa(r.Number)
	}
	cell(kit.Dim, kit.FitRight(number, cols.no), cols.no)
	if r.File < len(c.names) {
		cell(kit.Plain, kit.FitMiddle(c.names[r.File], cols.file), cols.file)
	}
	at := p.At(r.At)
	cell(kit.Dim, at[:min(cols.time, len(at))], cols.time)
	cell(kit.Plain, kit.Peers(r, cols.peer < fullPeer), cols.peer)
	if !r.HasCall() {
		rest := c.w - 2
		for _, w := range [...]int{cols.no, cols.file, cols.time, cols.peer} {
			if w > 0 {
				rest -= w + 1
			}
		}
		role, text := kit.Dim, kit.ConnText(r.Conn, t)
		if r.Conn != nil && r.Conn.Protocol == "refused" {
			role = kit.Err
		}
		if note.Comment != "" {
			text = "; " + kit.OneLine(note.Comment, 400) + " · " + text
		}
		b.WriteString(st.SeqOn(role, on))
		b.WriteString(kit.Fit(text, rest))
		b.WriteString(kit.Reset)
		return b.String()
	}
	opRole := kit.Plain
	if !isA2A(r) {
		opRole = kit.Dim
	}
	cell(opRole, kit.BindingName(r.Call().Binding, cols.binding < fullBinding), cols.binding)
	cell(opRole, kit.Versions(r.Call()), cols.version)
	if cols.op > 0 {
		cell(opRole, kit.FitMiddle(kit.Operation(r, t), cols.op), cols.op)
	}
	text, role := kit.StatusIn(r.Call(), t, cols.status)
	cell(role, text, cols.status)
	text, role = kit.Took(r.Call().Exchange, t)
	if cols.took > 0 {
		cell(role, kit.FitRight(text, cols.took), cols.took)
	}
	if cols.task > 0 {
		cell(kit.Dim, kit.FitMiddle(kit.OneLine(r.Call().TaskID, 80), cols.task), cols.task)
	}
	cell(kit.Dim, kit.Path(r), cols.path)
	c.finding(&b, r, p, on)
	return b.String()
}

// finding fills the last column: the letter of the worst finding, what the user
// wrote, why there was no connection, and as much of the symptom as fits.
func (c *cache) finding(b *strings.Builder, r *session.Row, p kit.Props, on bool) {
	st, w := p.Styles, c.cols.finding
	if w <= 0 {
		b.WriteString(kit.Reset)
		return
	}
	f, again := kit.WorstFinding(r)
	body := kit.Plain
	if f != nil {
		role := kit.Severity(f.Severity.Rank())
		if again {
			role, body = kit.Dim, kit.Dim
		}
		letter := kit.SeverityLetter(f.Severity, p.Words)
		if again { // seen before: the sign says so without colour
			letter += "="
		}
		if w > 3 {
			letter += " "
		}
		letter = kit.Fit(letter, min(w, kit.Width(letter)))
		b.WriteString(st.SeqOn(role, on))
		b.WriteString(letter)
		w -= kit.Width(letter)
	}
	var text string
	say := func(role kit.Role, s string) {
		switch {
		case s == "":
		case text == "":
			text, body = s, role
		default:
			text += " · " + s
		}
	}
	if n := p.Note(r); n.Comment != "" {
		say(kit.Mark, "; "+kit.OneLine(n.Comment, 400))
	}
	say(body, kit.Failure(r.Call().Exchange, p.Words))
	if f != nil {
		what := slug(f.Rule)
		if c.cols.finding >= sentenceIn(p.Words) {
			what = kit.OneLine(p.Texts(f).Symptom, 400)
		}
		say(body, what)
	}
	b.WriteString(st.SeqOn(body, on))
	b.WriteString(kit.Fit(text, w))
	b.WriteString(kit.Reset)
}

// signs are the two cells before a row.
func signs(on, marked bool) string {
	switch {
	case on && marked:
		return ">*"
	case on:
		return "> "
	case marked:
		return " *"
	}
	return "  "
}

// slug is the last part of a rule's id: enough to tell findings apart in a narrow column.
func slug(r *diagnose.Rule) string {
	if i := strings.LastIndexByte(r.ID, '/'); i >= 0 {
		return r.ID[i+1:]
	}
	return r.ID
}
