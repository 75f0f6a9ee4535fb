package ui

import (
	tea "charm.land/bubbletea/v2"

	"a2ascope/ui/kit"
)

// click gives the focus to the pane under the pointer and lets it act.
func (a *App) click(x, y int) tea.Cmd {
	p := a.arrange()
	k := kit.Key{Name: "click"}
	if a.menu != nil {
		if p.menu.has(x, y) {
			k.X, k.Y = x-p.menu.x, y-p.menu.y
			m, in := a.menu.Key(k, a.props(p.menu.size(), true))
			*a.menu = m
			return a.route(in)
		}
		a.menu = nil
		return nil
	}
	if a.prompt != nil {
		return nil
	}
	a.say("")
	return a.at(p, x, y, k, true)
}

// wheel scrolls the pane under the pointer; the focus stays.
func (a *App) wheel(x, y int, up bool) tea.Cmd {
	if a.menu != nil || a.prompt != nil {
		return nil
	}
	k := kit.Key{Name: "wheeldown"}
	if up {
		k.Name = "wheelup"
	}
	return a.at(a.arrange(), x, y, k, false)
}

// at sends a mouse event to the pane under the pointer.
func (a *App) at(p places, x, y int, k kit.Key, take bool) tea.Cmd {
	old := a.focus
	var r rect
	switch {
	case p.detail.has(x, y):
		a.focus, r = onDetail, p.detail
		if a.streaming() && y >= p.detail.y+2 {
			r = eventsRect(p.detail)
		}
	case p.lesson.has(x, y):
		a.focus, r = onLesson, p.lesson
	case p.preview.has(x, y):
		if take {
			a.focus = onDetail
		}
		return nil
	case p.main.has(x, y):
		a.focus, r = onMain, p.main
	default:
		return nil
	}
	k.X, k.Y = x-r.x, y-r.y
	var in kit.Intent
	if a.focus == onDetail && a.streaming() && y < p.detail.y+2 { // the head of the detail, above the events
		a.detail, in = a.detail.Key(k, a.props(p.detail.size(), true))
	} else {
		in = a.paneKey(k)
	}
	if !take {
		a.focus = old
	}
	if _, unused := in.(kit.Unused); unused {
		return nil
	}
	return a.route(in)
}

// release gives the mouse back to the terminal when the user drags, which is
// how text is selected: the next drag does. Any key takes the mouse again.
func (a *App) release() {
	if !a.drag {
		a.drag = true
		a.say(a.words.DragHint)
	}
}
