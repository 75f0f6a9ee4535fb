package diagnose

import (
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
	Check Text // what is looked at
	Fill  Text // how to make it seen: a command, or what to do
	Kinds []string
	Parts []QuestionPart // what has to be seen
	Need  string         // all, any, declared: those named like bindings that the agent's card lists, at least two
	Fail  []string       // rules, or families as "version/*", whose findings fail it
	Spec  []string
	TCK   []string // requirement ids of the compatibility kit where one corresponds

	failIf boolFn // an exchange that fails it without a rule
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

// PartState is whether a part was seen, and on which exchange first.
type PartState struct {
	Part     *QuestionPart
	Seen     bool
	Exchange capture.ExchangeID
}

// Failure is what failed a question.
type Failure struct {
	Exchange capture.ExchangeID
	Rule     string // "" when the exchange itself shows it
}

// Phase is where a peer stands in its migration, as the 1.0 "What's New"
// describes it: 0.3 alone, reading both, answering both, 1.0 alone.
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
	Cause         *QuestionState // the first step that failed, nil when none did
	Versions      []VersionRow   // what became of each A2A-Version that was sent
}

// PeerReview is what is known of one side alone.
type PeerReview struct {
	Name      string
	Phase     Phase
	Coverage  []QuestionState
	Migration []QuestionState
}

// Review is all of it. It never changes.
type Review struct {
	Pairs   []PairReview
	Agents  []PeerReview
	Clients []PeerReview
}

// Questions is the list that a review asks, in order.
type Questions struct {
	list   []*Question
	byRule map[string][]int // rule id or "family/*" → questions that fail by it
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
