package diagnose

import (
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
)

// Bounds of the ledger.
const (
	maxPairs    = 256 // of the agents and clients too: beyond it is a scan of ports, not a conversation
	maxParts    = 8
	maxFailures = 4  // kept of a question
	maxVerdicts = 24 // different ones of a pair
)

// ledger keeps what the traffic said to the questions of a review. It belongs
// to the engine's goroutine.
type ledger struct {
	ask     *Questions
	pairs   *shelf[pairKey, pages]
	agents  *shelf[string, pages]
	clients *shelf[clientKey, pages]
	last    *Review
	changed bool // since last was made
}

type pairKey struct {
	client clientKey
	agent  string
}

// pages are the answers of one subject, by question.
type pages struct {
	first    capture.ExchangeID
	changed  bool // since pair or peer was made
	counted  bool // only verdicts did
	pair     *PairReview
	peer     *PeerReview
	at       Addresses // as they were when as many cards and peers were known
	known    [2]int
	entries  []answerLine
	verdicts []VersionRow
	spoke    [2]bool // generations it spoke (client) or answered in (agent)
	read     [2]bool // generations it took without a failure
	draft    bool
	calls    int
}

type answerLine struct {
	seen  uint8 // parts, a bit each
	by    [maxParts]capture.ExchangeID
	fails []Failure
	count int
}

func newLedger(q *Questions) *ledger {
	if q == nil {
		return nil
	}
	return &ledger{ask: q, pairs: newShelf[pairKey, pages](maxPairs), agents: newShelf[string, pages](maxPairs), clients: newShelf[clientKey, pages](maxPairs)}
}

// of returns the pages of a subject, nil when the subject is not known.
func (l *ledger) of(s Subject, client clientKey, agent string, id capture.ExchangeID) *pages {
	var p *pages
	var fresh bool
	switch s {
	case OfPair:
		p, fresh = l.pairs.take(pairKey{client, agent})
	case OfAgent:
		p, fresh = l.agents.take(agent)
	default:
		p, fresh = l.clients.take(client)
	}
	if fresh {
		p.first, p.changed, p.entries = id, true, make([]answerLine, len(l.ask.list))
	}
	return p
}

// note lets the end of an exchange answer what is still open.
func (l *ledger) note(c *decode.Call, s *scope, client clientKey, agent string) *VersionVerdict {
	l.changed = true
	id := c.Exchange.ID
	var subjects [3]*pages
	for i, of := range [...]Subject{OfPair, OfAgent, OfClient} {
		subjects[i] = l.of(of, client, agent, id)
	}
	if c.AgentCard != nil {
		subjects[OfAgent.index()].changed, subjects[OfPair.index()].changed = true, true // its addresses
	}
	for _, i := range l.ask.byKind[string(c.Kind)] {
		q := l.ask.list[i]
		p := subjects[q.Of.index()]
		e := &p.entries[i]
		if e.seen == q.whole && q.failIf == nil {
			continue
		}
		for n := range q.Parts {
			if e.seen&(1<<n) == 0 && q.Parts[n].cond(s) {
				e.seen |= 1 << n
				e.by[n] = id
				p.changed = true
			}
		}
		if q.failIf != nil && q.failIf(s) {
			e.fail(Failure{Exchange: id})
			p.changed = true
		}
		s.err = nil // a condition that cannot be told does not hold
	}
	l.generations(s.f, subjects[OfAgent.index()], subjects[OfClient.index()])
	v := verdict(s.f)
	if v != nil {
		subjects[0].verdict(v, id)
	}
	return v
}

func (s Subject) index() int {
	switch s {
	case OfPair:
		return 0
	case OfAgent:
		return 1
	}
	return 2
}

// generations notes which versions the two sides showed.
func (l *ledger) generations(f *Facts, agent, client *pages) {
	c := f.Call
	if c.Kind != "call" {
		return
	}
	before := [2]Phase{agent.phase(), client.phase()}
	agent.calls++
	client.calls++
	if i := genIndex(c.Request.Gen); i >= 0 {
		client.spoke[i] = true
		agent.read[i] = agent.read[i] || c.OK
	}
	if i := genIndex(c.Response.Gen); i >= 0 && c.OK {
		agent.spoke[i] = true
		client.read[i] = true
	}
	draft := c.Request.Version == "1.0-draft"
	client.draft = client.draft || draft
	agent.draft = agent.draft || draft && c.OK
	agent.changed = agent.changed || agent.phase() != before[0]
	client.changed = client.changed || client.phase() != before[1]
}

// verdict counts what became of a version that was sent.
func (p *pages) verdict(v *VersionVerdict, id capture.ExchangeID) {
	p.counted = true
	for i := range p.verdicts {
		if r := &p.verdicts[i]; r.like(v) {
			r.VersionVerdict = *v // without a card, what the interface has is known better later on
			r.Count++
			return
		}
	}
	if len(p.verdicts) < maxVerdicts {
		p.verdicts = append(p.verdicts, VersionRow{VersionVerdict: *v, Count: 1, First: id})
	}
}

func (e *answerLine) fail(f Failure) {
	e.count++
	if len(e.fails) < maxFailures {
		e.fails = append(e.fails, f)
	}
}

// counts takes in a finding that began to count (1), or takes back one that
// ceased to (-1): for the questions that name its rule, and for those that only
// name where it belongs, which is another matter: see failing.
func (l *ledger) counts(x *exchange, rule *Rule, named, severe int) {
	f := Failure{Exchange: x.id, Rule: rule.ID}
	for _, to := range l.ask.byRule[rule.ID] {
		change := severe
		if to.named {
			change = named
		}
		if change == 0 {
			continue
		}
		p := l.of(l.ask.list[to.question].Of, x.client, x.agent, x.id)
		e := &p.entries[to.question]
		p.changed, l.changed = true, true
		switch {
		case change > 0:
			e.fail(f)
		case e.count > 0: // else its page was forgotten meanwhile
			e.count--
			e.fails = slices.DeleteFunc(e.fails, func(g Failure) bool { return g == f })
		}
	}
}

// name is a client in words: its address and what it calls itself.
func (k clientKey) name() string {
	agent, _, _ := strings.Cut(k.agent, " ")
	switch {
	case k.address.IsValid() && agent != "":
		return k.address.Unmap().String() + " " + agent
	case k.address.IsValid():
		return k.address.Unmap().String()
	case agent != "":
		return agent // a HAR does not know addresses of clients
	}
	return "?"
}
