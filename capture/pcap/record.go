package pcap

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"a2ascope/capture"
)

// chunkCost is what a recorded chunk costs beside its data.
const chunkCost = 128

// Recorder keeps the chunks of a source so that they can be saved. Data is not
// copied: chunks that others keep too cost little. Over its limit it forgets
// ended connections, the one that ended first before the others, and when none
// is ended the bytes that come next; both are counted, the latter appear as
// gaps. It is not safe for concurrent use.
type Recorder struct {
	limit int64
	size  int64
	conns map[capture.ConnID]*recorded
	ended []capture.ConnID // in the order in which they ended
	gone  int64            // connections that were forgotten
	lost  int64            // bytes that were forgotten
}

type recorded struct {
	chunks  []capture.Chunk
	cost    int64
	secured int // where the plaintext of an encrypted connection begins
}

// NewRecorder returns a recorder that keeps up to limit bytes; 0: all.
func NewRecorder(limit int64) *Recorder {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	return &Recorder{limit: limit, conns: map[capture.ConnID]*recorded{}}
}

// Add takes the next chunks of the source. The slice stays the caller's.
func (r *Recorder) Add(cs []capture.Chunk) {
	for i := range cs {
		r.add(cs[i])
	}
}

func (r *Recorder) add(ch capture.Chunk) {
	c := r.conns[ch.Conn]
	if c == nil {
		if ch.Kind != capture.Opened {
			r.lost += int64(len(ch.Data)) // of a connection that was forgotten
			return
		}
		c = &recorded{}
		r.conns[ch.Conn] = c
	}
	cost := int64(len(ch.Data)) + chunkCost
	for r.size+cost > r.limit && len(r.ended) > 0 {
		r.forget(r.ended[0])
		r.ended = r.ended[1:]
	}
	if r.size+cost > r.limit && ch.Kind == capture.Bytes {
		r.lost += int64(len(ch.Data))
		ch.Kind, ch.Lost, ch.Data = capture.Gap, int64(len(ch.Data)), nil
		// A gap behind a gap of the same side needs no place.
		if n := len(c.chunks); n > 0 && c.chunks[n-1].Kind == capture.Gap && c.chunks[n-1].From == ch.From && c.chunks[n-1].Lost >= 0 {
			c.chunks[n-1].Lost += ch.Lost
			return
		}
		cost = chunkCost
	}
	if ch.Kind == capture.Secured && c.secured == 0 {
		c.secured = len(c.chunks)
	}
	c.chunks = append(c.chunks, ch)
	c.cost += cost
	r.size += cost
	if ch.Kind == capture.Closed {
		r.ended = append(r.ended, ch.Conn)
	}
}

func (r *Recorder) forget(id capture.ConnID) {
	c := r.conns[id]
	for i := range c.chunks {
		r.lost += int64(len(c.chunks[i].Data))
	}
	r.gone++
	r.size -= c.cost
	delete(r.conns, id)
}

// Forgotten says how many connections and bytes were given up to stay below the limit.
func (r *Recorder) Forgotten() (conns, bytes int64) { return r.gone, r.lost }

// Comment is a text about a moment of a connection. It goes to the last packet
// with payload that is not later.
type Comment struct {
	Conn capture.ConnID
	At   time.Time
	Text string
}

// Redact returns what may be written of a run of bytes that one side sent
// without a gap: as many bytes as it got, with the secrets overwritten, so that
// lengths in the bytes stay true. It may write to data.
type Redact func(conn capture.ConnID, from capture.Side, data []byte) []byte

// ErrRedactLength is the error of Save when Redact changed the length.
var ErrRedactLength = errors.New("the masked bytes are not as long as the recorded ones")

// SaveOptions say what Save writes. Redact nil means that the bytes are
// written as they are, which Unmasked has to confirm.
type SaveOptions struct {
	Redact   Redact
	Unmasked bool
	Comments []Comment
}

// Save writes everything recorded as one pcapng file.
func (r *Recorder) Save(to io.Writer, o SaveOptions) error {
	w := NewWriter(to)
	if err := r.SaveTo(w, o); err != nil {
		return err
	}
	return w.Close()
}

// SaveTo writes everything recorded to a file that others write to as well,
// such as the recorders of other inputs.
func (r *Recorder) SaveTo(w *Writer, o SaveOptions) error {
	if o.Redact == nil && !o.Unmasked {
		return errors.New("save pcapng: no way to mask secrets was given, and it was not asked to write them")
	}
	w.forget()
	type at struct {
		c *recorded
		i int
	}
	var order []at
	for _, c := range r.conns {
		for i := range c.chunks {
			order = append(order, at{c, i})
		}
	}
	slices.SortFunc(order, func(x, y at) int { return cmp.Compare(x.c.chunks[x.i].Seq, y.c.chunks[y.i].Seq) })
	notes := r.place(o.Comments)
	masked := map[*recorded][][]byte{} // of the connections that are being written
	for _, a := range order {
		ch := a.c.chunks[a.i]
		var data [][]byte
		if o.Redact != nil {
			var ok bool
			if data, ok = masked[a.c]; !ok {
				var err error
				if data, err = a.c.mask(ch.Conn, o.Redact); err != nil {
					return err
				}
				masked[a.c] = data
			}
		}
		if a.c.skips(a.i) {
			continue
		}
		if data != nil && ch.Kind == capture.Bytes {
			ch.Data = data[a.i]
		}
		if err := w.Chunk(&ch, notes[noteAt{ch.Conn, a.i}]...); err != nil {
			return fmt.Errorf("write pcapng: %w", err)
		}
		if a.i == 0 && a.c.replies() {
			if c := w.conns[ch.Conn]; c != nil {
				c.answered(ch.At)
			}
		}
		if a.i == len(a.c.chunks)-1 {
			delete(masked, a.c)
		}
	}
	w.forget()
	return w.err
}

// replies says that the server took the connection.
func (c *recorded) replies() bool {
	last := &c.chunks[len(c.chunks)-1]
	return last.Kind != capture.Closed || last.Err != NoAnswer && last.Err != Refused
}

// skips says that chunk i is ciphertext of a connection whose plaintext follows:
// a file that had both in one stream could not be read.
func (c *recorded) skips(i int) bool {
	k := c.chunks[i].Kind
	return i < c.secured && (k == capture.Bytes || k == capture.Gap)
}

// mask gives the redactor each run of bytes of a side as one, since a secret
// may be cut by the border of two chunks, and divides the result again. Chunks
// without data have none in the result.
func (c *recorded) mask(id capture.ConnID, redact Redact) ([][]byte, error) {
	out := make([][]byte, len(c.chunks))
	for _, side := range [2]capture.Side{capture.Client, capture.Server} {
		for i := 0; i < len(c.chunks); {
			var run []byte
			from := i
			for ; i < len(c.chunks); i++ {
				ch := &c.chunks[i]
				if ch.Kind == capture.Secured || ch.Kind == capture.Gap && ch.From == side {
					i++
					break
				}
				if ch.Kind == capture.Bytes && ch.From == side {
					run = append(run, ch.Data...)
				}
			}
			if len(run) == 0 {
				continue
			}
			done := redact(id, side, run)
			if len(done) != len(run) {
				return nil, fmt.Errorf("connection %d, %s: %d bytes instead of %d: %w", id, side, len(done), len(run), ErrRedactLength)
			}
			for k := from; k < i; k++ {
				if ch := &c.chunks[k]; ch.Kind == capture.Bytes && ch.From == side {
					n := len(ch.Data)
					out[k], done = done[:n:n], done[n:]
				}
			}
		}
	}
	return out, nil
}

// noteAt is the place of a comment: chunk i of a connection.
type noteAt struct {
	conn capture.ConnID
	i    int
}

// place finds the chunks that the comments belong to.
func (r *Recorder) place(comments []Comment) map[noteAt][]string {
	out := map[noteAt][]string{}
	for _, n := range comments {
		c := r.conns[n.Conn]
		if c == nil {
			continue // forgotten
		}
		at := len(c.chunks) - 1
		for at > 0 && (c.chunks[at].Kind != capture.Bytes || c.chunks[at].At.After(n.At) || c.skips(at)) {
			at--
		}
		key := noteAt{n.Conn, at}
		out[key] = append(out[key], n.Text)
	}
	return out
}
