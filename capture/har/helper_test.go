package har

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"a2ascope/capture"
)

// keeping is a sink that keeps everything.
type keeping struct {
	events []capture.Event
	last   capture.Progress
	stop   int // fails after so many calls, 0: never
}

var errGone = errors.New("gone")

func (k *keeping) Chunks([]capture.Chunk) error { panic("a HAR has no bytes") }
func (k *keeping) Progress(p capture.Progress)  { k.last = p }
func (k *keeping) Events(es []capture.Event) error {
	if k.stop--; k.stop == 0 {
		return errGone
	}
	k.events = append(k.events, es...)
	return nil
}

// mapped reads text the way a mapped file is read.
func mapped(text []byte) (*keeping, capture.Summary, error) {
	k := &keeping{}
	r := run{name: "test.har", total: int64(len(text)), split: &splitter{buf: text}, to: k}
	sum, err := r.run(context.Background())
	return k, sum, err
}

// streamed reads text as a stream that comes in pieces.
func streamed(text string, slow bool) (*keeping, capture.Summary, error) {
	var in io.Reader = strings.NewReader(text)
	if slow {
		in = iotest.OneByteReader(in)
		if len(text) > 500 {
			in = few{strings.NewReader(text)}
		}
	}
	src, err := NewReader("test.har", in)
	if err != nil {
		return nil, capture.Summary{}, err
	}
	k := &keeping{}
	sum, err := src.Run(context.Background(), k)
	return k, sum, err
}

// few reads a few bytes at a time.
type few struct{ r io.Reader }

func (f few) Read(b []byte) (int, error) { return f.r.Read(b[:min(len(b), 13)]) }

// dump writes events one a line; times as milliseconds after base.
func dump(es []capture.Event, base time.Time) string {
	var b strings.Builder
	for i := range es {
		e := &es[i]
		fmt.Fprintf(&b, "%d.%d %s +%v ", e.Conn, e.Exchange&0xffffff, e.From, e.At.Sub(base))
		switch x := e.Body.(type) {
		case *capture.Head:
			if x.IsRequest() {
				fmt.Fprintf(&b, "%s %s %s %s %s", x.Proto, x.Method, x.Scheme, x.Authority, x.Target)
			} else {
				fmt.Fprintf(&b, "%s %d %s", x.Proto, x.Status, x.Reason)
			}
			for _, f := range x.Fields {
				fmt.Fprintf(&b, " [%s: %s]", f.Name, f.Value)
			}
			if e.Link != nil {
				fmt.Fprintf(&b, " link(%s %s tls=%s alpn=%s %s)", e.Link.ServerName, e.Link.Server, e.Link.TLS, e.Link.ALPN, e.Link.Source)
			}
		case *capture.Frame:
			fmt.Fprintf(&b, "%s#%d %q size=%d wire=%d", x.Form, x.Seq, x.Data, x.Size, x.WireSize)
			if x.Coding != "" {
				fmt.Fprintf(&b, " coding=%s", x.Coding)
			}
			if x.Event != "" || x.ID != "" {
				fmt.Fprintf(&b, " event=%s id=%s", x.Event, x.ID)
			}
		case *capture.Trailer:
			fmt.Fprintf(&b, "trailer only=%v", x.Only)
			for _, f := range x.Fields {
				fmt.Fprintf(&b, " [%s: %s]", f.Name, f.Value)
			}
		case *capture.BodyEnd:
			fmt.Fprintf(&b, "body-end %d", x.Size)
		case *capture.Breach:
			fmt.Fprintf(&b, "breach %s lost=%d %s", x.Code, x.Lost, x.Text)
		case *capture.End:
			fmt.Fprintf(&b, "end %s %s", x.Kind, x.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func dumpDamage(s capture.Summary) string {
	var b strings.Builder
	for _, d := range s.Damage {
		fmt.Fprintf(&b, "%s: %s\n", d.What, d.Detail)
	}
	return b.String()
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n--- got\n%s--- want\n%s", what, got, want)
	}
}

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
