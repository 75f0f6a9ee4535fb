package decode

import "a2ascope/capture"

// Readers reads the events of any number of exchanges, with a Reader for each.
// Nothing is let go of: it is for those who read a source from its beginning to
// its end.
type Readers map[capture.ExchangeID]*Reading

// Reading is an exchange as far as it was read.
type Reading struct {
	Exchange *capture.Exchange
	reader   *Reader
}

// Read is Reader.Read of the exchange that the event belongs to; an event that
// belongs to none gives no checkpoint.
func (rs Readers) Read(e *capture.Event) (*Call, Checkpoint) {
	if e.Exchange == 0 {
		return nil, NoCheckpoint
	}
	r := rs[e.Exchange]
	if r == nil {
		r = &Reading{reader: NewReader()}
		rs[e.Exchange] = r
	}
	r.Exchange = r.Exchange.Apply(e)
	return r.reader.Read(r.Exchange, e)
}
