package diagnose

import (
	"hash/maphash"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// learn takes a checkpoint in, after it was judged.
func (m *memory) learn(c *decode.Call, at decode.Checkpoint) {
	if c == nil || c.Exchange == nil || at == decode.AtSilent || at == decode.AtCard {
		return
	}
	m.at(c.Exchange)
	m.learnLoss(c.Exchange)
	s := m.see(c)
	ended := at == decode.AtEnd
	if ended {
		*first(m.hosts.take(s.authority))++
	}
	if ended && c.Exchange.Response != nil && c.Exchange.Response.Status >= 300 && c.Exchange.Response.Status < 400 {
		m.learnRedirect(c, s)
	}
	if ended {
		m.learnReach(c, s)
	}
	if c.AgentCard != nil && !s.card && (at == decode.AtResponse || ended) {
		s.card = true
		m.learnCard(c, s)
	}
	switch c.Kind {
	case spec.KindCall, spec.KindCard, spec.KindPush:
	default:
		if ended {
			m.learnMCP(c, s)
			m.touch(c, s)
			m.open.drop(c.Exchange.ID)
		}
		return
	}
	m.ask(c, s)
	if c.Kind == spec.KindCall {
		early := at == decode.AtFrame && c.Outcome == spec.OK && len(c.Events) > 0
		m.recall(c, s)
		if ended {
			m.learnForbidden(c, s)
			m.learnWalk(c, s)
		}
		m.learnTasks(c, s, ended)
		if (ended || early) && !s.learned {
			s.learned = true
			m.learnPeer(c, s)
			m.learnClient(c, s)
		}
	}
	m.learnPush(c, s, ended)
	if !ended {
		return
	}
	if c.Kind == spec.KindCall {
		m.learnFlow(c, s)
		m.learnParity(c, s)
	}
	if s.watch != nil && s.watch.call.Exchange.ID == c.Exchange.ID {
		s.watch.call = c // the whole exchange is judged later, not what it was when the watch began
	}
	if c.Kind == spec.KindCall && s.learned {
		m.follow(c, s)
	}
	if c.Kind == spec.KindCard && !s.learned {
		s.learned = true
		m.learnClient(c, s)
		if c.AgentCard == nil && c.Exchange.Response != nil && c.Exchange.Response.Status != 304 {
			m.watchMiss(c, s)
		}
	}
	m.answer(c, s)
	if c.Kind == spec.KindCall && c.Outcome == spec.OK && oddAnswer(c) {
		m.watchAnswer(c, s)
	}
	m.retire(c.Exchange.ID)
}

// retire keeps the notes of an exchange that ended until newer ones push them
// out: its answer may be judged once more, which a watch then makes sure of.
func (m *memory) retire(id capture.ExchangeID) {
	if len(m.ended) < maxEnded {
		m.ended = append(m.ended, id)
		return
	}
	if x := m.open.items[m.ended[m.endedAt]]; x != nil && x.value.watch == nil {
		m.open.retire(x)
	}
	m.ended[m.endedAt] = id
	m.endedAt = (m.endedAt + 1) % maxEnded
}

// oddAnswer: a success whose form the client may not be able to use.
func oddAnswer(c *decode.Call) bool {
	if len(c.Events) > 0 && !spec.Streams(c.Operation) {
		return true
	}
	r, a := generation(string(requestGeneration(c))), generation(string(c.Response.Value))
	return r != "" && a != "" && r != a
}

// hashOf returns the hash of an exchange's request, 0 when it is forgotten.
func (m *memory) hashOf(id capture.ExchangeID) uint64 {
	if x := m.open.items[id]; x != nil {
		return x.value.hash
	}
	return 0
}

func first[T any](v T, _ bool) T { return v }

func hashString(seed maphash.Seed, s string) uint64 { return maphash.String(seed, s) }
