package diagnose

import (
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// exchange is what the engine keeps of an exchange that has findings.
type exchange struct {
	id      capture.ExchangeID
	agent   string
	client  clientKey
	peer    peerKey
	op      spec.Operation
	card    uint64 // hash of the card it carries, 0 without one
	failed  bool
	ended   bool
	dirty   bool      // something changed since its standing was worked out
	records []*record // by rank
}

// record is a finding and what its standing is worked out from.
type record struct {
	rule   *Rule
	f      *Finding // as it stands; replaced, never changed
	issued *Finding // as the reader last got it
	own    Severity // by the rule itself
	raised Severity // by the user's settings, before a recovery lowers it
	cond   []bool   // which of the rule's conditional silences hold
	times  int      // how often a stream rule spoke on this exchange
	folds  int      // equal findings of other exchanges folded into this one
	fold   *Key     // it is folded into that one
	saved  *capture.ExchangeID
	last   time.Time
	seenAt []capture.ExchangeID // the newest exchanges folded in

	host *Key // the finding that a teaching text stands under

	named, severe int // 1 where the ledger counts it; see ledger.counts

	// Scratch of one working out.
	mark     int8
	silencer *Key
}

// find returns the record of a rule, or nil.
func (x *exchange) find(r *Rule) *record {
	if x == nil {
		return nil
	}
	for _, rec := range x.records {
		if rec.rule == r {
			return rec
		}
	}
	return nil
}

// add puts a record in its place by rank.
func (x *exchange) add(rec *record) {
	i := len(x.records)
	for i > 0 && x.records[i-1].rule.Rank > rec.rule.Rank {
		i--
	}
	x.records = append(x.records, nil)
	copy(x.records[i+1:], x.records[i:])
	x.records[i] = rec
	x.dirty = true
}

// explained reports whether a finding already says why the exchange failed.
func (x *exchange) explained() bool {
	if x == nil {
		return false
	}
	for _, rec := range x.records {
		if rec.explains() {
			return true
		}
	}
	return false
}

func (rec *record) explains() bool { return rec.grave() || rec.rule.Explains }

// grave reports whether it is an error, or would be one had the user not made
// it milder: that changes what it counts as, not what it says of the failure.
func (rec *record) grave() bool { return rec.own == Error || rec.raised == Error }

// failure reports whether the call's outcome is a failure.
func failure(c *decode.Call) bool { return c.Outcome != "" && c.Outcome != spec.OK }
