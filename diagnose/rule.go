package diagnose

import (
	"slices"
	"strings"
	"sync"

	"a2ascope/decode"
)

// Rule is one rule file. Its id is its path below the rules folder without
// ".yaml": "call/method-not-found-cross-version".
type Rule struct {
	ID       string
	Family   string
	At       []decode.Checkpoint
	For      For
	If       string
	Unless   string // refutes: the rule speaks only where this is false
	Check    string // name of a Go check, instead of or besides If
	Let      map[string]string
	Severity Severity
	Escalate []Escalation // conditions that change severity, blame or grade
	Blame    Blame
	Sure     decode.Sure
	Table    []int // rows of the failure table it may speak for
	Silences []string
	Evidence []string
	Symptom  Text
	Cause    Text
	Fix      Fix
	Spec     []string
	Rank     int  // order of evaluation and of choosing the root: families first, then the file's own rank
	PerPeer  bool // folded: shown once for a peer, with count
	Source   string

	TableIf      []TableIf   // rows of Table that a finding speaks for only where their condition holds
	SilencedBy   []string    // the same edges written at their other end
	SilencesIf   []SilenceIf // edges that hold only where their condition does
	SilencesPeer bool        // its silences reach the other exchanges with the same agent
	Explains     bool        // explains a failed exchange although it is no error: a correct refusal, a limit of the capture
	AttachedTo   []string    // a text that is shown under findings of these rules, and never by itself
	Fallback     bool        // judged at the end, and only when nothing explains the failed exchange

	Folder   string // of a user's rule: where it was read from, "." where that has no name; "" for a built-in one
	Replaces bool   // a user's rule in the place of a built-in one

	let      []hole
	src      *ruleSource
	prog     program
	builtIn  bool
	text     []byte // of a built-in rule whose file was not read yet but for its header
	once     sync.Once
	openErrs []error
}

// For is the cheap filter of a rule, used as an index. Empty lists fit everything.
type For struct {
	Kind, Binding, Operation, Outcome, Version []string
}

// Escalation changes the severity, the side or the grade where its condition
// holds; the first that holds counts.
type Escalation struct {
	If       string
	Severity Severity
	Blame    Blame
	Sure     decode.Sure
}

// TableIf is a row of the failure table with a condition.
type TableIf struct {
	Row int
	If  string
}

// SilenceIf is a silencing edge with a condition.
type SilenceIf struct{ Rule, If string }

// Text in both languages.
type Text struct{ EN, ZH string }

// In returns the text in a language; English where the other is missing.
func (t Text) In(l Lang) string {
	if l == ZH && t.ZH != "" {
		return t.ZH
	}
	return t.EN
}

// Fix per side.
type Fix struct{ Client, Server Text }

// hole is a value for the texts: one expression, or one per language.
type hole struct{ name, expr, zh string }

// silences reports whether the rule silences the other, whatever the exchange.
func (r *Rule) silences(other *Rule) bool {
	return slices.Contains(r.Silences, other.ID) || slices.Contains(other.SilencedBy, r.ID)
}

// families in the order in which their rules are judged and a root is chosen.
var families = []string{
	"capture", "reach", "discover", "version", "call", "params", "caps",
	"task", "error", "payload", "stream", "push", "parity", "teach",
}

// userRank is where rules without a rank of their own begin, after the built-in ones.
const userRank = 10_000

// YAML is the rule's file.
func (r *Rule) YAML() []byte {
	if r.text != nil {
		return r.text
	}
	return []byte(strings.Join(r.src.lines, "\n"))
}

// Own reports whether the rule is a user's.
func (r *Rule) Own() bool { return r.Folder != "" }

// Set is a collection of rules that refer to each other by id.
type Set struct {
	rules []*Rule // by rank
	byID  map[string]*Rule

	// What users brought and changed; see load_user.go and settings.go.
	folders  []string
	off      map[string]string // rules that are not judged, and the place that says so
	severity map[string]severitySetting
	faulty   map[string]bool // rules of files with a mistake: they may be named, and are not there
}

// Rules returns the rules in the order of their rank, read completely.
func (s *Set) Rules() []*Rule {
	for _, r := range s.rules {
		r.open()
	}
	return s.rules
}

// IDs returns the ids of the rules in the order of their rank.
func (s *Set) IDs() []string {
	ids := make([]string, len(s.rules))
	for i, r := range s.rules {
		ids[i] = r.ID
	}
	return ids
}

// Rule returns the rule of an id, or nil.
func (s *Set) Rule(id string) *Rule {
	r := s.byID[id]
	if r != nil {
		r.open()
	}
	return r
}

func (s *Set) sort() {
	slices.SortFunc(s.rules, func(a, b *Rule) int {
		if a.Rank != b.Rank {
			return a.Rank - b.Rank
		}
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
}
