package wire

import (
	"errors"

	"a2ascope/capture"
)

// decoded is a unit whose coding was removed.
type decoded struct {
	data []byte
	size int64 // true size; data is shorter when it was cut
	err  error
}

// decode removes the codings of a complete unit. It keeps max bytes and counts the rest.
func (c *Conn) decode(codings []string, data []byte, limit int64) decoded {
	u, err := c.unwrap(codings, true)
	if err != nil {
		return decoded{err: err}
	}
	out := store{c: c, max: limit}
	sink := func(p []byte) error { out.add(p); return nil }
	if err = u.push(data, sink); errors.Is(err, errBomb) {
		sink = func([]byte) error { return nil } // enough of it is kept
	}
	if e := u.end(sink); err == nil {
		err = e
	}
	size := out.size
	return decoded{data: out.take(0), size: size, err: err}
}

// uncode turns the kept bytes of a unit into the data of its frame. partial says
// that bytes are missing, so that a stream that breaks off is not the sender's fault.
func (x *exchange) uncode(from capture.Side, f *capture.Frame, codings []string, name string, limit int64, partial bool) {
	f.Coding = name
	d := x.c.decode(codings, f.Data, limit)
	switch {
	case d.err == nil, partial && len(d.data) > 0:
		f.Data, f.Size = d.data, d.size
	case errors.Is(d.err, errBomb):
		f.Data, f.Size = d.data, d.size
		x.breach(from, capture.BreachTooLarge, "decoding %s stopped after %d bytes: %v", name, d.size, d.err)
		return
	case !partial:
		x.breach(from, capture.BreachCoding, "the body says it is coded as %s: %v", name, d.err)
	}
	if int64(len(f.Data)) < f.Size && !partial {
		x.breach(from, capture.BreachTooLarge, "%d of %d decoded bytes were kept", len(f.Data), f.Size)
	}
}
