package lesson

import (
	"strings"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// Model is the pane of a lesson.
type Model struct {
	source string
	pager  text.Pager
}

// New makes the pane; it is empty where there is no lesson.
func New(markdown string) Model {
	return Model{source: markdown, pager: text.Pager{}.Show(text.NewDoc(render(markdown)))}
}

// Empty reports whether there is nothing to read.
func (m Model) Empty() bool { return strings.TrimSpace(m.source) == "" }

// Sync takes the size.
func (m Model) Sync(p kit.Props) Model {
	m.pager = m.pager.Resize(p.Size)
	return m
}

// Key scrolls.
func (m Model) Key(k kit.Key, _ kit.Props) (Model, kit.Intent) {
	switch k.Name {
	case "esc", "q":
		return m, kit.Back{}
	}
	pager, _, ok := m.pager.Key(k)
	if !ok {
		return m, kit.Unused{}
	}
	m.pager = pager
	return m, nil
}

// Keys describes the keys of the pane.
func (m Model) Keys(w *lang.Words) []kit.Binding {
	return []kit.Binding{{Keys: "t", Does: w.KeyLesson}, {Keys: "j k", Does: w.KeyScroll}}
}

// View draws the text.
func (m Model) View(p kit.Props, size kit.Size) string {
	return m.pager.Resize(size).View(p.Styles, p.Focus)
}

func render(md string) *text.Static {
	s := &text.Static{}
	var para []string // the paragraph or list item being collected
	hang := 0
	role := kit.Plain
	flush := func() {
		if len(para) > 0 {
			line(s, join(para), hang, role)
		}
		para, hang, role = nil, 0, kit.Plain
	}
	item := func(h int, r kit.Role, first string) {
		flush()
		para, hang, role = []string{first}, h, r
	}
	code := false
	for raw := range strings.SplitSeq(strings.ReplaceAll(md, "\r\n", "\n"), "\n") {
		t := strings.TrimSpace(raw)
		switch {
		case strings.HasPrefix(t, "```"):
			flush()
			code = !code
		case code:
			s.Add(text.Seg{Text: "  " + kit.Clean(raw), Role: kit.SynString})
		case t == "":
			flush()
			s.Blank()
		case strings.HasPrefix(t, "#"):
			flush()
			s.Blank().Add(text.Seg{Text: kit.Clean(strings.TrimSpace(strings.TrimLeft(t, "#"))), Role: kit.Title})
		case strings.HasPrefix(t, "- "), strings.HasPrefix(t, "* "):
			item(2, kit.Plain, "• "+t[2:])
		case numbered(t):
			item(3, kit.Plain, t)
		case strings.HasPrefix(t, "> "):
			if role == kit.Dim {
				para = append(para, t[2:])
			} else {
				item(0, kit.Dim, t[2:])
			}
		case strings.HasPrefix(t, "|"):
			flush()
			s.Add(text.Seg{Text: kit.Clean(t)})
		default:
			para = append(para, t)
		}
	}
	flush()
	return s
}

// join puts the lines of a paragraph together; Chinese text takes no blank between them.
func join(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		if b.Len() > 0 {
			last, first := lastRune(b.String()), firstRune(l)
			if kit.RuneWidth(last) == 1 || kit.RuneWidth(first) == 1 {
				b.WriteByte(' ')
			}
		}
		b.WriteString(l)
	}
	return b.String()
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return ' '
}

func lastRune(s string) (last rune) {
	for _, r := range s[max(0, len(s)-4):] {
		last = r
	}
	return last
}

// emphasis reports whether a text begins with *words*: a star that stands alone
// or between blanks is a star.
func emphasis(t string) bool {
	if len(t) < 3 || t[0] != '*' || t[1] == ' ' {
		return false
	}
	end := strings.IndexByte(t[1:], '*')
	return end > 0 && t[end] != ' '
}

func numbered(t string) bool {
	i := 0
	for i < len(t) && t[i] >= '0' && t[i] <= '9' {
		i++
	}
	return i > 0 && strings.HasPrefix(t[i:], ". ")
}

// line adds a line with `code` and **emphasis** in it.
func line(s *text.Static, t string, hang int, role kit.Role) {
	var segs []text.Seg
	for t != "" {
		i := strings.IndexAny(t, "`*")
		switch {
		case i < 0:
			i = len(t)
			fallthrough
		default:
			if i > 0 {
				segs = append(segs, text.Seg{Text: kit.Clean(t[:i]), Role: role})
			}
			t = t[i:]
		}
		mark, style := "`", kit.SynString
		switch {
		case t == "":
			continue
		case strings.HasPrefix(t, "**"):
			mark, style = "**", kit.Bold
		case emphasis(t):
			mark, style = "*", kit.Accent
		case t[0] == '*':
			segs = append(segs, text.Seg{Text: "*", Role: role})
			t = t[1:]
			continue
		}
		end := strings.Index(t[len(mark):], mark)
		if end < 0 {
			segs = append(segs, text.Seg{Text: kit.Clean(t), Role: role})
			break
		}
		segs = append(segs, text.Seg{Text: kit.Clean(t[len(mark) : len(mark)+end]), Role: style})
		t = t[len(mark)*2+end:]
	}
	s.AddLine(text.Line{Segs: segs, Hang: hang})
}
