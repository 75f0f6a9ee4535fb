package diagnose

import "a2ascope/decode"

// recover lowers the errors of earlier exchanges that this success makes good:
// the client got through by one of the recognised negotiations. What counts as
// one is the memory's to say.
func (e *Engine) recover(c *decode.Call) {
	by := c.Exchange.ID
	for _, id := range e.mem.recovered(c) {
		x := e.states.find(id)
		if x == nil {
			continue
		}
		for _, rec := range x.records {
			if rec.saved == nil && rec.raised == Error {
				rec.saved = &by
				x.dirty = true
			}
		}
		if x.dirty {
			e.settle(x)
		}
	}
}
