package save

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/internal/session"
)

// Options say how a session is written.
type Options struct {
	Version string // of the program
	Plain   bool   // secrets as they are
	Replace bool   // a file of that name may be replaced
	Whole   bool   // a recording appears only when it is whole
	// Only chooses exchanges; nil: all.
	Only func(*session.Row) bool
	// Notes are what people attached to rows, by Row.Index; they replace what
	// was read with the exchange.
	Notes map[int]Note
}

// Note is what people attached to a row.
type Note struct {
	Marked  bool
	Comment string
}

// exchange is the exchange of a row with what people attached to it.
func (o *Options) exchange(r *session.Row) *capture.Exchange {
	x := *r.Call().Exchange
	x.Notes = o.notes(r, x.Notes)
	return &x
}

// connection is the event that says that a row is a connection without HTTP.
func (o *Options) connection(r *session.Row) *capture.Event {
	info := *r.Conn
	info.Notes = o.notes(r, info.Notes)
	return &capture.Event{Conn: aloneFrom + capture.ConnID(r.Index), At: r.At, Link: r.Link, Body: &info}
}

// aloneFrom numbers connections without HTTP beyond those that have exchanges.
const aloneFrom capture.ConnID = 1 << 39

// Count is what a file holds.
type Count struct {
	Exchanges   int
	Connections int // without HTTP
}

func (n *Count) add(r *session.Row) {
	if r.Conn != nil {
		n.Connections++
		return
	}
	n.Exchanges++
}

// notes are those of a row, which had some before.
func (o *Options) notes(r *session.Row, had []capture.Note) []capture.Note {
	said, ok := o.Notes[r.Index]
	if !ok {
		return had
	}
	all := slices.DeleteFunc(slices.Clone(had), func(n capture.Note) bool { return n.ByPeople() })
	if said.Marked {
		all = append(all, capture.Note{Code: capture.NoteMark})
	}
	if said.Comment != "" {
		all = append(all, capture.Note{Code: capture.NoteComment, Text: said.Comment})
	}
	return all
}

// format is a kind of file.
type format struct {
	ext   string
	write func(ctx context.Context, w io.Writer, v *session.View, o *Options) (Count, error)
}

// formats is the one list of kinds of files, by the end of the name.
var formats = []format{
	{".har", writeHAR},
	{".pcapng", writePcapng},
}

func formatOf(name string) (format, error) {
	for _, f := range formats {
		if strings.EqualFold(filepath.Ext(name), f.ext) {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("%s: a session is saved as .har or .pcapng: give the name one of these ends", name)
}

// Known says whether the name has the end of a kind of file that can be written.
func Known(name string) error {
	_, err := formatOf(name)
	return err
}

// Write saves the exchanges of a view, and what is known of connections without
// HTTP, and returns how many there were. The file
// appears when it is whole. An error that is fs.ErrExist says that there is a
// file of that name; when ctx ends, nothing is left behind.
func Write(ctx context.Context, name string, v *session.View, o Options) (n Count, err error) {
	f, err := formatOf(name)
	if err != nil {
		return n, err
	}
	t, err := create(name, o.Replace, false)
	if err != nil {
		return n, err
	}
	defer t.drop()
	if n, err = f.write(ctx, t, v, &o); err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return Count{}, fmt.Errorf("%s was not saved: it was told to stop", name)
		}
		return Count{}, t.failed(err)
	}
	return n, t.keep()
}

// rows calls f for every row that is to be written, until it fails.
func rows(ctx context.Context, v *session.View, o *Options, f func(*session.Row) error) error {
	for i := range v.Rows.Len() {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r := v.Rows.At(i)
		if r.Forgotten || !r.HasCall() && r.Conn == nil || o.Only != nil && !o.Only(r) {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}
