package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"a2ascope/capture"
	"a2ascope/internal/explain"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// maxCopy bounds what is sent to the terminal's clipboard: terminals drop more.
const maxCopy = 256 << 10

// copy sends a piece of the selected exchange to the clipboard, by OSC 52, so
// that it works over SSH too. Secrets are masked whatever the screen shows.
func (a *App) copy(what string) tea.Cmd {
	if what == "address" {
		return a.copyAddress()
	}
	r := a.row()
	if r == nil || !r.HasCall() {
		return nil
	}
	var text string
	switch what {
	case "finding":
		text = a.findingText(r)
	case "json":
		text = a.jsonText(r)
	case "curl":
		text = explain.Command(r.Call().Full(), false)
	case "raw":
		text = rawText(r.Call().Exchange)
	}
	return a.copyText(text)
}

// copyText sends a text in which secrets are masked to the clipboard.
func (a *App) copyText(text string) tea.Cmd {
	if text == "" {
		a.complain(a.words.NothingToCopy)
		return nil
	}
	return a.clip(text)
}

// clip sends a text to the clipboard, and says so.
func (a *App) clip(text string) tea.Cmd {
	if len(text) > maxCopy {
		text = strings.ToValidUTF8(text[:maxCopy], "")
		a.complain(a.words.CopiedCut(kit.Bytes(maxCopy)))
	} else {
		a.say(a.words.Copied(kit.Bytes(int64(len(text)))))
	}
	return tea.SetClipboard(text)
}

// findingText is the diagnosis as a message for the other team.
func (a *App) findingText(r *session.Row) string {
	w := a.words
	var b strings.Builder
	for _, f := range r.Findings {
		if f.FollowsFrom != nil {
			continue
		}
		t := f.Texts(a.lang())
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(kit.SeverityWord(f.Severity, w) + ": " + t.Symptom + "\n")
		part := func(head, body string) {
			if body != "" {
				b.WriteString("\n" + head + "\n" + strings.TrimRight(body, "\n") + "\n")
			}
		}
		part(w.Cause, t.Cause)
		part(w.FixClient, t.FixClient)
		part(w.FixServer, t.FixServer)
		b.WriteString("\n" + w.Evidence + " (" + kit.Number(r) + " " + kit.Operation(r, w) + ", " + a.props(a.size, false).At(r.At) + ")\n")
		for _, e := range f.Evidence {
			if e.Absent {
				b.WriteString("  " + string(e.Place) + ": " + w.NotThere + "\n")
				continue
			}
			b.WriteString("  " + string(e.Place) + " = " + e.Shown(false) + "\n")
		}
		if len(f.Rule.Spec) > 0 {
			b.WriteString("\n" + kit.Label(w.Spec, strings.Join(f.Rule.Spec, "; ")) + "\n")
		}
		b.WriteString(kit.Label(w.Rule, f.Rule.ID) + "\n")
	}
	return b.String()
}

// jsonText is the body of the visible tab: the request's on tab 2, else the
// answer's; of a stream, every event on a line.
func (a *App) jsonText(r *session.Row) string {
	side := capture.Server
	if a.tab == kit.TabRequest {
		side = capture.Client
	}
	y := redact.Words.Knowing(r.Call().Exchange.Request)
	fs := r.Call().Exchange.Frames(side)
	var b strings.Builder
	for i := range fs {
		if fs[i].V.Form == capture.SSEComment || b.Len() > maxCopy {
			continue
		}
		data, doc := kit.FrameBody(r.Call(), side, i, true)
		if doc != nil {
			b.Write(y.JSON(doc))
		} else {
			b.Write(y.Body(data))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// rawText is both heads and bodies as text.
func rawText(x *capture.Exchange) string {
	var b strings.Builder
	y := redact.Words.Knowing(x.Request)
	head := func(h *capture.Head) {
		if h == nil {
			return
		}
		if h.IsRequest() {
			b.WriteString(h.Method + " " + y.Text(h.Target) + " " + h.Proto + "\n")
		} else {
			b.WriteString(h.Proto + " " + strconv.Itoa(h.Status) + " " + y.Text(h.Reason) + "\n")
		}
		for _, f := range h.Fields {
			b.WriteString(f.Name + ": " + y.Header(f.Name, f.Value) + "\n")
		}
		b.WriteString("\n")
	}
	body := func(fs []capture.Timed[*capture.Frame]) {
		for _, f := range fs {
			if f.V.Form == capture.GRPCMessage || b.Len() > maxCopy {
				continue
			}
			if f.V.Raw != nil {
				b.WriteString(y.Rest(string(f.V.Raw)) + "\n")
			} else {
				b.Write(y.Body(f.V.Data))
				b.WriteString("\n")
			}
		}
		b.WriteString("\n")
	}
	head(x.Request)
	body(x.Sent)
	head(x.Response)
	body(x.Received)
	return strings.TrimRight(b.String(), "\n") + "\n"
}
