package wire

import "a2ascope/capture"

// note attaches what the tap says of an exchange. On HTTP/1 it is the exchange
// whose answer comes next, for answers come in the order of the requests.
func (c *Conn) note(ch *capture.Chunk) {
	if ch.Note == nil {
		return
	}
	if ch.Nth != 0 {
		c.noteNth(int(ch.Nth), ch.Note)
		return
	}
	var x *exchange
	switch f := c.f.(type) {
	case *http1:
		if len(f.waiting) > 0 {
			x = f.waiting[0]
		}
	case *http2:
		if st := f.streams[ch.Stream]; st != nil {
			x = st.x
		}
	}
	if x != nil {
		x.emit(ch.From, ch.Note)
	}
}

// noteNth attaches a note to the exchange of that number, when it begins if it
// has not, or to the connection.
func (c *Conn) noteNth(n int, note *capture.Note) {
	if n > c.count || n == capture.OfConnection {
		if c.notes == nil {
			c.notes = map[int][]*capture.Note{}
		}
		if len(c.notes) < maxNotes && len(c.notes[n]) < maxNotes {
			c.notes[n] = append(c.notes[n], note)
		}
		return
	}
	id := capture.NewExchangeID(c.id, n)
	open := []*exchange{c.newest}
	switch f := c.f.(type) {
	case *http1:
		open = append(open, f.waiting...)
	case *http2:
		for _, st := range f.streams {
			open = append(open, st.x)
		}
	}
	for _, x := range open {
		if x != nil && x.id == id {
			x.emit(capture.Client, note)
			return
		}
	}
}
