package lesson

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/ui/kit"
)

func TestRender(t *testing.T) {
	m := New("# Head\n\nOne *para* with `code`\nand **more**. 2 * 3 * 4\n\n- an item\n  that goes on\n- another\n\n1. first\n   and on\n\n```\n{ x }\n```\n> a remark\n\n中文\n换行")
	v := ansi.Strip(m.View(kit.Props{Styles: kit.NewStyles(kit.Mono)}, kit.Size{W: 60, H: 20}))
	var got []string
	for l := range strings.SplitSeq(v, "\n") {
		if l = strings.TrimRight(l, " "); l != "" {
			got = append(got, strings.TrimPrefix(l, "  "))
		}
	}
	want := []string{"Head", "One para with code and more. 2 * 3 * 4", "• an item that goes on", "• another", "1. first and on", "  { x }", "a remark", "中文换行"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
