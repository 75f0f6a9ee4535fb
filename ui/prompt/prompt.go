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
}

// New opens a prompt with what stood there before.
func New(k Kind, text string, history []string) Model {
	return Model{kind: k, input: kit.NewInput(text), before: text, history: history, at: len(history)}
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

// Height is the rows the prompt wants: one, and one for an error.
func (m Model) Height() int {
	if m.err != "" {
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
	switch k.Name {
	case "enter":
		if m.err != "" && m.kind == Filter {
			return m, nil // a filter that is wrong is not taken: the line says why
		}
		return m, m.intent(m.input.Text, true)
	case "esc", "ctrl+c":
		if m.kind == Command {
			return m, kit.Back{}
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
	if done {
		return kit.Command{Line: text}
	}
	return nil
}

// Keys describes the keys of the prompt.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{{Keys: "enter", Does: w.KeyTake}, {Keys: "esc", Does: w.KeyBack}, {Keys: "↑ ↓", Does: w.KeyHistory}}
}

// View draws the line.
func (m Model) View(p kit.Props, size kit.Size) string {
	row, _ := m.draw(p, size.W)
	sc := kit.NewScreen(size)
	sc.Row(row)
	if m.err != "" {
		text := m.err
		if m.column > 0 && !strings.HasPrefix(text, "column ") {
			text = p.Words.Column + " " + strconv.Itoa(m.column) + ": " + text
		}
		sc.Line(p.Styles, kit.Err, "  "+kit.OneLine(text, 600))
	}
	return sc.String()
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
	}
	sign := ""
	if m.kind != Command && m.input.Text != "" {
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
