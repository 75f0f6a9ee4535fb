package ui

import "a2ascope/ui/kit"

// following is how the list goes along with what is new. It pauses when the
// user moves away from the newest row, or opens what he sees; it goes on when
// he comes back to the newest row, or asks for it.
type following struct {
	on, paused bool
	seen       int // rows from this Row.Index on are new
	fresh      sums
}

func (a *App) pause() {
	if a.follow.on {
		a.follow.on, a.follow.paused, a.follow.seen = false, true, a.view.Rows.Len()
	}
}

// moved is called when the user moved in the list.
func (a *App) moved() {
	rows := a.rows()
	last := rows.Len() > 0 && rows.At(rows.Len()-1).Index == a.sel
	f := &a.follow
	switch {
	case f.on && !last:
		a.pause()
	case f.paused && last && a.screen == onList && a.focus == onMain:
		f.on, f.paused = true, false
	case f.paused:
		f.seen = max(f.seen, a.sel+1)
	}
}

func (a *App) toggleFollow() {
	f := &a.follow
	f.on, f.paused = !f.on, false
	if f.on {
		a.screen, a.focus = onList, onMain
	}
}

// chase selects the newest row while the list is followed. Whoever reads a
// detail or looks elsewhere is left where he is.
func (a *App) chase() {
	if !a.follow.on {
		return
	}
	if a.focus == onDetail || a.screen != onList && a.screen != onHelp {
		a.pause()
		return
	}
	a.selectAt(a.rows().Len() - 1)
}

// followed tells the panes.
func (a *App) followed() kit.Follow {
	f := &a.follow
	out := kit.Follow{On: f.on, Paused: f.paused}
	if !f.paused || f.seen >= a.view.Rows.Len() {
		return out
	}
	rows := a.rows()
	if out.New = rows.Len() - rows.Find(f.seen); out.New == 0 {
		return out
	}
	switch {
	case a.notes.Only: // they are few, and known
	case a.index.filter != nil:
		out.Errors = a.index.errorsFrom(f.seen)
	default:
		f.fresh.sync(a.view.Rows, f.seen)
		out.Errors = f.fresh.all.Failed
	}
	return out
}
