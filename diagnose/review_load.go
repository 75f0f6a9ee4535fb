package diagnose

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"go.yaml.in/yaml/v3"
)

// reviewDir is where the questions lie in the tree of the rules.
const reviewDir = "review"

// reviewLists are the files there.
var reviewLists = []string{"ladder", "coverage", "migration"}

type questionFile struct {
	ID    string    `yaml:"id"`
	Of    Subject   `yaml:"of"`
	Title bothTexts `yaml:"title"`
	Check bothTexts `yaml:"check"`
	Fill  bothTexts `yaml:"fill"`
	Run   string    `yaml:"run"`
	Kinds []string  `yaml:"kind"`
	Parts []struct {
		ID    string    `yaml:"id"`
		Title bothTexts `yaml:"title"`
		If    string    `yaml:"if"`
	} `yaml:"parts"`
	Need   string   `yaml:"need"`
	Fail   []string `yaml:"fail"`
	FailIf string   `yaml:"fail_if"`
	Spec   []string `yaml:"spec"`
	TCK    []string `yaml:"tck"`
}

type bothTexts struct {
	EN string `yaml:"en"`
	ZH string `yaml:"zh"`
}

func (t bothTexts) text() Text { return Text(t) }

// LoadQuestions reads the questions of a review. set knows the rules they name.
func LoadQuestions(fsys fs.FS, set *Set) (*Questions, error) {
	q := &Questions{byRule: map[string][]failing{}, byKind: map[string][]int{}}
	for _, list := range reviewLists {
		name := reviewDir + "/" + list + ".yaml"
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read questions: %w", err)
		}
		var files []questionFile
		d := yaml.NewDecoder(bytes.NewReader(text))
		d.KnownFields(true)
		if err := d.Decode(&files); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range files {
			x, err := files[i].question(list)
			if err != nil {
				return nil, fmt.Errorf("%s: question %s: %w", name, files[i].ID, err)
			}
			if slices.ContainsFunc(q.list, func(o *Question) bool { return o.List == list && o.ID == x.ID }) {
				return nil, fmt.Errorf("%s: there are two questions %s", name, x.ID)
			}
			for _, kind := range x.Kinds {
				q.byKind[kind] = append(q.byKind[kind], len(q.list))
			}
			q.list = append(q.list, x)
		}
	}
	return q, q.attach(set)
}

// attach notes which rules fail which questions.
func (q *Questions) attach(set *Set) error {
	for i, x := range q.list {
		used := map[string]bool{}
		for _, r := range set.rules {
			named := slices.Contains(x.Fail, r.ID)
			for _, id := range x.Fail {
				if prefix, ok := strings.CutSuffix(id, "*"); id == r.ID || ok && strings.HasPrefix(r.ID, prefix) {
					used[id] = true
				}
			}
			if named || slices.ContainsFunc(x.Fail, func(id string) bool {
				prefix, ok := strings.CutSuffix(id, "*")
				return ok && strings.HasPrefix(r.ID, prefix)
			}) {
				q.byRule[r.ID] = append(q.byRule[r.ID], failing{i, named})
			}
		}
		for _, id := range x.Fail {
			if !used[id] {
				return fmt.Errorf("%s/%s.yaml: question %s: fail names '%s', which is no rule%s", reviewDir, x.List, x.ID, id, didYouMean(id, set.IDs()))
			}
		}
	}
	return nil
}

func (f *questionFile) question(list string) (*Question, error) {
	q := &Question{List: list, ID: f.ID, Of: f.Of, Title: f.Title.text(), Check: f.Check.text(), Fill: f.Fill.text(),
		Run: lines(f.Run), Kinds: f.Kinds, Need: f.Need, Fail: f.Fail, Spec: f.Spec, TCK: f.TCK}
	if q.Need == "" {
		q.Need = "all"
	}
	if len(q.Kinds) == 0 {
		q.Kinds = []string{"call"}
	}
	switch {
	case q.ID == "":
		return nil, fmt.Errorf("it has no id")
	case !slices.Contains([]Subject{OfPair, OfAgent, OfClient}, q.Of):
		return nil, fmt.Errorf("of is pair, agent or client, not '%s'", q.Of)
	case !slices.Contains([]string{"all", "any", "declared"}, q.Need):
		return nil, fmt.Errorf("need is all, any or declared, not '%s'", q.Need)
	case len(f.Parts) == 0 || len(f.Parts) > maxParts:
		return nil, fmt.Errorf("it has %d parts: 1 to %d are possible", len(f.Parts), maxParts)
	}
	for _, run := range q.Run {
		if h := badHole(run); h != "" {
			return nil, fmt.Errorf("run has the hole {%s}: it can be %s", h, strings.Join(addressHoles, ", "))
		}
	}
	for _, t := range []Text{q.Title, q.Check, q.Fill} {
		if t.EN == "" || t.ZH == "" {
			return nil, fmt.Errorf("title, check and fill need en and zh")
		}
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		cond, err := questionCond(p.If)
		if err != nil {
			return nil, fmt.Errorf("part %s: %w", p.ID, err)
		}
		title := p.Title.text()
		if title.EN == "" {
			title = q.Title
		}
		q.Parts = append(q.Parts, QuestionPart{ID: p.ID, Title: title, cond: cond})
		q.whole |= 1 << i
	}
	if f.FailIf != "" {
		var err error
		if q.failIf, err = questionCond(f.FailIf); err != nil {
			return nil, fmt.Errorf("fail_if: %w", err)
		}
	}
	return q, nil
}

// lines splits a text into its lines; empty ones are left out.
func lines(s string) []string {
	return slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return l == "" })
}

// questionCond compiles a condition. It must be one that runs as closures:
// every exchange meets it.
func questionCond(text string) (boolFn, error) {
	if e := quickParse(text); e != nil {
		if c, ok := closures(e); ok && c.fn.b != nil {
			return c.fn.b, nil
		}
	}
	if c := compileExpr(ruleEnv, text, cel.BoolType); len(c.errs) > 0 {
		return nil, fmt.Errorf("%v in %s", c.errs[0], text)
	}
	return nil, fmt.Errorf("a condition of a question must be simple enough to run without cel-go, this is not: %s", text)
}
