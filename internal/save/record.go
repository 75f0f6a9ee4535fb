package save

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/capture/remake"
	"a2ascope/capture/wire"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// Recording is a file that is written while a session runs (.pcapng) or when it
// has ended (.har).
type Recording struct {
	name string
	o    Options
	live *tee // nil: written at the end
}

// Record begins a recording. It fails at once where the file could not be
// written at the end.
func Record(name string, o Options) (*Recording, error) {
	if _, err := formatOf(name); err != nil {
		return nil, err
	}
	r := &Recording{name: name, o: o}
	if !strings.EqualFold(name[max(len(name)-len(".pcapng"), 0):], ".pcapng") {
		return r, Check(name, o.Replace)
	}
	t, err := create(name, o.Replace, !o.Whole)
	if err != nil {
		return nil, err
	}
	r.live = newTee(t, o)
	return r, nil
}

// Source returns the source with the recording attached: the chunks that go to
// the sink are recorded first. One source after the other may be attached.
func (r *Recording) Source(s capture.Source) capture.Source {
	if r.live == nil {
		return s
	}
	t := &tapped{s, r.live}
	if src, ok := s.(capture.Lossy); ok {
		return lossy{t, src}
	}
	return t
}

// Err says why the recording stopped, nil while it goes on. The session goes on
// in any case.
func (r *Recording) Err() error {
	if r.live == nil {
		return nil
	}
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	return r.live.err
}

// Close finishes the file and returns how many exchanges of the view it holds.
// What was found, and what people attached to rows, is added to it. The session
// has ended.
func (r *Recording) Close(v *session.View, notes map[int]Note) (n Count, err error) {
	r.o.Notes = notes
	if r.live == nil {
		return Write(context.Background(), r.name, v, r.o)
	}
	if err := r.live.close(); err != nil {
		return n, err
	}
	var remarks []pcap.Remark
	_ = rows(context.Background(), v, &r.o, func(row *session.Row) error {
		n.add(row)
		if row.Link == nil {
			return nil
		}
		on := pcap.Remark{Client: row.Link.Client, Server: row.Link.Server}
		var k *remark
		if row.Conn != nil {
			k = remarkOn(row, nil, r.o.notes(row, row.Conn.Notes), r.o.Plain)
			k.nth = capture.OfConnection
			on.At, on.End = row.At, true
		} else {
			x := r.o.exchange(row)
			k = remarkOn(row, x.Request, x.Notes, r.o.Plain)
			k.nth = int(x.ID & (1<<24 - 1))
			on.At = x.Started
		}
		if on.Comments = k.comments(); on.Comments != nil {
			remarks = append(remarks, on)
		}
		return nil
	})
	if err := annotate(r.name, remarks); err != nil {
		return Count{}, fmt.Errorf("%s holds the traffic, but not what was found in it: %w", r.name, cause(err))
	}
	return n, nil
}

// annotate writes a recording again with comments.
func annotate(name string, remarks []pcap.Remark) error {
	if st, err := os.Stat(name); err != nil || len(remarks) == 0 || !st.Mode().IsRegular() {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := create(name, true, false)
	if err != nil {
		return err
	}
	defer t.drop()
	if err := pcap.Annotate(t, f, remarks); err != nil {
		return err
	}
	_ = f.Close() // Windows replaces no file that is open
	return t.keep()
}

// Drop gives up a recording that would have appeared when it was whole.
func (r *Recording) Drop() {
	if r.live != nil {
		r.live.mu.Lock()
		defer r.live.mu.Unlock()
		r.live.closed = true
		r.live.file.drop()
	}
}

// tapped is a source whose chunks and events are recorded.
type tapped struct {
	capture.Source
	t *tee
}

func (s *tapped) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	s.t.begin()
	return s.Source.Run(ctx, &tapSink{to, s.t})
}

// lossy is a tapped source that says of the one behind it what the session asks for.
type lossy struct {
	*tapped
	src capture.Lossy
}

func (l lossy) Lost() int64   { return l.src.Lost() }
func (l lossy) Room() float64 { return l.src.Room() }

type tapSink struct {
	capture.Sink
	t *tee
}

func (s *tapSink) Chunks(cs []capture.Chunk) error {
	s.t.chunks(cs)
	return s.Sink.Chunks(cs)
}

// tee records what passes. Its first failure stops it and stays.
type tee struct {
	mu     sync.Mutex
	file   *target
	w      *pcap.Writer
	plain  bool
	base   capture.ConnID // connections of earlier sources
	high   capture.ConnID
	maker  *remake.Maker
	conns  map[capture.ConnID]*teeConn
	masks  map[capture.ExchangeID]*masker
	closed bool
	err    error
}

type teeConn struct {
	wire *wire.Conn
	held []capture.Chunk // the begin of a TLS connection
	size int
	open bool // its chunks are written
}

func newTee(t *target, o Options) *tee {
	about := aboutRaw
	if !o.Plain {
		about = aboutSynthesized(false)
	}
	return &tee{file: t, w: pcap.NewWriter(t, about), plain: o.Plain, maker: remake.New(),
		conns: map[capture.ConnID]*teeConn{}, masks: map[capture.ExchangeID]*masker{}}
}

// begin keeps the connections of a source apart from those before it.
func (t *tee) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base += t.high
	t.high = 0
}

func (t *tee) chunks(cs []capture.Chunk) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range cs {
		if t.err != nil || t.closed {
			return
		}
		ch := cs[i] // the receiver renumbers its own
		t.high = max(t.high, ch.Conn)
		ch.Conn += t.base
		t.guard(ch.Conn, func() {
			if t.plain {
				t.raw(&ch)
			} else {
				t.made(&ch)
			}
		})
	}
	t.flush()
}

// guard lets a fault of a reader end what is recorded of a connection, and
// nothing else: the traffic comes through here.
func (t *tee) guard(id capture.ConnID, do func()) {
	defer func() {
		if p := recover(); p != nil {
			t.conns[id] = nil
		}
	}()
	if c, known := t.conns[id]; known && c == nil {
		return // given up
	}
	do()
}

func (t *tee) conn(id capture.ConnID) *teeConn {
	c := t.conns[id]
	if c == nil {
		c = &teeConn{wire: wire.NewConn(id)}
		t.conns[id] = c
	}
	return c
}

// made writes what the chunk completes, masked.
func (t *tee) made(ch *capture.Chunk) {
	c := t.conn(ch.Conn)
	events := c.wire.Feed(ch, nil)
	for i := range events {
		t.event(&events[i])
	}
	if ch.Kind == capture.Closed {
		t.maker.Close(ch.Conn, ch)
		delete(t.conns, ch.Conn)
	}
	t.put(t.maker.Take())
}

func (t *tee) event(e *capture.Event) {
	if info, ok := e.Body.(*capture.ConnInfo); ok && !t.plain {
		info.Text = redact.Stars.Text(info.Text)
	}
	if n, ok := e.Body.(*capture.Note); ok && n.ByPeople() {
		return // written when the recording is complete
	}
	if !t.plain {
		k := t.masks[e.Exchange]
		if k == nil {
			k = newMasker()
			t.masks[e.Exchange] = k
		}
		k.event(e)
		if _, over := e.Body.(*capture.End); over {
			delete(t.masks, e.Exchange)
		}
	}
	t.maker.Event(e)
}

// maxHello is how much of a TLS connection may come before it is clear that it
// is not going to be opened.
const maxHello = 64 << 10

// raw writes the chunk as it is. The begin of a TLS connection waits: when it
// is opened, its plaintext is written in its place, for a file that had both in
// one stream could not be read.
func (t *tee) raw(ch *capture.Chunk) {
	if ch.Kind == capture.Noted && ch.Nth != 0 {
		return // written when the recording is complete
	}
	c := t.conn(ch.Conn)
	switch {
	case c.open:
	case ch.Kind == capture.Secured:
		c.drop(func(k capture.ChunkKind) bool { return k != capture.Bytes && k != capture.Gap })
		c.open = true
	case ch.Kind == capture.Opened, ch.Kind == capture.Bytes && c.hello(ch), ch.Kind != capture.Bytes && ch.Kind != capture.Closed && len(c.held) > 1:
		c.held = append(c.held, *ch)
		c.size += len(ch.Data)
		return
	default:
		c.open = true
	}
	t.put(c.held)
	c.held = nil
	t.put([]capture.Chunk{*ch})
	if ch.Kind == capture.Closed {
		delete(t.conns, ch.Conn)
	}
}

// hello reports whether the chunk may belong to the begin of a TLS connection.
func (c *teeConn) hello(ch *capture.Chunk) bool {
	if c.size+len(ch.Data) > maxHello {
		return false
	}
	return c.size > 0 || len(ch.Data) > 1 && ch.Data[0] == 0x16 && ch.Data[1] == 3
}

func (c *teeConn) drop(keep func(capture.ChunkKind) bool) {
	kept := c.held[:0]
	for _, ch := range c.held {
		if keep(ch.Kind) {
			kept = append(kept, ch)
		}
	}
	c.held = kept
}

func (t *tee) put(cs []capture.Chunk) {
	for i := range cs {
		if err := t.w.Chunk(&cs[i]); err != nil {
			t.fail(err)
			return
		}
	}
}

// flush brings what is complete to the file, so that it survives a crash.
func (t *tee) flush() {
	if t.err == nil && !t.closed {
		if err := t.w.Flush(); err != nil {
			t.fail(err)
		}
	}
}

func (t *tee) fail(err error) {
	switch {
	case t.err != nil:
	case t.file.temp != "":
		t.err = t.file.failed(err)
	default:
		t.err = fmt.Errorf("recording to %s stopped: %w; what was written before is in it", t.file.name, cause(err))
	}
}

func (t *tee) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errors.New(t.file.name + " is closed already")
	}
	t.closed = true
	for _, c := range t.conns {
		if c != nil && t.err == nil && len(c.held) > 0 {
			t.put(c.held)
		}
	}
	if t.err == nil {
		if err := t.w.Close(); err != nil {
			t.fail(err)
		}
	}
	if t.err == nil {
		if err := t.file.keep(); err != nil {
			t.fail(err)
		}
	}
	t.file.drop()
	return t.err
}
