package diagnose

import (
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
)

// Bounds of the ledger.
const (
	maxPairs    = 512
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
}

type pairKey struct {
	client clientKey
	agent  string
}

// pages are the answers of one subject, by question.
type pages struct {
	first    capture.ExchangeID
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
	return &ledger{ask: q, pairs: newShelf[pairKey, pages](maxPairs), agents: newShelf[string, pages](maxOrigins), clients: newShelf[clientKey, pages](maxClients)}
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
		p.first, p.entries = id, make([]answerLine, len(l.ask.list))
	}
	return p
}

// note lets the end of an exchange answer what is still open.
func (l *ledger) note(c *decode.Call, s *scope, client clientKey, agent string) *VersionVerdict {
	id := c.Exchange.ID
	kind := string(c.Kind)
	var subjects [3]*pages
	for i, of := range []Subject{OfPair, OfAgent, OfClient} {
		subjects[i] = l.of(of, client, agent, id)
	}
	for i, q := range l.ask.list {
		p := subjects[q.Of.index()]
		e := &p.entries[i]
		if !slices.Contains(q.Kinds, kind) {
			continue
		}
		for n := range q.Parts {
			if e.seen&(1<<n) == 0 && q.Parts[n].cond(s) {
				e.seen |= 1 << n
				e.by[n] = id
			}
		}
		if q.failIf != nil && q.failIf(s) {
			e.fail(Failure{Exchange: id})
		}
		s.err = nil
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
}

func (p *pages) verdict(v *VersionVerdict, id capture.ExchangeID) {
	for i := range p.verdicts {
		r := &p.verdicts[i]
		if r.Sent == v.Sent && r.Expected == v.Expected && r.Did == v.Did && slices.Equal(r.Exposes, v.Exposes) {
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

// counts takes in, or takes back, a finding that began or ceased to count.
func (l *ledger) counts(x *exchange, rule *Rule, on bool) {
	f := Failure{Exchange: x.id, Rule: rule.ID}
	for _, id := range [2]string{rule.ID, rule.Family + "/*"} {
		for _, i := range l.ask.byRule[id] {
			e := &l.of(l.ask.list[i].Of, x.client, x.agent, x.id).entries[i]
			if on {
				e.fail(f)
				continue
			}
			e.count--
			e.fails = slices.DeleteFunc(e.fails, func(g Failure) bool { return g == f })
		}
	}
}

// name is a client in words: its address and what it calls itself.
func (k clientKey) name() string {
	s := "?"
	if k.address.IsValid() {
		s = k.address.Unmap().String()
	}
	if agent, _, _ := strings.Cut(k.agent, " "); agent != "" {
		s += " " + agent
	}
	return s
}
