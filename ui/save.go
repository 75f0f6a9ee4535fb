package ui

import (
	"errors"
	"io/fs"
	"strings"

	tea "charm.land/bubbletea/v2"

	"a2ascope/ui/kit"
	"a2ascope/ui/menu"
	"a2ascope/ui/prompt"
)

// saving is what is known of saving the session.
type saving struct {
	busy    bool
	leave   bool   // leave when it is saved
	name    string // of the file saved last
	rows    int    // rows the file has
	another string // the name to offer next, "" for the usual one
}

type savedMsg struct {
	name, what string
	rows       int
	err        error
}

// unsaved reports whether leaving would lose a live session.
func (a *App) unsaved() bool {
	return a.o.Live && a.o.Save != nil && a.o.Recording == "" && a.view.Rows.Len() > 0 &&
		(a.saved.name == "" || a.view.Rows.Len() > a.saved.rows || a.unsavedNotes)
}

func (a *App) exchanges() int {
	n := 0
	for _, f := range a.view.Files {
		n += f.Exchanges
	}
	return n
}

// openSave asks for the name of a file.
func (a *App) openSave(leave bool) {
	switch {
	case a.o.Save == nil:
		a.complain(a.words.NoSave)
	case a.saved.busy:
		a.say(a.words.StillSaving)
	default:
		name := a.o.SaveName
		if a.saved.name != "" {
			name = a.saved.name
		}
		if a.saved.another != "" {
			name = a.saved.another
		}
		a.saved.leave = leave
		a.open(prompt.Save, name)
	}
}

// saveAs is the answer to openSave.
func (a *App) saveAs(name string) tea.Cmd {
	a.prompt = nil
	if name = strings.TrimSpace(name); name == "" {
		a.saved.leave = false
		return nil
	}
	a.remember(prompt.Save, name)
	return a.save(name, false)
}

// save writes the session beside the screen.
func (a *App) save(name string, overwrite bool) tea.Cmd {
	switch {
	case a.o.Save == nil:
		a.complain(a.words.NoSave)
		return nil
	case a.saved.busy:
		a.say(a.words.StillSaving)
		return nil
	}
	q := SaveRequest{Name: name, Overwrite: overwrite, View: a.view, Notes: a.copyNotes()}
	a.saved.busy, a.saved.another, a.unsavedNotes = true, "", false
	a.say(a.words.Saving(kit.OneLine(name, 60)))
	return func() tea.Msg {
		if !a.work.begin() {
			return nil
		}
		defer a.work.end()
		what, err := a.o.Save(a.ctx, q)
		return savedMsg{name, what, q.View.Rows.Len(), err}
	}
}

// tookSave is told how saving went.
func (a *App) tookSave(m savedMsg) tea.Cmd {
	a.saved.busy = false
	name := kit.OneLine(m.name, 60)
	switch {
	case m.err == nil:
		a.saved.name, a.saved.rows = m.name, m.rows
		a.say(a.words.Saved(name, kit.OneLine(m.what, 80)))
		if a.saved.leave {
			return tea.Quit
		}
	case errors.Is(m.err, fs.ErrExist):
		a.unsavedNotes = true
		a.saved.another = m.name
		a.say("")
		w := a.words
		a.openMenu(menu.New(w.FileExists(name),
			menu.Item{Key: "r", Text: w.SaveReplace, ID: "replace"},
			menu.Item{Key: "n", Text: w.SaveOther, ID: "other"},
			menu.Item{Key: "c", Text: w.SaveNot, ID: ""}), func(id string) tea.Cmd {
			switch id {
			case "replace":
				return a.save(m.name, true)
			case "other":
				a.openSave(a.saved.leave)
			default:
				a.saved.leave = false
			}
			return nil
		})
	default:
		a.unsavedNotes = true
		a.saved.leave = false
		a.saved.another = m.name
		err := m.err
		if p := (*fs.PathError)(nil); errors.As(err, &p) && p.Path == m.name { // it is named already
			err = p.Err
		}
		a.complain(a.words.SaveFailed(name, kit.OneLine(err.Error(), 400)))
	}
	return nil
}

// leave ends the screen, unless something would be lost: then it asks.
func (a *App) leave() tea.Cmd {
	switch {
	case a.saved.busy:
		a.saved.leave = true
		a.say(a.words.LeavingWhenSaved)
	case a.unsaved():
		w := a.words
		a.openMenu(menu.New(w.LeaveUnsaved(a.exchanges(), a.view.Rows.Len()-a.exchanges()),
			menu.Item{Key: "s", Text: w.LeaveSave, ID: "save"},
			menu.Item{Key: "x", Text: w.LeaveLose, ID: "leave"},
			menu.Item{Key: "c", Text: w.LeaveNot, ID: ""}), func(id string) tea.Cmd {
			switch id {
			case "save":
				a.openSave(true)
			case "leave":
				return tea.Quit
			}
			return nil
		})
	default:
		return tea.Quit
	}
	return nil
}

// openMenu shows a menu; then is told what was chosen.
func (a *App) openMenu(m menu.Model, then func(id string) tea.Cmd) {
	a.menu, a.chose = &m, then
}

// copyAddress gives the address to the clipboard.
func (a *App) copyAddress() tea.Cmd {
	if a.o.Address == "" {
		a.complain(a.words.NoAddress)
		return nil
	}
	a.say(a.words.CopiedText(a.o.Address))
	return tea.SetClipboard(a.o.Address)
}
