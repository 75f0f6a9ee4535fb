package ruletest

import (
	"strings"
	"testing"
	"testing/fstest"

	"a2ascope/diagnose"
)

const asked = `- id: Q1
  of: agent
  title: {en: Called, zh: 调用}
  check: {en: A call is answered., zh: 调用得到应答。}
  fill: {en: Call it., zh: 调用它。}
  parts: [{id: ok, if: call.ok}]
  fail: [mine]
`

// TestQuestionExamples: every question wants traffic that passes, fails, and
// does not show it, and what a play answers is compared.
func TestQuestionExamples(t *testing.T) {
	passed, failed := "-- Q1/passed.play --\n"+fine, "-- Q1/failed.play --\n"+refused
	unseen := "-- Q1/not-seen-else.play --\n> GET /x\n> Host: a.example\n\n< 204\n<\n"
	for name, tt := range map[string]struct{ examples, want string }{
		"all":          {passed + failed + unseen, ""},
		"none passes":  {failed + unseen, "question Q1 has no example Q1/passed.play"},
		"none fails":   {passed + unseen, "question Q1 has no example Q1/failed.play"},
		"none unseen":  {passed + failed, "question Q1 has no example Q1/not-seen.play"},
		"other answer": {passed + failed + unseen + "-- Q1/passed-really.play --\n" + refused, "Q1/passed-really.play: Q1 is failed, not passed; failed by mine on 1"},
		"unknown":      {passed + failed + unseen + "-- Q2/passed.play --\n" + fine, "there is no question Q2 in coverage.yaml"},
		"bad name":     {passed + failed + unseen + "-- Q1/good.play --\n" + fine, "an example is named ID/ANSWER.play"},
		"bad play":     {passed + failed + unseen + "-- Q1/passed-2.play --\nnonsense\n", "review/coverage.txtar:"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{
				"mine.yaml": {Data: []byte(rule)}, "review/coverage.yaml": {Data: []byte(asked)}, "review/coverage.txtar": {Data: []byte(tt.examples)},
			}
			for _, list := range []string{"ladder", "migration"} {
				files["review/"+list+".yaml"] = &fstest.MapFile{Data: []byte("[]\n")}
				files["review/"+list+".txtar"] = &fstest.MapFile{}
			}
			set, errs := diagnose.Load(fstest.MapFS{"mine.yaml": files["mine.yaml"]}, false)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			ask, err := diagnose.LoadQuestions(files, set)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := Questions(set, ask, files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range rep.Failures {
				got = append(got, f.Error())
			}
			all := strings.Join(got, "\n")
			if !strings.Contains(all, tt.want) || tt.want == "" && all != "" {
				t.Errorf("got\n%s\nwant\n%s", all, tt.want)
			}
		})
	}
}
