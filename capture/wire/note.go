package wire

import "a2ascope/capture"

// note attaches what the tap says of an exchange. On HTTP/1 it is the exchange
// whose answer comes next, for answers come in the order of the requests.
func (c *Conn) note(ch *capture.Chunk) {
	if ch.Note == nil {
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
