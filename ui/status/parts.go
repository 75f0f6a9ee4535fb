package status

import (
	"path/filepath"
	"strconv"
	"strings"

	"a2ascope/ui/kit"
)

// part is a piece of the line. The heavier it is, the longer it stays.
type part struct {
	text   string
	role   kit.Role
	weight int
}

// The weights of what stands on the right.
const (
	sayWeight  = 100
	busyWeight = 75
	hintWeight = 45
)

// roomy is the width from which words are written out.
const roomy = 100

// parts are the pieces in their order, the counts first.
func parts(p kit.Props, w int) []part {
	t, v, s := p.Words, p.View, p.Sums
	ps := []part{{" " + t.Counts(s.Errors, s.Warnings, s.Infos, w < roomy), kit.BarStrong, sayWeight}}
	add := func(weight int, role kit.Role, text string) {
		if text != "" {
			ps = append(ps, part{"  " + text, role, weight})
		}
	}
	add(90, kit.Bar, shown(p))
	if p.Filter != "" {
		add(84, kit.BarStrong, "/"+kit.OneLine(p.Filter, max(12, w/5)))
	}
	if p.Notes.Only {
		add(84, kit.BarStrong, t.MarkedOnly)
	}
	add(88, kit.BarStrong, follow(p))
	if p.Watch.RuleMistakes > 0 {
		add(83, kit.BarStrong, t.RuleMistakes(p.Watch.RuleMistakes))
	}
	if p.Watch.OwnRules {
		add(58, kit.Bar, t.OwnRules)
	}
	if p.From > 0 {
		add(60, kit.BarStrong, t.Hidden(p.From))
	}
	if p.Watch.Recording != "" {
		add(68, kit.BarStrong, t.Recording(kit.OneLine(filepath.Base(p.Watch.Recording), 40)))
	}
	add(66, kit.Bar, watched(p, w))
	if v.Conns > 0 {
		add(40, kit.Bar, t.Conns(v.OpenConns, v.Conns, w < 140))
	}
	if p.Watch.Live {
		if n := exchanges(p); n > 0 {
			add(35, kit.Bar, t.Exchanges(n))
		}
		if s.Events > 0 {
			add(30, kit.Bar, t.EventsSeen(s.Events))
		}
	}
	if v.Lost > 0 {
		add(82, kit.BarStrong, t.Dropped(kit.Bytes(v.Lost)))
	}
	if v.Forgotten > 0 {
		add(80, kit.BarStrong, t.Forgotten(v.Forgotten))
	}
	if v.RowsForgotten > 0 {
		add(81, kit.BarStrong, t.RowsForgotten(v.RowsForgotten))
	}
	if v.Memory > 0 {
		of, weight := "", 20
		if v.Budget > 0 {
			of = kit.Bytes(v.Budget)
			if v.Memory > v.Budget/10*9 { // it is about to matter
				weight = 50
			}
		}
		add(weight, kit.Bar, t.Memory(kit.Bytes(v.Memory), of))
	}
	if v.Spilled > 0 {
		add(15, kit.Bar, t.Spilled(kit.Bytes(v.Spilled)))
	}
	return ps
}

func exchanges(p kit.Props) int {
	n := 0
	for _, f := range p.View.Files {
		n += f.Exchanges
	}
	return n
}

// follow says whether the list follows, and what came since it does not.
func follow(p kit.Props) string {
	switch f := p.Follow; {
	case f.On:
		return p.Words.Following
	case f.Paused && f.New > 0:
		s := p.Words.Paused + " +" + strconv.Itoa(f.New)
		if f.Errors > 0 {
			s += " (" + p.Words.LetterError + strconv.Itoa(f.Errors) + ")"
		}
		return s
	case f.Paused:
		return p.Words.Paused
	}
	return ""
}

// shown is the position in the list, and how many the filter lets through.
func shown(p kit.Props) string {
	n, all := p.Rows.Len(), p.View.Rows.Len()-p.From
	s := strconv.Itoa(n)
	if p.Row != nil && n > 0 {
		s = strconv.Itoa(min(p.Rows.Find(p.Row.Index)+1, n)) + "/" + s
	}
	if p.Filter != "" || p.Notes.Only {
		s += " (" + p.Words.OfAll(all) + ")"
	}
	return s
}

// watched is how the traffic is watched, and where: the whole name where there
// is room for it, else the address that clients are pointed at.
func watched(p kit.Props, w int) string {
	s := p.Words.Mode(p.Watch.Mode)
	if s != "" {
		s += " "
	}
	_, addr, ok := strings.Cut(p.Watch.Address, "://")
	if !ok {
		addr = p.Watch.Address
	}
	addr = strings.TrimSuffix(kit.OneLine(addr, 60), "/")
	if !p.Watch.Live {
		return s + file(p)
	}
	if addr != "" && w < 120 || len(p.View.Files) == 0 {
		return s + addr
	}
	name := kit.OneLine(p.View.Files[len(p.View.Files)-1].Name, 60)
	if !strings.Contains(name, addr) {
		return s + addr + " " + name
	}
	return s + strings.TrimPrefix(name, p.Watch.Mode+" ")
}

// file names what is being read and how far it is, or what was read.
func file(p kit.Props) string {
	v := p.View
	if len(v.Files) == 0 {
		return ""
	}
	done := 0
	for _, f := range v.Files {
		if f.Done {
			done++
		}
	}
	at := min(done, len(v.Files)-1)
	if v.Done && p.Row != nil && p.Row.File < len(v.Files) { // all read: the file that is looked at
		at = p.Row.File
	}
	f := v.Files[at]
	s := kit.FileName(f.Name, p.Words)
	if len(v.Files) > 1 {
		s += " " + strconv.Itoa(at+1) + "/" + strconv.Itoa(len(v.Files))
	}
	switch {
	case f.Err != nil:
		return s + " " + p.Words.FileUnreadable
	case v.Done:
		if len(f.Damage) > 0 {
			s += " " + p.Words.FileDamaged
		}
		return s
	case v.Progress.Total > 0:
		return s + " " + strconv.Itoa(int(100*v.Progress.Read/v.Progress.Total)) + "%"
	case v.Progress.Read > 0:
		return s + " " + kit.Bytes(v.Progress.Read)
	}
	return s + " …"
}
