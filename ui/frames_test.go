package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/ui"
	"a2ascope/ui/kit"
	"a2ascope/ui/uitest"
)

func TestFrames(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no frame files", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { uitest.Run(t, f) })
	}
}

// Every pane keeps its size and lets nothing through, whatever the size of the
// terminal, in every language.
func TestEverySizeFits(t *testing.T) {
	keys := [][]string{
		{}, {"j"}, {"j", "enter"}, {"j", "2"}, {"j", "j", "3", "enter"}, {"4"}, {"5"}, {"j", "e", "pgdown", "pgdown"}, {"j", "j", "e", "G"}, {"x"}, {"!"}, {"!", "enter"}, {"a", "enter"},
		{"?"}, {"y"}, {"/", "x", ")"}, {":"}, {"z"}, {"-"}, {"t"}, {"tab"},
		{"R"}, {"R", "l", "G"}, {"R", "2"}, {"R", "3", "k", "l"}, {"R", "enter"}, {"R", "c"},
	}
	for _, name := range []string{"talk", "nasty", "empty", "loading", "files", "broken", "review-more"} {
		for _, lang := range []string{"en", "zh"} {
			for _, ks := range keys {
				o := uitest.Options()
				o.Lang, o.Lesson = lang, uitest.Lesson
				d := uitest.Drive(&uitest.Store{V: uitest.Sessions[name]()}, o)
				d.Size(100, 30)
				d.Press(ks...)
				for _, s := range [...]kit.Size{{W: 1, H: 1}, {W: 3, H: 2}, {W: 10, H: 3}, {W: 20, H: 8}, {W: 40, H: 12}, {W: 61, H: 24}, {W: 80, H: 24}, {W: 121, H: 31}, {W: 163, H: 41}, {W: 260, H: 70}} {
					d.Size(s.W, s.H)
					uitest.CheckFrame(t, d, name+" "+lang+" "+strings.Join(ks, " "))
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// Colour is never the only sign: every theme shows the same characters, and
// the theme without colour sends none.
func TestThemesShowTheSame(t *testing.T) {
	for _, ks := range [][]string{{"j"}, {"j", "enter"}, {"j", "2"}, {"j", "j", "3"}, {"j", "e"}, {"!"}, {"a"}, {"?"}, {"R"}} {
		want := ""
		for _, theme := range kit.Themes {
			o := uitest.Options()
			o.Theme = string(theme)
			d := uitest.Drive(&uitest.Store{V: uitest.Talk()}, o)
			d.Size(120, 40)
			d.Press(ks...)
			got := d.Plain()
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("theme %s shows other text after %v", theme, ks)
			}
			checkColours(t, theme, d.App.Frame())
		}
	}
}

// checkColours reads every SGR sequence of a frame.
func checkColours(t *testing.T, theme kit.Theme, frame string) {
	t.Helper()
	for rest := frame; ; {
		i := strings.IndexByte(rest, 0x1b)
		if i < 0 {
			return
		}
		rest = rest[i:]
		end := strings.IndexByte(rest, 'm')
		if end < 0 || !strings.HasPrefix(rest, "\x1b[") {
			t.Fatalf("theme %s: a sequence that is no SGR: %q", theme, rest[:min(len(rest), 20)])
		}
		codes := strings.Split(rest[2:end], ";")
		rest = rest[end:]
		for _, c := range codes {
			colour := len(c) == 2 && strings.ContainsAny(c[:1], "349") || len(c) == 3
			if theme == kit.Mono && colour {
				t.Fatalf("theme none sends the colour %s", c)
			}
			if theme == kit.Ansi && c == "38" {
				t.Fatalf("theme 16 sends a colour beyond the sixteen")
			}
		}
	}
}

// The three tabs and the list mask secrets, unless asked otherwise; what is
// copied is always masked.
func TestSecretsStayInside(t *testing.T) {
	const bearer, token, cookie = "0123456789abcdef0123", "s3cr3t-token", "abcdef"
	secrets := []string{bearer, token, "sid=" + cookie}
	for _, keys := range [][]string{{"j", "2"}, {"j", "4"}, {"j", "4", "x"}, {"j", "1"}, {"j", "5"}, {"j", "e", "G"}, {"j", "e", "pgdown", "pgdown"}, {"j", "j", "j", "j", "4"}, {"j", "j", "j", "j", "4", "x"}} {
		d := uitest.Drive(&uitest.Store{V: uitest.Talk()}, uitest.Options())
		d.Size(200, 80)
		d.Press(keys...)
		for _, s := range secrets {
			if strings.Contains(d.Plain(), s) {
				t.Errorf("%v shows %q", keys, s)
			}
		}
		for _, what := range []string{"f", "j", "c", "r"} {
			d.Press(":")
			d.Type("set secrets on")
			d.Press("enter", "y", what)
			for _, s := range secrets {
				if strings.Contains(d.Clip, s) {
					t.Errorf("copying %s after %v gives away %q", what, keys, s)
				}
			}
		}
		if keys[len(keys)-1] == "4" && !strings.Contains(d.Plain(), bearer) && !strings.Contains(d.Plain(), cookie) {
			t.Errorf("%v: secrets were asked for and are not shown", keys)
		}
	}
}

func TestLeavingIsAlwaysPossible(t *testing.T) {
	for _, ks := range [][]string{{"q"}, {"Q"}, {"ctrl+c"}, {"?", "ctrl+c"}, {"/", "ctrl+c", "ctrl+c"}, {"y", "ctrl+c", "ctrl+c"}, {":", "q", "enter"}, {"enter", "q", "q"}, {"!", "q", "q"}, {"a", "esc", "q"}, {"R", "esc", "q"}, {"R", "R", "q"}} {
		for _, name := range []string{"talk", "loading", "empty"} {
			d := uitest.Drive(&uitest.Store{V: uitest.Sessions[name]()}, uitest.Options())
			d.Size(80, 24)
			d.Press(ks...)
			if !d.Quit {
				t.Errorf("%s: %v does not leave", name, ks)
			}
		}
	}
}

func TestAnsiStripLeavesNothing(t *testing.T) {
	d := uitest.Drive(&uitest.Store{V: uitest.Talk()}, uitest.Options())
	d.Size(120, 40)
	if s := ansi.Strip(d.App.Frame()); strings.ContainsRune(s, 0x1b) {
		t.Error("the frame holds sequences that are not complete")
	}
}

// docs/KEYS.md says what the screen says.
func TestKeysDoc(t *testing.T) {
	const file = "../docs/KEYS.md"
	want := ui.KeysDoc()
	if uitest.Update() {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not up to date: go test ./ui -update", file)
	}
}
