package diagnose

import (
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// Limits of what is remembered of streams.
const (
	maxTrail = 32 // newest updates of a stream
	maxFlows = 4  // finished streams of a task
	maxPolls = 1 << 20
	pollSpan = time.Second
)

// flow is a finished stream of a task, kept to be compared with another one
// that ran at the same time.
type flow struct {
	exchange   capture.ExchangeID
	begun, end time.Time
	updates    int
	trail      []uint64
}

// note remembers what an update was about. Its content is not looked at: two
// subscribers get it over different bindings.
func (s *flowSum) note(e *decode.StreamEvent) {
	if len(s.trail) >= 2*maxTrail {
		s.trail = s.trail[:copy(s.trail, s.trail[maxTrail:])]
	}
	n := uint64(1)
	if e.Kind == "artifactUpdate" {
		n = 2
		for i := range len(e.Artifact) {
			n = n*1099511628211 ^ uint64(e.Artifact[i])
		}
		if e.Append {
			n = n*31 + 1
		}
		if e.LastChunk {
			n = n*31 + 2
		}
	} else if w, _, ok := spec.StateByWord(e.State); ok {
		n = 16 + uint64(w.Number)
	}
	s.trail = append(s.trail, n)
}

// last returns the newest updates.
func (s *flowSum) last() []uint64 {
	if len(s.trail) > maxTrail {
		return s.trail[len(s.trail)-maxTrail:]
	}
	return s.trail
}

// forget gives up what only more events would need.
func (s *flowSum) forget() { s.begun, s.finished, s.trail = nil, nil, nil }

// whole reports whether a stream of a task was seen to the end of the task.
func (s *flowSum) whole(c *decode.Call) bool {
	x := c.Exchange
	return s.facts.TerminalAt != "" && s.facts.Task != "" && s.facts.OtherTask == "" && x.ReceivedDone && c.Outcome == spec.OK &&
		s.facts.Statuses > 0 && !s.message && s.facts.Garbled == 0
}

// unlike finds a stream of the same task that ran at the same time to the same
// end, and brought other updates: the shorter of the two has to be the end of
// the longer, for whoever subscribes later has missed the begin.
func (m *memory) unlike(f *FlowFacts, c *decode.Call, s *seen) {
	if c.Exchange.End == nil || !s.flow.whole(c) {
		return
	}
	t := m.tasks.find(taskKey{m.agentOf(s), c.Tenant, cut(s.flow.facts.Task)})
	if t == nil {
		return
	}
	mine := s.flow.last()
	for i := range t.flows {
		o := &t.flows[i]
		if o.exchange == c.Exchange.ID || !o.begun.Before(c.Exchange.Ended) || !c.Exchange.Started.Before(o.end) || sameEnd(mine, o.trail) {
			continue
		}
		f.Unlike, f.UnlikeMine, f.UnlikeOther = int(o.exchange), s.flow.facts.Statuses+s.flow.facts.Artifacts, o.updates
		return
	}
}

func sameEnd(a, b []uint64) bool {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// learnFlow takes the end of a stream in.
func (m *memory) learnFlow(c *decode.Call, s *seen) {
	if c.Operation == spec.GetTask && c.Outcome == spec.OK && c.TaskID != "" {
		m.learnPoll(c, s)
		return
	}
	if s.flow.take(c); s.flow.events == 0 {
		return
	}
	defer s.flow.forget()
	s.sum.take(c)
	p := m.peerOf(c, s)
	switch {
	case s.sum.facts.Wrapped > 0 && s.sum.facts.Bare == 0:
		p.wrapped = true
	case s.sum.facts.Bare > 0 && s.sum.facts.Wrapped == 0:
		p.bare = true
	}
	m.learnCut(c, s, p)
	if !s.flow.whole(c) {
		return
	}
	t := m.tasks.find(taskKey{m.agentOf(s), c.Tenant, cut(s.flow.facts.Task)})
	if t == nil {
		return
	}
	if len(t.flows) >= maxFlows {
		t.flows = t.flows[:copy(t.flows, t.flows[1:])]
	}
	t.flows = append(t.flows, flow{exchange: c.Exchange.ID, begun: c.Exchange.Started, end: c.Exchange.Ended,
		updates: s.flow.facts.Statuses + s.flow.facts.Artifacts, trail: append([]uint64(nil), s.flow.last()...)})
}

// learnCut counts the streams of an interface that were cut after a silence of
// a round number of seconds.
func (m *memory) learnCut(c *decode.Call, s *seen, p *peer) {
	var f FlowFacts
	var k StreamFacts
	var h HTTPFacts
	k = s.sum.facts
	finishStream(&k, c)
	fillHTTP(&h, c)
	finishFlow(&f, &s.flow, c, &k, &h)
	if i := roundTimeout(f.IdleMS); f.Cut && i >= 0 {
		p.cuts[i]++
	}
}

// learnPoll counts how often a caller asked for a task in a row, each time
// within a second of the time before.
func (m *memory) learnPoll(c *decode.Call, s *seen) {
	t := m.tasks.find(m.taskOf(c, s))
	if t == nil {
		return
	}
	x := c.Exchange
	if t.poller != s.client || x.Started.Sub(t.polled) > pollSpan || t.polls >= maxPolls {
		t.polls = 0
	}
	t.poller, t.polled = s.client, x.Started
	t.polls++
}

// flowFacts fills the course of a stream.
func (m *memory) flowFacts(f *FlowFacts, c *decode.Call, s *seen, k *CallFacts) {
	if s.flow.take(c); c.Kind != spec.KindCall {
		return
	}
	finishFlow(f, &s.flow, c, k.Stream, k.HTTP)
	if c.Fault != nil && spec.Streams(c.Operation) && c.Exchange.Request != nil {
		accept := lower(c.Exchange.Request.Fields.Get("accept"))
		f.OnlyStream = strings.Contains(accept, "text/event-stream") && !strings.Contains(accept, "json") && !strings.Contains(accept, "*/*")
	}
	if s.flow.events == 0 {
		return
	}
	if f.Timeout > 0 {
		if p := m.peers.find(m.keyOf(c, s)); p != nil {
			f.CutBefore = int(p.cuts[roundTimeout(f.IdleMS)])
		}
	}
	m.unlike(f, c, s)
}
