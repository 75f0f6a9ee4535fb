package report

import (
	"encoding/json"
	"io"

	"a2ascope/decode"
	"a2ascope/internal/session"
)

// Stream writes jsonl while a session runs: an exchange and its findings when
// the exchange has ended, the file and the summary at the end. A finding whose
// standing changes later keeps the line that was written.
type Stream struct {
	enc  *json.Encoder
	opt  Options
	told map[int]bool // rows written that lie after next
	next int          // rows before it are written
}

// NewStream writes to w.
func NewStream(w io.Writer, o Options) *Stream {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Stream{enc: enc, opt: o, told: map[int]bool{}}
}

// Update writes what has ended since. Each line is written at once.
func (s *Stream) Update(v *session.View) error {
	for i := s.next; i < v.Rows.Len(); i++ {
		row := v.Rows.At(i)
		ended := row.Call == nil || row.Call.Phase == decode.Ended
		if ended && !s.told[i] {
			if err := s.row(v, row); err != nil {
				return err
			}
			s.told[i] = true
		}
		if s.told[i] && i == s.next {
			delete(s.told, i)
			s.next++
		}
	}
	return nil
}

func (s *Stream) row(v *session.View, row *session.Row) error {
	if row.Call == nil || s.opt.Only != nil && !s.opt.Only(row) {
		return nil
	}
	r := &Report{Options: s.opt}
	f := &FileReport{File: v.Files[row.File]}
	rr := &RowReport{Row: row}
	if err := s.enc.Encode(rr.line(f.Name)); err != nil {
		return err
	}
	for _, fd := range row.Findings {
		if ignored(fd.Rule.ID, s.opt.Ignore) {
			continue
		}
		if err := s.enc.Encode(r.findingLine(f, rr, fd)); err != nil {
			return err
		}
	}
	return nil
}

// End writes what is left, the files and the summary.
func (s *Stream) End(v *session.View) error {
	if err := s.Update(v); err != nil {
		return err
	}
	r := New(v, s.opt)
	for i := range r.Files {
		if err := s.enc.Encode(r.Files[i].line()); err != nil {
			return err
		}
	}
	return s.enc.Encode(r.Summary.line())
}
