package ui_test

import (
	"strings"
	"testing"

	"a2ascope/ui/uitest"
)

// from is a state of the screen in which a key of the help must do something.
type from struct {
	session string
	w, h    int
	keys    []string
}

// contexts are the states in which the keys of a section are tried, by its
// title. A key works when it changes the screen in at least one of them.
var contexts = map[string][]from{
	"List": {{"many", 100, 30, []string{"G", "ctrl+u", "ctrl+u"}}, {"talk", 100, 20, []string{"j", "j"}}, {"talk", 100, 20, []string{"j", "j", "enter"}}},
	"Everywhere": {
		{"talk", 80, 24, []string{"j", "j", "enter", "2"}}, {"talk", 160, 40, []string{"j", "j"}},
		{"talk", 160, 40, []string{"j", "j", "enter"}}, {"talk", 160, 40, []string{"!"}},
	},
	"Detail": {
		{"talk", 80, 24, []string{"j", "enter"}}, {"talk", 80, 24, []string{"j", "enter", "2", "j", "j"}},
		{"talk", 80, 24, []string{"j", "enter", "2", "/", "a", "enter"}}, {"talk", 40, 24, []string{"j", "enter", "4", "w"}},
	},
	"Events of a stream": {{"talk", 80, 24, []string{"j", "j", "enter", "3", "j"}}},
	"All findings":       {{"talk", 80, 24, []string{"!", "j"}}, {"many", 80, 24, []string{"!"}}, {"many", 80, 24, []string{"!", "enter"}}},
	"Agents":             {{"talk", 60, 20, []string{"a"}}, {"talk", 60, 20, []string{"a", "enter", "j", "j"}}},
	"Review": {
		{"review", 80, 24, []string{"R"}}, {"review", 80, 24, []string{"R", "2"}}, {"review", 80, 24, []string{"R", "3", "k"}}, {"review-more", 80, 24, []string{"R", "l"}},
	},
	"While typing": {{"talk", 80, 24, []string{"/", "x", "enter", "/", "backspace", "y"}}, {"talk", 80, 24, []string{"/", "x", "enter", "/", "backspace", "y", "up"}}, {"talk", 80, 24, []string{":", "f"}}},
	"Copy":         {{"talk", 80, 24, []string{"j"}}},
	"Lesson":       {{"talk", 60, 6, []string{"t"}}, {"talk", 60, 6, []string{"t", "j"}}},
}

// named are keys that the help writes otherwise than the driver.
var named = map[string]string{"↑": "up", "↓": "down", "←": "left", "→": "right", "PgDn": "pgdown", "PgUp": "pgup"}

// Every key that the help names does something where it is named.
func TestEveryKeyOfTheHelpWorks(t *testing.T) {
	o := uitest.Options()
	o.Lesson = uitest.Lesson
	seen := 0
	for _, section := range uitest.Drive(&uitest.Store{V: uitest.Talk()}, o).App.Keys() {
		states := contexts[section.Title]
		if len(states) == 0 {
			t.Errorf("no state in which the keys of %q are tried", section.Title)
		}
		for _, b := range section.Keys {
			keys := strings.Fields(b.Keys)
			if section.Title == "Copy" { // one key after the other
				keys = []string{strings.Join(keys, " ")}
			}
			for _, k := range keys {
				if k == "ctrl+z" || k == "ctrl+l" {
					continue // the terminal's business: they change no frame
				}
				seen++
				if !works(k, states) {
					t.Errorf("%s: %q (%s) does nothing", section.Title, k, b.Does)
				}
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d keys were tried", seen)
	}
}

func works(k string, states []from) bool {
	var press []string
	for _, x := range strings.Fields(k) {
		switch {
		case named[x] != "":
			press = append(press, named[x])
		case len(x) == 2 && (x[0] == '[' || x[0] == ']'):
			press = append(press, x[:1], x[1:])
		default:
			press = append(press, x)
		}
	}
	for _, s := range states {
		o := uitest.Options()
		o.Lesson = uitest.Lesson
		d := uitest.Drive(&uitest.Store{V: uitest.Sessions[s.session]()}, o)
		d.Size(s.w, s.h)
		d.Press(s.keys...)
		before, clip := d.App.Frame(), d.Clip
		d.Press(press...)
		if d.Quit || d.Clip != clip || d.App.Frame() != before {
			return true
		}
	}
	return false
}
