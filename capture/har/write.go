package har

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"a2ascope/capture"
)

// Options say how a HAR is written.
type Options struct {
	Creator, Version string                              // of the program that writes
	Redact           func(x *capture.Exchange) *Redactor // how secrets of an exchange are masked; nil needs Unmasked
	Unmasked         bool                                // write secrets as they are
}

// Redactor masks what must not be written. A function that is nil masks
// nothing of its kind. All must leave alone what they have masked already, or a
// file that is read and written again changes.
type Redactor struct {
	Header func(name, value string) string // the value of a header or trailer
	Text   func(s string) string           // running text: URLs, reasons, names of events
	// Body returns what may be written of the data of a frame. It must not
	// write to the frame.
	Body func(from capture.Side, f *capture.Frame) []byte
}

// Writer writes exchanges as a HAR 1.2, one entry after the other, with nothing
// kept in memory. The first error stays and is returned by every later call.
//
// What HAR has no member for is written twice: in the members that other
// programs have invented for it ("_trailers", "_error",
// "_eventSourceMessages"), and exactly in "_exchange" (own.go), from which this
// package reads an exchange back as it was. Times are kept to the microsecond.
// Not kept are the raw bytes of HTTP/1 heads, the number of the connection, and
// the lines of an event that clients skip.
type Writer struct {
	w       *bufio.Writer
	o       Options
	entries int
	err     error
}

// NewWriter begins a HAR. Close ends it.
func NewWriter(w io.Writer, o Options) *Writer {
	p := &Writer{w: bufio.NewWriterSize(w, 64<<10), o: o}
	if o.Redact == nil && !o.Unmasked {
		p.err = errors.New("write HAR: no way to mask secrets was given, and it was not asked to write them")
		return p
	}
	if o.Redact == nil {
		p.o.Redact = func(*capture.Exchange) *Redactor { return &Redactor{} }
	}
	var b builder
	b.raw(`{"log":{"version":"1.2","creator":`)
	b.open('{')
	b.str("name", o.Creator)
	b.str("version", o.Version)
	b.close('}')
	b.raw(`,"entries":[`)
	p.put(b.b)
	return p
}

// Exchange writes one exchange. extra is what the caller knows of it, a JSON
// object or nil; it becomes the member "_a2ascope".
func (p *Writer) Exchange(x *capture.Exchange, extra []byte) error { return p.entry(x, nil, extra) }

func (p *Writer) entry(x *capture.Exchange, alone *capture.ConnInfo, extra []byte) error {
	if p.err != nil {
		return p.err
	}
	if extra != nil && !json.Valid(extra) {
		p.err = fmt.Errorf("write HAR: what is to be added to entry %d is no JSON", p.entries+1)
		return p.err
	}
	e := &export{x: x, alone: alone, mask: p.o.Redact(x)}
	e.b.raw("\n")
	if p.entries > 0 {
		e.b.b = append(e.b.b[:0], ",\n"...)
	}
	e.entry(extra)
	p.put(e.b.b)
	p.entries++
	return p.err
}

// Connection writes a connection that carried no HTTP, as a request that was
// not seen and never answered: e is the event that says so. For extra see
// Exchange.
func (p *Writer) Connection(e *capture.Event, extra []byte) error {
	info := e.Body.(*capture.ConnInfo)
	return p.entry(&capture.Exchange{Link: e.Link, Started: e.At, Ended: e.At, Notes: info.Notes}, info, extra)
}

// Close ends the file; it does not close the writer below.
func (p *Writer) Close() error {
	p.put([]byte("\n]}}\n"))
	if err := p.w.Flush(); p.err == nil && err != nil {
		p.err = fmt.Errorf("write HAR: %w", err)
	}
	err := p.err
	if err == nil {
		p.err = errors.New("write HAR: the file is complete already")
	}
	return err
}

func (p *Writer) put(b []byte) {
	if p.err != nil {
		return
	}
	if _, err := p.w.Write(b); err != nil {
		p.err = fmt.Errorf("write HAR: %w", err)
	}
}

// header masks the value of a header.
func (r *Redactor) header(name, value string) string {
	if r.Header == nil {
		return value
	}
	return r.Header(name, value)
}

func (r *Redactor) text(s string) string {
	if r.Text == nil || s == "" {
		return s
	}
	return r.Text(s)
}

// addressOf is the URL of a request for the readers that have only that.
func addressOf(x *capture.Exchange) string {
	h := x.Request
	if h == nil {
		h = &capture.Head{Target: "/"}
	}
	if strings.Contains(h.Target, "://") && !strings.HasPrefix(h.Target, "/") {
		return h.Target
	}
	scheme, host, target := h.Scheme, h.Authority, h.Target
	if scheme == "" {
		scheme = "http"
		if x.Request == nil && x.Link != nil && x.Link.TLS != "" {
			scheme = "https"
		}
	}
	if host == "" && x.Link != nil {
		if host = x.Link.ServerName; host == "" && x.Link.Server.IsValid() {
			host = x.Link.Server.String()
		}
	}
	if host == "" {
		host = "unknown.invalid" // RFC 2606 section 2
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return scheme + "://" + host + target
}
