package ruletest

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"a2ascope/diagnose"
)

// questionLists are the lists whose examples lie beside them: review/LIST.txtar.
var questionLists = []string{"ladder", "coverage", "migration"}

// answers by weight: where a play has several clients or agents, the heaviest counts.
var answers = []diagnose.Answer{diagnose.NotSeen, diagnose.Partly, diagnose.Passed, diagnose.Failed}

// Questions runs the examples of the questions of a review. An example is named
// ID/ANSWER.play, or ID,ID/ANSWER-MORE.play where it serves several. Every
// question needs one that passes, one that leaves it not seen, and one that
// fails it unless nothing can.
func Questions(set *diagnose.Set, ask *diagnose.Questions, fsys fs.FS) (*Report, error) {
	rep := &Report{}
	for _, list := range questionLists {
		name := "review/" + list + ".txtar"
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		had := map[string][]diagnose.Answer{}
		for _, f := range parseArchive(text).files {
			ids, want, ok := exampleName(f.name)
			if !ok {
				rep.fail(name, f.name, "an example is named ID/ANSWER.play, or ID,ID/ANSWER-MORE.play; the answers are passed, failed, partly, not-seen")
				continue
			}
			rep.Plays++
			padded := append([]byte(strings.Repeat("#\n", f.line-1)), f.text...)
			o, err := Play(set, name, padded, diagnose.Options{Questions: ask})
			if err != nil {
				rep.fail(name, f.name, err.Error())
				continue
			}
			for _, id := range ids {
				q := question(ask, list, id)
				if q == nil {
					rep.fail(name, f.name, fmt.Sprintf("there is no question %s in %s.yaml", id, list))
					continue
				}
				had[id] = append(had[id], want)
				if got, why := o.answer(q); got != want {
					rep.fail(name, f.name, fmt.Sprintf("%s is %s, not %s%s\n%s", id, got, want, why, indent(o.Want())))
				}
			}
		}
		for _, q := range ask.List(list) {
			for _, a := range []diagnose.Answer{diagnose.Passed, diagnose.Failed, diagnose.NotSeen} {
				if !slices.Contains(had[q.ID], a) && (a != diagnose.Failed || q.CanFail()) {
					rep.fail(name, "", fmt.Sprintf("question %s has no example %s/%s.play", q.ID, q.ID, a))
				}
			}
		}
	}
	return rep, nil
}

// exampleName takes "I3,Z4/failed-tolerated.play" apart.
func exampleName(name string) (ids []string, want diagnose.Answer, ok bool) {
	list, rest, _ := strings.Cut(name, "/")
	rest, ok = strings.CutSuffix(rest, ".play")
	for _, a := range answers {
		if more, is := strings.CutPrefix(rest, string(a)); is && (more == "" || more[0] == '-') {
			return strings.Split(list, ","), a, ok
		}
	}
	return nil, "", false
}

func question(ask *diagnose.Questions, list, id string) *diagnose.Question {
	for _, q := range ask.List(list) {
		if q.ID == id {
			return q
		}
	}
	return nil
}

// answer is the heaviest answer of a question, and what failed it.
func (o *Outcome) answer(q *diagnose.Question) (diagnose.Answer, string) {
	best, why := 0, ""
	look := func(states []diagnose.QuestionState) {
		for i := range states {
			s := &states[i]
			if s.Question != q {
				continue
			}
			best = max(best, slices.Index(answers, s.Answer))
			for _, f := range s.Failures {
				why += fmt.Sprintf("; failed by %s on %d", f.Rule, o.Number[f.Exchange])
			}
			for _, p := range s.Parts {
				if p.Seen {
					why += fmt.Sprintf("; %s seen on %d", p.Part.ID, o.Number[p.Exchange])
				}
			}
		}
	}
	for _, p := range o.Review.Pairs {
		look(p.Ladder)
	}
	for _, p := range append(slices.Clone(o.Review.Agents), o.Review.Clients...) {
		look(p.Coverage)
		look(p.Migration)
	}
	return answers[best], why
}
