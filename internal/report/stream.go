package report

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"

	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
)

// Stream writes jsonl while a session runs: an exchange and its findings when
// the exchange has ended; findings about a stream that goes on, and findings
// that are raised later, when they are raised; the file and the summary at the
// end. A finding whose standing changes later keeps the line that was written.
type Stream struct {
	out  *bufio.Writer
	enc  *json.Encoder
	opt  Options
	seen session.Rows // of the view that was written last
}

// NewStream writes to w.
func NewStream(w io.Writer, o Options) *Stream {
	out := bufio.NewWriterSize(w, 32<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return &Stream{out: out, enc: enc, opt: o}
}

// Update writes what is new in v, all of it before it returns.
func (s *Stream) Update(v *session.View) error {
	if err := s.lines(v); err != nil {
		return err
	}
	return s.out.Flush()
}

func (s *Stream) lines(v *session.View) error {
	for old, row := range v.Rows.Since(s.seen) {
		if err := s.change(v, old, row); err != nil {
			return err
		}
	}
	s.seen = v.Rows
	return nil
}

// change writes what a row says and its predecessor did not.
func (s *Stream) change(v *session.View, old, row *session.Row) error {
	if !ended(row) && !streams(row) || s.opt.Only != nil && !s.opt.Only(row) {
		return nil
	}
	r := &Report{Options: s.opt}
	f := &FileReport{File: v.Files[row.File]}
	rr := &RowReport{Row: row}
	var told []*diagnose.Finding
	if ended(old) || streams(old) {
		told = old.Findings
	}
	if ended(row) && !ended(old) {
		if err := s.enc.Encode(r.exchangeLine(rr, f.Name)); err != nil {
			return err
		}
	}
	for _, fd := range row.Findings {
		if ignored(fd.Rule.ID, s.opt.Ignore) || slices.ContainsFunc(told, func(o *diagnose.Finding) bool { return o.Key == fd.Key }) {
			continue
		}
		if err := s.enc.Encode(r.findingLine(f, rr, fd)); err != nil {
			return err
		}
	}
	return nil
}

func ended(row *session.Row) bool {
	return row != nil && row.HasCall() && row.Call().Phase == decode.Ended
}

// streams reports whether the row is a stream that goes on, perhaps for hours.
func streams(row *session.Row) bool {
	return row != nil && row.HasCall() && row.Call().Phase == decode.Streaming
}

// End writes what is left, the files and the summary.
func (s *Stream) End(v *session.View) error {
	if err := s.lines(v); err != nil {
		return err
	}
	r := New(v, s.opt)
	for i := range r.Files {
		if err := s.enc.Encode(r.Files[i].line()); err != nil {
			return err
		}
		if err := r.Files[i].encodeReview(s.enc, s.opt); err != nil {
			return err
		}
	}
	if err := s.enc.Encode(r.summaryLine()); err != nil {
		return err
	}
	return s.out.Flush()
}
