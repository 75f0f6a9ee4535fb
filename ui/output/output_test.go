package output

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

func frame(m Model, p kit.Props) (Model, string) {
	m = m.Sync(p)
	return m, ansi.Strip(m.View(p, p.Size))
}

func TestOutput(t *testing.T) {
	p := kit.Props{Words: lang.Get("en"), Styles: kit.NewStyles(kit.Mono), Size: kit.Size{W: 60, H: 6}}
	m := New("npm")
	m, got := frame(m, p)
	if !strings.Contains(got, "Output of npm · running") || !strings.Contains(got, "nothing yet") {
		t.Errorf("at first\n%s", got)
	}
	var ls []string
	for i := range 20 {
		ls = append(ls, fmt.Sprintf("line %d", i))
	}
	m, got = frame(m.Take(Text{Lines: ls, Rev: 1}), p)
	if !strings.Contains(got, "line 19") {
		t.Errorf("the newest line is not shown\n%s", got)
	}
	m, in := m.Key(kit.Key{Name: "g"}, p)
	if in != nil {
		t.Errorf("g wants %v", in)
	}
	m, got = frame(m.Take(Text{Lines: append(ls, "newest"), Rev: 2}), p)
	if !strings.Contains(got, "line 0") || strings.Contains(got, "newest") {
		t.Errorf("it does not stay where it was\n%s", got)
	}
	m, _ = m.Key(kit.Key{Name: "G"}, p)
	m, got = frame(m.Take(Text{Lines: append(ls, "newest", "after it"), Lost: 3, Rev: 3, Ended: true, Code: 4}), p)
	if !strings.Contains(got, "after it") || !strings.Contains(got, "ended with code 4") {
		t.Errorf("it does not follow again\n%s", got)
	}
	m, _ = m.Key(kit.Key{Name: "g"}, p)
	p.Words = lang.Get("zh")
	m, got = frame(m, p)
	if !strings.Contains(got, "更早的 3 行") || !strings.Contains(got, "退出码 4") {
		t.Errorf("Chinese\n%s", got)
	}
	for _, name := range []string{"esc", "q", "O"} {
		if _, in := m.Key(kit.Key{Name: name}, p); in != (kit.Back{}) {
			t.Errorf("%s wants %v", name, in)
		}
	}
	if _, in := m.Key(kit.Key{Name: "y"}, p); in != (kit.Unused{}) {
		t.Errorf("y wants %v", in)
	}
	m, ok := m.Search("newest", 0)
	if _, got = frame(m, p); !ok || !strings.Contains(got, "newest") {
		t.Errorf("searched\n%s", got)
	}
}

// Nothing of a program reaches the terminal raw, and every size is kept.
func TestOutputIsClean(t *testing.T) {
	p := kit.Props{Words: lang.Get("en"), Styles: kit.NewStyles(kit.Mono), Size: kit.Size{W: 40, H: 5}}
	m := New("x\x1b]0;t\a").Take(Text{Lines: []string{"\x1b[31mred\x1b[0m \x07bell \x1b]52;c;aGk=\x07 \x9b2J", "宽字"}, Rev: 1})
	for _, s := range []kit.Size{{W: 1, H: 1}, {W: 10, H: 2}, {W: 40, H: 5}} {
		p.Size = s
		m = m.Sync(p)
		v := m.View(p, s)
		if n := strings.Count(v, "\n") + 1; n != s.H {
			t.Errorf("%v: %d rows", s, n)
		}
		plain := ansi.Strip(v)
		if strings.ContainsAny(plain, "\x1b\x07") || strings.Contains(plain, "\u009b") {
			t.Errorf("raw: %q", plain)
		}
	}
	if _, got := frame(m, p); !strings.Contains(got, "red") || strings.Contains(got, "[31m") {
		t.Errorf("colours are not taken out: %q", got)
	}
	if _, got := frame(New(""), p); !strings.Contains(got, "No program") {
		t.Errorf("without a program: %q", got)
	}
}
