package prompt

import (
	"strconv"
	"strings"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

// Kind of what is typed.
type Kind uint8

// The kinds.
const (
	Filter Kind = iota
	Search
	Command
	Save    // the name of a file
	Comment // on an exchange
	Kinds   // how many there are
)

// Model is an open prompt.
type Model struct {
	kind    Kind
	input   kit.Input
	before  string // to return to on esc
	history []string
	at      int
	err     string
	column  int // of the error, from 1; 0 unknown

	complete func(line string) []string // nil: tab does nothing
	stem     string                     // what tab began with
	tries    []string                   // what tab goes through
	try      int
}

// New opens a prompt with what stood there before.
func New(k Kind, text string, history []string) Model {
	return Model{kind: k, input: kit.NewInput(text), before: text, history: history, at: len(history)}
}

// Completing makes tab complete the line, and the row below show what fits.
func (m Model) Completing(f func(line string) []string) Model {
	m.complete = f
	return m
}

// Kind returns what is typed.
func (m Model) Kind() Kind { return m.kind }

// Text returns what stands in the line.
func (m Model) Text() string { return m.input.Text }

// Fault tells the prompt what is wrong with its text; an empty text means nothing is.
func (m Model) Fault(text string, column int) Model {
	m.err, m.column = text, column
	return m
}

// Sync has nothing to do.
func (m Model) Sync(kit.Props) Model { return m }

// Height is the rows the prompt wants: one, and one for an error or for what fits.
func (m Model) Height() int {
	if m.err != "" || m.complete != nil {
		return 2
	}
	return 1
}

// Paste types pasted text.
func (m Model) Paste(text string) (Model, kit.Intent) {
	m.input = m.input.Insert(text)
	return m, m.intent(m.input.Text, false)
}

// Key edits the line.
func (m Model) Key(k kit.Key, _ kit.Props) (Model, kit.Intent) {
	if k.Name != "tab" && k.Name != "shift+tab" {
		m.tries = nil
	}
	switch k.Name {
	case "tab", "shift+tab":
		return m.tab(k.Name == "tab"), nil
	case "enter":
		if m.err != "" && m.kind == Filter {
			return m, nil // a filter that is wrong is not taken: the line says why
		}
		return m, m.intent(m.input.Text, true)
	case "esc", "ctrl+c":
		switch m.kind {
		case Command, Comment:
			return m, kit.Back{}
		case Save:
			return m, kit.SaveAs{}
		}
		return m, m.intent(m.before, true)
	case "up", "ctrl+p", "down", "ctrl+n":
		step := 1
		if k.Name == "up" || k.Name == "ctrl+p" {
			step = -1
		}
		m.at = max(0, min(m.at+step, len(m.history)))
		text := ""
		if m.at < len(m.history) {
			text = m.history[m.at]
		}
		m.input = kit.NewInput(text)
		return m, m.intent(text, false)
	case "backspace":
		if m.input.Text == "" && m.kind == Command {
			return m, kit.Back{}
		}
	case "click", "wheelup", "wheeldown":
		return m, nil
	}
	in, ok := m.input.Key(k)
	if !ok {
		return m, nil
	}
	changed := in.Text != m.input.Text
	m.input = in
	if !changed {
		return m, nil
	}
	return m, m.intent(in.Text, false)
}

func (m Model) intent(text string, done bool) kit.Intent {
	switch m.kind {
	case Filter:
		return kit.FilterText{Text: text, Done: done}
	case Search:
		return kit.SearchText{Text: text, Done: done}
	}
	switch {
	case !done:
		return nil
	case m.kind == Save:
		return kit.SaveAs{Name: text}
	case m.kind == Comment:
		return kit.Comment{Text: text}
	}
	return kit.Command{Line: text}
}

// tab completes as far as all that fits agrees, then goes through it.
func (m Model) tab(forward bool) Model {
	if m.complete == nil {
		return m
	}
	if m.tries == nil {
		m.stem, m.tries, m.try = m.input.Text, m.complete(m.input.Text), -1
		if len(m.tries) == 0 {
			return m
		}
		if same := common(m.tries); len(same) > len(m.stem) {
			m.input, m.tries = kit.NewInput(same), nil
			return m
		}
	}
	if len(m.tries) == 0 {
		return m
	}
	if forward {
		m.try++
	} else {
		m.try += len(m.tries) - 1
		if m.try < len(m.tries)-1 && m.input.Text == m.stem { // the first time: the last one
			m.try = len(m.tries) - 1
		}
	}
	m.try %= len(m.tries)
	m.input = kit.NewInput(m.tries[m.try])
	return m
}

// common is what all lines begin with.
func common(lines []string) string {
	first := lines[0]
	for _, l := range lines[1:] {
		n := 0
		for n < len(first) && n < len(l) && first[n] == l[n] {
			n++
		}
		first = first[:n]
	}
	return first
}

// Keys describes the keys of the prompt.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{{Keys: "enter", Does: w.KeyTake}, {Keys: "esc", Does: w.KeyBack}, {Keys: "↑ ↓", Does: w.KeyHistory}, {Keys: "tab", Does: w.KeyComplete}}
}

// View draws the line.
func (m Model) View(p kit.Props, size kit.Size) string {
	row, _ := m.draw(p, size.W)
	sc := kit.NewScreen(size)
	sc.Row(row)
	switch {
	case m.err == "" && m.complete != nil:
		sc.Row(kit.Pieces(p.Styles, size.W, kit.Dim, m.fitting()...))
	case m.err != "":
		text := m.err
		if m.column > 0 && !strings.HasPrefix(text, "column ") {
			text = p.Words.Column + " " + strconv.Itoa(m.column) + ": " + text
		}
		sc.Line(p.Styles, kit.Err, "  "+kit.OneLine(text, 600))
	}
	return sc.String()
}

// fitting lists what the line may become; the one that tab stands on is lit.
func (m Model) fitting() []kit.Piece {
	tries, at := m.tries, m.try
	if len(tries) == 0 {
		tries, at = m.complete(m.input.Text), -1
	}
	ps := []kit.Piece{{Text: "  ", Role: kit.Dim}}
	for i, t := range tries {
		role := kit.Dim
		if i == at {
			role = kit.Keycap
		}
		ps = append(ps, kit.Piece{Text: strings.TrimSpace(t), Role: role}, kit.Piece{Text: "  ", Role: kit.Dim})
	}
	return ps
}

// Cursor returns the cell of the cursor.
func (m Model) Cursor(p kit.Props, w int) int {
	_, x := m.draw(p, w)
	return x
}

func (m Model) draw(p kit.Props, w int) (row string, x int) {
	label, role := p.Words.PromptCommand, kit.Typed
	switch m.kind {
	case Filter:
		label = p.Words.PromptFilter
	case Search:
		label = p.Words.PromptSearch
	case Save:
		label = p.Words.PromptSave
	case Comment:
		label = p.Words.PromptComment
	}
	sign := ""
	if (m.kind == Filter || m.kind == Search) && m.input.Text != "" {
		sign = " " + p.Words.LetterOK
		if m.err != "" {
			role, sign = kit.TypedBad, " "+p.Words.LetterError
		}
	}
	head, tail := kit.Width(label), kit.Width(sign)
	room := max(4, w-head-tail)
	line, x := m.input.View(p.Styles, role, room)
	row = p.Styles.Seq(kit.Keycap) + label + line + p.Styles.Seq(role) + sign + kit.Reset
	return row, head + x
}
