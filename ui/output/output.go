package output

import (
	"context"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// Text is what is known of the output at one moment.
type Text struct {
	Lines []string // the newest; the last one may still grow
	Lost  int      // older ones that were dropped
	Rev   uint64   // changes with every change
	Ended bool     // the program has ended,
	Code  int      // with this exit code
}

// Source is where the output comes from.
type Source interface {
	// Next waits for something newer than rev. When ctx ends it returns at once,
	// with whatever there is.
	Next(ctx context.Context, rev uint64) Text
}

// Model is the pane of output.
type Model struct {
	name   string // of the program
	text   Text
	cut    *text.Doc
	pager  text.Pager
	scroll bool // somebody looks at older lines
	words  *lang.Words
}

// New returns the pane for a program; "" where there is none.
func New(name string) Model { return Model{name: name} }

// Take shows a newer text.
func (m Model) Take(t Text) Model {
	m.text, m.cut = t, nil
	return m
}

// Text is what is shown.
func (m Model) Text() Text { return m.text }

// headH is the title.
const headH = 1

// Sync takes the size and, where it has changed, the text.
func (m Model) Sync(p kit.Props) Model {
	size := kit.Size{W: p.Size.W, H: max(1, p.Size.H-headH)}
	m.pager = m.pager.Resize(size)
	if m.cut == nil || m.words != p.Words {
		m.words = p.Words
		m.cut = text.NewDoc(lines{m.text, p.Words})
		m.pager = m.pager.Replace(m.cut)
		if !m.scroll {
			m.pager, _, _ = m.pager.Key(kit.Key{Name: "G"})
		}
	}
	return m
}

// Key scrolls and leaves.
func (m Model) Key(k kit.Key, _ kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "esc", "q", "O":
		return m, kit.Back{}
	case "G", "end":
		m.scroll = false
	case "k", "up", "ctrl+u", "ctrl+b", "pgup", "g", "home", "wheelup":
		m.scroll = true
	case "click":
		return m, nil
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
	if m.pager, ok = m.pager.Search(q, dir); ok {
		m.scroll = true
	}
	return m, ok
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{
		{Keys: "j k / n", Does: w.KeyScroll},
		{Keys: "g G", Does: w.KeyOutputEnds},
		{Keys: "W", Does: w.KeyWrap},
		{Keys: "esc q O", Does: w.KeyBack},
	}
}

// View draws the title and the lines.
func (m Model) View(p kit.Props, size kit.Size) string {
	sc := kit.NewScreen(size)
	name := kit.OneLine(m.name, 60)
	switch {
	case m.name == "":
		sc.Line(p.Styles, kit.Dim, "  "+p.Words.NoProgram)
		return sc.String()
	case m.text.Ended:
		sc.Line(p.Styles, kit.Title, "  "+p.Words.OutputEnded(name, m.text.Code))
	default:
		sc.Line(p.Styles, kit.Title, "  "+p.Words.OutputRunning(name))
	}
	if size.H <= headH {
		return sc.String()
	}
	for line := range strings.SplitSeq(m.pager.Resize(kit.Size{W: size.W, H: size.H - headH}).View(p.Styles, p.Focus), "\n") {
		sc.Row(line)
	}
	return sc.String()
}

// lines is the output as a block of a document: a line is cleaned when it is
// looked at.
type lines struct {
	text  Text
	words *lang.Words
}

// first is the number of lines before the output itself.
func (l lines) first() int {
	if l.text.Lost > 0 || len(l.text.Lines) == 0 {
		return 1
	}
	return 0
}

// Grow has nothing to do: all lines are there.
func (l lines) Grow(int) {}

// Len is the number of lines.
func (l lines) Len() (int, bool) { return len(l.text.Lines) + l.first(), true }

// Line makes a line.
func (l lines) Line(i int) text.Line {
	if i -= l.first(); i < 0 {
		s := l.words.NoOutputYet
		if l.text.Lost > 0 {
			s = l.words.OutputLost(l.text.Lost)
		}
		return text.Line{Segs: []text.Seg{{Text: s, Role: kit.Dim}}}
	}
	if i >= len(l.text.Lines) {
		return text.Line{}
	}
	return text.Line{Segs: []text.Seg{{Text: kit.Clean(ansi.Strip(l.text.Lines[i]))}}}
}
