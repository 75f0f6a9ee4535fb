package findings

import (
	"sort"
	"strconv"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// Model is the pane of findings.
type Model struct {
	view   *session.View
	from   int
	groups []*group
	open   map[string]bool
	lines  []line
	cursor int
	top    int
}

// group is the findings of one rule.
type group struct {
	rule  *diagnose.Rule
	worst diagnose.Severity
	first *diagnose.Finding
	rows  []*session.Row
	times int
}

// line is a row of the pane: a group, or an exchange of an open one.
type line struct {
	g   *group
	row *session.Row
}

// New returns the pane.
func New() Model { return Model{open: map[string]bool{}} }

// Sync collects the findings of a new view.
func (m Model) Sync(p kit.Props) Model {
	if m.view != p.View || m.from != p.From {
		m.view, m.from = p.View, p.From
		m.groups = collect(p.View, p.From)
	}
	m.lines = m.lines[:0:0]
	for _, g := range m.groups {
		m.lines = append(m.lines, line{g: g})
		if m.open[g.rule.ID] || len(m.groups) == 1 {
			for _, r := range g.rows {
				m.lines = append(m.lines, line{g, r})
			}
		}
	}
	m.cursor = max(0, min(m.cursor, len(m.lines)-1))
	m.top = kit.Window(m.top, m.cursor, p.Size.H-1, len(m.lines))
	return m
}

func collect(v *session.View, from int) []*group {
	by := map[string]*group{}
	var out []*group
	for i := from; i < v.Rows.Len(); i++ {
		r := v.Rows.At(i)
		for _, f := range r.Findings {
			if f.FollowsFrom != nil {
				continue
			}
			g := by[f.Rule.ID]
			if g == nil {
				g = &group{rule: f.Rule, first: f}
				by[f.Rule.ID] = g
				out = append(out, g)
			}
			if f.Severity.Rank() > g.worst.Rank() {
				g.worst = f.Severity
			}
			g.times++
			if n := len(g.rows); n == 0 || g.rows[n-1] != r {
				g.rows = append(g.rows, r)
			}
		}
	}
	sort.SliceStable(out, func(a, b int) bool {
		if x, y := out[a].worst.Rank(), out[b].worst.Rank(); x != y {
			return x > y
		}
		return out[a].times > out[b].times
	})
	return out
}

// Meet moves the cursor to the rule of a row's worst finding, where there is
// one, and returns the exchange that the cursor stands on, nil for none.
func (m Model) Meet(r *session.Row, p kit.Props) (Model, *session.Row) {
	m = m.Sync(p)
	if r != nil {
		if f, _ := kit.WorstFinding(r); f != nil {
			for i, l := range m.lines {
				if l.g.rule.ID == f.Rule.ID && (l.row == nil || l.row == r) {
					m.cursor = i
				}
			}
			m = m.Sync(p)
		}
	}
	if len(m.lines) == 0 {
		return m, nil
	}
	l := m.lines[m.cursor]
	if l.row != nil {
		return m, l.row
	}
	for _, x := range l.g.rows {
		if x == r {
			return m, r
		}
	}
	return m, l.g.rows[0]
}

// Key moves, opens groups and shows exchanges.
func (m Model) Key(k kit.Key, p kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "esc", "q", "!":
		return m, kit.Back{}
	case "click":
		at := m.top + k.Y - 1
		if k.Y < 1 || at >= len(m.lines) {
			return m, nil
		}
		m.cursor = at
		return m.enter(p)
	case "enter", "right", "l":
		return m.enter(p)
	case "left", "h":
		if len(m.lines) > 0 {
			g := m.lines[m.cursor].g
			for i, l := range m.lines {
				if l.g == g {
					m.cursor = i
					break
				}
			}
			m.open = with(m.open, g.rule.ID, false)
		}
		return m.Sync(p), nil
	}
	if at, ok := kit.Move(k.Name, m.cursor, len(m.lines), p.Size.H-1); ok {
		m.cursor = at
		m = m.Sync(p)
		if at >= len(m.lines) {
			return m, nil
		}
		r := m.lines[at].row
		if r == nil {
			r = m.lines[at].g.rows[0]
		}
		return m, kit.SelectExchange{ID: r.ID()}
	}
	return m, kit.Unused{}
}

func (m Model) enter(p kit.Props) (Model, kit.Intent) {
	if len(m.lines) == 0 {
		return m, nil
	}
	l := m.lines[m.cursor]
	if l.row == nil {
		if len(l.g.rows) == 1 { // nothing to choose from
			return m, show(l.g.rows[0])
		}
		m.open = with(m.open, l.g.rule.ID, !m.open[l.g.rule.ID])
		return m.Sync(p), nil
	}
	return m, show(l.row)
}

func show(r *session.Row) kit.Intent {
	return kit.OpenExchange{ID: r.ID(), Tab: kit.TabDiagnosis}
}

// with returns the map with one member changed: models are values.
func with(m map[string]bool, k string, v bool) map[string]bool {
	n := make(map[string]bool, len(m)+1)
	for a, b := range m {
		n[a] = b
	}
	n[k] = v
	return n
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{
		{Keys: "j k ↑ ↓", Does: w.KeyMove},
		{Keys: "enter → ←", Does: w.KeyGroup},
		{Keys: "esc q !", Does: w.KeyBack},
	}
}

// View draws the groups.
func (m Model) View(p kit.Props, size kit.Size) string {
	st, w := p.Styles, p.Words
	sc := kit.NewScreen(size)
	sc.Line(st, kit.Dim, "  "+w.FindingsTitle(p.Sums.Errors, p.Sums.Warnings, p.Sums.Infos))
	if len(m.lines) == 0 {
		sc.Blank(1)
		text := w.NoFindingsYet
		if p.View.Done {
			text = w.NoFindingsAtAll
		}
		for _, l := range kit.Wrap(text, max(10, min(size.W-4, 76))) {
			sc.Line(st, kit.Plain, "  "+l)
		}
		return sc.String()
	}
	for i := m.top; i < len(m.lines) && sc.Left() > 0; i++ {
		sc.Row(m.line(p, m.lines[i], size.W, i == m.cursor))
	}
	return sc.String()
}

func (m Model) line(p kit.Props, l line, w int, on bool) string {
	cur := "  "
	if on {
		cur = "> "
	}
	var ps []kit.Piece
	if l.row == nil {
		fold := "+ "
		switch {
		case len(l.g.rows) == 1:
			fold = "  "
		case m.open[l.g.rule.ID] || len(m.groups) == 1:
			fold = "- "
		}
		ps = []kit.Piece{
			{Text: cur + fold, Role: kit.Accent},
			{Text: kit.SeverityLetter(l.g.worst, p.Words) + " ", Role: kit.Severity(l.g.worst.Rank())},
			{Text: kit.FitRight(strconv.Itoa(len(l.g.rows))+"×", 6) + "  ", Role: kit.Bold},
			{Text: kit.OneLine(p.Texts(l.g.first).Symptom, 400) + "  ", Role: kit.Plain},
			{Text: l.g.rule.ID, Role: kit.Dim},
		}
	} else {
		status, role := kit.Status(l.row.Call(), p.Words)
		ps = []kit.Piece{
			{Text: cur + "      ", Role: kit.Accent},
			{Text: kit.FitRight(kit.Number(l.row), 7) + "  ", Role: kit.Dim},
			{Text: p.At(l.row.At) + "  ", Role: kit.Dim},
			{Text: kit.Fit(kit.Operation(l.row, p.Words), 24) + " ", Role: kit.Plain},
			{Text: kit.Fit(status, 19) + " ", Role: role},
			{Text: kit.Peers(l.row, true), Role: kit.Dim},
		}
	}
	return kit.PiecesOn(p.Styles, w, kit.Plain, on, ps...)
}
