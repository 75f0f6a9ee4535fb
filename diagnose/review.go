package diagnose

import (
	"maps"
	"slices"
	"strings"

	"a2ascope/capture"
)

// A review asks the same questions of all traffic and answers each with passed,
// failed or not seen: the ladder (will the two sides connect?), the coverage
// of interoperability scenarios, and the migration checklists. The questions
// are data (rules/review/*.yaml); what answers them are facts of exchanges and
// the findings that count.

// Subject is whom a question is about.
type Subject string

// The subjects.
const (
	OfPair   Subject = "pair"   // one client and one agent
	OfAgent  Subject = "agent"  // an agent, whoever calls
	OfClient Subject = "client" // a client, whomever it calls
)

// Question is one row of a review.
type Question struct {
	List  string // ladder, coverage, migration
	ID    string
	Of    Subject
	Title Text
	Check Text     // what is looked at
	Fill  Text     // how to make it seen
	Run   []string // commands that do, with holes for addresses; see Commands
	Kinds []string
	Parts []QuestionPart // what has to be seen
	Need  string         // all, any, declared: those named like bindings that the agent's card lists, at least two
	Fail  []string       // rules whose findings fail it, or beginnings as "version/*": of those only errors do
	Spec  []string
	TCK   []string // requirement ids of the compatibility kit where one corresponds

	failIf boolFn // an exchange that fails it without a rule
	whole  uint8  // the bits of all its parts
}

// QuestionPart is one thing that has to be seen on some exchange.
type QuestionPart struct {
	ID    string
	Title Text
	cond  boolFn
}

// Answer of a question.
type Answer string

// The answers. Partly: some parts were seen and none failed.
const (
	NotSeen Answer = "not-seen"
	Partly  Answer = "partly"
	Passed  Answer = "passed"
	Failed  Answer = "failed"
)

// QuestionState is a question and what the traffic says to it.
type QuestionState struct {
	Question *Question
	Answer   Answer
	Parts    []PartState
	Failures []Failure // the first few
	Failing  int       // how many there are
}

// Exhausted reports whether nothing more can be seen at this agent: its card
// lists one binding, and there is none to compare it with.
func (s *QuestionState) Exhausted() bool {
	return s.Answer == Partly && !slices.ContainsFunc(s.Parts, func(p PartState) bool { return !p.Seen && !p.Spared })
}

// PartState is whether a part was seen, and on which exchange first.
type PartState struct {
	Part     *QuestionPart
	Seen     bool
	Spared   bool // the card lists bindings, and not the one that this part is about
	Exchange capture.ExchangeID
}

// Failure is what failed a question.
type Failure struct {
	Exchange capture.ExchangeID
	Rule     string // "" when the exchange itself shows it
}

// Phase is where a peer stands in its migration, as the 1.0 "What's New"
// describes it: 0.3 alone; 0.3 spoken and both read; 1.0 spoken and both read,
// or both spoken; 1.0 alone. It says what was seen, not what a peer could do.
type Phase string

// The phases; "" while too little was seen.
const (
	PhaseOld    Phase = "0.3-only"
	PhaseCompat Phase = "compatibility"
	PhaseDual   Phase = "dual"
	PhaseNew    Phase = "1.0-only"
	PhaseDraft  Phase = "draft"
)

// PairReview is the ladder of one client and one agent.
type PairReview struct {
	Client, Agent string
	Ladder        []QuestionState
	Cause         int          // index of the first step that failed, -1 when none did
	Versions      []VersionRow // what became of each A2A-Version that was sent
	At            Addresses    // of the agent
}

// PeerReview is what is known of one side alone.
type PeerReview struct {
	Name      string
	Phase     Phase
	Coverage  []QuestionState
	Migration []QuestionState
	At        Addresses // of an agent
}

// Review is all of it, each part in the order in which it was first met. It
// never changes; what did not change between two is the same pointer in both.
type Review struct {
	Pairs   []*PairReview
	Agents  []*PeerReview
	Clients []*PeerReview
}

// CanFail reports whether any traffic fails the question: some only record.
func (q *Question) CanFail() bool { return len(q.Fail) > 0 || q.failIf != nil }

// Questions is the list that a review asks, in order.
type Questions struct {
	list   []*Question
	byRule map[string][]failing // rule id → questions that fail by it
	byKind map[string][]int     // kind of exchange → questions that ask about it
}

// failing is a question that a rule fails; named, it does so whatever the
// severity of the finding: "a version that is missing was tolerated" is no more
// than an info, and yet a scenario that failed.
type failing struct {
	question int
	named    bool
}

// Without returns the same questions, none of which fails by the rules named (an
// id, or the last part of it).
func (q *Questions) Without(rules ...string) *Questions {
	if len(rules) == 0 {
		return q
	}
	n := *q
	n.byRule = maps.Clone(q.byRule)
	maps.DeleteFunc(n.byRule, func(id string, _ []failing) bool {
		return slices.ContainsFunc(rules, func(r string) bool { return r == id || strings.HasSuffix(id, "/"+r) })
	})
	return &n
}

// List returns the questions of a list.
func (q *Questions) List(name string) []*Question {
	var out []*Question
	for _, x := range q.list {
		if x.List == name {
			out = append(out, x)
		}
	}
	return out
}
