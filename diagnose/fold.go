package diagnose

import (
	"hash/maphash"
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// foldKey says which findings are equal: same rule, severity, peer, client,
// operation and words. A rule that describes a peer is equal whatever client,
// operation and words showed it, as long as the card of the exchange is the same.
type foldKey struct {
	rule   string
	peer   peerKey
	client clientKey
	op     spec.Operation
	words  string
	card   uint64
	weight Severity
}

// fold is the first of equal findings.
type fold struct {
	key Key
}

// end folds and recovers when an exchange is over.
func (e *Engine) end(c *decode.Call) {
	id := c.Exchange.ID
	if x := e.states.find(id); x != nil && !x.ended {
		x.ended = true
		if c.AgentCard != nil {
			x.card = maphash.Bytes(e.mem.salt, c.AgentCard.Node.Raw())
		}
		for _, rec := range x.records {
			e.fold(x, rec)
		}
		e.settle(x)
	}
	if c.Outcome == spec.OK {
		e.recover(c)
	}
}

// fold looks whether an equal finding of an earlier exchange stands for this
// one. Consequences are not folded: they do not count.
func (e *Engine) fold(x *exchange, rec *record) {
	if rec.f.FollowsFrom != nil || rec.fold != nil {
		return
	}
	first, fresh := e.folds.take(foldKeyOf(x, rec))
	if fresh {
		first.key = rec.f.Key
		return
	}
	if first.key.Exchange == x.id {
		return
	}
	home := e.states.find(first.key.Exchange)
	into := home.find(rec.rule)
	if into == nil || into.f.FollowsFrom != nil || into.f.RecoveredBy != nil {
		first.key = rec.f.Key // the first is forgotten or no longer counts: this one stands for those to come
		return
	}
	key := first.key
	rec.fold = &key
	into.folds += rec.times
	into.last = rec.last
	into.seenAt = example(into.seenAt, home.id, x.id)
	e.settle(home)
}

func foldKeyOf(x *exchange, rec *record) foldKey {
	k := foldKey{rule: rec.rule.ID, peer: x.peer, weight: rec.raised}
	if rec.rule.PerPeer {
		k.card = x.card
	} else {
		k.client, k.op, k.words = x.client, x.op, words(rec.f)
	}
	return k
}

// words is what makes two findings of a rule say the same.
func words(f *Finding) string {
	if len(f.Args) == 0 {
		return ""
	}
	names := make([]string, 0, len(f.Args))
	for n := range f.Args {
		names = append(names, n)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		b.WriteString(n)
		b.WriteByte(0)
		b.WriteString(f.Args[n])
		b.WriteByte(0)
	}
	return b.String()
}

// example keeps the first exchange, and the next ones while there is room.
func example(list []capture.ExchangeID, first, id capture.ExchangeID) []capture.ExchangeID {
	if len(list) == 0 {
		list = []capture.ExchangeID{first}
	}
	if len(list) >= maxExamples {
		return list
	}
	return append(slices.Clip(list), id)
}
