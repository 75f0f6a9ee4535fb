package decode

// Checkpoint is a moment at which an exchange is judged.
type Checkpoint string

// The checkpoints, in the order in which an exchange meets them.
const (
	NoCheckpoint Checkpoint = ""
	AtRequest    Checkpoint = "request"  // the request is complete
	AtResponse   Checkpoint = "response" // a unary answer is complete, or the first event of a stream is there
	AtFrame      Checkpoint = "frame"    // an event of a stream is complete
	AtSilent     Checkpoint = "silent"   // nothing came for a while
	AtEnd        Checkpoint = "end"      // the exchange is over; every exchange ends here
	AtCard       Checkpoint = "card"     // a card was read
	AtDone       Checkpoint = "done"     // response and end at once: a unary exchange read in one piece
)

// Over reports whether nothing of the exchange comes after the checkpoint.
func (at Checkpoint) Over() bool { return at == AtEnd || at == AtDone }

// Due lists the checkpoints to judge when Read returned at: the first event of
// a stream is the response and a frame at once, AtDone is response and end.
func Due(c *Call, at Checkpoint) []Checkpoint {
	switch {
	case at == NoCheckpoint:
		return nil
	case at == AtResponse && len(c.Events) > 0:
		return dueBoth
	case at == AtDone:
		return dueDone
	}
	return []Checkpoint{at}
}

var (
	dueBoth = []Checkpoint{AtResponse, AtFrame}
	dueDone = []Checkpoint{AtResponse, AtEnd}
)
