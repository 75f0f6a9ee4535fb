package diagnose

import (
	"log/slog"
	"maps"
	"slices"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// Options of an engine.
type Options struct {
	Log *slog.Logger // nil: nothing is logged
	// Trace sees the facts of every checkpoint, whether a rule is there or not.
	// It is for writers of rules and may be nil.
	Trace func(c *decode.Call, at decode.Checkpoint, f *Facts)
	// Questions of a review; nil: none is made.
	Questions *Questions
}

// Engine judges exchanges by a set of rules. It belongs to one goroutine.
type Engine struct {
	set     *Set
	index   *index
	mem     *memory
	log     *slog.Logger
	trace   func(*decode.Call, decode.Checkpoint, *Facts)
	facts   *Facts
	factsOf *decode.Call // the call whose facts are in facts, nil when they must be filled
	scope   scope
	states  *shelf[capture.ExchangeID, exchange]
	folds   *shelf[foldKey, fold]
	roots   *shelf[string, []peerRoot]
	taught  *shelf[lesson, bool]
	carded  map[capture.ExchangeID]bool // open exchanges whose card was judged
	ledger  *ledger                     // nil without questions
	stats   Stats
	out     []*Finding
}

// Bounds of what the engine keeps: exchanges with findings (a later exchange
// may recover them or say why they failed), findings that others are folded
// into, agents whose card explains failures.
const (
	maxStates   = 4096
	maxFolds    = 8192
	maxRoots    = 1024
	maxCarded   = 1024
	maxTaught   = 4096
	maxExamples = 3
)

// Stats counts what the engine did.
type Stats struct {
	Checkpoints uint64         // calls of Observe
	Evaluated   uint64         // conditions run
	Raised      uint64         // findings
	Compiled    int            // rules compiled so far
	Slow        int            // expressions of them that only cel-go can run
	Broken      map[string]int // rules that failed to compile, or whose evaluation ended in an error, with how often

	prepared map[*Rule]bool
}

// NewEngine returns an engine that has seen nothing.
func NewEngine(set *Set, o Options) *Engine {
	e := &Engine{
		set: set, mem: newMemory(), log: o.Log, trace: o.Trace, facts: NewFacts(),
		states: newShelf[capture.ExchangeID, exchange](maxStates),
		folds:  newShelf[foldKey, fold](maxFolds),
		roots:  newShelf[string, []peerRoot](maxRoots),
		taught: newShelf[lesson, bool](maxTaught),
		carded: map[capture.ExchangeID]bool{},
		ledger: newLedger(o.Questions),
		stats:  Stats{Broken: map[string]int{}, prepared: map[*Rule]bool{}},
	}
	e.index = newIndex(set, e.prepare)
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.scope.f = e.facts
	return e
}

// Verdict is what a checkpoint changed.
type Verdict struct {
	Findings []*Finding      // new, or changed in their standing; of other exchanges too
	Version  *VersionVerdict // what became of the version the call declares; nil until it ended
	Kept     bool            // the call ended and is looked at again later: it must stay as it is
}

// Observe judges a call at a checkpoint and then learns from it. The call must
// be a value of its own: it is read in the light of what is known, which changes it.
func (e *Engine) Observe(c *decode.Call, at decode.Checkpoint) Verdict {
	if c == nil || c.Exchange == nil || at == decode.NoCheckpoint {
		return Verdict{}
	}
	e.stats.Checkpoints++
	e.out = nil
	e.mem.resolve(c)
	id := c.Exchange.ID
	e.factsOf = nil
	for _, due := range decode.Due(c, at) {
		if at == decode.AtDone && due == decode.AtEnd {
			due = decode.AtDone // nothing has changed since the response
		}
		e.judge(c, due)
	}
	if at == decode.AtDone {
		at = decode.AtEnd
	}
	if c.AgentCard != nil && (at == decode.AtResponse || at == decode.AtEnd) && !e.carded[id] {
		if len(e.carded) >= maxCarded {
			clear(e.carded)
		}
		e.carded[id] = true
		e.judge(c, decode.AtCard)
	}
	var version *VersionVerdict
	if at == decode.AtEnd && e.ledger != nil && spoken(c) {
		e.know(c, at)
		s := e.mem.see(c)
		version = e.ledger.note(c, &e.scope, s.client, e.mem.agentOf(s))
	}
	e.mem.learn(c, at)
	kept := false
	if at == decode.AtEnd {
		if e.awaits(c) {
			e.mem.watchForm(c)
		}
		e.end(c)
		delete(e.carded, id)
		kept = e.mem.waitsWith(id)
	}
	for _, quiet := range e.mem.quiet(e.mem.now, false) {
		e.judge(quiet, decode.AtSilent)
	}
	return Verdict{Findings: e.out, Version: version, Kept: kept}
}

// spoken reports whether an exchange is between A2A peers.
func spoken(c *decode.Call) bool {
	switch c.Kind {
	case spec.KindCall, spec.KindCard, spec.KindPush:
		return true
	}
	return false
}

// Silent judges what has not come although its time has passed. now is the
// time of the traffic: a live session says what it is while nothing comes.
func (e *Engine) Silent(now time.Time) []*Finding { return e.waited(now, false) }

// Finish judges what only the end of the session tells: that nothing came
// after something. at is the end in the time of the traffic.
func (e *Engine) Finish(at time.Time) []*Finding { return e.waited(at, true) }

// Missed says that some of the traffic up to at was let go unread: of what did
// not come before then nothing is said.
func (e *Engine) Missed(at time.Time) {
	if at.After(e.mem.missed) {
		e.mem.missed = at
	}
}

func (e *Engine) waited(at time.Time, ended bool) []*Finding {
	e.out = nil
	for _, quiet := range e.mem.quiet(at, ended) {
		e.judge(quiet, decode.AtSilent)
	}
	return e.out
}

// Agents returns what has been learnt of each agent.
func (e *Engine) Agents() []*AgentInfo { return e.mem.agents() }

// Stats returns the counts so far.
func (e *Engine) Stats() Stats {
	s := e.stats
	s.Broken, s.prepared = maps.Clone(s.Broken), nil
	return s
}

// judge runs the rules that fit and settles the standing of what they found.
// AtDone is the end of what was judged at its response just now: the rules that
// were run then would say the same.
func (e *Engine) judge(c *decode.Call, at decode.Checkpoint) {
	rules := e.index.fitting(c, at, ordinary)
	if at == decode.AtDone {
		at = decode.AtEnd
	}
	x := e.states.find(c.Exchange.ID)
	if len(rules) > 0 || e.trace != nil {
		e.know(c, at)
		if e.trace != nil {
			e.trace(c, at, e.facts)
		}
		x = e.run(c, at, rules, x)
	}
	if at == decode.AtEnd && failure(c) && !x.explained() {
		if rules := e.index.fitting(c, at, asFallback); len(rules) > 0 {
			e.know(c, at)
			x = e.run(c, at, rules, x)
		}
	}
	if x != nil {
		e.teach(c, at, x)
		x.failed, x.op = failure(c), c.Operation
		if x.dirty {
			e.settle(x)
		}
	}
}

// know fills the facts, once for the checkpoints that an exchange meets at
// once: nothing is learnt between response and end.
func (e *Engine) know(c *decode.Call, at decode.Checkpoint) {
	if e.factsOf == c && at == decode.AtEnd {
		return
	}
	e.mem.facts(c, at, e.facts)
	e.factsOf = c
	if at != decode.AtResponse && at != decode.AtEnd {
		e.factsOf = nil
	}
}

func (e *Engine) run(c *decode.Call, at decode.Checkpoint, rules []*Rule, x *exchange) *exchange {
	for _, r := range rules {
		if rec := x.find(r); rec != nil {
			e.again(x, rec, c, at)
			continue
		}
		if r.Fallback && x.explained() {
			continue
		}
		if !e.holds(r) {
			continue
		}
		if x == nil {
			x = e.state(c)
		}
		x.add(e.raise(r, c, at))
	}
	return x
}

// state begins to keep an exchange.
func (e *Engine) state(c *decode.Call) *exchange {
	x, fresh := e.states.take(c.Exchange.ID)
	if fresh {
		s := e.mem.see(c)
		x.id, x.agent, x.client, x.peer = c.Exchange.ID, e.mem.agentOf(s), s.client, e.mem.keyOf(c, s)
	}
	return x
}

// holds runs the condition of a rule. One that cannot be run does not hold.
func (e *Engine) holds(r *Rule) bool {
	e.stats.Evaluated++
	p := &r.prog
	ok := p.cond == nil || p.cond(&e.scope)
	if e.scope.err != nil {
		e.broken(r, e.scope.err)
		return false
	}
	return ok && (p.check == nil || p.check.run(e.facts))
}

// prepare compiles a rule when an exchange first selects it; false when it cannot be run.
func (e *Engine) prepare(r *Rule) bool {
	errs := r.ready()
	if e.stats.prepared[r] {
		return len(errs) == 0
	}
	e.stats.prepared[r] = true
	e.stats.Compiled++
	e.stats.Slow += r.prog.slow
	if len(errs) > 0 {
		e.broken(r, errs[0])
	}
	return len(errs) == 0
}

// broken notes a rule that could not be run; it is logged once.
func (e *Engine) broken(r *Rule, err error) {
	e.scope.err = nil
	if e.stats.Broken[r.ID]++; e.stats.Broken[r.ID] == 1 {
		e.log.Error("rule cannot be run, it is skipped", "rule", r.ID, "err", err)
	}
}

// again looks at a rule that has spoken on this exchange before. The finding
// stays; a condition of escalate that holds by now raises its severity, and a
// stream rule counts: the count is told when it doubles and at the end.
func (e *Engine) again(x *exchange, rec *record, c *decode.Call, at decode.Checkpoint) {
	r := rec.rule
	if at == decode.AtFrame && rec.f.Key.Frame >= 0 && e.holds(r) {
		rec.times++
		rec.last = e.mem.now
		x.dirty = x.dirty || rec.times&(rec.times-1) == 0
	}
	if len(r.prog.escalate) > 0 {
		sev, blame, sure := e.weigh(r)
		if sev.Rank() > rec.own.Rank() {
			f := *rec.f
			f.Severity, f.Blame, f.Sure = e.set.weighed(r, sev), blame, e.grade(r, sure)
			rec.own, rec.raised, rec.f = sev, f.Severity, &f
			now := e.facts.lookAt(c, f.Key.Frame)
			e.texts(rec.f, c)
			now()
			x.dirty = true
		}
	}
	x.dirty = e.conditions(rec) || x.dirty
}

// awaits reports whether a rule that spoke on a success, or on a stream that
// the client left, wants to know what the client made of it.
func (e *Engine) awaits(c *decode.Call) bool {
	left := len(c.Events) > 0 && c.Exchange.EndedBy == capture.Client
	if c.Kind != spec.KindCall || c.Outcome != spec.OK && !left {
		return false
	}
	x := e.states.find(c.Exchange.ID)
	if x == nil {
		return false
	}
	for _, rec := range x.records {
		if slices.Contains(rec.rule.At, decode.AtSilent) && len(rec.rule.prog.escalate) > 0 {
			return true
		}
	}
	return false
}

// weigh returns severity, blame and grade after the escalations.
func (e *Engine) weigh(r *Rule) (Severity, Blame, decode.Sure) {
	sev, blame, sure := r.Severity, r.Blame, r.Sure
	for i, holds := range r.prog.escalate {
		if !holds(&e.scope) {
			continue
		}
		if s := r.Escalate[i].Severity; s != "" {
			sev = s
		}
		if b := r.Escalate[i].Blame; b != "" {
			blame = b
		}
		if s := r.Escalate[i].Sure; s != "" {
			sure = s
		}
		break
	}
	if e.scope.err != nil {
		e.broken(r, e.scope.err)
	}
	return sev, blame, sure
}

// conditions notes which conditional silences of a finding hold; true when one is new.
func (e *Engine) conditions(rec *record) (changed bool) {
	for i, holds := range rec.rule.prog.silenceIf {
		if rec.cond == nil {
			rec.cond = make([]bool, len(rec.rule.prog.silenceIf))
		}
		if !rec.cond[i] && holds(&e.scope) {
			rec.cond[i], changed = true, true
		}
		if e.scope.err != nil {
			e.broken(rec.rule, e.scope.err)
		}
	}
	return changed
}
