package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"a2ascope/ui/detail"
	"a2ascope/ui/kit"
)

// layoutMode is how list and detail share the screen.
type layoutMode uint8

const (
	autoLayout layoutMode = iota
	oneLayout
	stackLayout
	sideLayout
	numLayouts
)

// rect is a part of the screen.
type rect struct{ x, y, w, h int }

func (r rect) size() kit.Size { return kit.Size{W: r.w, H: r.h} }

func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// places is who gets which cells; a part of no height is not shown.
type places struct {
	main, detail, preview, lesson, menu, prompt, status rect
	sep                                                 int // column between main and detail, 0 for none
	lessonSep                                           int
}

// arrange divides the screen.
func (a *App) arrange() places {
	var p places
	w, h := a.size.W, a.size.H
	if w < 1 || h < 1 {
		return p
	}
	h--
	p.status = rect{0, h, w, 1}
	if a.prompt != nil {
		n := min(a.prompt.Height(), max(0, h-1))
		h -= n
		p.prompt = rect{0, h, w, n}
	}
	if a.menu != nil {
		n := min(a.menu.Height(), max(0, h-1))
		h -= n
		p.menu = rect{0, h, w, n}
	}
	body := rect{0, 0, w, h}
	if a.screen == onHelp {
		p.main = body
		return p
	}
	if a.lesson {
		switch {
		case a.focus == onLesson && (w < 120 || a.zoom):
			p.lesson = body
			return p
		case w >= 120 && !a.zoom:
			lw := min(56, w/3)
			body.w -= lw + 1
			p.lessonSep = body.w
			p.lesson = rect{body.w + 1, 0, lw, h}
		}
	}
	if a.screen.whole() {
		p.main = body
		return p
	}
	mode := a.layout
	if mode == autoLayout {
		switch {
		case body.w >= 160:
			mode = sideLayout
		case body.h >= 30, body.h-a.listH(body.h) >= roomyDetail:
			mode = stackLayout
		default:
			mode = oneLayout
		}
	}
	if a.zoom || body.h < 8 || mode == sideLayout && body.w < 60 {
		mode = oneLayout
	}
	switch mode {
	case sideLayout:
		mw := body.w * 55 / 100
		p.main = rect{0, 0, mw, h}
		p.sep = mw
		p.detail = rect{mw + 1, 0, body.w - mw - 1, h}
	case stackLayout:
		mh := max(5, h*2/5)
		if a.screen == onList {
			mh = max(4, min(mh, a.listH(body.h)))
		}
		p.main = rect{0, 0, body.w, mh}
		p.detail = rect{0, mh, body.w, h - mh}
	default:
		if a.focus == onDetail {
			p.detail = body
		} else {
			p.main = body
			if body.h >= 16 && !a.zoom { // one pane at a time: a glimpse of the other
				ph := previewH
				switch {
				case a.o.Live: // always the same, whatever comes
					ph = max(ph, body.h/3)
				case a.screen == onList: // in the room that the rows leave
					ph = max(ph, min(body.h-a.listH(body.h), body.h/2))
				}
				p.main.h -= ph
				p.preview = rect{0, p.main.h, body.w, ph}
			}
		}
	}
	return p
}

// previewH is the least height of the glimpse of the selected exchange below the list.
const previewH = 5

// roomyDetail is the height from which a detail below the list is worth more
// than one that has the screen to itself.
const roomyDetail = 20

// listH is the height that the list can use: a head and its rows. The rows of
// the session count, not those of the filter, so that typing one moves nothing.
func (a *App) listH(most int) int {
	n := a.view.Rows.Len()
	if n == 0 || a.o.Live {
		return most // nobody knows yet, or it is said why there is none; a live list must not push the rest about
	}
	return min(most, 1+n)
}

// tooSmall reports whether no pane could say anything.
func (a *App) tooSmall() bool { return a.size.W < 20 || a.size.H < 4 }

// eventsRect is the part of the detail below its head.
func eventsRect(d rect) rect {
	return rect{d.x, d.y + detail.HeadH, d.w, max(0, d.h-detail.HeadH)}
}

// syncPanes tells the visible panes what they are to show.
func (a *App) syncPanes() {
	p := a.arrange()
	if p.main.h > 0 {
		props := a.props(p.main.size(), a.focus == onMain)
		switch a.screen {
		case onList:
			a.list = a.list.Sync(props)
		case onFindings:
			a.findings = a.findings.Sync(props)
		case onAgents:
			a.agents = a.agents.Sync(props)
		case onReview:
			a.review = a.review.Sync(props)
		case onOutput:
			a.output = a.output.Sync(props)
		case onHelp:
			a.help = a.help.Sync(props)
		}
	}
	if p.detail.h > 0 {
		if a.streaming() {
			a.events = a.events.Sync(a.props(eventsRect(p.detail).size(), a.focus == onDetail))
		} else {
			a.detail = a.detail.Sync(a.props(p.detail.size(), a.focus == onDetail))
		}
	}
	if p.lesson.h > 0 {
		a.lessonPane = a.lessonPane.Sync(a.props(p.lesson.size(), a.focus == onLesson))
	}
}

// View draws the screen.
func (a *App) View() tea.View {
	if a.out != nil && a.out.clogged() {
		return a.last
	}
	v := tea.NewView(a.Frame())
	v.AltScreen = true
	v.WindowTitle = a.title()
	if a.mouse && !a.drag {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if a.prompt != nil {
		p := a.arrange()
		if p.prompt.h > 0 {
			v.Cursor = tea.NewCursor(a.prompt.Cursor(a.props(p.prompt.size(), true), p.prompt.w), p.prompt.y)
		}
	}
	a.last = v
	return v
}

// Frame draws the screen as text with colours: exactly as many rows and cells
// as the terminal has.
func (a *App) Frame() string {
	p := a.arrange()
	if p.status.h == 0 {
		return ""
	}
	if a.tooSmall() {
		sc := kit.NewScreen(a.size)
		sc.Line(a.styles, kit.Plain, a.words.TooSmall)
		return sc.String()
	}
	var left, right, lesson string
	if p.main.h > 0 {
		left = a.mainView(p.main)
	}
	if p.detail.h > 0 {
		right = a.detailView(p.detail)
	}
	if p.lesson.h > 0 {
		lesson = a.lessonPane.View(a.props(p.lesson.size(), a.focus == onLesson), p.lesson.size())
	}
	var b strings.Builder
	b.Grow(a.drawn + a.drawn/8) // about as long as the frame before
	var beside []string
	switch {
	case left != "" && right != "" && p.sep == 0: // one above the other
		beside = append(beside, left+"\n"+right)
	case left != "" && p.preview.h > 0:
		beside = append(beside, left+"\n"+detail.Preview(a.props(p.preview.size(), false), p.preview.size()))
	default:
		for _, pane := range [...]string{left, right} {
			if pane != "" {
				beside = append(beside, pane)
			}
		}
	}
	if lesson != "" {
		beside = append(beside, lesson)
	}
	if len(beside) > 0 {
		kit.Beside(&b, a.styles.Seq(kit.Border)+"│"+kit.Reset, beside...)
		b.WriteByte('\n')
	}
	if p.menu.h > 0 {
		b.WriteString(a.menu.View(a.props(p.menu.size(), true), p.menu.size()) + "\n")
	}
	if p.prompt.h > 0 {
		b.WriteString(a.prompt.View(a.props(p.prompt.size(), true), p.prompt.size()) + "\n")
	}
	b.WriteString(a.status.View(a.props(p.status.size(), false), p.status.size()))
	a.drawn = b.Len()
	return b.String()
}

func (a *App) mainView(r rect) string {
	props := a.props(r.size(), a.focus == onMain)
	switch a.screen {
	case onFindings:
		return a.findings.View(props, r.size())
	case onAgents:
		return a.agents.View(props, r.size())
	case onReview:
		return a.review.View(props, r.size())
	case onOutput:
		return a.output.View(props, r.size())
	case onHelp:
		return a.help.View(props, r.size())
	}
	return a.list.View(props, r.size())
}

func (a *App) detailView(r rect) string {
	props := a.props(r.size(), a.focus == onDetail)
	if !a.streaming() || r.h <= detail.HeadH {
		return a.detail.View(props, r.size())
	}
	e := eventsRect(r)
	return a.detail.Head(props, r.w) + "\n" + a.events.View(a.props(e.size(), a.focus == onDetail), e.size())
}
