package diagnose

import (
	"a2ascope/capture"
)

// The families whose errors explain what families of form only remark on the
// same exchange (conditional suppression: reach, version, call over error, payload).
var (
	explaining = map[string]bool{"reach": true, "version": true, "call": true}
	remarking  = map[string]bool{"error": true, "payload": true}
)

// memberHole is the hole by which a rule of family params says which member it
// is about. It silences the general refusals below for that member only.
const memberHole = "member"

var generalRefusals = map[string]bool{
	"params/request-refused-as-invalid": true,
	"params/required-field-missing":     true,
	"params/unknown-field-rejected":     true,
}

// peerRoot is a finding whose silences reach the other exchanges with its agent.
type peerRoot struct {
	rule     *Rule
	key      Key
	severity Severity
	cond     []bool
}

// Marks of the walk.
const (
	unknown int8 = iota
	walking
	alive
	silenced
)

// settle works out the standing of every finding of an exchange anew and
// issues those that changed. The findings themselves are never taken back.
//
// A finding is alive when no alive finding silences it, and only alive
// findings silence; the rest follow from what silences them. The first alive
// error by rank is the root.
func (e *Engine) settle(x *exchange) {
	x.dirty = false
	roots := e.roots.find(x.agent)
	for _, rec := range x.records {
		rec.mark, rec.silencer = unknown, nil
	}
	for _, rec := range x.records {
		e.walk(x, rec, roots)
	}
	demote(x)
	first, second := chooseRoots(x)
	for _, rec := range x.records {
		f := *rec.f
		f.FollowsFrom = rec.silencer
		f.Root = rec == first || rec == second
		f.AlsoSeen = rec.mark == alive && rec.raised == Error && !f.Root
		f.RecoveredBy, f.FoldedInto = rec.saved, rec.fold
		f.Severity = rec.raised
		if rec.saved != nil && rec.raised == Error {
			f.Severity = Info
		}
		if f.Was = ""; rec.own != rec.raised {
			f.Was = rec.own
		}
		f.Count, f.Last, f.Examples = 1, rec.f.At, nil
		if n := rec.times + rec.folds; n > 1 {
			f.Count, f.Last, f.Examples = n, rec.last, rec.seenAt
		}
		rec.f = &f
		e.enter(x, rec)
		e.issue(rec)
	}
	e.spread(x)
}

// enter tells the ledger when a finding begins to count, and when it ceases to.
// What the client got through in another way fails nothing.
func (e *Engine) enter(x *exchange, rec *record) {
	if e.ledger == nil {
		return
	}
	named, severe := 0, 0
	if rec.mark == alive && rec.saved == nil {
		named = 1
		if rec.raised == Error {
			severe = 1
		}
	}
	if named != rec.named || severe != rec.severe {
		e.ledger.counts(x, rec.rule, named-rec.named, severe-rec.severe)
		rec.named, rec.severe = named, severe
	}
}

// issue hands a finding out when it is new or stands otherwise than before.
func (e *Engine) issue(rec *record) {
	if rec.issued != nil && sameStanding(rec.issued, rec.f) {
		rec.f = rec.issued
		return
	}
	if rec.issued != nil {
		for i, f := range e.out {
			if f == rec.issued {
				e.out[i] = rec.f // changed twice within one checkpoint
				rec.issued = rec.f
				return
			}
		}
	}
	rec.issued = rec.f
	e.out = append(e.out, rec.f)
}

func sameStanding(a, b *Finding) bool {
	return a.Root == b.Root && a.AlsoSeen == b.AlsoSeen && a.Severity == b.Severity && a.Blame == b.Blame &&
		a.Count == b.Count && a.Last.Equal(b.Last) && len(a.Examples) == len(b.Examples) &&
		sameKey(a.FollowsFrom, b.FollowsFrom) && sameKey(a.FoldedInto, b.FoldedInto) &&
		(a.RecoveredBy == nil) == (b.RecoveredBy == nil)
}

func sameKey(a, b *Key) bool { return a == b || a != nil && b != nil && *a == *b }

// walk decides whether a finding is alive.
func (e *Engine) walk(x *exchange, rec *record, roots *[]peerRoot) bool {
	if rec.mark != unknown {
		return rec.mark != silenced // one that is being walked counts as alive: circles were refused at loading
	}
	if rec.host != nil {
		rec.mark, rec.silencer = silenced, rec.host
		return false
	}
	rec.mark = walking
	for _, other := range x.records {
		if other != rec && silences(other, rec) && e.walk(x, other, roots) {
			k := other.f.Key
			rec.mark, rec.silencer = silenced, &k
			return false
		}
	}
	if roots != nil {
		for i := range *roots {
			if p := &(*roots)[i]; p.key.Exchange != x.id && p.covers(rec) {
				k := p.key
				rec.mark, rec.silencer = silenced, &k
				return false
			}
		}
	}
	rec.mark = alive
	return true
}

// silences reports whether an edge leads from one finding of an exchange to
// another. A conditional edge that holds drops a static one the other way.
func silences(from, to *record) bool {
	if from.rule.condSilences(to.rule.ID, from.cond) {
		return true
	}
	if from.rule.silences(to.rule) {
		return !to.rule.condSilences(from.rule.ID, to.cond)
	}
	if to.rule.Fallback && !from.rule.Fallback && from.explains() {
		return true // it was found later than the fallback spoke
	}
	if from.rule.Family == "params" && generalRefusals[to.rule.ID] && !generalRefusals[from.rule.ID] {
		m := from.f.Args[memberHole]
		return m != "" && m == to.f.Args[memberHole]
	}
	return false
}

func (r *Rule) condSilences(id string, cond []bool) bool {
	for i, c := range r.SilencesIf {
		if c.Rule == id && i < len(cond) && cond[i] {
			return true
		}
	}
	return false
}

// covers reports whether a finding about the agent explains one of another
// exchange. A remark never hides an error.
func (p *peerRoot) covers(rec *record) bool {
	if p.severity.Rank() < rec.raised.Rank() || rec.rule.SilencesPeer && rec.rule.Rank < p.rule.Rank {
		return false
	}
	return p.rule.silences(rec.rule) && !rec.rule.condSilences(p.rule.ID, rec.cond) || p.rule.condSilences(rec.rule.ID, p.cond)
}

// demote lets remarks on the form follow from the error that explains the exchange.
func demote(x *exchange) {
	var cause *record
	for _, rec := range x.records {
		if rec.mark == alive && rec.grave() && explaining[rec.rule.Family] {
			cause = rec
			break
		}
	}
	if cause == nil {
		return
	}
	for _, rec := range x.records {
		if rec.mark == alive && !rec.grave() && remarking[rec.rule.Family] {
			k := cause.f.Key
			rec.mark, rec.silencer = silenced, &k
		}
	}
}

// chooseRoots returns the finding that explains the exchange, and a second one
// where another error names another side (with its own fix). Without an error,
// a correct refusal explains a failed exchange, or an error that was made milder.
func chooseRoots(x *exchange) (first, second *record) {
	for _, rec := range x.records {
		switch {
		case rec.mark != alive || rec.raised != Error:
		case first == nil:
			first = rec
		case second == nil && oneSide(first.f.Blame) && oneSide(rec.f.Blame) && first.f.Blame != rec.f.Blame:
			second = rec
		}
	}
	if first == nil && x.failed {
		for _, rec := range x.records {
			if rec.mark == alive && rec.explains() {
				return rec, nil
			}
		}
	}
	return first, second
}

func oneSide(b Blame) bool { return b == BlameClient || b == BlameServer || b == BlameHop }

// spread keeps the findings that explain other exchanges of the agent, and
// settles those exchanges again when one is new.
func (e *Engine) spread(x *exchange) {
	for _, rec := range x.records {
		if !rec.rule.SilencesPeer || rec.mark != alive || x.agent == "" {
			continue
		}
		list, _ := e.roots.take(x.agent)
		now := peerRoot{rec.rule, rec.f.Key, rec.f.Severity, append([]bool(nil), rec.cond...)}
		if rec.saved == nil && rec.grave() {
			now.severity = Error
		}
		if !remember(list, now) {
			continue
		}
		var others []capture.ExchangeID
		for id, other := range e.states.all() {
			if other.agent == x.agent && id != x.id && len(other.records) > 0 {
				others = append(others, id)
			}
		}
		for _, id := range others {
			e.settle(e.states.find(id))
		}
	}
}

// maxPeerRoots bounds the findings kept for one agent.
const maxPeerRoots = 16

// remember adds a root or brings it up to date; false when nothing changed. Of
// several exchanges that a rule speaks on, the gravest finding stands for the
// agent, the first among equals: so two of them never displace each other in turn.
func remember(list *[]peerRoot, now peerRoot) bool {
	for i := range *list {
		p := &(*list)[i]
		if p.rule != now.rule {
			continue
		}
		changed := false
		if now.key == p.key && now.severity != p.severity || now.severity.Rank() > p.severity.Rank() {
			p.key, p.severity, changed = now.key, now.severity, true
		}
		for j, holds := range now.cond {
			if j >= len(p.cond) {
				p.cond = append(p.cond, false)
			}
			if holds && !p.cond[j] {
				p.cond[j], changed = true, true
			}
		}
		return changed
	}
	if len(*list) < maxPeerRoots {
		*list = append(*list, now)
		return true
	}
	return false
}
