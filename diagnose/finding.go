package diagnose

import (
	"maps"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
)

// Severity of a finding.
type Severity string

// Error explains a failure that was seen, Warning is a silent hazard, Info is
// undefined by the specification, a correct refusal, or teaching.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Rank orders severities, the worst highest; 0 for none.
func (s Severity) Rank() int {
	switch s {
	case Error:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	}
	return 0
}

// Blame says who has something to change.
type Blame string

// The sides that can be to blame.
const (
	BlameClient Blame = "client"
	BlameServer Blame = "server"
	BlameHop    Blame = "hop"
	BlameEither Blame = "either"
	BlameNone   Blame = "none"
	BlameTool   Blame = "tool"
)

// Key names a finding: raising it twice is a no-op.
type Key struct {
	Rule     string
	Exchange capture.ExchangeID
	Frame    int // -1 when it is about the whole exchange
}

// Finding is our judgement of an exchange. A value never changes; a finding
// whose standing changed (Root, FollowsFrom, RecoveredBy, Count) is issued
// again under the same Key.
type Finding struct {
	Key      Key
	At       time.Time
	Rule     *Rule
	Severity Severity
	Was      Severity // what it is by the rule, where the user's settings say otherwise; "" elsewhere
	Blame    Blame
	Sure     decode.Sure
	Evidence []Evidence
	Args     map[string]string // holes of the texts
	masked   map[string]string // and what is shown in the place of those that hold secrets
	Table    []int             // rows of the failure table it speaks for

	Root        bool                // explains the failure of the exchange
	FollowsFrom *Key                // a consequence of that finding
	RecoveredBy *capture.ExchangeID // the client got through by another way
	AlsoSeen    bool                // an error on the same exchange that is not its root
	FoldedInto  *Key                // equal to an earlier finding of the same peer
	Count       int                 // how many equal findings are folded into this one, itself included
	Last        time.Time
	Examples    []capture.ExchangeID // up to three
}

// Evidence is a place and what stands there, or that nothing does.
type Evidence struct {
	Place  decode.Place
	Value  string // short
	Absent bool   // that nothing stands there is the evidence
	masked string // the value with its secrets masked; "" when it has none
}

// Shown is the value as it may be shown to others; plain is for who asked to see all of it.
func (e *Evidence) Shown(plain bool) string {
	if e.masked != "" && !plain {
		return e.masked
	}
	return e.Value
}

// Counts reports whether the finding counts in summaries and exit codes:
// consequences, folded repetitions and errors beside the root do not. (A
// recovered one was lowered to info and counts as that.)
func (f *Finding) Counts() bool { return f.FollowsFrom == nil && f.FoldedInto == nil && !f.AlsoSeen }

// Lang is a language of the texts.
type Lang string

// The languages.
const (
	EN Lang = "en"
	ZH Lang = "zh"
)

// Texts of a finding in one language, holes filled in.
type Texts struct {
	Symptom, Cause       string
	FixClient, FixServer string // "" when that side has nothing to change
}

// Texts renders the rule's texts for this finding, as they may be shown to
// others: what the peers said is in them, and their secrets are masked.
func (f *Finding) Texts(l Lang) Texts { return f.TextsFor(l, false) }

// TextsFor is Texts; with plain nothing is masked, for who asked to see all of it.
func (f *Finding) TextsFor(l Lang, plain bool) Texts {
	args := f.Args
	if len(f.masked) > 0 && !plain {
		args = maps.Clone(args)
		maps.Copy(args, f.masked)
	}
	return Texts{
		Symptom:   fill(f.Rule.Symptom.In(l), args, l),
		Cause:     hedge(fill(f.Rule.Cause.In(l), args, l), f, l),
		FixClient: fill(f.Rule.Fix.Client.In(l), args, l),
		FixServer: fill(f.Rule.Fix.Server.In(l), args, l),
	}
}
