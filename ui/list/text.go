package list

import (
	"strconv"
	"strings"

	"a2ascope/decode/spec"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

func itoa(n int) string { return strconv.Itoa(n) }

func isA2A(r *session.Row) bool {
	return r.A2A() && r.Call().Kind != spec.KindOther
}

// empty explains an empty list and says what to do.
func empty(sc *kit.Screen, p kit.Props) {
	w := p.Words
	text := w.EmptyLoading
	switch {
	case (p.Filter != "" || p.Notes.Only) && p.View.Rows.Len() > p.From:
		text = w.EmptyFilter
	case p.From > 0:
		text = w.EmptyCleared(p.From)
	case p.View.Done && failed(p.View):
		text = w.EmptyUnreadable
	case p.View.Done && p.Watch.Live:
		text = w.EmptyLiveDone
	case p.View.Done:
		text = w.EmptyDone
	case p.Watch.Address != "":
		text = w.EmptyAddress(kit.OneLine(p.Watch.Address, 200))
	case p.Watch.Live:
		text = w.EmptyLive
	}
	sc.Blank(1)
	for _, l := range kit.Wrap(text, max(10, min(sc.Width()-4, 76))) {
		sc.Line(p.Styles, kit.Plain, "  "+l)
	}
	if text == w.EmptyDone {
		for _, f := range p.View.Files { // that it broke off may be why
			for i, d := range f.Damage {
				if i == 3 {
					break
				}
				sc.Blank(1)
				for _, l := range kit.Wrap(kit.Clean(d.Detail), max(10, min(sc.Width()-4, 76))) {
					sc.Line(p.Styles, kit.Warn, "  "+l)
				}
			}
		}
	}
	if text == w.EmptyUnreadable {
		for _, f := range p.View.Files {
			if f.Err == nil {
				continue
			}
			for _, l := range kit.Wrap(kit.Clean(f.Err.Error()), max(10, sc.Width()-4)) {
				sc.Line(p.Styles, kit.Err, "  "+l)
			}
		}
	}
}

// fileNames are the names of the files without folder and ending, as far as
// they tell the files apart.
func fileNames(fs []session.File, w *lang.Words) []string {
	out := make([]string, len(fs))
	seen := map[string]int{}
	for i, f := range fs {
		out[i] = kit.FileName(f.Name, w)
		short := out[i]
		for _, ext := range [...]string{".gz", ".pcapng", ".pcap", ".har", ".play"} {
			short = strings.TrimSuffix(short, ext)
		}
		seen[short]++
		if short != "" {
			out[i] = short
		}
	}
	for i, f := range fs { // a.pcap and a.har: the endings are needed
		if seen[out[i]] > 1 {
			out[i] = kit.FileName(f.Name, w)
		}
	}
	return out
}

func failed(v *session.View) bool {
	for _, f := range v.Files {
		if f.Err == nil {
			return false
		}
	}
	return len(v.Files) > 0
}
