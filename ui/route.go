package ui

import (
	tea "charm.land/bubbletea/v2"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/detail"
	"a2ascope/ui/kit"
	"a2ascope/ui/prompt"
)

// route does what a pane wants.
func (a *App) route(in kit.Intent) tea.Cmd {
	switch i := in.(type) {
	case kit.Select:
		a.selectAt(i.At)
		a.jumped, a.opener = 0, onList
		a.moved()
	case kit.SelectExchange:
		return a.selectExchange(i.ID)
	case kit.OpenExchange:
		cmd := a.selectExchange(i.ID)
		if a.screen.whole() {
			a.screen = onList
		}
		a.tab, a.focus = i.Tab, onDetail
		return cmd
	case kit.OpenRow:
		from := a.screen
		cmd := a.selectRow(i.Index)
		if a.screen.whole() {
			a.screen = onList
		}
		a.tab, a.focus, a.opener = i.Tab, onDetail, from
		return cmd
	case kit.Copy:
		return a.clip(i.Text)
	case kit.Open:
		a.focus, a.opener = onDetail, onList
	case kit.Back:
		a.back()
	case kit.Goto:
		from := a.tab
		a.goTo(i.Place)
		if (from == kit.TabDiagnosis || from == kit.TabExplain) && a.tab != from {
			a.jumped = from
		}
	case kit.ShowTab:
		a.showTab(i.Tab)
	case kit.FilterText:
		return a.typedFilter(i)
	case kit.SearchText:
		a.typedSearch(i)
	case kit.Command:
		a.remember(prompt.Command, i.Line)
		a.prompt = nil
		return a.command(i.Line)
	case kit.Press:
		return a.key(i.Key)
	case kit.Chosen:
		a.menu = nil
		return a.chose(i.ID)
	case kit.SaveAs:
		return a.saveAs(i.Name)
	case kit.Comment:
		a.comment(i.Text)
	case kit.CopyText:
		return a.copyText(i.Text)
	case kit.Say:
		a.say(i.Text)
	}
	return nil
}

// selectExchange finds an exchange. Exchanges are found by walking: that
// happens once for a key press, and 200,000 rows take a millisecond.
func (a *App) selectExchange(id capture.ExchangeID) tea.Cmd {
	file := -1
	if r := a.row(); r != nil {
		file = r.File // ids are numbered within a file
	}
	found := -1
	for i := range a.view.Rows.Len() {
		r := a.view.Rows.At(i)
		if !r.HasCall() || r.ID() != id {
			continue
		}
		if found < 0 || r.File == file {
			found = i
		}
	}
	if found < 0 {
		a.complain(a.words.ExchangeGone)
		return nil
	}
	return a.selectRow(found)
}

// selectRow selects a row of the session.
func (a *App) selectRow(index int) tea.Cmd {
	a.pause()
	a.sel, a.jumped, a.opener = index, 0, onList
	cmd := a.reveal(index)
	a.moved()
	return cmd
}

// reveal puts aside what hides a row.
func (a *App) reveal(index int) (cmd tea.Cmd) {
	if rows := a.rows(); !a.index.working() {
		if at := rows.Find(index); at < rows.Len() && rows.At(at).Index == index {
			return nil
		}
	}
	hidden := a.filter != "" || a.notes.Only
	if a.filter != "" {
		cmd = a.setFilter("")
	}
	a.notes.Only = false
	if index < a.from {
		a.hide(0)
	}
	if hidden {
		a.say(a.words.FilterCleared)
	}
	return cmd
}

// back leaves what has the focus.
func (a *App) back() {
	switch {
	case a.prompt != nil:
		a.prompt = nil
	case a.menu != nil:
		a.menu = nil
	case a.screen == onHelp:
		a.screen = a.came
	case a.focus == onDetail && a.jumped != 0:
		a.showTab(a.jumped)
	case a.focus == onDetail && a.opener != onList:
		a.screen, a.focus, a.zoom = a.opener, onMain, false
		a.opener = onList
	case a.focus == onDetail || a.focus == onLesson:
		a.focus, a.zoom = onMain, false
	default:
		a.screen = onList
	}
}

func (a *App) show(s screen) {
	a.screen, a.opener = s, onList
	a.focus = onMain
	if s == onFindings { // the detail shows what the cursor stands on
		var r *session.Row
		if a.findings, r = a.findings.Meet(a.row(), a.props(a.arrange().main.size(), true)); r != nil {
			a.pause()
			a.sel = r.Index
		}
	}
}

func (a *App) showTab(t kit.Tab) {
	if t < kit.TabDiagnosis || t > kit.LastTab {
		return
	}
	a.tab, a.jumped = t, 0
	if a.screen.whole() {
		a.screen = onList
	}
	if a.arrange().detail.h == 0 { // it would not be seen otherwise
		a.focus = onDetail
	}
}

// openTab shows a tab of the selected exchange and gives it the focus.
func (a *App) openTab(t kit.Tab) {
	if a.row() == nil {
		return
	}
	a.showTab(t)
	a.focus = onDetail
}

// goTo opens the tab that holds a place and scrolls to it.
func (a *App) goTo(p decode.Place) {
	a.tab, a.focus = detail.TabOf(p), onDetail
	if a.screen.whole() {
		a.screen = onList
	}
	a.syncPanes()
	r := a.arrange().detail
	if a.streaming() {
		a.events = a.events.Goto(p, a.props(eventsRect(r).size(), true))
		return
	}
	a.detail = a.detail.Goto(p, a.props(r.size(), true))
}

func (a *App) cycleFocus(forward bool) {
	p := a.arrange()
	order := []focus{onMain}
	if !a.screen.whole() && a.row() != nil {
		order = append(order, onDetail)
	}
	if a.lesson && (p.lesson.h > 0 || a.size.W < 120) {
		order = append(order, onLesson)
	}
	at := 0
	for i, f := range order {
		if f == a.focus {
			at = i
		}
	}
	if forward {
		at++
	} else {
		at += len(order) - 1
	}
	a.focus = order[at%len(order)]
}

func (a *App) toggleLesson() {
	if a.lessonPane.Empty() {
		a.say(a.words.NoLesson)
		return
	}
	if a.size.W < 120 { // no room beside: it takes the place of the rest
		if a.focus == onLesson {
			a.focus = onMain
		} else {
			a.lesson, a.focus = true, onLesson
		}
		return
	}
	a.lesson = !a.lesson
	if !a.lesson && a.focus == onLesson {
		a.focus = onMain
	}
}

// nextFinding goes to the next or previous exchange with a finding, and shows it.
func (a *App) nextFinding(dir int) tea.Cmd {
	rows := a.rows()
	for i := rows.Find(a.sel) + dir; i >= 0 && i < rows.Len(); i += dir {
		if rows.At(i).Worst != "" {
			a.selectAt(i)
			a.tab, a.jumped = kit.TabDiagnosis, 0
			a.moved()
			return nil
		}
	}
	a.say(a.words.NoMoreFindings)
	return nil
}

// setFilter puts a filter that is right in force.
func (a *App) setFilter(text string) tea.Cmd {
	if text == "" {
		a.filter = ""
		return a.use(nil)
	}
	f, err := a.o.CompileFilter(text)
	if err != nil {
		a.complain(err.Error())
		return nil
	}
	a.filter = text
	return a.use(f)
}

func (a *App) use(f Filter) tea.Cmd {
	cmd := a.index.use(f)
	a.pick()
	return cmd
}

// typedFilter compiles what stands in the filter bar; the list follows while it is right.
func (a *App) typedFilter(i kit.FilterText) tea.Cmd {
	if i.Done {
		a.remember(prompt.Filter, i.Text)
		a.prompt = nil
		if i.Text == a.filter {
			return nil
		}
		return a.setFilter(i.Text)
	}
	if i.Text == "" {
		*a.prompt = a.prompt.Fault("", 0)
		return a.setFilter("")
	}
	f, err := a.o.CompileFilter(i.Text)
	if err != nil {
		col := 0
		if c, ok := err.(interface{ Column() int }); ok {
			col = c.Column()
		}
		*a.prompt = a.prompt.Fault(err.Error(), col)
		return nil
	}
	*a.prompt = a.prompt.Fault("", 0)
	a.filter = i.Text
	return a.use(f)
}

func (a *App) typedSearch(i kit.SearchText) {
	if i.Done {
		a.remember(prompt.Search, i.Text)
		a.prompt = nil
	}
	a.search = i.Text
	a.syncPanes()
	ok := a.find(0)
	if a.prompt != nil {
		text := ""
		if !ok {
			text = a.words.NotFound
		}
		*a.prompt = a.prompt.Fault(text, 0)
	}
}

// find searches where the focus is.
func (a *App) find(dir int) (ok bool) {
	p := a.arrange()
	switch {
	case a.screen == onHelp:
		a.help, ok = a.help.Search(a.search, dir)
	case a.screen == onAgents:
		a.agents, ok = a.agents.Search(a.search, dir)
	case a.screen == onReview:
		a.review, ok = a.review.Search(a.search, dir)
	case a.screen == onOutput:
		a.output, ok = a.output.Search(a.search, dir)
	case a.streaming():
		a.events, ok = a.events.Search(a.search, dir, a.props(eventsRect(p.detail).size(), true))
	default:
		a.detail, ok = a.detail.Search(a.search, dir, a.props(p.detail.size(), true))
	}
	if !ok {
		a.say(a.words.NotFound)
	}
	return ok
}

func (a *App) remember(k prompt.Kind, text string) {
	h := a.history[k]
	if text == "" || len(h) > 0 && h[len(h)-1] == text {
		return
	}
	const most = 200
	if len(h) >= most {
		h = h[1:]
	}
	a.history[k] = append(h, text)
}

func (a *App) setLang(code string) {
	a.words = lang.Get(code)
	a.loadLesson()
	if a.screen == onHelp {
		a.screen = a.came
		a.openHelp()
	}
	a.say(a.words.LangName)
}

func (a *App) paste(text string) tea.Cmd {
	if a.prompt == nil {
		return nil // keys of a paste must not act as commands
	}
	m, in := a.prompt.Paste(text)
	*a.prompt = m
	return a.route(in)
}
