package ui

import (
	tea "charm.land/bubbletea/v2"

	"a2ascope/internal/lang"
	"a2ascope/ui/help"
	"a2ascope/ui/kit"
	"a2ascope/ui/menu"
	"a2ascope/ui/prompt"
)

// key handles a key press: what is open on top gets it first, then the pane
// with the focus, then the keys that mean the same everywhere.
func (a *App) key(k kit.Key) tea.Cmd {
	a.drag = false
	sure := a.stopping // ctrl+z was pressed just before
	a.stopping = false
	if k.Name != "ctrl+c" {
		a.interrupts = 0
	} else if a.interrupts++; a.interrupts > 1 {
		return tea.Quit // whatever is open or would be lost
	}
	switch k.Name {
	case "ctrl+c":
		if a.menu != nil {
			a.menu = nil
			return nil
		}
		if a.prompt == nil {
			return a.leave()
		}
	case "ctrl+z":
		if a.o.Live && !sure { // a process that is stopped passes nothing on
			a.stopping = true
			a.say(a.words.SuspendStops)
			return nil
		}
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	}
	if a.prompt != nil {
		m, in := a.prompt.Key(k, a.props(a.size, true))
		*a.prompt = m
		return a.route(in)
	}
	if a.menu != nil {
		m, in := a.menu.Key(k, a.props(a.size, true))
		*a.menu = m
		return a.route(in)
	}
	a.say("")
	if a.prefix != "" {
		first := a.prefix
		a.prefix = ""
		return a.pair(first + k.Name)
	}
	in := a.paneKey(k)
	if _, unused := in.(kit.Unused); unused {
		return a.globalKey(k)
	}
	return a.route(in)
}

// paneKey offers a key to the pane with the focus.
func (a *App) paneKey(k kit.Key) (in kit.Intent) {
	p := a.arrange()
	switch a.focus {
	case onDetail:
		if a.streaming() {
			a.events, in = a.events.Key(k, a.props(eventsRect(p.detail).size(), true))
			return in
		}
		if a.row() == nil {
			return kit.Unused{}
		}
		a.detail, in = a.detail.Key(k, a.props(p.detail.size(), true))
		return in
	case onLesson:
		a.lessonPane, in = a.lessonPane.Key(k, a.props(p.lesson.size(), true))
		return in
	}
	props := a.props(p.main.size(), true)
	switch a.screen {
	case onFindings:
		a.findings, in = a.findings.Key(k, props)
	case onAgents:
		a.agents, in = a.agents.Key(k, props)
	case onReview:
		a.review, in = a.review.Key(k, props)
	case onOutput:
		a.output, in = a.output.Key(k, props)
	case onHelp:
		a.help, in = a.help.Key(k, props)
	default:
		a.list, in = a.list.Key(k, props)
	}
	return in
}

// globalKey handles the keys that mean the same in every pane.
func (a *App) globalKey(k kit.Key) tea.Cmd {
	switch k.Name {
	case "q", "Q":
		return a.leave()
	case "esc":
		return a.unfilter()
	case "?":
		a.openHelp()
	case ":":
		a.open(prompt.Command, "")
	case "/":
		if a.focus == onDetail || a.screen.whole() {
			a.open(prompt.Search, a.search)
		} else {
			a.openFilter()
		}
	case "f":
		a.openFilter()
	case "n", "N":
		dir := 1
		if k.Name == "N" {
			dir = -1
		}
		if a.search != "" {
			a.find(dir)
		} else {
			return a.nextFinding(dir)
		}
	case "F":
		a.toggleFollow()
	case "m":
		a.mark()
	case "'":
		a.nextMark(+1)
	case "\"":
		a.nextMark(-1)
	case "M":
		a.showMarked()
	case ";":
		a.openComment()
	case "w":
		a.openSave(false)
	case "z":
		a.clear()
	case "u":
		a.unclear()
	case "tab", "shift+tab":
		a.cycleFocus(k.Name == "tab")
	case "1", "2", "3", "4", "5":
		if a.row() == nil {
			break
		}
		a.showTab(kit.Tab(k.Name[0] - '0'))
	case "d":
		a.openTab(kit.TabDiagnosis)
	case "e":
		a.openTab(kit.TabExplain)
	case "]", "[":
		a.prefix = k.Name
		a.say(a.words.PrefixHint(k.Name))
	case "!":
		a.show(onFindings)
	case "a":
		a.show(onAgents)
	case "R":
		a.show(onReview)
	case "O":
		a.show(onOutput)
	case "L":
		a.setLang(lang.After(a.words.Code))
	case "t":
		a.toggleLesson()
	case "\\":
		a.zoom = !a.zoom
	case "-":
		a.layout = (a.layout + 1) % numLayouts
		a.say(a.words.LayoutNames[a.layout])
	case "x":
		a.hex = !a.hex
		a.showTab(kit.TabRaw)
	case "y":
		a.openCopy()
	}
	return nil
}

// pair handles a key after ']' or '['.
func (a *App) pair(keys string) tea.Cmd {
	a.say("")
	switch keys {
	case "]d":
		return a.nextFinding(+1)
	case "[d":
		return a.nextFinding(-1)
	case "]]":
		a.showTab(a.tab%kit.LastTab + 1)
	case "[[":
		a.showTab((a.tab+kit.LastTab-2)%kit.LastTab + 1)
	}
	return nil
}

func (a *App) open(k prompt.Kind, text string) {
	m := prompt.New(k, text, a.history[k])
	if k == prompt.Command {
		m = m.Completing(complete)
	}
	a.prompt = &m
}

func (a *App) openFilter() {
	if a.o.CompileFilter == nil {
		a.complain(a.words.NoFilter)
		return
	}
	if a.screen != onList { // what it does is seen there
		a.show(onList)
	}
	a.focus = onMain
	a.open(prompt.Filter, a.filter)
}

func (a *App) openHelp() {
	if a.screen == onHelp {
		return
	}
	a.help = help.New(a.words.HelpAbout, a.Keys()...)
	a.came, a.screen = a.screen, onHelp
	a.focus = onMain
}

// Keys lists every key by pane, the pane with the focus first.
func (a *App) Keys() []help.Section {
	w := a.words
	here := help.Section{Title: w.TitleList, Keys: a.list.Keys(w)}
	rest := []help.Section{
		{Title: w.TitleDetail, Keys: a.detail.Keys(w)},
		{Title: w.TitleEvents, Keys: a.events.Keys(w)},
		{Title: w.TitleFindings, Keys: a.findings.Keys(w)},
		{Title: w.TitleAgents, Keys: a.agents.Keys(w)},
		{Title: w.Review.Title, Keys: a.review.Keys(w)},
		{Title: w.TitlePrompt, Keys: prompt.Model{}.Keys(w)},
		{Title: w.TitleCopy, Keys: a.copyMenu(true).Keys(w)},
	}
	all := everywhere(w)
	if a.o.Program != "" {
		rest = append(rest, help.Section{Title: w.TitleOutput, Keys: a.output.Keys(w)})
		all.Keys = append([]kit.Binding{{Keys: "O", Does: w.KeyOutput}}, all.Keys...)
	}
	if !a.lessonPane.Empty() {
		rest = append(rest, help.Section{Title: w.TitleLesson, Keys: a.lessonPane.Keys(w)})
	}
	first := -1
	switch {
	case a.focus == onDetail && a.streaming():
		first = 1
	case a.focus == onDetail:
		first = 0
	case a.screen == onFindings:
		first = 2
	case a.screen == onAgents:
		first = 3
	case a.screen == onReview:
		first = 4
	}
	out := []help.Section{}
	if first >= 0 {
		out = append(out, rest[first])
		rest = append(rest[:first:first], rest[first+1:]...)
	}
	out = append(out, here, all)
	return append(out, rest...)
}

// everywhere describes the keys of globalKey.
func everywhere(w *lang.Words) help.Section {
	return help.Section{Title: w.TitleEverywhere, Keys: []kit.Binding{
		{Keys: "1 2 3 4 5", Does: w.KeyTabs},
		{Keys: "d", Does: w.KeyDiagnosis},
		{Keys: "e", Does: w.KeyExplain},
		{Keys: "]d [d", Does: w.KeyFindingNext},
		{Keys: "]] [[", Does: w.KeyTabNext},
		{Keys: "/ f", Does: w.KeyFilter},
		{Keys: "F", Does: w.KeyFollow},
		{Keys: "m M", Does: w.KeyMark},
		{Keys: "' \"", Does: w.KeyMarkNext},
		{Keys: ";", Does: w.KeyComment},
		{Keys: "z u", Does: w.KeyClear},
		{Keys: "w", Does: w.KeySave},
		{Keys: "tab shift+tab", Does: w.KeyFocus},
		{Keys: "!", Does: w.KeyFindings},
		{Keys: "a", Does: w.KeyAgents},
		{Keys: "R", Does: w.Review.Key},
		{Keys: "y", Does: w.KeyCopy},
		{Keys: "\\", Does: w.KeyZoom},
		{Keys: "-", Does: w.KeyLayout},
		{Keys: "L", Does: w.KeyLang},
		{Keys: "t", Does: w.KeyLesson},
		{Keys: ":", Does: w.KeyCommand},
		{Keys: "?", Does: w.KeyHelp},
		{Keys: "ctrl+z ctrl+l", Does: w.KeySuspend},
		{Keys: "q Q ctrl+c", Does: w.KeyQuit},
	}}
}

func (a *App) openCopy() {
	r := a.row()
	if m := a.copyMenu(r != nil && r.HasCall()); m.Len() > 0 {
		a.openMenu(m, a.copy)
		return
	}
	a.complain(a.words.NothingToCopy)
}

// copyMenu lists what can be copied; of an exchange, when there is one.
func (a *App) copyMenu(exchange bool) menu.Model {
	w := a.words
	var items []menu.Item
	if exchange {
		items = append(items,
			menu.Item{Key: "f", Text: w.CopyFinding, ID: "finding"},
			menu.Item{Key: "j", Text: w.CopyJSON, ID: "json"},
			menu.Item{Key: "c", Text: w.CopyCurl, ID: "curl"},
			menu.Item{Key: "r", Text: w.CopyRaw, ID: "raw"})
	}
	if a.o.Address != "" {
		items = append(items, menu.Item{Key: "a", Text: w.CopyAddress, ID: "address"})
	}
	return menu.New(w.CopyTitle, items...)
}
