package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"a2ascope/internal/lang"
	"a2ascope/ui/kit"
)

// command is a word that may be typed after ':'.
type command struct {
	name string
	args []string // what may follow, for completion
	run  func(a *App, arg string) tea.Cmd
}

// commands is the one list of them, in the order in which they are offered.
func commands() []command {
	do := func(f func(a *App)) func(*App, string) tea.Cmd {
		return func(a *App, _ string) tea.Cmd { f(a); return nil }
	}
	themes := make([]string, len(kit.Themes))
	for i, t := range kit.Themes {
		themes[i] = string(t)
	}
	return []command{
		{"q", nil, func(a *App, _ string) tea.Cmd { return a.leave() }},
		{"q!", nil, func(*App, string) tea.Cmd { return tea.Quit }},
		{"w", nil, func(a *App, arg string) tea.Cmd { return a.write(arg, false) }},
		{"wq", nil, func(a *App, arg string) tea.Cmd { return a.write(arg, true) }},
		{"filter", nil, (*App).filterCommand},
		{"goto", nil, (*App).gotoCommand},
		{"follow", nil, do((*App).toggleFollow)},
		{"mark", nil, do((*App).mark)},
		{"marked", nil, do((*App).showMarked)},
		{"comment", nil, func(a *App, arg string) tea.Cmd {
			if arg == "" {
				a.openComment()
			} else {
				a.comment(arg)
			}
			return nil
		}},
		{"clear", nil, do((*App).clear)},
		{"unclear", nil, do((*App).unclear)},
		{"list", nil, do(func(a *App) { a.show(onList) })},
		{"findings", nil, do(func(a *App) { a.show(onFindings) })},
		{"agents", nil, do(func(a *App) { a.show(onAgents) })},
		{"review", nil, do(func(a *App) { a.show(onReview) })},
		{"output", nil, do(func(a *App) { a.show(onOutput) })},
		{"lesson", nil, do((*App).toggleLesson)},
		{"explain", nil, do(func(a *App) { a.openTab(kit.TabExplain) })},
		{"copy", nil, do((*App).openCopy)},
		{"address", nil, func(a *App, _ string) tea.Cmd { return a.copyAddress() }},
		{"lang", lang.Codes(), (*App).langCommand},
		{"theme", themes, (*App).setTheme},
		{"set", []string{"mouse on", "mouse off", "secrets on", "secrets off", "hex on", "hex off"}, (*App).set},
		{"help", nil, do((*App).openHelp)},
		{"quit", nil, func(a *App, _ string) tea.Cmd { return a.leave() }},
	}
}

// command runs a line typed after ':'.
func (a *App) command(line string) tea.Cmd {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	if name == "" {
		return nil
	}
	cs := commands()
	if i := slices.IndexFunc(cs, func(c command) bool { return c.name == name }); i >= 0 {
		return cs[i].run(a, strings.TrimSpace(arg))
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		return a.gotoNumber(n)
	}
	names := make([]string, 0, len(cs))
	for _, c := range cs {
		names = append(names, c.name)
	}
	a.complain(a.words.UnknownCommand(kit.OneLine(name, 40), strings.Join(names, ", ")))
	return nil
}

// complete lists the lines that a command line may become.
func complete(line string) []string {
	name, arg, more := strings.Cut(line, " ")
	var out []string
	for _, c := range commands() {
		switch {
		case !more && strings.HasPrefix(c.name, name):
			if c.args != nil {
				out = append(out, c.name+" ")
			} else {
				out = append(out, c.name)
			}
		case more && c.name == name:
			for _, x := range c.args {
				if strings.HasPrefix(x, arg) {
					out = append(out, name+" "+x)
				}
			}
		}
	}
	return out
}

// write saves, and asks for a name where none is given.
func (a *App) write(name string, leave bool) tea.Cmd {
	if name == "" {
		a.openSave(leave)
		return nil
	}
	cmd := a.save(name, false)
	if cmd != nil {
		a.saved.leave = leave
	}
	return cmd
}

func (a *App) filterCommand(arg string) tea.Cmd {
	if a.o.CompileFilter == nil {
		a.complain(a.words.NoFilter)
		return nil
	}
	return a.setFilter(arg)
}

func (a *App) langCommand(arg string) tea.Cmd {
	if !lang.Known(arg) {
		a.complain(a.words.UsageLang)
		return nil
	}
	a.setLang(arg)
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

func (a *App) gotoCommand(arg string) tea.Cmd {
	n, err := strconv.Atoi(strings.TrimPrefix(arg, "#"))
	if err != nil || n < 1 {
		a.complain(a.words.UsageGoto)
		return nil
	}
	return a.gotoNumber(n)
}

// gotoNumber selects the exchange with a number, in the file that is looked at first.
func (a *App) gotoNumber(n int) tea.Cmd {
	file := 0
	if r := a.row(); r != nil {
		file = r.File
	}
	for i := range a.view.Rows.Len() {
		if r := a.view.Rows.At(i); r.Number == n && r.File == file && r.HasCall() {
			return a.selectExchange(r.ID())
		}
	}
	a.complain(a.words.NoExchange(n))
	return nil
}

// set changes a setting: "mouse off", "secrets on".
func (a *App) set(arg string) tea.Cmd {
	what, value, _ := strings.Cut(arg, " ")
	on := value == "on"
	known := on || value == "off"
	switch {
	case known && what == "mouse":
		a.mouse = on
	case known && what == "secrets":
		a.redact = !on
	case known && what == "hex":
		a.hex = on
	default:
		a.complain(a.words.UsageSet)
		return nil
	}
	a.say(a.words.SetDone(what, value))
	return nil
}
