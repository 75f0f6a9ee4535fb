package review

import (
	"a2ascope/capture"
	"a2ascope/internal/session"
)

// ref is an exchange of a file: ids are numbered within one.
type ref struct {
	file int
	id   capture.ExchangeID
}

// finder knows the rows of the exchanges that answers name. Rows never change
// their index, so that each exchange is looked for once.
type finder struct{ index map[ref]int }

// learn looks for the exchanges that are not known yet, in one walk over the rows.
func (f *finder) learn(v *session.View, refs []ref) {
	missing := 0
	for _, r := range refs {
		if _, known := f.index[r]; !known {
			f.index[r] = -1
			missing++
		}
	}
	for i := 0; i < v.Rows.Len() && missing > 0; i++ {
		row := v.Rows.At(i)
		if !row.HasCall() {
			continue
		}
		r := ref{row.File, row.ID()}
		if at, wanted := f.index[r]; wanted && at < 0 {
			f.index[r] = i
			missing--
		}
	}
}

// row returns the row of an exchange, nil when it is no longer there.
func (f *finder) row(v *session.View, r ref) *session.Row {
	i, ok := f.index[r]
	if !ok || i < 0 || i >= v.Rows.Len() {
		return nil
	}
	if row := v.Rows.At(i); !row.Forgotten && row.HasCall() {
		return row
	}
	return nil
}

// refs are the exchanges that the lines of a list name.
func refs(all []*subject) []ref {
	var out []ref
	for _, s := range all {
		for i := range s.questions {
			for _, p := range s.questions[i].Parts {
				if p.Seen {
					out = append(out, ref{s.file, p.Exchange})
				}
			}
			for _, x := range s.questions[i].Failures {
				out = append(out, ref{s.file, x.Exchange})
			}
		}
		for i := range s.versions {
			out = append(out, ref{s.file, s.versions[i].First})
		}
	}
	return out
}
