package kit

import (
	"unicode"
	"unicode/utf8"
)

// Input is a line being typed.
type Input struct {
	Text string
	Pos  int // byte offset of the cursor
}

// NewInput starts with text and the cursor behind it.
func NewInput(text string) Input { return Input{Text: text, Pos: len(text)} }

// Key edits the line; ok is false when the key has no meaning in a line.
func (in Input) Key(k Key) (_ Input, ok bool) {
	switch k.Name {
	case "backspace", "ctrl+h":
		_, n := utf8.DecodeLastRuneInString(in.Text[:in.Pos])
		in.Text, in.Pos = in.Text[:in.Pos-n]+in.Text[in.Pos:], in.Pos-n
	case "delete", "ctrl+d":
		_, n := utf8.DecodeRuneInString(in.Text[in.Pos:])
		in.Text = in.Text[:in.Pos] + in.Text[in.Pos+n:]
	case "left", "ctrl+b":
		_, n := utf8.DecodeLastRuneInString(in.Text[:in.Pos])
		in.Pos -= n
	case "right", "ctrl+f":
		_, n := utf8.DecodeRuneInString(in.Text[in.Pos:])
		in.Pos += n
	case "home", "ctrl+a":
		in.Pos = 0
	case "end", "ctrl+e":
		in.Pos = len(in.Text)
	case "ctrl+u":
		in.Text, in.Pos = in.Text[in.Pos:], 0
	case "ctrl+k":
		in.Text = in.Text[:in.Pos]
	case "ctrl+w", "alt+backspace":
		i := in.Pos
		for i > 0 && in.Text[i-1] == ' ' {
			i--
		}
		for i > 0 && in.Text[i-1] != ' ' {
			i--
		}
		in.Text, in.Pos = in.Text[:i]+in.Text[in.Pos:], i
	default:
		if k.Text == "" {
			return in, false
		}
		return in.Insert(k.Text), true
	}
	return in, true
}

// Insert types text, pasted text too: control characters and line breaks become spaces.
func (in Input) Insert(text string) Input {
	const longest = 4000 // a filter of that size is a paste by mistake
	b := make([]rune, 0, len(text))
	for _, r := range text {
		if unicode.IsControl(r) || r == utf8.RuneError {
			r = ' '
		}
		b = append(b, r)
	}
	t := string(b)
	if len(in.Text)+len(t) > longest {
		return in
	}
	in.Text, in.Pos = in.Text[:in.Pos]+t+in.Text[in.Pos:], in.Pos+len(t)
	return in
}

// View draws the line into exactly w cells so that the cursor is visible; x is its cell.
func (in Input) View(st *Styles, r Role, w int) (row string, x int) {
	head := Clean(in.Text[:in.Pos])
	tail := Clean(in.Text[in.Pos:])
	for Width(head) > w-1 { // keep the end of what is before the cursor
		_, n := utf8.DecodeRuneInString(head)
		head = head[n:]
	}
	x = Width(head)
	return st.Seq(r) + Fit(head+tail, w) + Reset, x
}
