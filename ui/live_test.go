package ui_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/internal/session"
	"a2ascope/ui"
	"a2ascope/ui/uitest"
)

func live(t *testing.T, name string, change func(*ui.Options)) (*uitest.Driver, *uitest.Store) {
	t.Helper()
	o := uitest.Live(uitest.Options())
	if change != nil {
		change(&o)
	}
	s := &uitest.Store{V: uitest.Sessions[name]()}
	d := uitest.Drive(s, o)
	d.Size(120, 40)
	return d, s
}

func shows(t *testing.T, d *uitest.Driver, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(d.Plain(), w) {
			t.Errorf("the screen does not show %q:\n%s", w, d.Plain())
		}
	}
}

// Leaving asks when something would be lost, once, and only then.
func TestLeavingAsks(t *testing.T) {
	none := func(o *ui.Options) { o.Save = nil }
	recorded := func(o *ui.Options) { o.Recording = "x.har" }
	file := func(o *ui.Options) { o.Live = false }
	for _, c := range []struct {
		name, session string
		change        func(*ui.Options)
		keys          string
		asks, quits   bool
	}{
		{"unsaved", "some", nil, "q", true, false},
		{"every key that leaves", "some", nil, "Q", true, false},
		{"ctrl+c", "some", nil, "ctrl+c", true, false},
		{"ctrl+c twice", "some", nil, "ctrl+c ctrl+c", true, true},
		{"ctrl+c twice with a prompt", "some", nil, "w ctrl+c ctrl+c", false, true},
		{"ctrl+c, then something else", "some", nil, "ctrl+c esc ctrl+c", true, false},
		{"the command", "some", nil, ": q enter", true, false},
		{"the command that does not ask", "some", nil, ": q ! enter", false, true},
		{"without saving", "some", nil, "q x", true, true},
		{"stay", "some", nil, "q esc", false, false},
		{"save, then leave", "some", nil, "q s enter", true, true},
		{"save, but not after all", "some", nil, "q s esc", false, false},
		{"saved", "some", nil, "w enter q", false, true},
		{"saved and left", "some", nil, ": w q space x enter", false, true},
		{"marked after it was saved", "some", nil, "w enter m q", true, false},
		{"nothing came", "wait", nil, "q", false, true},
		{"nothing can be saved", "some", none, "q", false, true},
		{"it is written anyway", "some", recorded, "q", false, true},
		{"a file", "some", file, "q", false, true},
	} {
		d, _ := live(t, c.session, c.change)
		asked := false
		for _, k := range strings.Fields(c.keys) {
			d.Press(k)
			asked = asked || strings.Contains(d.Plain(), "is not saved")
		}
		if asked != c.asks && !(c.name == "stay" || strings.HasPrefix(c.name, "save, but")) || d.Quit != c.quits {
			t.Errorf("%s: asked %v, left %v; want %v, %v", c.name, asked, d.Quit, c.asks, c.quits)
		}
	}
}

// More traffic after it was saved is unsaved again.
func TestUnsavedAgain(t *testing.T) {
	d, s := live(t, "some", nil)
	d.Press("w", "enter")
	d.Feed(s, uitest.Sessions["more"]())
	d.Press("q")
	shows(t, d, "is not saved")
	if d.Quit {
		t.Error("left without asking")
	}
}

// What is given to Save is what the user sees, with marks and comments.
func TestSaveRequest(t *testing.T) {
	var got ui.SaveRequest
	d, s := live(t, "more", func(o *ui.Options) {
		o.Save = func(_ context.Context, q ui.SaveRequest) (string, error) {
			got = q
			return "9 rows", nil
		}
	})
	d.Press("g", "m", "j", ";")
	d.Type("why?")
	d.Press("enter", "m", "m", "j", "m", "m", "w", "enter")
	shows(t, d, "saved to a2ascope.har: 9 rows")
	if got.Name != "a2ascope.har" || got.Overwrite || got.View != s.V {
		t.Errorf("asked to save %q, overwrite %v", got.Name, got.Overwrite)
	}
	if want := (map[int]ui.Note{0: {Marked: true}, 1: {Comment: "why?"}}); fmt.Sprint(got.Notes) != fmt.Sprint(want) {
		t.Errorf("notes %v, want %v", got.Notes, want)
	}
	d.Press("m") // the request is not changed behind its back
	if len(got.Notes) != 2 {
		t.Error("the notes of a save change while it runs")
	}
}

func TestSaveFails(t *testing.T) {
	d, _ := live(t, "some", func(o *ui.Options) {
		o.Save = func(context.Context, ui.SaveRequest) (string, error) { return "", errors.New("the disk is full") }
	})
	d.Press("q", "s", "enter")
	shows(t, d, "a2ascope.har was not saved: the disk is full")
	if d.Quit {
		t.Error("left although nothing was saved")
	}
}

// A followed list goes along, stands still for whoever reads, and goes on.
func TestFollow(t *testing.T) {
	d, s := live(t, "some", nil)
	shows(t, d, ">     3", "FOLLOW")
	d.Feed(s, uitest.Sessions["more"]())
	shows(t, d, "9/9", "FOLLOW")
	d, s = live(t, "some", nil)
	d.Press("enter") // reads: the selection stays
	d.Feed(s, uitest.Sessions["more"]())
	shows(t, d, "3/9", "PAUSED +6 (E2)")
	d.Press("esc", "F")
	shows(t, d, "9/9", "FOLLOW")
	d.Press("F")
	if strings.Contains(d.Plain(), "FOLLOW") || strings.Contains(d.Plain(), "PAUSED") {
		t.Errorf("F does not end following:\n%s", d.Plain())
	}
}

// The count of what is new is that of the rows that the filter shows.
func TestPausedWithFilter(t *testing.T) {
	d, s := live(t, "some", nil)
	d.Press("/")
	d.Type("send")
	d.Press("enter", "k")
	shows(t, d, "1/2 (of 3)", "PAUSED")
	d.Feed(s, uitest.Sessions["more"]())
	shows(t, d, "1/3 (of 9)", "PAUSED +1 (E1)")
}

// Clearing hides what there is, from the list, the counts and the findings;
// what is looked for by name comes back.
func TestClear(t *testing.T) {
	d, s := live(t, "some", nil)
	d.Press("z")
	shows(t, d, "Cleared", "errors 0")
	d.Feed(s, uitest.Sessions["more"]())
	d.Press("down")
	shows(t, d, "hidden 3", "errors 2", "6/6", "FOLLOW")
	if strings.Contains(d.Plain(), "GetAgentCard") {
		t.Errorf("a cleared row is shown:\n%s", d.Plain())
	}
	d.Press("!")
	if strings.Contains(d.Plain(), "SendMessage is a 1.0 name") {
		t.Errorf("the findings are those of cleared rows:\n%s", d.Plain())
	}
	d.Press("esc", "/")
	d.Type("send")
	d.Press("enter")
	shows(t, d, "1/1 (of 6)")
	d.Press(":")
	d.Type("goto 1")
	d.Press("enter")
	shows(t, d, ">     1", "1/9")
}

// Marks are found around the ends, in what the filter shows.
func TestMarks(t *testing.T) {
	d, _ := live(t, "more", nil)
	d.Press("'")
	shows(t, d, "nothing is marked")
	d.Press("g", "m", "j", "j", "m", "G", "m")
	for i, want := range []string{"1/9", "3/9", "9/9", "1/9"} {
		d.Press("'")
		if !strings.Contains(d.Plain(), want) {
			t.Errorf("step %d is not at %s", i, want)
		}
	}
	for i, want := range []string{"9/9", "3/9"} {
		d.Press("\"")
		if !strings.Contains(d.Plain(), want) {
			t.Errorf("step %d back is not at %s", i, want)
		}
	}
	d.Press("M", "/")
	d.Type("send")
	d.Press("enter")
	shows(t, d, "1/1 (of 9)", "MARKED")
	d.Press("esc", "esc")
	shows(t, d, "3/9")
	d.Press("g", "m", "M", "m", "m")
	shows(t, d, "(of 9)", "MARKED")
}

// The chosen event is the newest one as long as the newest one is chosen.
func TestEventsGrow(t *testing.T) {
	grown := func(n int) *session.View {
		v := uitest.Long(n)
		r := *v.Rows.At(0)
		c := *r.Call()
		x := *c.Exchange
		x.End = nil
		c.Exchange = &x
		v.Rows, v.Done = session.RowsOf([]*session.Row{r.With(&c)}), false
		return v
	}
	s := &uitest.Store{V: grown(3)}
	d := uitest.Drive(s, uitest.Live(uitest.Options()))
	d.Size(120, 40)
	shows(t, d, "3 ev…")
	d.Press("enter", "3", "G")
	d.Feed(s, grown(20))
	shows(t, d, "20/20", "step 19", "20 ev…")
	d.Size(200, 40)
	shows(t, d, "events 20")
	d.Size(120, 40)
	d.Press("k")
	d.Feed(s, grown(30))
	shows(t, d, "19/30")
}

// Backwards, the search of events comes to the last match of an event first.
func TestSearchEventsBackwards(t *testing.T) {
	d := uitest.Drive(&uitest.Store{V: uitest.Long(50)}, uitest.Options())
	d.Size(120, 14) // the JSON of an event is longer than the room for it
	d.Press("enter", "3", "G", "/")
	d.Type("kind")
	d.Press("enter", "enter", "g", "N")
	shows(t, d, "49/50", `"kind": "text"`)
}

func TestCommandsComplete(t *testing.T) {
	for _, c := range []struct{ typed, keys, want string }{
		{"fin", "tab", ":findings"},
		{"them", "tab tab tab", ":theme dark"},
		{"them", "tab shift+tab", ":theme none"},
		{"set mo", "tab", ":set mouse o"},
		{"set mo", "tab tab tab", ":set mouse off"},
		{"lang z", "tab", ":lang zh"},
		{"nothing", "tab", ":nothing"},
		{"cl", "tab tab", ":clear"},
	} {
		d, _ := live(t, "some", nil)
		d.Press(":")
		d.Type(c.typed)
		d.Press(strings.Fields(c.keys)...)
		rows := strings.Split(d.Plain(), "\n")
		if at := slices.IndexFunc(rows, func(r string) bool { return strings.TrimRight(r, " ") == c.want }); at < 0 {
			t.Errorf("%q and %s do not become %q:\n%s", c.typed, c.keys, c.want, d.Plain())
		}
	}
}

// The address is copied, also while there is nothing else to copy.
func TestCopyAddress(t *testing.T) {
	d, _ := live(t, "wait", nil)
	d.Press("y", "a")
	if d.Clip != "http://127.0.0.1:4100" {
		t.Errorf("copied %q", d.Clip)
	}
}

// Nothing of a live screen leaves its place, in any size.
func TestLiveFitsEverySize(t *testing.T) {
	for _, name := range []string{"wait", "some", "more", "full"} {
		for _, lang := range []string{"en", "zh"} {
			for _, keys := range []string{"", "m", "w", "; x enter", "q", ": t", ": s tab", "z", "m M", "M", "G enter", "k"} {
				d, _ := live(t, name, func(o *ui.Options) { o.Lang, o.Recording = lang, "" })
				d.Press(strings.Fields(keys)...)
				for _, w := range []int{1, 20, 61, 80, 121, 260} {
					for _, h := range []int{1, 3, 8, 24, 41} {
						d.Size(w, h)
						uitest.CheckFrame(t, d, name+" "+lang+" "+keys)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

// The words for what failed are found in what the libraries say.
func TestFailuresInPlainWords(t *testing.T) {
	for text, want := range map[string]string{
		"dial tcp 127.0.0.1:1: connect: connection refused":                                "connection refused",
		"dial tcp: lookup nosuch.invalid: no such host":                                    "host name",
		"tls: first record does not look like a TLS handshake":                             "does not speak TLS",
		"tls: failed to verify certificate: x509: certificate signed by unknown authority": "certificate is not accepted",
		"remote error: tls: handshake failure":                                             "TLS with the agent failed",
		"the client refused the tap's certificate: remote error: tls: bad certificate":     "does not trust our certificate",
		"dial tcp 10.0.0.1:1: i/o timeout":                                                 "in time",
		"dial tcp 10.0.0.1:1: connect: no route to host":                                   "no way to the network",
		"read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer":                "broke the connection off",
		"something nobody has thought of":                                                  "no connection: something nobody has thought of",
	} {
		row := &session.Row{Conn: &capture.ConnInfo{Protocol: "refused", Text: text}, ConnNo: 1}
		v := &session.View{Rev: 1, Rows: session.RowsOf([]*session.Row{row}), Files: []session.File{{Name: "x"}}}
		d := uitest.Drive(&uitest.Store{V: v}, uitest.Live(uitest.Options()))
		d.Size(160, 40)
		shows(t, d, want)
	}
}

// Suspending stops what the process passes on: live, it takes two presses.
func TestSuspendOfALiveSessionIsAskedTwice(t *testing.T) {
	d, _ := live(t, "some", nil)
	d.Press("ctrl+z")
	shows(t, d, "ctrl+z again")
	d.Press("j", "ctrl+z")
	shows(t, d, "ctrl+z again")
	if d.Suspended != 0 {
		t.Error("one press suspends")
	}
	d.Press("ctrl+z")
	if d.Suspended != 1 {
		t.Error("two presses do not suspend")
	}
	d = uitest.Drive(&uitest.Store{V: uitest.Talk()}, uitest.Options())
	d.Press("ctrl+z")
	if d.Suspended != 1 {
		t.Error("a file does not suspend at once")
	}
}

// What people attached before the capture was saved is there when it is opened
// again, and what the user takes away stays away.
func TestNotesThatCameWithTheFile(t *testing.T) {
	var got ui.SaveRequest
	var left map[int]ui.Note
	d, s := live(t, "some", func(o *ui.Options) {
		o.Save = func(_ context.Context, q ui.SaveRequest) (string, error) {
			got = q
			return "some rows", nil
		}
		o.Left = func(n map[int]ui.Note) { left = n }
	})
	v := uitest.Sessions["more"]()
	rows := slices.Clone(v.Rows.Chunk(0))
	for i, notes := range [][]capture.Note{
		{{Code: capture.NoteMark}, {Code: capture.NoteComment, Text: "it was here"}},
		{{Code: capture.NoteMark}},
		{{Code: "card-rewritten", Text: "by the tap"}},
	} {
		rows[i].Call().Exchange.Notes = notes
		rows[i] = rows[i].With(rows[i].Call())
	}
	v.Rows = session.RowsOf(rows)
	d.Feed(s, v)
	shows(t, d, "; it was here")
	d.Press("g", "j", "m") // the second mark is taken away
	d.Feed(s, uitest.Sessions["more"]())
	d.Press("w", "enter")
	if want := (map[int]ui.Note{0: {Marked: true, Comment: "it was here"}, 1: {}}); fmt.Sprint(got.Notes) != fmt.Sprint(want) {
		t.Errorf("notes %v, want %v", got.Notes, want)
	}
	if left != nil {
		t.Error("the screen was not left")
	}
}
