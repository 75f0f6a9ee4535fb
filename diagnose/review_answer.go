package diagnose

import (
	"slices"

	"a2ascope/capture"
)

// Review answers the questions from all that was judged so far. It is nil when
// the engine was given none.
func (e *Engine) Review() *Review {
	l := e.ledger
	if l == nil {
		return nil
	}
	r := &Review{}
	bindings := map[string][]string{}
	for _, a := range e.mem.agents() {
		for i := range a.Interfaces {
			if a.Interfaces[i].Declared != "" {
				bindings[a.Authority] = addOnce(bindings[a.Authority], string(a.Interfaces[i].Binding))
			}
		}
	}
	for k, p := range byFirst(l.pairs) {
		pr := PairReview{Client: k.client.name(), Agent: k.agent, Ladder: l.answers(p, "ladder", OfPair, bindings[k.agent]), Versions: slices.Clone(p.verdicts)}
		for i := range pr.Ladder {
			if pr.Ladder[i].Answer == Failed {
				pr.Cause = &pr.Ladder[i]
				break
			}
		}
		r.Pairs = append(r.Pairs, pr)
	}
	for name, p := range byFirst(l.agents) {
		r.Agents = append(r.Agents, PeerReview{Name: name, Phase: p.phase(), Coverage: l.answers(p, "coverage", OfAgent, bindings[name]),
			Migration: l.answers(p, "migration", OfAgent, bindings[name])})
	}
	for k, p := range byFirst(l.clients) {
		r.Clients = append(r.Clients, PeerReview{Name: k.name(), Phase: p.phase(), Coverage: l.answers(p, "coverage", OfClient, nil),
			Migration: l.answers(p, "migration", OfClient, nil)})
	}
	return r
}

// byFirst yields what a shelf holds in the order in which it was first met.
func byFirst[K comparable](s *shelf[K, pages]) func(func(K, *pages) bool) {
	return func(yield func(K, *pages) bool) {
		var keys []K
		for k := range s.items {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b K) int { return order(s.items[a].value.first, s.items[b].value.first) })
		for _, k := range keys {
			if !yield(k, &s.items[k].value) {
				return
			}
		}
	}
}

func order(a, b capture.ExchangeID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
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
	s := QuestionState{Question: q, Failures: slices.Clone(e.fails), Failing: e.count, Answer: NotSeen}
	seen, needed := 0, 0
	for n := range q.Parts {
		p := PartState{Part: &q.Parts[n], Seen: e.seen&(1<<n) != 0, Exchange: e.by[n]}
		s.Parts = append(s.Parts, p)
		wanted := q.Need != "declared" || slices.Contains(bindings, q.Parts[n].ID)
		if wanted {
			needed++
		}
		if p.Seen {
			seen++
			if !wanted {
				needed++ // served although the card does not list it
			}
		}
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
	case old && young:
		return PhaseDual
	case young && p.read[0], old && p.read[1]:
		return PhaseCompat
	case young:
		return PhaseNew
	case old:
		return PhaseOld
	}
	return ""
}
