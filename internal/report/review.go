package report

import (
	"strconv"

	"a2ascope/capture"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
)

// table is one list of questions about one subject.
type table struct {
	list          string // ladder, coverage, migration
	client, agent string // the ladder has both, the others one
	phase         diagnose.Phase
	questions     []diagnose.QuestionState
	cause         int // of a ladder: the first step that failed; -1 where none did
	versions      []diagnose.VersionRow
	at            diagnose.Addresses
}

// review makes the tables of a file, and notes the exchanges whose numbers they
// will want. The review is of all traffic, also of what Options.Only leaves out:
// a step that was passed there was passed.
func (f *FileReport) review(r *diagnose.Review) {
	if r == nil {
		return
	}
	for _, p := range r.Pairs {
		f.tables = append(f.tables, table{list: "ladder", client: p.Client, agent: p.Agent, questions: p.Ladder, cause: p.Cause, versions: p.Versions, at: p.At})
	}
	side := func(peers []*diagnose.PeerReview, of diagnose.Subject, list string) {
		for _, p := range peers {
			t := table{list: list, phase: p.Phase, questions: p.Coverage, cause: -1, at: p.At}
			if list == "migration" {
				t.questions = p.Migration
			}
			if of == diagnose.OfAgent {
				t.agent = p.Name
			} else {
				t.client = p.Name
			}
			f.tables = append(f.tables, t)
		}
	}
	for _, list := range []string{"coverage", "migration"} {
		side(r.Agents, diagnose.OfAgent, list)
		side(r.Clients, diagnose.OfClient, list)
	}
	f.shown = map[capture.ExchangeID]int{}
	for i := range f.tables {
		t := &f.tables[i]
		for j := range t.questions {
			for _, p := range t.questions[j].Parts {
				if p.Seen {
					f.shown[p.Exchange] = 0
				}
			}
			for _, x := range t.questions[j].Failures {
				f.shown[x.Exchange] = 0
			}
		}
		for _, v := range t.versions {
			f.shown[v.First] = 0
		}
	}
}

// show notes the number of an exchange that a table names.
func (f *FileReport) show(row *session.Row) {
	if _, ok := f.shown[row.ID()]; ok {
		f.shown[row.ID()] = row.Number
	}
}

// counts are the questions by answer: passed, failed, partly, not seen.
func (t *table) counts() (n [4]int) {
	for i := range t.questions {
		switch t.questions[i].Answer {
		case diagnose.Passed:
			n[0]++
		case diagnose.Failed:
			n[1]++
		case diagnose.Partly:
			n[2]++
		default:
			n[3]++
		}
	}
	return n
}

// failed are the ids of the questions that failed.
func (t *table) failed() (ids []string) {
	for i := range t.questions {
		if t.questions[i].Answer == diagnose.Failed {
			ids = append(ids, t.questions[i].Question.ID)
		}
	}
	return ids
}

// open reports whether a question could still be answered by more traffic.
func open(s *diagnose.QuestionState) bool {
	return s.Answer == diagnose.NotSeen || s.Answer == diagnose.Partly && !s.Exhausted()
}

// reviewRow is a question and its answer as the cells of a table.
type reviewRow struct {
	Mark, Word       string // the answer
	Name, Title, TCK string
	Seen             []string // what shows it
	Fill             string   // how to see what was not seen
	Commands         []string
}

func (f *FileReport) reviewRow(t *table, i int, w *lang.Review, l diagnose.Lang) reviewRow {
	s := &t.questions[i]
	r := reviewRow{Mark: answerMark(s.Answer), Word: w.AnswerWord(t.list, string(s.Answer)), Name: s.Question.ID,
		Title: s.Question.Title.In(l), TCK: join(s.Question.TCK)}
	if t.list == "ladder" {
		r.Name = strconv.Itoa(i + 1)
	}
	for _, part := range s.Parts {
		if part.Seen {
			r.Seen = append(r.Seen, part.Part.Title.In(l)+" "+f.shownAt(part.Exchange))
		}
	}
	for _, x := range s.Failures {
		r.Seen = append(r.Seen, w.Failure+" "+failureText(f, x, w))
	}
	if open(s) {
		r.Fill, r.Commands = s.Question.Fill.In(l), s.Question.Commands(t.at)
	}
	return r
}
