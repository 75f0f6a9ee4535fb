package har

import (
	"bytes"
	"fmt"

	"a2ascope/capture"
)

// decoded is what a batch becomes.
type decoded struct {
	events  []capture.Event
	entries int64 // exchanges among the events
	damage  []damage
	skipped []skip
	undated []capture.ConnID // entries that have no time of their own, in order; see settle
}

// skip is an entry that is no HTTP exchange.
type skip struct {
	n    int
	kind string // "websocket", "tunnel", "not-http"
}

// worker turns batches into events. It keeps nothing of a batch but what the
// events refer to; its scratch is used again for the next entry.
type worker struct {
	mem                  memory
	entry                entry
	words                words
	pool                 *buffers
	fields               []field
	sentTrailer, trailer capture.Fields // of the entry at hand
	plain                []byte         // base64 text with its escapes removed
	kept                 bool           // of the batch at hand: bodies may refer to its text
	link                 *capture.Link  // of the entry before: mostly that of the next one too
}

func (w *worker) run(jobs <-chan *batch) {
	for b := range jobs {
		w.batch(b)
		close(b.ready)
	}
}

func (w *worker) batch(b *batch) {
	out := &b.out
	out.events = make([]capture.Event, 0, 6*len(b.spans))
	w.kept = b.kept
	for _, sp := range b.spans {
		c := cursor{s: b.text[sp.start:sp.end]}
		w.entry.read(&c)
		if c.err == "" {
			c.err, c.at = w.entry.fault(), 0
		}
		if c.err != "" {
			out.damage = append(out.damage, damage{sp.n, "bad-entry", c.err, b.base + int64(sp.start+c.at)})
			continue
		}
		if kind := w.entry.noExchange(); kind != "" {
			out.skipped = append(out.skipped, skip{sp.n, kind})
			continue
		}
		w.exchange(out, sp.n)
		out.entries++
	}
	if !b.kept {
		w.pool.put(b.text)
		b.text = nil
	}
}

// fault says what an entry lacks to be an exchange.
func (e *entry) fault() string {
	switch {
	case !e.request.there:
		return "it has no request"
	case e.request.url.empty():
		return "its request has no url"
	case e.request.method.empty():
		return "its request has no method"
	}
	return ""
}

// noExchange names what an entry is when it is no HTTP exchange.
func (e *entry) noExchange() string {
	if e.own.there {
		return "" // as it was written
	}
	url := e.request.url.raw
	scheme, _, absolute := bytes.Cut(url[:min(len(url), 32)], []byte(":"))
	switch s := string(bytes.ToLower(scheme)); {
	case e.webSocket, s == "ws", s == "wss", string(e.resource.raw) == "websocket", e.response.status == 101:
		return "websocket"
	case s == "http", s == "https":
		return ""
	case string(e.request.method.raw) == "CONNECT":
		return "tunnel"
	case !absolute, url[0] == '/':
		return "" // a path alone: recorders inside a server write that
	}
	return "not-http"
}

// detail says what is wrong and where.
func (d damage) detail() string {
	if d.n == 0 {
		return fmt.Sprintf("%s (byte %d)", d.text, d.at)
	}
	return fmt.Sprintf("entry %d: %s (byte %d)", d.n, d.text, d.at)
}
