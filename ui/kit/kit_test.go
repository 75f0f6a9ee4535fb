package kit

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"a\x1b[31mb", "a␛[31mb"},
		{"nul\x00 bell\x07 del\x7f tab\t nl\n", "nul␀ bell␇ del␡ tab␉ nl␊"},
		{"\u202eright to left", "<U+202E>right to left"},
		{"\u009b31m", "<U+009B>31m"},
		{"\xff\xc3", "<0xFF><0xC3>"},
		{"zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"},
		{"❤\ufe0f", "❤"},
		{"tag\U000e0041", "tag<U+E0041>"},
		{"Köln 上海 🙂", "Köln 上海 🙂"},
		{"\u2028", "<U+2028>"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// Nothing that a terminal acts upon comes through, and cleaning twice changes nothing.
func FuzzClean(f *testing.F) {
	f.Add("a\x1b]0;x\x07\u202e\xff\u009b")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("no UTF-8: %q", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Bidi_Control) {
				t.Fatalf("%U comes through in %q", r, got)
			}
		}
		if Clean(got) != got {
			t.Fatalf("cleaning again changes %q", got)
		}
		if w, want := Width(got), ansi.StringWidthWc(got); w != want {
			t.Fatalf("width of %q is %d, the renderer has %d", got, w, want)
		}
		for _, n := range []int{0, 1, 2, 7, 20} {
			for _, fit := range []string{Fit(got, n), FitRight(got, n), FitMiddle(got, n)} {
				if Width(fit) != n {
					t.Fatalf("%q fitted into %d cells has %d: %q", got, n, Width(fit), fit)
				}
			}
		}
		for _, l := range Wrap(got, 10) {
			if Width(l) > 10 && utf8.RuneCountInString(l) > 1 {
				t.Fatalf("a row of %q is too wide: %q", got, l)
			}
		}
	})
}

func TestInput(t *testing.T) {
	in := NewInput("")
	press := func(names ...string) {
		for _, n := range names {
			k := Key{Name: n}
			if len(n) == 1 || n == "上" {
				k.Text = n
			}
			in, _ = in.Key(k)
		}
	}
	press("a", "上", "b", "left", "backspace", "c", "end", "d")
	if in.Text != "acbd" {
		t.Errorf("%q, want acbd", in.Text)
	}
	in = in.Insert(" two\nwords\x1b")
	if in.Text != "acbd two words " {
		t.Errorf("%q after pasting", in.Text)
	}
	press("ctrl+w", "ctrl+w")
	if in.Text != "acbd " {
		t.Errorf("%q after deleting two words", in.Text)
	}
	press("home", "delete", "ctrl+k")
	if in.Text != "" || in.Pos != 0 {
		t.Errorf("%q at %d", in.Text, in.Pos)
	}
	row, x := NewInput(strings.Repeat("x", 50)+"end").View(NewStyles(Mono), Typed, 10)
	if w := Width(ansi.Strip(row)); w != 10 || x != 9 || !strings.Contains(row, "end") {
		t.Errorf("row %q, cursor %d", row, x)
	}
}

func TestFormat(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0µs", 850 * time.Microsecond: "850µs", 12300 * time.Microsecond: "12.3ms", 999 * time.Millisecond: "999ms",
		4090 * time.Millisecond: "4.09s", 125 * time.Second: "2m05s", 3*time.Hour + 4*time.Minute: "3h04m", -time.Second: "-1.00s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 4700: "4.7 kB", 10_200_000: "10.2 MB", 3_500_000_000: "3.50 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestThemesHaveEveryRole(t *testing.T) {
	for _, th := range Themes {
		s := NewStyles(th)
		for r := range numRoles {
			if !strings.HasPrefix(s.Seq(r), "\x1b[") || !strings.HasSuffix(s.Seq(r), "m") || s.SeqOn(r, true) == "" {
				t.Errorf("theme %s, role %d: %q", th, r, s.Seq(r))
			}
		}
		for _, r := range []Role{Err, Match, Evidence, TabOn, Bar} {
			if s.Seq(r) == s.Seq(Plain) {
				t.Errorf("theme %s: role %d looks like plain text", th, r)
			}
		}
	}
}

func TestSplitPlace(t *testing.T) {
	side, kind, name, frame, ptr := SplitPlace("response/frame/3#/result/status")
	if side != "response" || kind != "frame" || name != "3" || frame != 3 || ptr != "/result/status" {
		t.Error(side, kind, name, frame, ptr)
	}
	side, kind, name, _, _ = SplitPlace("request/header/a2a-version/1")
	if side != "request" || kind != "header" || name != "a2a-version/1" {
		t.Error(side, kind, name)
	}
}
