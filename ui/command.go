package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

// command runs a line typed after ':'.
func (a *App) command(line string) tea.Cmd {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	arg = strings.TrimSpace(arg)
	w := a.words
	switch name {
	case "":
	case "q", "quit", "q!", "x":
		return tea.Quit
	case "filter":
		if a.o.CompileFilter == nil {
			a.complain(w.NoFilter)
			return nil
		}
		return a.setFilter(arg)
	case "lang":
		if !lang.Known(arg) {
			a.complain(w.UsageLang)
			return nil
		}
		a.setLang(arg)
	case "theme":
		return a.setTheme(arg)
	case "goto":
		n, err := strconv.Atoi(strings.TrimPrefix(arg, "#"))
		if err != nil || n < 1 {
			a.complain(w.UsageGoto)
			return nil
		}
		return a.gotoNumber(n)
	case "set":
		a.set(arg)
	case "help":
		a.openHelp()
	case "findings":
		a.show(onFindings)
	case "agents":
		a.show(onAgents)
	case "list":
		a.show(onList)
	case "follow":
		a.toggleFollow()
	case "lesson":
		a.toggleLesson()
	case "copy":
		a.openCopy()
	default:
		if n, err := strconv.Atoi(name); err == nil && n > 0 {
			return a.gotoNumber(n)
		}
		a.complain(w.UnknownCommand(kit.OneLine(name, 40)))
	}
	return nil
}

func (a *App) setTheme(arg string) tea.Cmd {
	for _, t := range kit.Themes {
		if string(t) == arg {
			a.theme = t
			a.restyle()
			if t == kit.Auto {
				return tea.RequestBackgroundColor
			}
			return nil
		}
	}
	a.complain(a.words.UsageTheme)
	return nil
}

// gotoNumber selects the exchange with a number, in the file that is looked at first.
func (a *App) gotoNumber(n int) tea.Cmd {
	file := 0
	if r := a.row(); r != nil {
		file = r.File
	}
	for i := range a.view.Rows.Len() {
		if r := a.view.Rows.At(i); r.Number == n && r.File == file && r.Call != nil {
			return a.selectExchange(r.Call.Exchange.ID)
		}
	}
	a.complain(a.words.NoExchange(n))
	return nil
}

// set changes a setting: "mouse off", "secrets on".
func (a *App) set(arg string) {
	what, value, _ := strings.Cut(arg, " ")
	on := value == "on"
	if !on && value != "off" {
		a.complain(a.words.UsageSet)
		return
	}
	switch what {
	case "mouse":
		a.mouse = on
	case "secrets":
		a.redact = !on
	case "hex":
		a.hex = on
	default:
		a.complain(a.words.UsageSet)
		return
	}
	a.say(a.words.SetDone(what, value))
}
