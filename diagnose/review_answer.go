package diagnose

import (
	"cmp"
	"slices"
)

// Review answers the questions from all that was judged so far. It is nil when
// the engine was given none. What did not change since the last one is not made
// anew: its cost is that of the peers that had traffic in between.
func (e *Engine) Review() *Review {
	l := e.ledger
	if l == nil || !l.changed && l.last != nil {
		return l.review()
	}
	r := &Review{}
	l.last, l.changed = r, false
	for k, p := range byFirst(l.pairs) {
		switch {
		case p.changed:
			p.pair = &PairReview{Client: k.client.name(), Agent: k.agent, Ladder: l.answers(p, "ladder", OfPair, nil),
				Versions: slices.Clone(p.verdicts), At: e.mem.addresses(k.agent, p)}
			p.pair.Cause = slices.IndexFunc(p.pair.Ladder, func(s QuestionState) bool { return s.Answer == Failed })
		case p.counted:
			n := *p.pair
			n.Versions = slices.Clone(p.verdicts)
			p.pair = &n
		}
		p.changed, p.counted = false, false
		r.Pairs = append(r.Pairs, p.pair)
	}
	for name, p := range byFirst(l.agents) {
		if p.changed {
			bindings := e.mem.bindings(name)
			p.peer = &PeerReview{Name: name, Phase: p.phase(), Coverage: l.answers(p, "coverage", OfAgent, bindings),
				Migration: l.answers(p, "migration", OfAgent, bindings), At: e.mem.addresses(name, p)}
			p.changed = false
		}
		r.Agents = append(r.Agents, p.peer)
	}
	for k, p := range byFirst(l.clients) {
		if p.changed {
			p.peer = &PeerReview{Name: k.name(), Phase: p.phase(), Coverage: l.answers(p, "coverage", OfClient, nil),
				Migration: l.answers(p, "migration", OfClient, nil)}
			p.changed = false
		}
		r.Clients = append(r.Clients, p.peer)
	}
	return r
}

// review is the last one that was made; nil without a ledger.
func (l *ledger) review() *Review {
	if l == nil {
		return nil
	}
	return l.last
}

// byFirst yields what a shelf holds in the order in which it was first met.
func byFirst[K comparable](s *shelf[K, pages]) func(func(K, *pages) bool) {
	return func(yield func(K, *pages) bool) {
		all := make([]*slot[K, pages], 0, len(s.items))
		for x := s.oldest; x != nil; x = x.newer {
			all = append(all, x)
		}
		slices.SortFunc(all, func(a, b *slot[K, pages]) int { return cmp.Compare(a.value.first, b.value.first) })
		for _, x := range all {
			if !yield(x.key, &x.value) {
				return
			}
		}
	}
}

func (l *ledger) answers(p *pages, list string, of Subject, bindings []string) []QuestionState {
	var out []QuestionState
	for i, q := range l.ask.list {
		if q.List == list && q.Of == of {
			out = append(out, p.entries[i].state(q, bindings))
		}
	}
	return out
}

func (e *answerLine) state(q *Question, bindings []string) QuestionState {
	s := QuestionState{Question: q, Failures: slices.Clone(e.fails), Failing: e.count, Answer: NotSeen, Parts: make([]PartState, 0, len(q.Parts))}
	seen, needed := 0, 0
	for n := range q.Parts {
		p := PartState{Part: &q.Parts[n], Seen: e.seen&(1<<n) != 0, Exchange: e.by[n]}
		wanted := q.Need != "declared" || slices.Contains(bindings, q.Parts[n].ID)
		if wanted {
			needed++
		}
		p.Spared = !wanted && len(bindings) > 0
		if p.Seen {
			seen++
			if !wanted {
				needed++ // served although the card does not list it
			}
		}
		s.Parts = append(s.Parts, p)
	}
	if q.Need == "any" {
		needed = 1
	}
	if q.Need == "declared" {
		needed = max(needed, 2)
	}
	switch {
	case e.count > 0:
		s.Answer = Failed
	case seen >= needed:
		s.Answer = Passed
	case seen > 0:
		s.Answer = Partly
	}
	return s
}

// minCalls: fewer say nothing about a phase.
const minCalls = 2

// phase tells from the generations a side spoke, and those it took, where it stands.
func (p *pages) phase() Phase {
	switch old, young := p.spoke[0], p.spoke[1]; {
	case p.calls < minCalls:
		return ""
	case p.draft && !old:
		return PhaseDraft
	case old && young, young && p.read[0]:
		return PhaseDual
	case old && p.read[1]:
		return PhaseCompat
	case young:
		return PhaseNew
	case old:
		return PhaseOld
	}
	return ""
}
