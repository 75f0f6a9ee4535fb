package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/agents"
	"a2ascope/ui/detail"
	"a2ascope/ui/events"
	"a2ascope/ui/findings"
	"a2ascope/ui/help"
	"a2ascope/ui/kit"
	"a2ascope/ui/lesson"
	"a2ascope/ui/list"
	"a2ascope/ui/menu"
	"a2ascope/ui/output"
	"a2ascope/ui/prompt"
	"a2ascope/ui/review"
	"a2ascope/ui/status"
)

// screen says what stands where the list stands.
type screen uint8

const (
	onList screen = iota
	onFindings
	onAgents
	onReview
	onOutput
	onHelp
)

// focus says which pane gets the keys.
type focus uint8

const (
	onMain focus = iota // list, findings, agents, help
	onDetail
	onLesson
)

// App is the one tea.Model of the program.
type App struct {
	ctx   context.Context
	o     Options
	store Store
	work  work

	size   kit.Size
	drawn  int      // bytes of the last frame
	out    *outlet  // nil: without a terminal
	last   tea.View // shown while the terminal takes nothing new
	words  *lang.Words
	theme  kit.Theme // as chosen; Auto follows the terminal
	dark   bool      // what the terminal said of its background
	colors colorprofile.Profile
	styles *kit.Styles

	view  *session.View
	index index
	begin tea.Cmd // the first work of the index
	whole whole
	sel   int // Row.Index of the selected exchange, -1 for none
	tab   kit.Tab
	hex   bool

	screen screen
	came   screen // to return to from the help
	focus  focus
	zoom   bool
	layout layoutMode
	lesson bool    // the lesson is shown
	jumped kit.Tab // the tab from which a place was gone to: back leads there; 0 for none
	opener screen  // the detail was reached from this screen: back leads there; onList for none

	follow    following
	notes     kit.Notes
	collected session.Rows // rows whose notes are in notes
	picked    picked       // the rows shown while only marked ones are
	from      int          // rows before it (Row.Index) are hidden
	sums      sums
	saved     saving

	unsavedNotes bool
	stopping     bool // the next ctrl+z suspends
	interrupts   int  // presses of ctrl+c without another key in between

	filter  string // the filter that is in force
	search  string
	redact  bool
	mouse   bool
	drag    bool // the mouse was given back to the terminal for selecting text
	prefix  string
	history [prompt.Kinds][]string

	prompt *prompt.Model
	menu   *menu.Model
	chose  func(id string) tea.Cmd // what the menu is for

	list       list.Model
	detail     detail.Model
	events     events.Model
	findings   findings.Model
	agents     agents.Model
	review     review.Model
	output     output.Model
	help       help.Model
	status     status.Model
	lessonPane lesson.Model
}

// New makes the screen's model. Run is the usual way in; New is for tests
// that drive it without a terminal.
func New(ctx context.Context, store Store, o Options) *App {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	a := &App{
		ctx: ctx, o: o, store: store, view: store.View(), sel: -1, tab: kit.TabDiagnosis,
		dark: true, colors: colorprofile.ANSI256, redact: !o.ShowSecrets, mouse: true,
		list: list.New(), detail: detail.New(), events: events.New(), findings: findings.New(), agents: agents.New(), review: review.New(), output: output.New(o.Program),
	}
	if a.view == nil {
		a.view = &session.View{}
	}
	a.words = lang.Get(o.Lang)
	a.theme = kit.Theme(o.Theme)
	if a.theme == "" {
		a.theme = kit.Auto
	}
	a.restyle()
	a.loadLesson()
	a.begin = a.index.sync(a.view.Rows)
	a.sums.sync(a.view.Rows, 0)
	a.collect(a.view.Rows)
	a.follow.on = o.Live
	if o.RuleMistakes > 0 {
		a.complain(a.words.RulesWrong(o.RuleMistakes))
	}
	if a.view.Done {
		a.tellUnreadable(a.view)
	}
	return a
}

// mono reports whether no colour may be used. A theme that was asked for by
// name wins over NO_COLOR, as no-color.org has it for explicit options.
func (a *App) mono() bool {
	return a.theme == kit.Mono || a.theme == kit.Auto && a.o.Getenv("NO_COLOR") != ""
}

// restyle makes the styles for the theme and what is known of the terminal.
func (a *App) restyle() {
	t := a.theme
	switch {
	case a.mono() || t == kit.Auto && a.colors <= colorprofile.ASCII:
		t = kit.Mono
	case t == kit.Auto && a.colors == colorprofile.ANSI:
		t = kit.Ansi
	case t == kit.Auto && !a.dark:
		t = kit.Light
	case t == kit.Auto:
		t = kit.Dark
	}
	if a.styles == nil || a.styles.Theme != t {
		a.styles = kit.NewStyles(t)
	}
}

func (a *App) loadLesson() {
	text := a.o.Lesson
	if t := a.o.Lessons[a.words.Code]; t != "" {
		text = t
	}
	a.lessonPane = lesson.New(text)
	a.lesson = !a.lessonPane.Empty()
}

// Init starts the feed and asks the terminal for its background.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{a.ask(), a.hear(), a.whenDrained()}
	if a.theme == kit.Auto && !a.mono() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	cmds = append(cmds, a.begin)
	return tea.Batch(cmds...)
}

// Update handles one message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch m := msg.(type) {
	case viewMsg:
		cmd = tea.Batch(a.take(m.view), later())
	case outputMsg:
		cmd = a.takeOutput(m.text)
	case hearMsg:
		return a, a.hear()
	case askMsg:
		return a, a.ask() // nothing changed
	case wholeMsg:
		a.whole.take(m)
	case indexMsg:
		cmd = a.index.take(m)
	case savedMsg:
		cmd = a.tookSave(m)
	case drainedMsg: // draws again
		cmd = a.whenDrained()
	case tea.WindowSizeMsg:
		a.size = kit.Size{W: m.Width, H: m.Height}
	case tea.ColorProfileMsg:
		if !a.mono() { // there the profile is ours
			a.colors = m.Profile
			a.restyle()
		}
	case tea.BackgroundColorMsg:
		a.dark = m.IsDark()
		a.restyle()
	case tea.KeyPressMsg:
		cmd = a.key(kit.Key{Name: m.String(), Text: m.Text})
	case tea.PasteMsg:
		cmd = a.paste(m.Content)
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			cmd = a.click(m.X, m.Y)
		}
	case tea.MouseWheelMsg:
		cmd = a.wheel(m.X, m.Y, m.Button == tea.MouseWheelUp)
	case tea.MouseMotionMsg:
		if m.Button == tea.MouseLeft {
			a.release()
		}
	default:
		return a, nil
	}
	return a, tea.Batch(cmd, a.settle())
}

// settle brings what panes share into agreement, and tells the visible panes.
func (a *App) settle() tea.Cmd {
	a.chase()
	rows := a.rows()
	if a.sel < 0 && rows.Len() > 0 {
		a.sel = rows.At(0).Index
	}
	if n := rows.Len(); n > 0 && !a.index.working() { // the selected row does not fit the filter: take the next
		if at := rows.Find(a.sel); at >= n || rows.At(at).Index != a.sel {
			a.sel = rows.At(min(at, n-1)).Index
		}
	}
	a.status.Busy = ""
	if a.index.working() {
		a.status.Busy = a.words.Filtering
	}
	cmd := a.whole.want(a.row())
	a.syncPanes()
	return cmd
}

// row returns the selected row as it is now.
func (a *App) row() *session.Row {
	if a.sel < 0 || a.sel >= a.view.Rows.Len() {
		return nil
	}
	return a.view.Rows.At(a.sel)
}

// selectAt selects a row of the visible list.
func (a *App) selectAt(i int) {
	rows := a.rows()
	if n := rows.Len(); n > 0 {
		a.sel = rows.At(max(0, min(i, n-1))).Index
	}
}

func (a *App) lang() diagnose.Lang { return diagnose.Lang(a.words.Code) }

// props is what every pane is given; size and focus are the pane's own.
func (a *App) props(size kit.Size, focused bool) kit.Props {
	return kit.Props{
		View: a.view, Rows: a.rows(), Row: a.whole.get(a.row()), Words: a.words, Lang: a.lang(), Styles: a.styles, Size: size,
		Focus: focused, Redact: a.redact, Filter: a.filter, Search: a.search, Tab: a.tab, Zone: a.o.Zone, Hex: a.hex,
		Follow: a.followed(), Sums: a.counts(), Notes: a.notes, From: a.from,
		Watch: kit.Watch{Live: a.o.Live, Mode: a.o.Mode, Address: a.o.Address, Recording: a.o.Recording, OwnRules: a.o.OwnRules, RuleMistakes: a.o.RuleMistakes},
	}
}

// streaming reports whether the third tab shows events.
func (a *App) streaming() bool {
	r := a.row()
	return a.tab == kit.TabResponse && r != nil && kit.IsStream(r.Call())
}

func (a *App) say(text string) { a.status.Say, a.status.Bad = text, false }

func (a *App) complain(text string) { a.status.Say, a.status.Bad = text, true }

// title is the title of the window; nothing of a capture is in it.
func (a *App) title() string {
	if a.o.Title != "" {
		return strings.Map(func(r rune) rune {
			if r < 0x20 || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, a.o.Title)
	}
	return "a2ascope"
}

// Size is the size of the screen.
func (a *App) Size() kit.Size { return a.size }
