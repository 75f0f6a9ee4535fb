package uitest

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"a2ascope/internal/session"
	"a2ascope/ui"
)

// Store is a session whose view the test sets.
type Store struct{ V *session.View }

// View returns the view.
func (s *Store) View() *session.View { return s.V }

// Next never waits: a driven screen has nothing else to do meanwhile.
func (s *Store) Next(context.Context, uint64) *session.View { return s.V }

// Driver is the part of Bubble Tea that a test needs: it hands messages to the
// model and runs what comes back, in order, until nothing is left.
type Driver struct {
	App  *ui.App
	Quit bool
	Clip string // what was copied last

	Suspended int // how often it wanted to be suspended
}

// Drive starts a screen.
func Drive(store ui.Store, o ui.Options) *Driver {
	d := &Driver{App: ui.New(context.Background(), store, o)}
	d.run(d.App.Init())
	return d
}

// Send hands over a message.
func (d *Driver) Send(msg tea.Msg) {
	_, cmd := d.App.Update(msg)
	d.run(cmd)
}

func (d *Driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			d.run(c)
		}
	case tea.QuitMsg:
		d.Quit = true
	case tea.SuspendMsg:
		d.Suspended++
	default:
		if strings.HasSuffix(fmt.Sprintf("%T", m), "setClipboardMsg") {
			d.Clip = fmt.Sprint(m)
			return
		}
		d.Send(m)
	}
}

// Take hands over a view without the pause that the screen makes between two.
func (d *Driver) Take(v *session.View) { d.App.Update(ui.ViewMsg(v)) }

// Feed makes a view the newest one of a Store, and lets the screen take it.
func (d *Driver) Feed(s *Store, v *session.View) {
	v.Rev = s.V.Rev + 1
	s.V = v
	d.run(d.App.Init())
}

// Size resizes the terminal.
func (d *Driver) Size(w, h int) { d.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// Press presses keys by name: "j", "enter", "ctrl+d", "shift+tab".
func (d *Driver) Press(names ...string) {
	for _, n := range names {
		d.Send(tea.KeyPressMsg(key(n)))
	}
}

// Type presses a key for each character.
func (d *Driver) Type(text string) {
	for _, r := range text {
		d.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// Click presses the left button on a cell.
func (d *Driver) Click(x, y int) { d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }

// Plain is the screen without colours.
func (d *Driver) Plain() string { return ansi.Strip(d.App.Frame()) }

var special = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome,
	"end": tea.KeyEnd, "backspace": tea.KeyBackspace, "space": tea.KeySpace, "delete": tea.KeyDelete,
}

func key(name string) tea.Key {
	var k tea.Key
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "shift":
			k.Mod |= tea.ModShift
		case "alt":
			k.Mod |= tea.ModAlt
		}
		name = rest
	}
	if c, ok := special[name]; ok {
		k.Code = c
		if name == "space" {
			k.Text = " "
		}
		return k
	}
	k.Code, _ = utf8.DecodeRuneInString(name)
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}
