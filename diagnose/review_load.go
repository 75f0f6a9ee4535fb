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
	q := &Questions{byRule: map[string][]int{}}
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
			x, err := files[i].question(list, set)
			if err != nil {
				return nil, fmt.Errorf("%s: question %s: %w", name, files[i].ID, err)
			}
			for _, id := range x.Fail {
				q.byRule[id] = append(q.byRule[id], len(q.list))
			}
			q.list = append(q.list, x)
		}
	}
	return q, nil
}

func (f *questionFile) question(list string, set *Set) (*Question, error) {
	q := &Question{List: list, ID: f.ID, Of: f.Of, Title: f.Title.text(), Check: f.Check.text(), Fill: f.Fill.text(),
		Kinds: f.Kinds, Need: f.Need, Fail: f.Fail, Spec: f.Spec, TCK: f.TCK}
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
	for _, t := range []Text{q.Title, q.Check, q.Fill} {
		if t.EN == "" || t.ZH == "" {
			return nil, fmt.Errorf("title, check and fill need en and zh")
		}
	}
	for _, id := range q.Fail {
		family, slug, _ := strings.Cut(id, "/")
		if slug == "*" && slices.Contains(families, family) {
			continue
		}
		if set != nil && set.byID[id] == nil {
			return nil, fmt.Errorf("fail names '%s', which is no rule%s", id, didYouMean(id, set.IDs()))
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
	}
	if f.FailIf != "" {
		var err error
		if q.failIf, err = questionCond(f.FailIf); err != nil {
			return nil, fmt.Errorf("fail_if: %w", err)
		}
	}
	return q, nil
}

// questionCond compiles a condition; it must be one of those that run as
// closures, since every exchange meets it.
func questionCond(text string) (boolFn, error) {
	if e := quickParse(text); e != nil {
		if c, ok := closures(e); ok && c.fn.b != nil {
			return c.fn.b, nil
		}
	}
	c := compileExpr(ruleEnv, text, cel.BoolType)
	if len(c.errs) > 0 {
		return nil, fmt.Errorf("%v in %s", c.errs[0], text)
	}
	return c.fn.b, nil
}
