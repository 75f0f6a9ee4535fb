package events

import (
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
)

// View draws the rows, a line, and the JSON of the chosen event.
func (m Model) View(p kit.Props, size kit.Size) string {
	sc := kit.NewScreen(size)
	if m.row == nil || len(m.row.Call().Exchange.Received) == 0 {
		sc.Line(p.Styles, kit.Dim, "  "+p.Words.NoEventsYet)
		return sc.String()
	}
	fs := m.row.Call().Exchange.Received
	h := rowsH(p, size.H, len(fs))
	hits := m.hits()
	for i := m.top; i < len(fs) && i < m.top+h; i++ {
		sc.Row(m.event(p, i, size.W, hits[i]))
	}
	sc.Blank(max(0, h-(len(fs)-m.top)))
	sc.Row(m.separator(p, size.W, len(fs)))
	for line := range strings.SplitSeq(m.pager.View(p.Styles, p.Focus && m.inside), "\n") {
		sc.Row(line)
	}
	return sc.String()
}

// hits are the events that findings point at.
func (m Model) hits() map[int]bool {
	out := map[int]bool{}
	for _, pl := range places(m.row) {
		if side, kind, _, n, _ := kit.SplitPlace(pl); side == "response" && kind == "frame" {
			out[n] = true
		}
	}
	return out
}

func (m Model) separator(p kit.Props, w, n int) string {
	text := strconv.Itoa(m.cursor+1) + "/" + strconv.Itoa(n) + " "
	if m.inside {
		text += p.Words.InsideJSON
	} else {
		text += p.Words.EnterForJSON
	}
	return kit.Rule(p.Styles, w, text)
}

func (m Model) event(p kit.Props, i, w int, hit bool) string {
	c := m.row.Call()
	fs := c.Exchange.Received
	f := fs[i]
	on := i == m.cursor
	st, words := p.Styles, p.Words
	var b strings.Builder
	left := w
	cell := func(role kit.Role, text string, width int) {
		width = min(width, left)
		if width > 0 {
			b.WriteString(st.SeqOn(role, on) + kit.Fit(text, width))
			left -= width
		}
	}
	mark, role := "  ", kit.Plain
	if hit {
		mark, role = "▌ ", kit.Err
	}
	if on {
		mark = ">" + mark[:len(mark)-1]
		if !hit {
			mark = "> "
		}
	}
	cell(role, mark, 2)
	cell(kit.Dim, kit.FitRight(strconv.Itoa(i+1), 5), 6)
	cell(kit.Accent, kit.FitRight("+"+kit.Duration(f.At.Sub(c.Exchange.Started)), 9), 10)
	var since time.Duration
	if i > 0 {
		since = f.At.Sub(fs[i-1].At)
	} else if !c.Exchange.Answered.IsZero() {
		since = f.At.Sub(c.Exchange.Answered)
	}
	if w >= 70 {
		cell(kit.Dim, kit.FitRight("Δ"+kit.Duration(since), 9), 10)
	}
	ev := find(c, i)
	kind, kindRole, state := f.V.Form.String(), kit.Dim, ""
	if ev != nil {
		kind, kindRole, state = ev.Kind, kit.Plain, ev.State
		if ev.Fault != nil {
			kindRole = kit.Err
			state = ev.Fault.A2A
			if state == "" {
				state = ev.Fault.Std
			}
		}
		if ev.Final {
			state += " " + words.FinalEvent
		}
	} else if f.V.Form == capture.SSEComment {
		kind = words.KeepAlive
	}
	cell(kindRole, kind, 16)
	cell(kit.Bold, kit.OneLine(strings.TrimPrefix(state, "TASK_STATE_"), 60), 18)
	cell(kit.Dim, kit.FitRight(kit.Bytes(f.V.Size), 8), 9)
	if f.V.Lost != 0 || f.V.Cut {
		cell(kit.Warn, words.LetterWarning+" "+words.Incomplete, kit.Width(words.Incomplete)+3)
	}
	if left > 0 {
		cell(kit.Plain, m.gist(ev, i, f.V, p.Mask()), left)
	}
	return b.String() + kit.Reset
}

// find returns what was read of a frame.
func find(c *decode.Call, frame int) *decode.StreamEvent {
	lo, hi := 0, len(c.Events)
	for lo < hi {
		mid := (lo + hi) / 2
		if c.Events[mid].Frame < frame {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(c.Events) && c.Events[lo].Frame == frame {
		return &c.Events[lo]
	}
	return nil
}

// gist is the text of an event: what a person would read aloud.
func (m Model) gist(ev *decode.StreamEvent, i int, f *capture.Frame, mask redact.Style) string {
	s := ""
	switch {
	case ev != nil && ev.Fault != nil:
		s = ev.Fault.Message
	case ev != nil && len(f.Data) <= 64<<10: // drawn anew with every frame: large events say nothing
		s = firstText(decode.DocAt(m.row.Call(), "response", i).Root(), 0)
	case ev == nil && f.Form != capture.GRPCMessage:
		s = string(f.Data[:min(len(f.Data), 200)])
	}
	return kit.OneLine(mask.Text(s), 300)
}

// firstText finds the first text part.
func firstText(n jsontree.Node, depth int) string {
	if depth > 6 {
		return ""
	}
	if t := n.Get("text"); t.IsString() {
		return t.Str()
	}
	for c := range n.Children() {
		if c.IsObject() || c.IsArray() {
			if s := firstText(c, depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}
