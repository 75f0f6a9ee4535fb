package diagnose

import (
	"slices"

	"a2ascope/decode"
)

// lesson is a teaching text and the peer it was shown for.
type lesson struct {
	rule string
	peer peerKey
}

// teach puts the texts that explain a finding further under it: where one of
// the rules spoke that they are attached to, once for each peer. They follow
// from that finding, so they count nowhere and explain nothing by themselves.
func (e *Engine) teach(c *decode.Call, at decode.Checkpoint, x *exchange) {
	if !x.dirty {
		return
	}
	for _, r := range e.index.fitting(c, at, asTeaching) {
		host := x.hostOf(r)
		if host == nil || x.find(r) != nil {
			continue
		}
		key := lesson{r.ID, x.peer}
		if e.taught.find(key) != nil {
			continue
		}
		e.know(c, at)
		if !e.holds(r) {
			continue
		}
		e.taught.take(key)
		rec := e.raise(r, c, at)
		k := host.f.Key
		rec.host = &k
		x.add(rec)
	}
}

// hostOf returns the finding of the exchange that a rule is attached to.
func (x *exchange) hostOf(r *Rule) *record {
	for _, rec := range x.records {
		if slices.Contains(r.AttachedTo, rec.rule.ID) {
			return rec
		}
	}
	return nil
}
