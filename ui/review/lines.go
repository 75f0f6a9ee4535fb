package review

import (
	"fmt"
	"strconv"

	"a2ascope/capture"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
	"a2ascope/ui/kit"
)

// parts are the lists of questions, as numbered on screen.
var parts = [...]string{"ladder", "coverage", "migration"}

// subject is a client and an agent, or one of them, and what was asked of it.
type subject struct {
	file          int
	list          string
	client, agent string // the ladder has both, the others one
	of            any    // the *PairReview or *PeerReview: equal pointers mean unchanged
	questions     []diagnose.QuestionState
	cause         int // of a ladder: the step that is the cause, -1 for none
	phase         diagnose.Phase
	versions      []diagnose.VersionRow
	at            diagnose.Addresses
}

// line is a row of the list: a subject (question -1), or one of its questions.
type line struct {
	s        *subject
	question int
}

// key names a line over all views.
type key struct {
	file          int
	client, agent string
	question      string // "" for the subject
}

func (l line) key() key {
	k := key{file: l.s.file, client: l.s.client, agent: l.s.agent}
	if q := l.state(); q != nil {
		k.question = q.Question.ID
	}
	return k
}

func (k key) subject() key {
	k.question = ""
	return k
}

// state is the question of a line, nil for a subject.
func (l line) state() *diagnose.QuestionState {
	if l.question < 0 {
		return nil
	}
	return &l.s.questions[l.question]
}

// subjects lists whom a part is about.
func subjects(v *session.View, list string) []*subject {
	var out []*subject
	for file, r := range v.Reviews {
		if r == nil {
			continue
		}
		if list == "ladder" {
			for _, p := range r.Pairs {
				out = append(out, &subject{file: file, list: list, client: p.Client, agent: p.Agent, of: p,
					questions: p.Ladder, cause: p.Cause, versions: p.Versions, at: p.At})
			}
			continue
		}
		add := func(p *diagnose.PeerReview) *subject {
			s := &subject{file: file, list: list, of: p, questions: p.Coverage, cause: -1, phase: p.Phase, at: p.At}
			if list == "migration" {
				s.questions = p.Migration
			}
			out = append(out, s)
			return s
		}
		for _, p := range r.Agents {
			add(p).agent = p.Name
		}
		for _, p := range r.Clients {
			add(p).client = p.Name
		}
	}
	return out
}

// few subjects are open from the start; of many the first, and those of which something failed.
const few = 3

// opened reports whether the questions of a subject are shown.
func (m Model) opened(s *subject, n int) bool {
	if is, told := m.open[openKey(s)]; told {
		return is
	}
	return n <= few || s == m.all[0] || s.count(diagnose.Failed) > 0
}

func openKey(s *subject) string {
	return s.list + "\x00" + strconv.Itoa(s.file) + "\x00" + s.client + "\x00" + s.agent
}

// count is how many questions have an answer.
func (s *subject) count(a diagnose.Answer) (n int) {
	for i := range s.questions {
		if s.questions[i].Answer == a {
			n++
		}
	}
	return n
}

// who names the subject.
func (s *subject) who(w *lang.Review) string {
	switch {
	case s.client == "":
		return w.Agent + " " + kit.OneLine(s.agent, 80)
	case s.agent == "":
		return w.Client + " " + kit.OneLine(s.client, 80)
	}
	return kit.OneLine(s.client, 80) + " → " + kit.OneLine(s.agent, 80)
}

// sum says in a few words what the answers come to.
func (s *subject) sum(w *lang.Review, l diagnose.Lang) string {
	if s.cause >= 0 {
		return fmt.Sprintf(w.FailsAt, s.cause+1, s.questions[s.cause].Question.Title.In(l))
	}
	counts := w.CountsOf(s.list, [4]int{s.count(diagnose.Passed), s.count(diagnose.Failed), s.count(diagnose.Partly), s.count(diagnose.NotSeen)})
	if s.list == "ladder" {
		return w.NoFail + "; " + counts
	}
	return counts
}

// name is the number of a step, the id of any other question.
func (l line) name() string {
	if l.s.list == "ladder" {
		return strconv.Itoa(l.question + 1)
	}
	return l.state().Question.ID
}

// shows is the exchange that shows an answer best: what failed it, else the
// first that passed a part; false when there is none.
func shows(q *diagnose.QuestionState) (capture.ExchangeID, bool) {
	if len(q.Failures) > 0 {
		return q.Failures[0].Exchange, true
	}
	for _, p := range q.Parts {
		if p.Seen {
			return p.Exchange, true
		}
	}
	return 0, false
}

// mark is a sign for an answer, and its role.
func mark(a diagnose.Answer) (string, kit.Role) {
	switch a {
	case diagnose.Passed:
		return "✓", kit.OK
	case diagnose.Failed:
		return "✗", kit.Err
	case diagnose.Partly:
		return "~", kit.Warn
	}
	return "·", kit.Dim
}
