package report

import (
	"encoding/json"

	"a2ascope/capture"
	"a2ascope/diagnose"
)

type reviewLine struct {
	Type      string         `json:"type"`
	File      string         `json:"file"`
	List      string         `json:"list"`
	Client    *string        `json:"client"`
	Agent     *string        `json:"agent"`
	Phase     *string        `json:"phase"`
	Cause     *string        `json:"cause"`
	Questions []questionJSON `json:"questions"`
	Versions  []versionJSON  `json:"versions"`
}

type questionJSON struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Answer   string        `json:"answer"`
	Parts    []seenJSON    `json:"parts"`
	Failures []failureJSON `json:"failures"`
	Failing  int           `json:"failing"`
	Fill     *string       `json:"fill"`
	Run      []string      `json:"run"`
	Spec     []string      `json:"spec"`
	TCK      []string      `json:"tck"`
}

type seenJSON struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Seen     bool   `json:"seen"`
	Exchange *int   `json:"exchange"`
}

type failureJSON struct {
	Exchange *int    `json:"exchange"`
	Rule     *string `json:"rule"`
}

type versionJSON struct {
	Sent     *string  `json:"sent"`
	Exposes  []string `json:"exposes"`
	Declared bool     `json:"declared"`
	Expected *string  `json:"expected"`
	Did      *string  `json:"did"`
	Agrees   bool     `json:"agrees"`
	Count    int      `json:"count"`
	Exchange *int     `json:"exchange"`
}

// encodeReview writes a line for each table; none without --review.
func (f *FileReport) encodeReview(enc *json.Encoder, o Options) error {
	if !o.Review {
		return nil
	}
	for i := range f.tables {
		if err := enc.Encode(f.reviewLine(&f.tables[i], o.Lang)); err != nil {
			return err
		}
	}
	return nil
}

func (f *FileReport) reviewLine(t *table, l diagnose.Lang) reviewLine {
	line := reviewLine{Type: "review", File: f.Name, List: t.list, Client: known(t.client), Agent: known(t.agent),
		Phase: known(string(t.phase)), Questions: []questionJSON{}, Versions: []versionJSON{}}
	if t.cause >= 0 {
		line.Cause = &t.questions[t.cause].Question.ID
	}
	for i := range t.questions {
		s := &t.questions[i]
		q := questionJSON{ID: s.Question.ID, Title: s.Question.Title.In(l), Answer: string(s.Answer), Parts: []seenJSON{}, Failures: []failureJSON{},
			Failing: s.Failing, Run: []string{}, Spec: orEmpty(s.Question.Spec), TCK: orEmpty(s.Question.TCK)}
		for _, p := range s.Parts {
			j := seenJSON{ID: p.Part.ID, Title: p.Part.Title.In(l), Seen: p.Seen}
			if p.Seen {
				j.Exchange = f.shownNumber(p.Exchange)
			}
			q.Parts = append(q.Parts, j)
		}
		for _, x := range s.Failures {
			q.Failures = append(q.Failures, failureJSON{f.shownNumber(x.Exchange), known(x.Rule)})
		}
		if open(s) {
			q.Fill, q.Run = known(s.Question.Fill.In(l)), orEmpty(s.Question.Commands(t.at))
		}
		line.Questions = append(line.Questions, q)
	}
	for i := range t.versions {
		v := &t.versions[i]
		line.Versions = append(line.Versions, versionJSON{known(v.Sent), orEmpty(v.Exposes), v.Declared, known(string(v.Expected)), known(string(v.Did)),
			v.Agrees(), v.Count, f.shownNumber(v.First)})
	}
	return line
}

// shownNumber is the number of an exchange that a table names, nil when it is
// no longer there.
func (f *FileReport) shownNumber(id capture.ExchangeID) *int {
	n := f.shown[id]
	if n == 0 {
		return nil
	}
	return &n
}

// shownAt is the same in words.
func (f *FileReport) shownAt(id capture.ExchangeID) string {
	if n := f.shownNumber(id); n != nil {
		return "#" + numberText(n)
	}
	return ""
}
