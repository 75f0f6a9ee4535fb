package ui

import (
	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// sums counts over the rows from one on. Only chunks that changed are counted
// again, so that a view costs the same with 200 rows and with 200,000.
type sums struct {
	from  int
	rows  session.Rows
	parts []kit.Sums
	all   kit.Sums
}

// sync takes a new list, and the row to count from.
func (s *sums) sync(rows session.Rows, from int) {
	if from != s.from {
		s.from, s.parts = from, s.parts[:0]
	}
	s.all = kit.Sums{}
	for c := range rows.Chunks() {
		if c == len(s.parts) {
			s.parts = append(s.parts, countChunk(rows.Chunk(c), from))
		} else if !s.rows.SameChunk(rows, c) {
			s.parts[c] = countChunk(rows.Chunk(c), from)
		}
		add(&s.all, s.parts[c])
	}
	s.rows = rows
}

func add(to *kit.Sums, s kit.Sums) {
	to.Errors += s.Errors
	to.Warnings += s.Warnings
	to.Infos += s.Infos
	to.Events += s.Events
	to.Failed += s.Failed
}

// countChunk counts what the rows show. A finding that repeats an earlier one
// counts here: the earlier one may be among the rows that are not counted.
func countChunk(rows []*session.Row, from int) (n kit.Sums) {
	for _, r := range rows {
		if r.Index < from {
			continue
		}
		if r.Worst == diagnose.Error {
			n.Failed++
		}
		n.Events += r.Events()
		for _, f := range r.Findings {
			if f.FollowsFrom != nil {
				continue
			}
			switch f.Severity {
			case diagnose.Error:
				n.Errors++
			case diagnose.Warning:
				n.Warnings++
			case diagnose.Info:
				n.Infos++
			}
		}
	}
	return n
}

// counts are the sums of what is not hidden; without anything hidden, findings
// are counted as the session does.
func (a *App) counts() kit.Sums {
	s := a.sums.all
	if a.from == 0 {
		s.Errors, s.Warnings, s.Infos = a.view.Errors, a.view.Warnings, a.view.Infos
	}
	return s
}
