package review

import (
	"slices"
	"strconv"
	"strings"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// Model is the pane of the review.
type Model struct {
	part   int
	view   *session.View
	open   map[string]bool // subjects that were opened or closed, by openKey
	all    []*subject
	lines  []line
	chosen [len(parts)]key // of each part
	cursor int
	top    int
	inside bool // the keys move in the answer
	find   *finder

	made  made
	pager text.Pager
}

// made is what the document depends on.
type made struct {
	key    key
	part   int
	of     any
	words  *lang.Words
	redact bool
}

// New returns the pane.
func New() Model {
	return Model{open: map[string]bool{}, find: &finder{map[ref]int{}}}
}

// beside is the width from which the answer stands beside the list.
const beside = 120

// areas are the sizes of the list and of the answer.
func areas(size kit.Size, n int) (list, answer kit.Size) {
	h := max(1, size.H-1)
	if size.W >= beside {
		w := min(76, max(60, size.W*45/100))
		return kit.Size{W: w, H: h}, kit.Size{W: size.W - w - 1, H: h}
	}
	lh := max(1, min(n, max(4, h/2), h-2))
	return kit.Size{W: size.W, H: lh}, kit.Size{W: size.W, H: max(1, h-lh-1)}
}

// Sync takes a new view and size; what was chosen stays so.
func (m Model) Sync(p kit.Props) Model {
	if m.view != p.View {
		m.view = p.View
		m = m.collect()
	}
	if len(m.lines) == 0 {
		return m
	}
	m.chosen[m.part] = m.lines[m.cursor].key()
	list, body := areas(p.Size, len(m.lines))
	m.top = kit.Window(m.top, m.cursor, list.H, len(m.lines))
	l := m.lines[m.cursor]
	if now := (made{l.key(), m.part, l.s.of, p.Words, p.Redact}); now != m.made {
		doc := m.build(l, p)
		if now.key == m.made.key && now.part == m.made.part {
			m.pager = m.pager.Replace(doc)
		} else {
			m.pager = m.pager.Resize(body).Show(doc)
		}
		m.made = now
	}
	m.pager = m.pager.Resize(body)
	return m
}

// collect makes the lines of the part from the view, and finds what was chosen.
func (m Model) collect() Model {
	m.all = subjects(m.view, parts[m.part])
	m.find.learn(m.view, refs(m.all))
	m.lines = nil
	for _, s := range m.all {
		m.lines = append(m.lines, line{s, -1})
		if m.opened(s, len(m.all)) {
			for i := range s.questions {
				m.lines = append(m.lines, line{s, i})
			}
		}
	}
	want := m.chosen[m.part]
	at := slices.IndexFunc(m.lines, func(l line) bool { return l.key() == want })
	if at < 0 {
		at = slices.IndexFunc(m.lines, func(l line) bool { return l.key() == want.subject() })
	}
	if at < 0 {
		at = m.first()
	}
	m.cursor = max(0, min(at, len(m.lines)-1))
	return m
}

// first is the line to begin with: the first thing that failed, else the first
// hole in the coverage.
func (m Model) first() int {
	for _, a := range []diagnose.Answer{diagnose.Failed, diagnose.Partly, diagnose.NotSeen} {
		at := slices.IndexFunc(m.lines, func(l line) bool { return l.state() != nil && l.state().Answer == a })
		if at >= 0 || parts[m.part] != "coverage" {
			return at
		}
	}
	return -1
}

func (m Model) show(part int, p kit.Props) Model {
	m.part, m.top, m.inside = (part+len(parts))%len(parts), 0, false
	m.view = nil
	return m.Sync(p)
}

// Key moves over the list, or in the answer.
func (m Model) Key(k kit.Key, p kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "1", "2", "3":
		return m.show(int(k.Name[0]-'1'), p), nil
	case "tab":
		return m.show(m.part+1, p), nil
	case "shift+tab":
		return m.show(m.part-1, p), nil
	case "R":
		return m, kit.Back{}
	case "c":
		return m, m.copy(p)
	case "esc", "q":
		if m.inside {
			m.inside = false
			return m, nil
		}
		return m, kit.Back{}
	case "click":
		return m.click(k, p)
	}
	if len(m.lines) == 0 {
		return m, kit.Unused{}
	}
	if m.inside {
		return m.within(k)
	}
	l := m.lines[m.cursor]
	switch k.Name {
	case "enter":
		return m.enter(l, p)
	case "right", "l":
		m.inside = true
		return m, nil
	case "left", "h":
		if l.question >= 0 {
			m.cursor -= l.question + 1
			return m.Sync(p), nil
		}
		return m.fold(l.s, false, p), nil
	}
	list, _ := areas(p.Size, len(m.lines))
	if at, ok := kit.Move(k.Name, m.cursor, len(m.lines), list.H); ok {
		m.cursor = at
		return m.Sync(p), nil
	}
	return m, kit.Unused{}
}

// within is a key while the keys move in the answer.
func (m Model) within(k kit.Key) (Model, kit.Intent) {
	if k.Name == "left" || k.Name == "h" {
		m.inside = false
		return m, nil
	}
	pager, in, ok := m.pager.Key(k)
	if !ok {
		return m, kit.Unused{}
	}
	m.pager = pager
	return m, in
}

// enter opens a subject or closes it, and leads to the exchange that shows an answer.
func (m Model) enter(l line, p kit.Props) (Model, kit.Intent) {
	q := l.state()
	if q == nil {
		return m.fold(l.s, !m.opened(l.s, len(m.all)), p), nil
	}
	id, ok := shows(q)
	if !ok {
		return m, kit.Say{Text: p.Words.Review.NotSeenYet}
	}
	row := m.find.row(p.View, ref{l.s.file, id})
	if row == nil {
		return m, kit.Say{Text: p.Words.ExchangeGone}
	}
	return m, kit.OpenRow{Index: row.Index, Tab: kit.TabDiagnosis}
}

func (m Model) fold(s *subject, open bool, p kit.Props) Model {
	n := make(map[string]bool, len(m.open)+1) // models are values
	for k, v := range m.open {
		n[k] = v
	}
	n[openKey(s)] = open
	m.open, m.view = n, nil
	return m.Sync(p)
}

func (m Model) click(k kit.Key, p kit.Props) (Model, kit.Intent) {
	if k.Y == 0 {
		if part := tabAt(k.X, m.part, p); part >= 0 {
			return m.show(part, p), nil
		}
		return m, nil
	}
	list, _ := areas(p.Size, len(m.lines))
	k.Y--
	switch wide := p.Size.W >= beside; {
	case k.Y < list.H && (!wide || k.X < list.W):
		if m.top+k.Y < len(m.lines) {
			m.cursor, m.inside = m.top+k.Y, false
		}
		return m.Sync(p), nil
	case wide:
	case k.Y == list.H: // the line between the two
		return m, nil
	default:
		k.Y -= list.H + 1
	}
	m.inside = len(m.lines) > 0
	if !m.inside {
		return m, nil
	}
	return m.within(k)
}

// copy copies the commands that would show what was not seen.
func (m Model) copy(p kit.Props) kit.Intent {
	if len(m.lines) == 0 || m.lines[m.cursor].state() == nil {
		return kit.Say{Text: p.Words.NothingToCopy}
	}
	l := m.lines[m.cursor]
	cs := l.state().Question.Commands(masked(l.s.at))
	if len(cs) == 0 {
		return kit.Say{Text: p.Words.Review.NothingRun}
	}
	return kit.Copy{Text: strings.Join(cs, "\n") + "\n"}
}

// Search moves to a match in the answer.
func (m Model) Search(q string, dir int) (Model, bool) {
	var ok bool
	m.pager, ok = m.pager.Search(q, dir)
	return m, ok
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	r := &w.Review
	return []kit.Binding{
		{Keys: "1 2 3 tab shift+tab", Does: r.KeyTabs},
		{Keys: "j k ↑ ↓", Does: w.KeyMove},
		{Keys: "enter", Does: r.KeyOpen},
		{Keys: "→ l", Does: r.KeyInside},
		{Keys: "← h", Does: r.KeyOutside},
		{Keys: "c", Does: r.KeyCopy},
		{Keys: "esc q R", Does: w.KeyBack},
	}
}

// View draws the parts, the list, and the answer.
func (m Model) View(p kit.Props, size kit.Size) string {
	st, w := p.Styles, &p.Words.Review
	sc := kit.NewScreen(size)
	head := tabs(m.part, p)
	hint := w.HintList
	if m.inside {
		hint = w.HintInside
	}
	if size.W >= beside && len(m.lines) > 0 {
		list, _ := areas(size, len(m.lines))
		head = append(head, kit.Piece{Text: kit.Spaces(list.W - cells(head) + 3), Role: kit.Plain}, kit.Piece{Text: hint, Role: kit.Dim})
	}
	sc.Row(kit.Pieces(st, size.W, kit.Plain, head...))
	if len(m.lines) == 0 {
		sc.Blank(1)
		for _, l := range kit.Wrap(w.EmptyPane, max(10, min(size.W-4, 76))) {
			sc.Line(st, kit.Plain, "  "+l)
		}
		return sc.String()
	}
	list, _ := areas(size, len(m.lines))
	left := kit.NewScreen(list)
	for i := m.top; i < len(m.lines) && left.Left() > 0; i++ {
		left.Row(m.row(p, m.lines[i], list.W, i == m.cursor))
	}
	answer := m.pager.View(st, m.inside)
	if size.W >= beside {
		var b strings.Builder
		sep := st.Seq(kit.Border) + "│" + kit.Reset
		kit.Beside(&b, sep, left.String(), answer)
		answer = b.String()
	} else {
		for row := range strings.SplitSeq(left.String(), "\n") {
			sc.Row(row)
		}
		sc.Row(kit.Rule(st, size.W, hint))
	}
	for row := range strings.SplitSeq(answer, "\n") {
		sc.Row(row)
	}
	return sc.String()
}

// row draws a line of the list.
func (m Model) row(p kit.Props, l line, w int, on bool) string {
	r := &p.Words.Review
	cur := "  "
	if on {
		cur = "> "
	}
	q := l.state()
	if q == nil {
		fold := "+ "
		if m.opened(l.s, len(m.all)) {
			fold = "- "
		}
		ps := []kit.Piece{{Text: cur + fold, Role: kit.Accent}, {Text: l.s.who(r), Role: kit.Bold}}
		if len(p.View.Files) > 1 && l.s.file < len(p.View.Files) {
			ps = append(ps, kit.Piece{Text: "  " + kit.FileName(p.View.Files[l.s.file].Name, p.Words), Role: kit.Dim})
		}
		return kit.PiecesOn(p.Styles, w, kit.Plain, on, append(ps, kit.Piece{Text: "  " + l.s.sum(r, p.Lang), Role: kit.Dim})...)
	}
	sign, role := mark(q.Answer)
	number := ""
	if id, ok := shows(q); ok {
		if row := m.find.row(p.View, ref{l.s.file, id}); row != nil {
			number = kit.Number(row)
		}
	}
	ps := []kit.Piece{
		{Text: cur + "  ", Role: kit.Accent},
		{Text: sign + " ", Role: role},
		{Text: kit.Fit(l.name(), 4), Role: kit.Accent},
		{Text: kit.Fit(r.AnswerWord(l.s.list, string(q.Answer)), 9) + " ", Role: role},
		{Text: kit.Fit(number, 6) + " ", Role: kit.Dim},
	}
	if l.question == l.s.cause {
		ps = append(ps, kit.Piece{Text: q.Question.Title.In(p.Lang) + "  ", Role: kit.Bold}, kit.Piece{Text: "← " + r.CauseShort, Role: kit.Err})
	} else {
		ps = append(ps, kit.Piece{Text: q.Question.Title.In(p.Lang), Role: kit.Plain})
	}
	return kit.PiecesOn(p.Styles, w, kit.Plain, on, ps...)
}

// tabs are the three parts; brackets: the chosen one is seen without colour.
func tabs(chosen int, p kit.Props) []kit.Piece {
	ps := []kit.Piece{{Text: "  ", Role: kit.Plain}}
	for i, part := range parts {
		role, name := kit.TabOff, " "+strconv.Itoa(i+1)+" "+p.Words.Review.Tab[part]+" "
		if i == chosen {
			role, name = kit.TabOn, "["+strings.TrimSpace(name)+"]"
		}
		ps = append(ps, kit.Piece{Text: name, Role: role}, kit.Piece{Text: " ", Role: kit.Plain})
	}
	return ps
}

func cells(ps []kit.Piece) (n int) {
	for _, p := range ps {
		n += kit.Width(p.Text)
	}
	return n
}

// tabAt is the part under a cell of the first row, -1 for none.
func tabAt(x, chosen int, p kit.Props) int {
	at := 0
	for i, piece := range tabs(chosen, p) {
		if at += kit.Width(piece.Text); x < at {
			if i%2 == 1 {
				return i / 2
			}
			return -1
		}
	}
	return -1
}
