package uitest

import (
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"a2ascope/internal/session"
	"a2ascope/ui"
	"a2ascope/ui/kit"
)

var update = flag.Bool("update", false, "write the frames of frame files anew")

// Run runs a frame file and compares its frames.
func Run(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ar := parse(string(data))
	if len(ar.parts) == 0 || ar.parts[0].name != "script" {
		t.Fatalf("%s: the first part must be the script", file)
	}
	got := archive{ar.parts[:1:1]}
	r := runner{t: t, file: file, o: Options()}
	for n, line := range strings.Split(ar.parts[0].text, "\n") {
		line, _, _ = strings.Cut(line, " #")
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if f[0] == "frame" {
			frame := r.frame(n + 1)
			got.parts = append(got.parts, part{f[1], frame})
			continue
		}
		r.step(n+1, f, line)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(got.parts) != len(ar.parts) {
		t.Errorf("%s: %d frames, the file has %d (go test -update)", file, len(got.parts)-1, len(ar.parts)-1)
	}
	for i := 1; i < min(len(got.parts), len(ar.parts)); i++ {
		if g, w := got.parts[i], ar.parts[i]; g != w {
			t.Errorf("%s: frame %s differs (go test -update)\n--- want\n%s--- got\n%s", file, g.name, w.text, g.text)
		}
	}
}

// Options are those of every frame: a clock that stands, UTC, and a filter of
// bare words.
func Options() ui.Options {
	return ui.Options{
		Lang: "en", Theme: "dark", Zone: time.UTC,
		Now:           func() time.Time { return Start },
		CompileFilter: words,
	}
}

type runner struct {
	t    *testing.T
	file string
	o    ui.Options
	rows string
	to   *Store
	d    *Driver
}

func (r *runner) step(n int, f []string, line string) {
	r.t.Helper()
	switch f[0] {
	case "session":
		r.rows = f[1]
	case "lang":
		r.o.Lang = f[1]
	case "theme":
		r.o.Theme = f[1]
	case "nocolor":
		r.o.Theme = "auto"
		r.o.Getenv = func(k string) string { return map[string]string{"NO_COLOR": "1"}[k] }
	case "lesson":
		r.o.Lesson = Lesson
	case "live":
		r.o = Live(r.o)
	case "recording":
		r.o.Recording = f[1]
	case "feed":
		r.open(n).Feed(r.to, r.session(n, f[1]))
	case "size":
		w, h, ok := strings.Cut(f[1], "x")
		x, err1 := strconv.Atoi(w)
		y, err2 := strconv.Atoi(h)
		if !ok || err1 != nil || err2 != nil {
			r.t.Fatalf("%s:%d: size %s", r.file, n, f[1])
		}
		r.open(n).Size(x, y)
	case "keys":
		r.open(n).Press(f[1:]...)
	case "type":
		r.open(n).Type(strings.TrimPrefix(line, "type "))
	case "click":
		x, _ := strconv.Atoi(f[1])
		y, _ := strconv.Atoi(f[2])
		r.open(n).Click(x, y)
	default:
		r.t.Fatalf("%s:%d: unknown step %q", r.file, n, f[0])
	}
}

func (r *runner) open(n int) *Driver {
	if r.d == nil {
		r.to = &Store{r.session(n, r.rows)}
		r.d = Drive(r.to, r.o)
	}
	return r.d
}

func (r *runner) session(n int, name string) *session.View {
	r.t.Helper()
	v, ok := Sessions[name]
	if !ok {
		r.t.Fatalf("%s:%d: no session %q", r.file, n, name)
	}
	return v()
}

// frame checks the promise every frame makes, its size, and returns it without
// the blanks at the ends of rows.
func (r *runner) frame(n int) string {
	r.t.Helper()
	CheckFrame(r.t, r.open(n), r.file+":"+strconv.Itoa(n))
	rows := strings.Split(r.d.Plain(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

// CheckFrame fails the test when a frame has not exactly the size of the
// terminal, or holds a character that a terminal must not get.
func CheckFrame(t *testing.T, d *Driver, at string) {
	t.Helper()
	size := d.App.Size()
	rows := strings.Split(d.Plain(), "\n")
	if len(rows) != size.H {
		t.Errorf("%s: %d rows, want %d", at, len(rows), size.H)
	}
	for i, row := range rows {
		if w := kit.Width(row); w != size.W {
			t.Errorf("%s: row %d has %d cells, want %d: %q", at, i, w, size.W, row)
		}
		if c := kit.Clean(row); c != row {
			t.Errorf("%s: row %d holds a character that must not reach a terminal: %q", at, i, row)
		}
	}
}

// wordFilter is a filter of bare words.
type wordFilter struct{ words []string }

// Match looks for every word in the operation, path and findings.
func (f wordFilter) Match(r *session.Row) bool {
	text := ""
	if r.HasCall() {
		text = string(r.Call().Operation) + " " + r.Call().Method + " " + kit.Path(r)
		for _, x := range r.Findings {
			text += " " + x.Rule.ID
		}
	}
	for _, w := range f.words {
		if !strings.Contains(strings.ToLower(text), w) {
			return false
		}
	}
	return true
}

type columnError struct{ col int }

func (e columnError) Error() string { return "unexpected ')'" }
func (e columnError) Column() int   { return e.col }

func words(text string) (ui.Filter, error) {
	if i := strings.IndexByte(text, ')'); i >= 0 {
		return nil, columnError{i + 1}
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("empty")
	}
	return wordFilter{strings.Fields(strings.ToLower(text))}, nil
}

// Update reports whether files are to be written anew.
func Update() bool { return *update }
