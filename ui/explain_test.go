package ui_test

import (
	"strings"
	"testing"

	"a2ascope/ui/kit"
	"a2ascope/ui/uitest"
)

// The page is made when it is looked at; c copies the whole paste, masked
// though secrets are shown, and follows the language.
func TestExplainCopies(t *testing.T) {
	for _, c := range []struct{ lang, word string }{{"en", "same call"}, {"zh", "同一次"}} {
		o := uitest.Options()
		o.Lang = c.lang
		d := uitest.Drive(&uitest.Store{V: uitest.Talk()}, o)
		d.Size(100, 30)
		d.Press("j", ":")
		d.Type("set secrets on")
		d.Press("enter", "e", "/")
		d.Type(c.word)
		d.Press("enter")
		if !strings.Contains(d.Plain(), "Bearer 0123456789abcdef0123") {
			t.Errorf("%s: secrets were asked for and are not shown:\n%s", c.lang, d.Plain())
		}
		d.Press("c") // the first one on the screen
		if !strings.HasPrefix(d.Clip, "curl -sS -i -X POST http://127.0.0.1:7301/ \\\n") || !strings.Contains(d.Clip, `"method":"message/send"`) ||
			strings.Contains(d.Clip, "0123456789abcdef0123") || strings.Contains(d.Clip, "s3cr3t") {
			t.Errorf("%s: copied %q", c.lang, d.Clip)
		}
		d.Press("j", "enter")
		if !strings.HasPrefix(d.Clip, "{\n  \"jsonrpc\"") || strings.Contains(d.Clip, "s3cr3t") {
			t.Errorf("%s: enter copied %q", c.lang, d.Clip)
		}
		d.Press("L")
		if other := map[string]string{"en": "同一次调用用 0.3 的写法", "zh": "The same call in 0.3"}[c.lang]; !strings.Contains(d.Plain(), other) {
			t.Errorf("%s: the page keeps its language:\n%s", c.lang, d.Plain())
		}
	}
}

// Every tab can be reached by number, by the keys around and with the mouse,
// also where their names do not fit.
func TestEveryTabIsReached(t *testing.T) {
	for _, w := range []int{44, 80, 140} {
		d := uitest.Drive(&uitest.Store{V: uitest.Talk()}, uitest.Options())
		d.Size(w, 30)
		d.Press("j", "enter")
		for i := kit.TabDiagnosis; i <= kit.LastTab; i++ {
			if !strings.Contains(d.Plain(), "["+string(rune('0'+i))+" ") {
				t.Errorf("%d cells: tab %d is not seen as chosen:\n%s", w, i, d.Plain())
			}
			d.Press("]", "]")
		}
		d.Press("[", "[")
		if !strings.Contains(d.Plain(), "[5 Explain]") {
			t.Errorf("%d cells: before the first tab is the last:\n%s", w, d.Plain())
		}
		for y, row := range strings.Split(d.Plain(), "\n") {
			if at := strings.Index(row, "[5 Explain]"); at >= 0 {
				d.Press("1")
				row = strings.Split(d.Plain(), "\n")[y]
				x := kit.Width(row[:strings.LastIndex(row, "5")])
				d.Click(x, y)
			}
		}
		if !strings.Contains(d.Plain(), "[5 Explain]") {
			t.Errorf("%d cells: a click does not open the tab:\n%s", w, d.Plain())
		}
	}
}
